"""The HTML report in a headless Chromium."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eevee.report.html.page import write_report
from tests.report.html_runs import SCRIPT, make_wide_run

api: Any = pytest.importorskip(
    "playwright.sync_api", reason="pip install 'eevee-tiers[browser]' drives the browser"
)
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as player:
        opened = player.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address(report_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("page") / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(report_runs)
        write_report(["tiers", "front", "sweep", "assess"], out)
    return out.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page; in the end nothing was fetched, and nothing went wrong."""
    opened = browser.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(address)
    yield opened
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [address]
    opened.close()


def test_the_slider_moves_the_selection(page: Any):
    slider = page.locator("#budget")
    front = page.evaluate("JSON.parse(document.getElementById('front-data').textContent)")
    slider.focus()
    page.keyboard.press("Home")
    for place in (0, 1):
        step = front["steps"][place]
        chosen = page.locator("#members li.in").all_inner_texts()
        assert chosen == [front["names"][i] for i in step["in"]]
        assert page.locator("#r-cost").inner_text() == step["cost"]
        assert f"error {step['error']}" in slider.get_attribute("aria-valuetext")
        for name in ("error", "unseen", "loss", "kendall"):
            assert page.locator(f"#r-{name}").inner_text() == step[name]
        assert float(page.locator("#here").first.get_attribute("cx")) == step["x"]
        page.keyboard.press("ArrowRight")


def test_sorting_sorts_there_and_back(page: Any):
    table = page.locator("#models-table")
    names = table.locator("tbody th").all_inner_texts()
    button = table.locator("thead button").first
    button.click()
    assert table.locator("tbody th").all_inner_texts() == sorted(names, key=str.lower) != names
    assert table.locator("thead th").first.get_attribute("aria-sort") == "ascending"
    table.locator("thead button").nth(1).click()
    assert table.locator("tbody th").all_inner_texts() == names[::-1]
    table.locator("thead button").nth(1).click()
    assert table.locator("tbody th").all_inner_texts() == names
    assert page.locator("#models-table [aria-sort]").count() == 1


