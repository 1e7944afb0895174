"""The tier file: what is written is read back, and nothing else is."""

import copy
import json
import os
import string
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from eevee.base.errors import EeveeError
from eevee.tiers.file import (
    AssessedLoss,
    SearchLoss,
    TableInfo,
    Tier,
    TierBenchmark,
    TierSet,
    dump_tiers,
    load_tiers,
    tiers_schema,
    tiers_to_json,
    tiers_to_yaml,
)

LOOKS_LIKE_SOMETHING_ELSE = [
    *("on", "no", "null", "~", "true", "1e3", "1.0e-05", "0x1F", "1_000", "1:30", ".nan"),
    *("2024-01-01", "=", "<<", "- a", "a: b", "#x", "&a", "*a", "!t", "%d"),
    *("@", "`", "[", "{}", "?"),
    *(
        " a",
        "a ",
        "\ta",
        "a\nb",
        "\n",
        "a\n\n b\n",
        "\x85",
        "\u2028",
        "\ufeff",
        "\x00",
        "\x7f",
        "'",
        '"',
    ),
    *("é", "漢字", "🦊", "\\", "---", "...", "a,b", "word " * 60, "x" * 300, " " * 150 + "a"),
]
names = st.one_of(st.text(min_size=1), st.sampled_from(LOOKS_LIKE_SOMETHING_ELSE))
losses = st.floats(0, 1e6)
costs = st.floats(1e-6, 1e9)


def tier_set() -> TierSet:
    small = Tier(
        "small",
        12.0,
        11.5,
        (
            TierBenchmark("food101", ("food101.acc",), 4.5, "classification"),
            TierBenchmark("ade20k", ("ade20k.mIoU", "ade20k.acc"), 7.0, None),
        ),
        SearchLoss(0.21, 0.03, "all", rescored_mean=0.214, n_init=8),
        AssessedLoss(0.3, 0.25, 0.36, "evolution of MLPs under 12 GPU-hours", 10, 13),
    )
    alone = (TierBenchmark("food101", ("food101.acc",), 4.5),)
    tiny = Tier("tiny", None, 4.5, alone, SearchLoss(0.4, 0.1, "all"))
    return TierSet(
        created_with="eevee 0.1.0",
        cost_unit="GPU-hours",
        table=TableInfo("scores.csv", "0f" * 32, models=16, benchmarks=31),
        scorer={"kind": "mlp", "epochs": "auto", "hidden": 100, "learning_rate": 1e-5},
        search={"exhaustive": False, "population": 1000, "required": []},
        seed=0,
        tiers=(small, tiny),
    )


def plain() -> dict:
    return json.loads(tiers_to_json(tier_set()))


