"""`Drawing`: an SVG picture with a title and a description; colours are classes of CSS."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.image import imsave
from matplotlib.ticker import LogLocator, MaxNLocator

from eevee.base.arrays import FloatArray
from eevee.base.shortening import CUT
from eevee.base.visible import visible

LETTERS = 12
"""Height of letters, in CSS pixels."""
WIDE, NARROW = 1036.0, 360.0
"""How wide pictures may be, in CSS pixels: on a page of full width, and on a phone."""
_NO_METADATA: Any = {"Software": None}
Points = Sequence[tuple[float, float]]


class Drawing:
    """An SVG picture that grows by its parts.

    Parameters
    ----------
    name : str
        Of the picture, unique on the page: letters, digits and hyphens.
    size : tuple of float
        Width and height in CSS pixels; it shrinks with the page.
    title, text : str
        What it shows, and what a reader who cannot see it should know.
    narrow : bool
        Whether it is the one for a phone; the page shows one of the two.
    """

    def __init__(
        self, name: str, size: tuple[float, float], title: str, text: str, *, narrow: bool = False
    ) -> None:
        self.name = f"{name}-narrow" if narrow else name
        self.kind = "narrow" if narrow else "wide"
        self.width, self.height = size
        self._title, self._text = title, text
        self._parts: list[str] = []

    def add(self, tag: str, content: str | None = None, **attributes: object) -> None:
        """Add an element; ``_`` in names of attributes stands for ``-``."""
        written = "".join(
            f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
            for key, value in attributes.items()
            if value is not None
        )
        end = "/>" if content is None else f">{escape(content)}</{tag}>"
        self._parts.append(f"<{tag}{written}{end}")

    def text(self, x: float, y: float, content: str, kind: str = "", **more: object) -> None:
        """Add a text; the kind is its class, such as ``end`` for right-aligned."""
        self.add("text", content, x=x, y=y, class_=kind or None, **more)

    def name_text(
        self, x: float, y: float, shown: str, name: str, kind: str, **more: object
    ) -> None:
        """Add a name as it is shown; the whole one appears where the mouse rests on it."""
        self.text(x, y, shown, kind, **more)
        if CUT in shown:
            end = "</text>"
            whole = f"<title>{escape(visible(name))}</title>"
            self._parts[-1] = f"{self._parts[-1].removesuffix(end)}{whole}{end}"

    def label(self, middle: float, y: float, content: str) -> None:
        """Add the label of an axis around a middle, in two lines if it is too long for one."""
        lines = wrapped(content, self.width)
        half = max(map(text_width, lines)) / 2
        x = min(max(middle, half), self.width - half)
        for i, line in enumerate(lines):
            self.text(x, y + 15 * i, line, "middle label")

    def text_up(self, x: float, y: float, content: str) -> None:
        """Add the label of an axis, read from below, around a middle."""
        turned = f"rotate(-90 {x:.1f} {y:.1f})"
        self.text(x, y, content, "middle label", transform=turned)

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Add a straight line."""
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)

    def path(self, points: Points, kind: str, *, closed: bool = False) -> None:
        """Add a line through points, or the area inside."""
        through = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add("path", d=f"M{through}{'Z' if closed else ''}", class_=kind)

    def steps(self, points: Points, right: float, kind: str) -> None:
        """Add a line that stays at each height until the next point, and ends at the right."""
        through: list[tuple[float, float]] = []
        for (x, y), (after, _) in zip(points, [*points[1:], (right, 0.0)], strict=True):
            through += [(x, y), (after, y)]
        self.path(through, kind)

    def image(
        self,
        colours: FloatArray,
        x: float,
        y: float,
        size: tuple[float, float],
        name: str | None = None,
    ) -> None:
        """Add a picture of a matrix, (rows, columns, 4) with values in 0..1, one cell a pixel.

        With a name, `image_again` can show it elsewhere.
        """
        file = io.BytesIO()
        imsave(file, colours, format="png", metadata=_NO_METADATA)
        data = base64.b64encode(file.getvalue()).decode("ascii")
        href = f"data:image/png;base64,{data}"
        width, height = size
        self.add(
            "image", x=x, y=y, width=width, height=height, href=href,
            preserveAspectRatio="none", class_="cells", id=name,
        )  # fmt: skip

    def image_again(
        self,
        name: str,
        was: tuple[float, float, float, float],
        x: float,
        y: float,
        size: tuple[float, float],
    ) -> None:
        """Add a picture that another drawing of the page holds: at x, y, width and height there."""
        across, down = size[0] / was[2], size[1] / was[3]
        moved = f"translate({x:.1f} {y:.1f}) scale({across:.6g} {down:.6g})"
        back = f"translate({-was[0]:.1f} {-was[1]:.1f})"
        self.add("use", href=f"#{name}", transform=f"{moved} {back}")

    @property
    def svg(self) -> Markup:
        """The whole picture."""
        ids = f"{self.name}-title", f"{self.name}-text"
        head = (
            f'<svg viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-labelledby="{ids[0]} {ids[1]}" width="{self.width:g}" '
            f'height="{self.height:g}" id="{self.name}" class="{self.kind}">'
            f'<title id="{ids[0]}">{escape(self._title)}</title>'
            f'<desc id="{ids[1]}">{escape(self._text)}</desc>'
        )
        return Markup(f"{head}{''.join(self._parts)}</svg>")  # every part was escaped


