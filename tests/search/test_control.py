from __future__ import annotations

import pytest

import eevee
from eevee.search import search_verdict
from eevee.search.control import UNATTENDED, Watch
from eevee.search.result import Progress
from eevee.tiers import search_front
from tests.search.function_scorer import FunctionScorer, smooth, table_with


def test_the_old_name_still_works() -> None:
    assert Watch is eevee.RunControl
    told: list[Progress] = []
    eevee.Procedure("greedy").run(
        FunctionScorer(table_with(5), smooth), 2, control=Watch(progress=told.append)
    )
    assert told


def test_what_control_holds_can_be_given_as_before() -> None:
    scorer = FunctionScorer(table_with(8), smooth)
    told: list[Progress] = []
    with pytest.warns(FutureWarning, match=r"progress= is now control=RunControl"):
        one = eevee.pareto(scorer, progress=told.append)
    assert told
    with pytest.warns(FutureWarning, match="stop= is now"):
        stopped = eevee.pareto(scorer, exhaustive=False, stop=lambda: True)
    assert stopped.settings["interrupted"]
    with pytest.warns(FutureWarning, match="watch= is now"):
        again = eevee.sweep(scorer, [2], watch=eevee.RunControl(progress=told.append))
    assert one.exact
    assert again[0].best == eevee.sweep(scorer, [2])[0].best


@pytest.mark.slow
def test_searches_inside_a_job_report_no_generations() -> None:
    scorer = FunctionScorer(table_with(12), smooth)
    procedure = eevee.Procedure(exhaustive=False)
    told: list[Progress] = []
    control = eevee.RunControl(progress=told.append)
    procedure.run(scorer, 3, control=control)
    assert any(report.generation is not None for report in told)
    told.clear()
    procedure.run(scorer, 3, control=control.without_generations())
    assert told
    assert all(report.generation is None for report in told)
    assert UNATTENDED.without_generations() is UNATTENDED


def test_a_sweep_over_no_size_and_unknown_keywords_are_refused() -> None:
    scorer = FunctionScorer(table_with(6), smooth)
    with pytest.raises(eevee.EeveeError, match="at least one size"):
        eevee.sweep(scorer, [])
    with pytest.raises(TypeError, match=r"search_front\(\) got an unexpected keyword argument"):
        search_front(scorer, contraints=None)
    with pytest.raises(TypeError, match=r"search_verdict\(\) got an unexpected"):
        search_verdict(scorer, eevee.search.evolve(scorer, 2), kk=3)
    with pytest.raises(eevee.EeveeError, match="name the budget otherwise"):
        search_front(scorer, {"one-se": 2}, one_se=True)
