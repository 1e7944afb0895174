"use strict";

// Tables sort by a click on a header: numbers by their full value, blanks last.
for (const table of document.querySelectorAll("table.sortable")) {
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sortBy(table, headers, header, column));
  });
}

function sortBy(table, headers, header, column) {
  const down = header.getAttribute("aria-sort") === "ascending";
  for (const other of headers) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  const numeric = header.classList.contains("n");
  const rows = [...body.rows].map((row) => [valueOf(row.cells[column], numeric), row]);
  rows.sort(([a], [b]) => {
    if (isBlank(a) || isBlank(b)) return isBlank(a) - isBlank(b);
    const order = numeric ? a - b : a.localeCompare(b, "en", { numeric: true });
    return down ? -order : order;
  });
  body.append(...rows.map(([, row]) => row));
}

function valueOf(cell, numeric) {
  return numeric ? parseFloat(cell.dataset.v ?? "") : cell.textContent.trim();
}

function isBlank(value) {
  return value === "" || Number.isNaN(value);
}

// Boxes that scroll show at which edges there is more, and say so while nobody has scrolled.
const sizes = new ResizeObserver((changed) => changed.forEach(({ target }) => hint(target.closest(".scroll"))));
for (const box of document.querySelectorAll(".scroll")) {
  const said = document.createElement("p");
  said.className = "hint";
  said.setAttribute("aria-hidden", "true");
  box.before(said);
  box.addEventListener("scroll", () => hint(box), { passive: true });
  sizes.observe(box);
  if (box.firstElementChild) sizes.observe(box.firstElementChild);
}

function hint(box) {
  const right = box.scrollWidth - box.clientWidth;
  const below = box.scrollHeight - box.clientHeight;
  const more = {
    left: box.scrollLeft > 1,
    right: box.scrollLeft < right - 1,
    above: box.scrollTop > 1,
    below: box.scrollTop < below - 1,
  };
  for (const [edge, there] of Object.entries(more)) box.classList.toggle(`more-${edge}`, there);
  const rows = box.querySelectorAll("tbody tr").length;
  const parts = [];
  if (below > 1 && rows) parts.push(`${rows} ${box.dataset.noun}: scroll down for more`);
  if (right > 1) parts.push(below > 1 && rows ? "sideways for more columns" : "Scroll sideways for more columns");
  box.previousElementSibling.textContent = parts.join(", ");
  box.previousElementSibling.hidden = parts.length === 0;
}

// The slider walks the front; everything it shows was written into the page as text.
const data = document.getElementById("front-data");
if (data) walk(JSON.parse(data.textContent));

function walk(front) {
  const MANY = 80;
  const slider = document.getElementById("budget");
  const members = document.getElementById("members");
  const chips = front.names.map((name) => {
    const chip = document.createElement("li");
    chip.textContent = name;
    return chip;
  });
  members.append(...chips);
  document.getElementById("slider").hidden = false;
  for (const mark of document.querySelectorAll('[id^="here"]')) mark.setAttribute("visibility", "visible");
  slider.addEventListener("input", show);
  show();

  function show() {
    const place = Number(slider.value);
    const step = front.steps[place];
    const inside = new Set(step.in);
    chips.forEach((chip, i) => {
      chip.className = inside.has(i) ? "in" : "out";
      chip.hidden = chips.length > MANY && !inside.has(i);
    });
    const share = step.share === null ? "–" : step.share < 1 ? "< 1 %" : `${step.share} %`;
    const shown = { cost: step.cost, share, size: step.in.length };
    for (const name of ["error", "unseen", "loss", "kendall"]) shown[name] = step[name];
    for (const [name, value] of Object.entries(shown)) byId(`r-${name}`).textContent = value;
    byId("changes").textContent = changes(front, place, inside);
    slider.setAttribute(
      "aria-valuetext",
      `${step.cost} ${front.unit}: ${step.in.length} benchmarks, error ${step.error}`,
    );
    for (const [end, x] of [["", step.x], ["-narrow", step.narrow_x]]) {
      byId(`here${end}`).setAttribute("cx", x);
      byId(`here${end}`).setAttribute("cy", step.y);
      for (const side of ["x1", "x2"]) byId(`here-line${end}`).setAttribute(side, x);
    }
  }
}

function changes(front, place, inside) {
  if (place === 0) return "The cheapest subset of the front.";
  const before = new Set(front.steps[place - 1].in);
  const named = (ids) => ids.map((i) => front.names[i]).join(", ");
  const come = [...inside].filter((i) => !before.has(i));
  const gone = [...before].filter((i) => !inside.has(i));
  const parts = [];
  if (come.length) parts.push(`in: ${named(come)}`);
  if (gone.length) parts.push(`out: ${named(gone)}`);
  return `Against the next cheaper subset, ${parts.join("; ")}.`;
}

function byId(id) {
  return document.getElementById(id);
}