def both(draw: Callable[[float], Drawing]) -> Markup:
    """Return a picture as it is drawn for a wide page, and for a phone."""
    return Markup("").join(draw(room).svg for room in (WIDE, NARROW))


def wrapped(text: str, room: float) -> list[str]:
    """Return a text in one line, or in two where it is too long for a room."""
    if text_width(text) <= room:
        return [text]
    spaces = [i for i, letter in enumerate(text) if letter == " "]
    middle = min(spaces, key=lambda i: abs(i - len(text) / 2), default=len(text))
    return [text[:middle], text[middle + 1 :]]


def text_width(text: str, *, bold: bool = False) -> float:
    """Return how wide a text is in DejaVu Sans, which is as wide as any font of a browser.

    Examples
    --------
    >>> text_width("ii") < text_width("mm") < text_width("mm", bold=True)
    True
    """
    return sum(_advance(letter, bold=bold) for letter in text)


@cache
def _advance(letter: str, *, bold: bool) -> float:
    weight = "bold" if bold else "normal"
    font = get_font(findfont(FontProperties(family="DejaVu Sans", weight=weight)))
    font.set_size(LETTERS, 72)
    if not font.get_char_index(ord(letter)):
        return float(LETTERS)
    return float(font.load_char(ord(letter)).linearHoriAdvance) / 65536


def _plain(value: object) -> str:
    if isinstance(value, float | np.floating):
        return f"{float(value):.1f}".removesuffix(".0")
    return str(value)


class Scale:
    """From values to places along one axis, linear or logarithmic.

    Examples
    --------
    >>> scale = Scale(0, 10, 100, 200)
    >>> scale(5), scale.ticks(3)
    (150.0, [0.0, 5.0, 10.0])
    """

    def __init__(self, low: float, high: float, start: float, end: float, *, log: bool = False):
        if not high > low:
            low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = np.log([low, high, max(value, low)])
        share = (value - low) / (high - low)
        return float(self.start + (self.end - self.start) * share)

    def fitting_ticks(self, most: int = 10) -> list[float]:
        """Return as many round values as have room for their numbers."""
        for count in [] if self.log else range(most, 2, -1):
            found = self.ticks(count)
            if all(self._is_apart(a, b) for a, b in pairwise(found)):
                return found
        kept: list[float] = []
        for tick in self.ticks(2):
            if not kept or self._is_apart(kept[-1], tick):
                kept.append(tick)
        return kept

    def _is_apart(self, a: float, b: float) -> bool:
        needed = (text_width(f"{a:g}") + text_width(f"{b:g}")) / 2 + 8
        return abs(self(b) - self(a)) >= needed

    def ticks(self, most: int = 6) -> list[float]:
        """Return round values between the ends."""
        if self.log:
            wide = self.high / self.low > 1000
            found = LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)).tick_values(
                self.low, self.high
            )
        else:
            found = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(self.low, self.high)
        slack = 1e-9 * (self.high - self.low)
        return [float(one) for one in found if self.low - slack <= one <= self.high + slack]