def write(folder: Path, content: object, name: str = "tiers.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


# --- what a tier set is


def test_tiers_are_found_by_name_and_counted_and_walked_in_order():
    tiers = tier_set()
    assert tiers.names == ("small", "tiny") == tuple(tier.name for tier in tiers)
    assert len(tiers) == 2
    assert tiers["small"].benchmark_names == ("food101", "ade20k")


def test_an_unknown_tier_is_an_error_that_suggests_a_name():
    with pytest.raises(EeveeError, match=r"no tier 'smal' \(did you mean 'small'\?\)"):
        tier_set()["smal"]


def test_importing_the_module_imports_nothing_heavy():
    code = (
        "import sys, eevee.tiers.file as t; t.tiers_schema();"
        "print([m for m in ('numpy', 'pandas', 'torch', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- writing


@pytest.mark.parametrize("name", ["tiers.yaml", "tiers.yml", "tiers.json", "TIERS.JSON"])
def test_a_written_file_is_read_back_equal(tmp_path, name):
    dump_tiers(tier_set(), tmp_path / name)
    assert load_tiers(tmp_path / name) == tier_set()
    assert os.listdir(tmp_path) == [name]


def test_keys_are_in_the_order_of_the_design():
    content = yaml.safe_load(tiers_to_yaml(tier_set()))
    assert content == plain()
    assert list(content) == [
        *("schema", "created_with", "cost_unit", "table", "scorer", "search", "seed", "tiers"),
    ]
    tier = content["tiers"][0]
    assert list(tier) == ["name", "budget", "cost", "benchmarks", "search_loss", "assessed_loss"]
    assert list(tier["benchmarks"][0]) == ["name", "columns", "cost", "task"]
    assert list(tier["search_loss"]) == ["mean", "spread", "targets", "rescored_mean", "n_init"]
    assert list(tier["assessed_loss"]) == [
        *("mean", "low", "high", "of", "outer_splits", "train_models"),
    ]


def test_losses_have_six_digits_and_costs_twelve():
    loss = SearchLoss(0.123456789, 1.23456789e-7, "all", 1234567.89, 8)
    benchmark = TierBenchmark("a", ("a",), 1.2345678901234567)
    tier = Tier("t", 2.0000000000000004, 2.0000000000000004, (benchmark,), loss)
    written = json.loads(tiers_to_json(replace(tier_set(), tiers=(tier,))))["tiers"][0]
    assert written["search_loss"]["mean"] == 0.123457
    assert written["search_loss"]["spread"] == 1.23457e-07
    assert written["search_loss"]["rescored_mean"] == 1.23457e06
    assert written["benchmarks"][0]["cost"] == 1.23456789012
    assert written["budget"] == written["cost"] == 2.0


def test_small_and_large_floats_are_numbers_in_yaml(tmp_path):
    path = tmp_path / "t.yaml"
    dump_tiers(replace(tier_set(), scorer={"small": 1e-05, "large": 1e20}), path)
    assert load_tiers(path).scorer == {"small": 1e-05, "large": 1e20}


def test_what_could_not_be_read_is_not_written(tmp_path):
    path = tmp_path / "tiers.yaml"
    dump_tiers(tier_set(), path)
    before = path.read_bytes()
    over = replace(tier_set()["small"], cost=13.0)
    with pytest.raises(EeveeError, match=r"tiers\[0\]\.cost: 13 is more than the budget, 12"):
        dump_tiers(replace(tier_set(), tiers=(over,)), path)
    with pytest.raises(EeveeError, match=r"scorer\.x: expected a value that JSON can hold"):
        dump_tiers(replace(tier_set(), scorer={"x": object()}), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["tiers.yaml"]


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(EeveeError, match="cannot be written"):
        dump_tiers(tier_set(), tmp_path / "nowhere" / "tiers.yaml")
    (tmp_path / "file").touch()
    with pytest.raises(EeveeError, match="cannot be written"):
        dump_tiers(tier_set(), tmp_path / "file" / "tiers.yaml")
    with pytest.raises(EeveeError, match=r"must end in \.yaml"):
        dump_tiers(tier_set(), tmp_path / "tiers.txt")


@st.composite
def tier_sets(draw: st.DrawFn) -> TierSet:
    def benchmark(name: str) -> TierBenchmark:
        columns = tuple(draw(st.lists(names, min_size=1, max_size=2, unique=True)))
        return TierBenchmark(name, columns, draw(costs), draw(st.none() | names))

    def tier(name: str) -> Tier:
        chosen = tuple(benchmark(n) for n in draw(st.lists(names, min_size=1, unique=True)))
        cost = sum(b.cost for b in chosen)
        budget = draw(st.none() | st.floats(cost, 2 * cost))
        loss = SearchLoss(draw(losses), draw(losses), draw(st.sampled_from(["all", "unseen"])))
        return Tier(name, budget, cost, chosen, loss)

    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
        max_leaves=5,
    )
    unique = draw(st.lists(names, min_size=1, max_size=2, unique=True))
    return TierSet(
        created_with=draw(names),
        cost_unit=draw(names),
        table=TableInfo(draw(names), "", 1, 1),
        scorer=draw(st.dictionaries(names, values, max_size=3)),
        search={},
        seed=draw(st.integers(min_value=0)),
        tiers=tuple(tier(name) for name in unique),
    )


@settings(deadline=None)
@given(tiers=tier_sets())
@pytest.mark.slow
def test_any_tier_set_survives_and_gives_the_same_bytes_again(tmp_path_factory, tiers):
    folder = tmp_path_factory.mktemp("tiers")
    for name, text in (("t.yaml", tiers_to_yaml(tiers)), ("t.json", tiers_to_json(tiers))):
        dump_tiers(tiers, folder / name)
        read = load_tiers(folder / name)
        assert read.names == tiers.names
        assert [t.benchmark_names for t in read] == [t.benchmark_names for t in tiers]
        assert [b.columns for t in read for b in t.benchmarks] == [
            b.columns for t in tiers for b in t.benchmarks
        ]
        assert read.scorer == tiers.scorer
        assert (folder / name).read_bytes() == text.encode()
        assert (tiers_to_yaml(read), tiers_to_json(read)) == (
            tiers_to_yaml(tiers),
            tiers_to_json(tiers),
        )
        Draft202012Validator(tiers_schema()).validate(json.loads(tiers_to_json(tiers)))


@pytest.mark.parametrize("name", LOOKS_LIKE_SOMETHING_ELSE)
def test_a_name_that_looks_like_something_else_stays_a_name(tmp_path, name):
    benchmark = TierBenchmark(name, (name, "b"), 1.0, name)
    tier = replace(tier_set()["tiny"], name=name, cost=1.0, benchmarks=(benchmark,))
    tiers = replace(tier_set(), cost_unit=name, scorer={name: name}, tiers=(tier,))
    for path in (tmp_path / "t.yaml", tmp_path / "t.json"):
        dump_tiers(tiers, path)
        assert load_tiers(path) == tiers


@given(cost=costs, more=st.floats(0, 1e-9))
@example(cost=0.1 + 0.2, more=0.0)
def test_a_cost_within_its_budget_stays_within_it(cost, more):
    tier = replace(tier_set()["tiny"], cost=cost, budget=cost + more)
    written = json.loads(tiers_to_json(replace(tier_set(), tiers=(tier,))))["tiers"][0]
    assert written["cost"] <= written["budget"]
    assert written["cost"] == pytest.approx(cost, rel=1e-11)


# --- the schema


def test_the_schema_is_a_schema_and_takes_what_is_written():
    Draft202012Validator.check_schema(tiers_schema())
    Draft202012Validator(tiers_schema()).validate(plain())


BROKEN = [  # a place in a good file, and what is put there ("gone": the key is removed)
    ("schema", ["eevee.tiers/2", "", None, 1, "gone"]),
    ("created_with", ["", None, 1.5, "gone"]),
    ("cost_unit", ["", None, True, "gone"]),
    ("table", [None, [], "x", {}, "gone"]),
    ("table.name", ["", None, 3, "gone"]),
    ("table.sha256", ["0f", None, 1, "0F" * 32, "0f" * 32 + "\n", "gone"]),
    ("table.models", [0, -1, 1.5, "16", None, True, "gone"]),
    ("table.extra", [1]),
    ("scorer", [None, [], "mlp", "gone"]),
    ("search", [None, 3, "gone"]),
    ("seed", [-1, 0.5, "0", None, False, "gone"]),
    ("extra", [None]),
    ("tiers", [[], {}, None, "x", "gone"]),
    ("tiers.0", [None, [], "small", {}]),
    ("tiers.0.name", ["", None, 1, "gone"]),
    ("tiers.0.budget", [0, -1, "12", False, "gone"]),
    ("tiers.0.cost", [-1, "x", None, True, [], "gone"]),
    ("tiers.0.benchmarks", [[], {}, None, "food101", "gone"]),
    ("tiers.0.benchmarks.0", [None, "food101", {}]),
    ("tiers.0.benchmarks.0.name", ["", 1e3, None, "gone"]),
    ("tiers.0.benchmarks.0.columns", [[], [""], [1], ["a", "a"], "a", None, "gone"]),
    ("tiers.0.benchmarks.0.cost", ["x", -0.5, None, "gone"]),
    ("tiers.0.benchmarks.0.task", ["", 1, [], "gone"]),
    ("tiers.0.benchmarks.0.weight", [1.0]),
    ("tiers.0.search_loss", [None, 0.2, "gone"]),
    ("tiers.0.search_loss.mean", ["0.2", -0.1, None, "gone"]),
    ("tiers.0.search_loss.spread", [None, "gone"]),
    ("tiers.0.search_loss.targets", ["seen", None, ["all"], "gone"]),
    ("tiers.0.search_loss.rescored_mean", [-1, "x", "gone"]),
    ("tiers.0.search_loss.n_init", [0, 1.5, "8", "gone"]),
    ("tiers.0.assessed_loss", [0.3, [], {}, "gone"]),
    ("tiers.0.assessed_loss.low", [None, "x", "gone"]),
    ("tiers.0.assessed_loss.of", ["", None, "gone"]),
    ("tiers.0.assessed_loss.outer_splits", [0, None, "gone"]),
    ("tiers.0.assessed_loss.train_models", [0, 2.5, "gone"]),
]


def broken(place: str, value: object) -> dict:
    """Return the good file with one value changed."""
    content = copy.deepcopy(plain())
    *way, last = [int(step) if step in string.digits else step for step in place.split(".")]
    inner = content
    for step in way:
        inner = inner[step]
    if value == "gone":
        del inner[last]
    else:
        inner[last] = value
    return content


@pytest.mark.parametrize(("place", "value"), [(p, v) for p, values in BROKEN for v in values])
def test_reader_and_schema_both_refuse_a_broken_file(tmp_path, place, value):
    content = broken(place, value)
    assert not Draft202012Validator(tiers_schema()).is_valid(content)
    for path in (
        write(tmp_path, content),
        write(tmp_path, yaml.safe_dump(content), "tiers.yaml"),
    ):
        with pytest.raises(EeveeError) as caught:
            load_tiers(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: ")
        assert "\n" not in message


ALLOWED = [
    ("table.sha256", ""),
    ("tiers.0.budget", None),
    ("tiers.0.cost", 0),
    ("tiers.0.benchmarks.0.cost", 0.0),
    ("tiers.0.benchmarks.0.cost", 3),
    ("tiers.0.benchmarks.0.task", None),
    ("tiers.0.search_loss.rescored_mean", None),
    ("tiers.0.search_loss.targets", "unseen"),
    ("tiers.0.assessed_loss", None),
    ("tiers.0.assessed_loss.low", -0.1),
    ("scorer", {}),
    ("scorer.anything", {"at": ["all", 1, None, True, 0.5]}),
    ("seed", 2**127),
]


@pytest.mark.parametrize(("place", "value"), ALLOWED)
def test_reader_and_schema_both_take_what_is_allowed(tmp_path, place, value):
    content = broken(place, value)
    assert Draft202012Validator(tiers_schema()).is_valid(content)
    load_tiers(write(tmp_path, content))
    load_tiers(write(tmp_path, yaml.safe_dump(content), "tiers.yaml"))


# --- reading what the schema cannot judge


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("tiers.1.name", "small", r"tiers\[1\]: 'small' appears twice"),
        ("tiers.0.benchmarks.1.name", "food101", r"tiers\[0\]\.benchmarks\[1\]: 'food101' appears"),
        ("tiers.0.cost", 12.5, r"tiers\[0\]\.cost: 12\.5 is more than the budget, 12"),
        ("tiers.0.cost", float("nan"), r"tiers\[0\]\.cost: expected a number of at least 0"),
        ("tiers.0.budget", float("inf"), r"tiers\[0\]\.budget: expected a positive number"),
        ("tiers.0.budget", 10**400, r"tiers\[0\]\.budget: expected a positive number"),
        ("scorer.x", float("nan"), r"scorer\.x: expected a value that JSON can hold, got nan"),
        ("scorer.x", {"y": [1, float("inf")]}, r"scorer\.x\.y\[1\]: expected a value"),
    ],
)
def test_what_the_schema_cannot_say_is_refused_too(tmp_path, place, value, message):
    path = write(tmp_path, broken(place, value))
    with pytest.raises(EeveeError, match=message):
        load_tiers(path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (
            "tiers.1.benchmarks.0.cost",
            "x",
            "tiers[1].benchmarks[0].cost: expected a number of at least 0, got 'x'",
        ),
        ("schema", "eevee.tiers/2", "schema: expected 'eevee.tiers/1', the version that"),
        ("schema", "gone", "no tier file: it has no key 'schema'"),
        ("tiers.0.costs", 1, "tiers[0]: unknown key 'costs' (did you mean 'cost'?)"),
        ("tiers.0.cost", "gone", "tiers[0]: the key 'cost' is missing"),
        ("seed", "gone", "top level: the key 'seed' is missing"),
        ("tiers.0.name", 1e3, "tiers[0].name: expected text (in quotes), got 1000.0"),
        ("cost_unit", "\ud800", "cost_unit: expected text that UTF-8 can hold"),
    ],
)
def test_a_message_names_the_file_and_the_place_in_it(tmp_path, place, value, message):
    path = write(tmp_path, broken(place, value))
    with pytest.raises(EeveeError) as caught:
        load_tiers(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def with_line(line: str) -> str:
    return tiers_to_yaml(tier_set()) + line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "top level: expected a mapping"),
        ("a: [", "line [12]"),
        ("a: \x00", "(special|control) characters"),
        ("just text", "top level: expected a mapping"),
        (with_line("seed: 1\n"), "duplicate key"),
        (with_line("---\na: 1\n"), "expected a single document"),
        (with_line("x: &a [1]\ny: *a\n"), "anchors, aliases and tags"),
        (with_line("x: !!python/object:os.system 1\n"), "anchors, aliases and tags"),
        (with_line("x: !!int ''\n"), "anchors, aliases and tags"),
        (with_line("<<: {seed: 1}\n"), "unknown key '<<'"),
        (with_line("1: 2\n"), "one that is not text: '1'"),
        (with_line("? [a]\n: 2\n"), "one that is not text"),
        (with_line("x: " + "1" * 5000 + "\n"), "digits"),
        (with_line("x: " + "[" * 100), "nested too deeply"),
        (with_line("x: " + "[" * 5000), "nested too deeply|maximum nesting depth"),
        (with_line("x: " + "{a: " * 5000), "nested too deeply|maximum nesting depth"),
        (with_line("x: 0x" + "f" * 5000 + "\n"), "more than 400 digits"),
        (with_line("x: 1" + ":1" * 500_000 + "\n"), "more than 400 digits"),
        (with_line("x:\n" + "- 1\n" * 400_000), "more than 200000 values"),
        (with_line("x: [" + "1, " * 400_000 + "]\n"), "more than 200000 values"),
    ],
)
def test_odd_yaml_is_one_line(tmp_path, content, message):
    path = write(tmp_path, content, "tiers.yaml")
    begun = time.process_time()
    with pytest.raises(EeveeError, match=message) as caught:
        load_tiers(path)
    assert "\n" not in str(caught.value)
    assert time.process_time() - begun < 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "Expecting value"),
        ("{", "line 1"),
        ('{"a": 1, "a": 2}', "duplicate key 'a'"),
        ("[" * 100_000, "nested too deeply"),
        ('{"seed": ' + "1" * 5000 + "}", "digits"),
    ],
)
def test_odd_json_is_one_line(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(EeveeError, match=message) as caught:
        load_tiers(path)
    assert "\n" not in str(caught.value)


def test_settings_nested_too_deeply_are_one_line(tmp_path):
    deep = '"search": {"x": ' + "[" * 2000 + "]" * 2000 + ","
    content = json.dumps(plain()).replace('"search": {', deep)
    with pytest.raises(EeveeError, match="nested too deeply"):
        load_tiers(write(tmp_path, content))


def test_files_that_cannot_be_read_are_one_line(tmp_path):
    with pytest.raises(EeveeError, match="cannot be read: No such file"):
        load_tiers(tmp_path / "nothing.yaml")
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(EeveeError, match="cannot be read: Is a directory"):
        load_tiers(tmp_path / "folder.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"a: \xff")
    with pytest.raises(EeveeError, match="utf-8"):
        load_tiers(tmp_path / "latin.yaml")
    with pytest.raises(EeveeError, match=r"must end in \.yaml, \.yml or \.json"):
        load_tiers(tmp_path / "tiers.pickle")


def test_a_file_that_is_far_too_large_is_not_read(tmp_path):
    with pytest.raises(EeveeError, match="larger than 16 MB"):
        load_tiers(write(tmp_path, "#" * 16_000_001, "tiers.yaml"))


def test_a_byte_order_mark_and_plain_dates_are_no_trouble(tmp_path):
    content = "\ufeff" + tiers_to_yaml(tier_set()).replace("eevee 0.1.0", "2024-01-01")
    assert load_tiers(write(tmp_path, content, "t.yaml")).created_with == "2024-01-01"


@settings(deadline=None)
@given(content=st.text() | st.text(alphabet="{}[]:,-&*!|>'\"%@`#?<= \n\tan01.e~"))
def test_no_text_is_a_traceback(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("odd")
    for name in ("t.yaml", "t.json"):
        with pytest.raises(EeveeError):
            load_tiers(write(folder, content, name))


@pytest.mark.parametrize("name", ["1e3", "0o17", "y", "NO", "0x1F", "1_000", "12:30:45", ".5", "~"])
def test_a_name_that_a_yaml_dialect_takes_for_a_value_is_quoted(name):
    """YAML 1.1 and 1.2 differ on what a plain word is."""
    benchmark = TierBenchmark(name, (name,), 1.0)
    tier = replace(tier_set()["tiny"], cost=1.0, benchmarks=(benchmark,))
    text = tiers_to_yaml(replace(tier_set(), tiers=(tier,)))
    assert f"name: '{name}'" in text
