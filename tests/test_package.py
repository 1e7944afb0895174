from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import eevee
from tests.conftest import made_table

SOURCE = Path(eevee.__file__)
PACKAGES = {room: importlib.import_module(f"eevee.{room}") for room in eevee._ROOMS}
PACKAGES |= {"eevee": eevee}
NAMES = [(room, name) for room, package in PACKAGES.items() for name in package.__all__]


def _typed_imports(package: ModuleType) -> dict[str, str]:
    """Names that a type checker sees, and the modules that they come from."""
    tree = ast.parse(Path(str(package.__file__)).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.asname or alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def test_the_top_has_no_more_than_thirty_names() -> None:
    assert len(eevee.__all__) <= 30
    assert set(dir(eevee)) == {*eevee.__all__, *eevee._ROOMS, "__version__"}


@pytest.mark.parametrize("room", PACKAGES)
def test_all_is_sorted_and_exactly_what_a_type_checker_sees(room: str) -> None:
    package = PACKAGES[room]
    assert list(package.__all__) == sorted(set(package.__all__))
    assert set(package._HOME) == set(package.__all__)
    assert _typed_imports(package) == package._HOME
    assert set(package.__all__) <= set(dir(package))
    assert package.__doc__


@pytest.mark.parametrize(("room", "name"), NAMES)
def test_every_public_name_loads_from_its_home_and_explains_itself(room: str, name: str) -> None:
    package = PACKAGES[room]
    thing = getattr(package, name)
    assert thing is getattr(importlib.import_module(package._HOME[name]), name)
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return
    assert thing.__module__ == package._HOME[name]
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}(")
    assert ">>>" in thing.__doc__ or inspect.isclass(thing), f"{name} has no example"
    for member, value in vars(thing).items() if inspect.isclass(thing) else ():
        if not member.startswith("_") and (
            inspect.isfunction(value) or isinstance(value, property)
        ):
            assert inspect.getdoc(getattr(thing, member)), f"{name}.{member} has no docstring"


@pytest.mark.parametrize("name", eevee._EARLIER)
def test_names_of_the_version_before_are_found_with_a_warning(name: str) -> None:
    home, _, new = eevee._EARLIER[name].partition(":")
    assert name not in eevee.__all__
    with pytest.warns(FutureWarning, match=rf"^eevee\.{name} is now {home}\.{new}$") as said:
        assert getattr(eevee, name) is getattr(importlib.import_module(home), new)
    assert said[0].filename == __file__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evolv'"):
        _ = eevee.evolv


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = ["torch", "matplotlib", "pandas", "numpy", "scipy", "sklearn", "deap"]
    code = f"import eevee, sys; print([name for name in {heavy} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert shown.stdout.strip() == "[]"


def test_the_package_is_typed_and_has_a_version() -> None:
    assert (SOURCE.parent / "py.typed").exists()
    assert eevee.__version__.count(".") == 2


def test_earlier_methods_of_scorers_work_with_a_warning() -> None:
    table = made_table(12, 3)
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=2))
    with pytest.warns(FutureWarning, match="score is now losses"):
        assert scorer.score([["b00"]]) == scorer.losses([["b00"]])
    auto = eevee.make_scorer("auto", table, scorer.splits, epochs=1)
    with pytest.warns(FutureWarning, match="score_splits is now split_losses"):
        found = auto.score_splits([["b00"]])
    assert found.tolist() == auto.split_losses([["b00"]]).tolist()
