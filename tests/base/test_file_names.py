"""Names of files: one part of a path, whatever the name; different names stay different if long."""

from __future__ import annotations

import pytest

from eevee.base.file_names import file_name, identifier

DEVICES = ["con", "NUL", "Aux.txt", "com1", "LPT9.tar.gz"]


@pytest.mark.parametrize("name", ["..", ".", "../../x", "/etc/x", "~", "a" * 400, "数" * 400, ".x"])
def test_a_file_name_is_one_part_that_a_file_system_takes(name: str):
    made = file_name(name)
    assert "/" not in made
    assert made[0] != "."
    assert len(made.encode()) <= 200
    assert made != file_name(name + "y")


@pytest.mark.parametrize("make", [file_name, identifier])
@pytest.mark.parametrize("name", DEVICES)
def test_a_file_name_is_no_device_of_windows(name: str, make):
    first = make(name).split(".")[0].lower()
    assert first not in {"con", "nul", "aux", "com1", "lpt9"}


def test_long_identifiers_stay_apart():
    one, other = identifier("a" * 200 + "1"), identifier("a" * 200 + "2")
    assert one != other
    assert len(one) == len(other) == 64
    assert one.isidentifier()
