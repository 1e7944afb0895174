"""Values in commands are data, wherever a template may hold them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eevee.base.errors import EeveeError
from eevee.exporters.commands import fill, quoted, template

HOSTILE = (
    *("x; touch pwned", "$(touch pwned)", "`touch pwned`", "'; touch pwned; '"),
    *('"; touch pwned; "', "\\'; touch pwned; '", "x\ntouch pwned", "| touch pwned"),
)
TEMPLATES = [
    "printf %s {x}",
    "printf %s --name={x} '' | sed 's/^--name=//'",
    "X={x}; printf %s \"$X\"",
    "printf %s $(printf %s a){x} | tail -c +2",
    r"printf %s \\{x} | tail -c +2",
    "true && printf %s {x} > out && cat out",
    'printf "%s" "a"{x}\'\' | tail -c +2',
]  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), st.data())
def test_a_value_reaches_the_command_as_it_is(value: str, data: st.DataObject) -> None:
    command = template(data.draw(st.sampled_from(TEMPLATES[:1] + TEMPLATES[2:3])), "command")
    made = fill(command, lambda _: quoted(value))
    done = subprocess.run(["bash", "-c", made], capture_output=True, check=True)
    assert done.stdout.decode() == value


@pytest.mark.parametrize("text", TEMPLATES)
def test_no_value_is_run(text: str, tmp_path: Path) -> None:
    command = template(text, "command")
    for value in HOSTILE:
        made = fill(command, lambda _, value=value: quoted(value))
        done = subprocess.run(["bash", "-c", made], cwd=tmp_path, capture_output=True, check=True)
        assert done.stdout.decode().rstrip("\n") == value
        assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    "text",
    [
        *("echo '{x}'", 'echo "{x}"', 'echo "a $(echo {x})"', "echo ${x}", "echo $'{x}'", "\\{x}"),
        *("echo `echo {x}`", "echo $(( {x} ))", "(( {x} ))", "cat << {x}", "echo # {x}"),
        *("echo\n{x}", "echo {x}\rrm", "echo 'it", 'echo "', 'echo $"{x}"', "echo '\\'{x}'", ""),
    ],
)
def test_a_placeholder_where_quoting_does_not_hold_is_refused(text: str) -> None:
    with pytest.raises(EeveeError, match=r"^command: "):
        template(text, "command")