def test_a_model_called_like_a_script_is_text(page: Any):
    assert SCRIPT in page.locator("#models-table tbody th").all_inner_texts()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_meets_wcag_aa(page: Any, scheme: str):
    axe: Any = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.emulate_media(color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    only: dict[str, Any] = {"type": "rule", "values": ["color-contrast"]}
    if scheme == "light":
        only = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
    found = axe.Axe().run(page, options={"runOnly": only})
    assert [
        (one["id"], node["target"], node["failureSummary"])
        for one in found.response["violations"]
        for node in one["nodes"][:2]
    ] == []


def test_a_phone_shows_it_without_scrolling_sideways(page: Any):
    page.set_viewport_size({"width": 390, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true })"
PICTURES = """[...document.querySelectorAll("figure svg")].filter((one) => one.clientWidth)
.map((one) => {
  const box = one.getBoundingClientRect(), room = one.closest('.scroll');
  const outside = [...one.querySelectorAll('text')].filter((text) => {
    const at = text.getBoundingClientRect();
    return at.left < box.left - 1 || at.right > box.right + 1 || at.bottom > box.bottom + 1;
  });
  return {
    name: one.id, width: box.width, scale: box.width / one.viewBox.baseVal.width,
    fits: room.scrollWidth <= room.clientWidth, outside: outside.map((text) => text.textContent),
  };
})"""
HINTS = """[...document.querySelectorAll('.scroll')].map((box) => ({
  label: box.getAttribute('aria-label'), said: box.previousElementSibling.innerText,
  right: box.scrollWidth > box.clientWidth + 1, below: box.scrollHeight > box.clientHeight + 1,
  shown: [...box.classList].filter((one) => one.startsWith('more-')).sort(),
  shadow: getComputedStyle(box).boxShadow,
}))"""


@pytest.mark.parametrize(("width", "smallest"), [(360, 9), (400, 10), (1100, 11.5)])
def test_pictures_fit_the_page_and_their_letters_are_large(page: Any, width: int, smallest: float):
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate(OPEN)
    pictures = page.evaluate(PICTURES)
    assert len(pictures) > 8
    for one in pictures:
        assert one["fits"], one
        assert one["outside"] == [], one
        assert 12 * one["scale"] >= smallest, one
        if width == 1100 and "chart" in one["name"]:
            assert one["width"] > 0.9 * 1036, one
        assert one["name"].endswith("-narrow") == (width < 500)


def test_what_scrolls_says_so_at_its_edge(page: Any):
    page.set_viewport_size({"width": 400, "height": 800})
    page.evaluate(OPEN)
    rows = (
        "for (let i = 0; i < 2; i++) body.append(...[...body.rows].map((r) => r.cloneNode(true)))"
    )
    page.evaluate(f"const body = document.querySelector('#front-table').tBodies[0]; {rows}")
    page.wait_for_timeout(200)
    hints = page.evaluate(HINTS)
    wide, tall, neither = (
        [one for one in hints if one["right"]],
        [one for one in hints if one["below"]],
        [one for one in hints if not (one["right"] or one["below"])],
    )
    assert wide
    assert tall
    assert neither
    assert all("more-right" in one["shown"] and "columns" in one["said"] for one in wide)
    assert all("more-below" in one["shown"] and ": scroll down" in one["said"] for one in tall)
    assert all(one["shown"] == [] and one["said"] == "" for one in neither)
    assert {one["shadow"] for one in wide + tall}.isdisjoint({one["shadow"] for one in neither})
    box = page.locator("[aria-label='Subsets of the Pareto front']")
    count = page.locator("#front-table tbody tr").count()
    assert f"{count} subsets: scroll" in box.evaluate(
        "(one) => one.previousElementSibling.innerText"
    )
    box.evaluate("(one) => one.scrollTo(one.scrollWidth, one.scrollHeight)")
    page.wait_for_timeout(200)
    shown = box.evaluate("(one) => [...one.classList].sort()")
    assert shown == ["more-above", "more-left", "scroll", "tall"]


def test_on_a_phone_the_error_is_seen_before_anything_is_scrolled(page: Any):
    page.set_viewport_size({"width": 400, "height": 800})
    page.evaluate(OPEN)
    for label in ("Benchmarks alone", "Subsets of the Pareto front", "Table of assessed losses"):
        box = page.locator(f"[aria-label='{label}']").first
        head = box.locator("th", has_text="Error").first
        ends = [one.bounding_box() for one in (box, head)]
        assert ends[1]["x"] + ends[1]["width"] <= ends[0]["x"] + ends[0]["width"]


def test_in_print_every_page_of_a_table_has_its_head(page: Any, tmp_path: Path):
    text = shutil.which("pdftotext")
    if text is None:
        pytest.skip("no pdftotext: apt-get install poppler-utils")
    rows = (
        "for (let i = 0; i < 5; i++) body.append(...[...body.rows].map((r) => r.cloneNode(true)))"
    )
    page.evaluate(f"const body = document.querySelector('#models-table').tBodies[0]; {rows}")
    page.pdf(path=tmp_path / "page.pdf", format="A4", prefer_css_page_size=True)
    done = subprocess.run(
        [text, "-layout", tmp_path / "page.pdf", "-"], capture_output=True, text=True, check=True
    )
    pages = [one for one in done.stdout.split("\f") if one.count("m0") > 20]
    assert len(pages) > 5
    for one in pages:
        assert "Model" in one.partition("m0")[0]


def test_without_scripts_it_is_a_document(browser: Any, address: str):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("#slider").is_hidden()
    assert page.locator("#front-table tbody tr").count() > 3
    context.close()


@pytest.mark.slow
def test_300_models_and_300_benchmarks_open_in_a_moment(browser: Any, address: str, tmp_path: Path):
    """In 3 seconds on an idle machine; on a busy one in a few times as long as a small page."""
    wide = write_report([make_wide_run(tmp_path)])
    assert wide.stat().st_size < 10_000_000
    took: dict[str, list[float]] = {address: [], wide.as_uri(): []}
    for url in (*took, *took, *took):
        page = browser.new_page()
        started = time.perf_counter()
        page.goto(url)  # until everything is loaded
        page.locator("#budget").focus()
        page.keyboard.press("End")
        page.screenshot()
        took[url].append(time.perf_counter() - started)
        if url != address:
            assert page.locator("#r-size").inner_text() == "300"
            assert page.locator("#models-table tbody tr").count() == 300
        page.close()
    small, large = (min(times) for times in took.values())
    print(f"opened in {small:.2f} s (small) and {large:.2f} s; {wide.stat().st_size / 1e6:.1f} MB")
    assert large < max(3.0, 8 * small)
