"""Commands: values in them are data, whatever they hold."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eevee.base.commands import Template
from eevee.base.errors import EeveeError

VALUES = {"model": "m", "benchmark": "b", "out": "o.json"}


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1))
def test_a_value_is_one_word_of_the_command(value: str):
    filled = Template("run --on {benchmark} {out}").fill({**VALUES, "benchmark": value})
    assert shlex.split(filled) == ["run", "--on", value, "o.json"]


HOSTILE = [
    "x; touch pwned", "$(touch pwned)", "`touch pwned`", "' ; touch pwned '", "a\\", "*", "~", '"',
    "&& touch pwned", "| touch pwned", "--help", "$HOME", "#x", "!x", "x > pwned",
]  # fmt: skip


def test_the_shell_does_not_act_on_hostile_values(tmp_path):
    template = Template("printf '%s\\n' a\"b\"{model}'c'{benchmark} {out}")
    lines = [template.fill({"model": v, "benchmark": v, "out": v}) for v in HOSTILE]
    done = subprocess.run(
        ["/bin/sh", "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines() == [s for v in HOSTILE for s in (f"ab{v}c{v}", v)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("run {} {out}", "unknown placeholder {}"),
        ("run {0} {out}", "unknown placeholder {0}"),
        ("run {model.x} {out}", "unknown placeholder {model.x}"),
        ("run {model!r} {out}", "{model...}"),
        ("run {model:>9} {out}", "{model...}"),
        ("run {model {out}", "written twice"),
        ("run '{model}' {out}", "{model} in quotes"),
        ('run "on {model}" {out}', "{model} in quotes"),
        ("run 'a' \"it's\" '{out}'", "{out} in quotes"),
        ("run \\{model} {out}", "behind a backslash"),
        ("run # {out}", "in a comment"),
        ("run `a {model}` {out}", "has `"),
        ('run "$(a "{model}")" {out}', "$("),
        ("cat <<E {out}", "<<"),
        ("run $'a\\'' {out}", "$'"),
        ("run\n{out}", "several lines"),
        ("run {model}\rrm", "control characters"),
        ('echo "a $(echo "{model}")"', "has $("),
        ('echo "${{a:-"{model}"}}"', "has ${"),
        ("echo $(( {model} ))", "has $("),
        ("(( {model} ))", "has (("),
        ("run ${model}", "has ${model}"),
        ("run $dir{model}", "behind a $"),
        ("run ~{model}", "behind a ~"),
        ("run {model}> {out}", "right before >"),
        ("run {model} 'a", "does not end"),
        ('run "', "does not end"),
    ],
)
def test_what_cannot_be_filled_safely_is_refused_in_one_line(command, said):
    with pytest.raises(EeveeError) as caught:
        Template(command)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("command", "filled"),
    [
        ("a 'it' \"is\" {out}", "a 'it' \"is\" o.json"),
        ("a \\' {out}", "a \\' o.json"),
        ("a '\\' {out}", "a '\\' o.json"),
        ("a '#' b#c {out}", "a '#' b#c o.json"),
        ("X=$HOME a {{}} {out}", "X=$HOME a {} o.json"),
        ("a --out={out}", "a --out=o.json"),
    ],
)
def test_plain_shell_stays_as_it_is(command, filled):
    assert Template(command).fill(VALUES) == filled


PIECES = st.lists(
    st.sampled_from(
        ["'", '"', "\\", " ", "#", "a", "{model}", "$", "=", ";", "(", ")", "~", ">", "{{", "}}"]
    ),
    max_size=9,
)


@settings(max_examples=150)
@given(PIECES)
def test_shell_that_is_accepted_keeps_each_value_whole(pieces):
    """Compared with a shell: where it takes the line, the value arrives as it is or in a word."""
    try:
        template = Template("printf '%s' " + "".join(pieces) + " {out}")
    except EeveeError:
        return
    value = "$(echo pwned)'\"; echo pwned #"
    filled = template.fill({"model": value, "benchmark": "b", "out": "o"})
    if subprocess.run(["/bin/sh", "-nc", filled], capture_output=True, check=False).returncode:
        return
    shown = subprocess.run(
        ["/bin/sh", "-c", filled], capture_output=True, text=True, check=False, cwd="/"
    ).stdout
    assert shown.count("pwned") == shown.count(value) * 2


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12))
def test_a_value_reaches_the_command_as_it_is(value: str):
    command = Template('X={x}; printf %s "$X"').fill({"x": value})
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert done.stdout.decode() == value


@pytest.mark.parametrize(
    "command",
    [
        "printf %s {x}",
        "printf %s --name={x} '' | sed 's/^--name=//'",
        r"printf %s \\{x} | tail -c +2",
        "true && printf %s {x} > out && cat out",
        'printf "%s" "a"{x}\'\' | tail -c +2',
    ],
)
def test_no_value_is_run(command: str, tmp_path: Path):
    template = Template(command)
    for value in (*HOSTILE, "x\ntouch pwned", '"; touch pwned; "', "\\'; touch pwned; '"):
        made = template.fill({"x": value})
        done = subprocess.run(["bash", "-c", made], cwd=tmp_path, capture_output=True, check=True)
        assert done.stdout.decode().rstrip("\n") == value
        assert not (tmp_path / "pwned").exists()
