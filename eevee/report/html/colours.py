"""Colours of the page: those of the figures, one per role, and lighter ones for a dark page."""

from __future__ import annotations

from eevee.plots import _style as style

ROLES = {
    "search": (style.SEARCH, "#5BB4F0"),
    "random": (style.RANDOM, "#E9A93A"),
    "tier": (style.TIER, "#FF8A4A"),
    "unseen": (style.GREEN, "#3CC59A"),
    "again": (style.SKY, "#A9D8F7"),
    "gain": (style.HELPS, "#3CC59A"),
    "harm": (style.HARMS, "#E3A3C4"),
}
"""Role to its colour on a light and on a dark page."""
_GROUPS_DARK = (
    *("#3CC59A", "#E3A3C4", "#8CCBF0", "#5BB4F0"),
    *("#FF8A4A", "#E9A93A", "#E8E8E8", "#F0E442"),
)


def style_variables() -> str:
    """Return the colours as CSS variables, for light and dark.

    Examples
    --------
    >>> style_variables().startswith(":root{--search:#0072B2;")
    True
    """
    light = {name: pair[0] for name, pair in ROLES.items()}
    dark = {name: pair[1] for name, pair in ROLES.items()}
    light |= {f"g{i}": colour for i, colour in enumerate(style.TASKS)}
    dark |= {f"g{i}": colour for i, colour in enumerate(_GROUPS_DARK)}
    return (
        f":root{{{_declared(light)}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{_declared(dark)}}}}}\n"
    )


def _declared(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
