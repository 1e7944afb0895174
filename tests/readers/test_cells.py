from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eevee.readers.cells import CellError, is_missing, parse_cell, uses_decimal_comma

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite)
def test_every_written_float_reads_back_bit_for_bit(value: float):
    assert parse_cell(repr(value)) == value
    assert parse_cell(f" {value!r} ") == value


@given(st.integers(-(10**15), 10**15))
def test_thousands_separators_do_not_change_an_integer(value: int):
    assert parse_cell(f"{value:,}") == value


@given(st.decimals(-(10**6), 10**6, places=3))
def test_signs_percent_and_decimal_comma_do_not_change_a_number(value):
    plain = f"{value:f}"
    expected = float(plain)
    assert parse_cell(f"{plain}%") == expected
    assert parse_cell(f"{value:+f}") == expected
    assert parse_cell(plain.replace("-", "\N{MINUS SIGN}")) == expected
    assert parse_cell(plain.replace(".", ","), decimal_comma=True) == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", "-", "\N{EN DASH}", "N/A", "n/a", "NA", "NaN", "nan", "None", "NULL", " null "],
)
def test_missing_is_missing_in_any_case_and_spacing(text: str):
    assert is_missing(text)
    assert math.isnan(parse_cell(text))


@pytest.mark.parametrize("text", ["94.2/92.3", "94.2 / 92.3", "1 2", "94.2 ± 0.3", "94.2 (0.3)"])
def test_two_numbers_are_told_from_text(text: str):
    with pytest.raises(CellError, match="two numbers") as caught:
        parse_cell(text)
    assert caught.value.kind == "two numbers"


@pytest.mark.parametrize("text", ["inf", "-Infinity", "∞", "1e999", "9" * 400])
def test_infinite_numbers_are_refused(text: str):
    with pytest.raises(CellError, match="infinite"):
        parse_cell(text)


@pytest.mark.parametrize(
    "text", ["67B", "1_000", "0x10", "2023/3/15", "2023-03-15", "abc", "1.2.3", "1,01", "--", "٣"]
)
def test_text_is_refused(text: str):
    with pytest.raises(CellError):
        parse_cell(text)


def test_decimal_commas_are_found_by_file():
    assert uses_decimal_comma(["m1", "0,85", "1013"])
    assert uses_decimal_comma(["1,013"])
    assert not uses_decimal_comma(["1,013", "0.85"])
    assert not uses_decimal_comma(["12", "m,1"])


def test_a_dot_before_three_digits_is_ambiguous_next_to_decimal_commas():
    assert parse_cell("1.013,5", decimal_comma=True) == 1013.5
    assert parse_cell("0.853", decimal_comma=True) == 0.853
    with pytest.raises(CellError, match="thousands or decimals"):
        parse_cell("1.013", decimal_comma=True)


@given(st.text(max_size=12), st.booleans())
def test_any_text_is_a_number_or_an_explained_error(text: str, decimal_comma: bool):
    try:
        value, message = parse_cell(text, decimal_comma), ""
    except CellError as wrong:
        value, message = None, str(wrong)
    assert "\n" not in message
    if value is not None:
        assert not math.isinf(value)
        assert math.isnan(value) == is_missing(text)
