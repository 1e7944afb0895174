"""A table that is written in any layout and read back is the same table, to the last bit."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eevee


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Scores in percent, some of them missing; no column is empty, constant or an aggregate."""
    n_models, n_columns = draw(st.integers(5, 9)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.uniform(20, 95, (n_models, n_columns)).round(draw(st.integers(2, 12)))
    gaps = rng.random(values.shape) < draw(st.sampled_from([0.0, 0.2]))
    gaps[:4] = gaps[:, :1] = False
    models = [f"model-{chr(97 + i)}" for i in range(n_models)]
    names = ["arc", "boolq", "copa", "drop", "gsm8k"][:n_columns]
    return pd.DataFrame(np.where(gaps, np.nan, values), models, names)


def _wide(frame: pd.DataFrame, separator: str) -> str:
    return frame.to_csv(sep=separator, index_label="model")


def _long(frame: pd.DataFrame) -> str:
    named = frame.rename_axis("model").reset_index()
    cells = named.melt("model", var_name="benchmark", value_name="score").dropna()
    return cells.to_csv(index=False)


def _markdown(frame: pd.DataFrame) -> str:
    rows = [["model", *frame.columns], ["---"] * (1 + frame.shape[1])]
    rows += [
        [name, *("" if value != value else repr(value) for value in row)]  # noqa: PLR0124
        for name, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


LAYOUTS = {
    "comma": lambda frame: _wide(frame, ","),
    "tab": lambda frame: _wide(frame, "\t"),
    "semicolon": lambda frame: _wide(frame, ";"),
    "long": _long,
    "markdown": _markdown,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@given(frame=tables())
@settings(max_examples=6)
def test_what_was_written_is_read_back(layout: str, frame: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "scores.txt"
        path.write_text(LAYOUTS[layout](frame), encoding="utf-8")
        read = eevee.read_table(path).scores
    pd.testing.assert_frame_equal(
        read.loc[frame.index, frame.columns], frame, check_exact=True, check_names=False
    )
    assert read.shape == frame.shape
