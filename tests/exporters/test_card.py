"""The tier card: its front matter and its text hold names, whatever these try to be."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from eevee.exporters.exporting import export
from eevee.tiers.file import TierSet
from tests.exporters.conftest import named, tiers_of

INJECTIONS = [
    "x\n---\nassessed_loss: 0\n---\n# Approved",
    "x\nbudget: 0",
    "---",
    "--- " * 60,
    "a: b, c: d",
    "!!python/object/apply:os.system ['touch pwned']",
    "&a *a",
    "{{ x }}",
    "<script>alert(1)</script>",
    "<!-- ",
    "[free](javascript:alert(1))",
    "![x](http://example.org/x.png)",
    "<http://example.org>",
    "|\n| x | 0 |",
    "a | b",
    "# heading",
    "```\nx\n```",
    "`code` **bold** _it_ ~~gone~~ $x^2$",
    "&lt;b&gt; &amp;",
    "\\",
    "yes",
    "007",
]
TEXT = {"text", "softbreak", "code_inline"}


def card_of(tiers: TierSet, out: Path) -> tuple[dict[str, object], list[Token]]:
    """The front matter as any reader takes it, and the text as Markdown takes it."""
    export(tiers, to="card", out=out)
    (path,) = out.glob("*.md")
    head, front, body = re.split(
        r"(?m)^\s*-{3,}\s*?$", path.read_text(encoding="utf-8"), maxsplit=2
    )
    assert head == ""
    return yaml.safe_load(front), MarkdownIt("commonmark", {"html": True}).enable("table").parse(
        body
    )


def texts(tokens: list[Token], kind: str) -> list[str]:
    """What stands in elements of a kind; there is nothing but text in them."""
    found = []
    for opened, inline in pairwise(tokens):
        if opened.type == kind:
            assert {one.type for one in inline.children or []} <= TEXT
            found.append("".join(one.content for one in inline.children or []))
    return found


@pytest.mark.parametrize("name", INJECTIONS)
def test_a_benchmark_is_a_member_and_a_cell_whatever_it_is_called(
    name: str, tmp_path: Path
) -> None:
    front, tokens = card_of(tiers_of(small=["first", name, "last"]), tmp_path / "out")
    assert front["members"] == ["first", name, "last"]
    assert front["budget"] == 100.0
    assert front["assessed_loss"] == {"mean": 0.31, "low": 0.25, "high": 0.4, "of": "evolve, ridge"}
    cells = texts(tokens, "td_open")
    assert len(cells) == 9
    assert cells[3] == " ".join(name.split("\n")).strip()
    assert texts(tokens, "heading_open")[0] == "small"
    assert "html_block" not in {one.type for one in tokens}


@pytest.mark.parametrize("name", INJECTIONS)
def test_a_tier_is_a_name_and_a_heading_whatever_it_is_called(name: str, tmp_path: Path) -> None:
    front, tokens = card_of(named(name), tmp_path / "out")
    assert front["name"] == name
    assert texts(tokens, "heading_open")[0] == " ".join(name.split("\n")).strip()
    (command,) = [one.content for one in tokens if one.type == "fence"]
    assert command.startswith("eevee predict tiers.yaml --tier ")
    assert len(command.splitlines()) == 1
    assert "html_block" not in {one.type for one in tokens}


def test_errors_are_the_roots_of_the_losses(tmp_path: Path) -> None:
    _, tokens = card_of(tiers_of(small=["a"]), tmp_path / "out")
    said = " ".join(one.content for one in tokens if one.type == "inline")
    assert f"an error of {0.31**0.5:.2f} standard deviations, the root of the assessed" in said
    assert f"an error of {0.21**0.5:.2f} standard deviations, the root of the search loss" in said
