from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import eevee
from tests.conftest import made_table

SOURCE = Path(eevee.__file__)


def _typed_imports() -> dict[str, str]:
    """Names that a type checker sees, and the modules that they come from."""
    (block,) = (node for node in ast.parse(SOURCE.read_text()).body if isinstance(node, ast.If))
    return {
        alias.asname or alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def test_all_is_sorted_and_exactly_what_is_exported() -> None:
    assert list(eevee.__all__) == sorted(set(eevee.__all__))
    assert set(eevee._HOME) == set(eevee.__all__)
    assert set(dir(eevee)) == {*eevee.__all__, "__version__"}


def test_a_type_checker_sees_the_same_names_from_the_same_modules() -> None:
    assert _typed_imports() == eevee._HOME


@pytest.mark.parametrize("name", eevee.__all__)
def test_every_public_name_loads_from_its_home_and_explains_itself(name: str) -> None:
    thing = getattr(eevee, name)
    assert thing is getattr(importlib.import_module(eevee._HOME[name]), name)
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return
    assert thing.__module__ == eevee._HOME[name]
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}(")
    for member, value in vars(thing).items() if inspect.isclass(thing) else ():
        if not member.startswith("_") and (
            inspect.isfunction(value) or isinstance(value, property)
        ):
            assert inspect.getdoc(getattr(thing, member)), f"{name}.{member} has no docstring"


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


def test_earlier_names_work_with_a_warning() -> None:
    with pytest.warns(FutureWarning, match=r"eevee.complete is now eevee.impute"):
        assert eevee.complete is eevee.impute
    table = made_table(12, 3)
    scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=2))
    with pytest.warns(FutureWarning, match="score is now losses"):
        assert scorer.score([["b00"]]) == scorer.losses([["b00"]])
    auto = eevee.make_scorer("auto", table, scorer.splits, epochs=1)
    with pytest.warns(FutureWarning, match="score_splits is now split_losses"):
        found = auto.score_splits([["b00"]])
    assert found.tolist() == auto.split_losses([["b00"]]).tolist()
