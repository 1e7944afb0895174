from __future__ import annotations

import hashlib
import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eevee
from tests.conftest import made_table
from tests.scorers.tables import rich_table


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "small.npz"
    eevee.fit_predictor(rich_table(20), ["ant", "bee"], scorer="ridge").save(path)
    return path


def _rewritten(saved: Path, path: Path, about=None, scores=None, **more: np.ndarray) -> Path:
    """The same file with other arrays; `about` changes the JSON content in place."""
    with np.load(saved) as arrays:
        content, values = json.loads(arrays["about"].tobytes()), arrays["scores"]
    if about is not None:
        about(content)
    text = np.frombuffer(json.dumps(content).encode(), dtype=np.uint8)
    values = values if scores is None else scores
    digest = hashlib.sha256(repr(values.shape).encode() + values.tobytes() + text.tobytes())
    sealed = {"sha256": np.frombuffer(digest.digest(), dtype=np.uint8)} | more
    np.savez(path, about=text, scores=values, **sealed)
    return path


def test_scores_that_do_not_agree_with_the_checksum_are_refused(
    saved: Path, tmp_path: Path
) -> None:
    with np.load(saved) as arrays:
        about, scores, checksum = (arrays[name] for name in ("about", "scores", "sha256"))
    scores[0, 0] += 1e-9  # the archive's own sums agree: numpy writes them anew
    np.savez(tmp_path / "other.npz", about=about, scores=scores, sha256=checksum)
    with pytest.raises(eevee.EeveeError, match=r"other\.npz: is damaged: its checksum"):
        eevee.Predictor.load(tmp_path / "other.npz")
    np.savez(tmp_path / "earlier.npz", about=about, scores=scores)
    with pytest.raises(eevee.EeveeError, match=r"earlier\.npz: has no checksum"):
        eevee.Predictor.load(tmp_path / "earlier.npz")


def test_a_header_that_numpy_cannot_read_is_refused(saved: Path, tmp_path: Path) -> None:
    """An open bracket is a `TokenError` there; the archive's own sums agree."""
    with zipfile.ZipFile(saved) as before, zipfile.ZipFile(tmp_path / "odd.npz", "w") as after:
        for name in before.namelist():
            content = before.read(name)
            after.writestr(name, content.replace(b"(", b"[").replace(b"}", b" "))
    with pytest.raises(eevee.EeveeError, match="is no predictor, or a damaged one"):
        eevee.Predictor.load(tmp_path / "odd.npz")


@pytest.mark.parametrize("scorer", ["ridge", "mlp", "auto"])
def test_a_loaded_predictor_predicts_the_same_bytes(tmp_path: Path, scorer: str) -> None:
    table = rich_table(24)
    keep = np.arange(24) < 20
    fitted = eevee.fit_predictor(
        table.take_models(keep), ["ant", "bee"], scorer=scorer, epochs=20, n_init=2, seed=3
    )
    fitted.save(tmp_path / "a.npz")
    loaded = eevee.Predictor.load(tmp_path / "a.npz")
    new = table.scores[~keep].dropna(axis=1)
    one, other = fitted.predict(new), loaded.predict(new)
    for name in ("mean", "lower", "upper", "mean_in_units"):
        assert getattr(one, name).to_numpy().tobytes() == getattr(other, name).to_numpy().tobytes()
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
    assert one.warnings == other.warnings
    assert loaded.model == fitted.model


def test_saving_is_reproducible_and_saving_what_was_loaded_gives_the_same_file(
    saved: Path, tmp_path: Path
) -> None:
    loaded = eevee.Predictor.load(saved)
    loaded.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == saved.read_bytes()


def test_names_of_any_letters_survive(tmp_path: Path) -> None:
    odd = ['quo"te', "üñî 数据 😀", "a, b", "../up", "<b>&amp;"]
    table = made_table(12, 5)
    frame = table.scores.set_axis(odd, axis=1).set_axis([f"{i} é\u2028" for i in range(12)], axis=0)
    fitted = eevee.fit_predictor(eevee.ResultsTable.from_scores(frame), odd[:2], scorer="ridge")
    fitted.save(tmp_path / "odd.npz")
    loaded = eevee.Predictor.load(tmp_path / "odd.npz")
    pd.testing.assert_frame_equal(loaded.table.scores, frame)
    assert loaded.benchmarks == fitted.benchmarks


def test_nothing_in_the_file_is_pickled(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        assert sorted(archive.namelist()) == ["about.npy", "scores.npy", "sha256.npy"]
    with np.load(saved, allow_pickle=False) as arrays:
        assert [arrays[name].dtype for name in ("about", "scores")] == [np.uint8, np.float64]


class _Written:
    """What unpickling would write a file by."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return Path.touch, (self.path,)


def test_a_pickle_is_never_read(saved: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    objects = np.array([_Written(trap)], dtype=object)
    path = _rewritten(saved, tmp_path / "object.npz", scores=objects)
    (tmp_path / "bare.npz").write_bytes(pickle.dumps(_Written(trap)))
    for name in (path, tmp_path / "bare.npz"):
        with pytest.raises(eevee.EeveeError, match="is no predictor, or a damaged one"):
            eevee.Predictor.load(name)
    assert not trap.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(schema="eevee.predictor/9"), "schema: expected 'eevee.predictor/3'"),
        (lambda c: c.pop("seed"), "the key 'seed' is missing"),
        (lambda c: c.update(extra=1), "unknown key 'extra'"),
        (lambda c: c.update(benchmarks=["ent"]), "no benchmark 'ent'"),
        (lambda c: c["groups"].pop(), "groups: expected a number from 0 on for each model"),
        (lambda c: c["groups"].append(10**18), "groups: expected a number from 0 on"),
        (lambda c: c.update(groups=3), "groups: expected a list"),
        (lambda c: c["model"].update(name="pickle"), "model.name: expected 'mlp' or 'ridge'"),
        (lambda c: c["model"].update(name="mlp"), "the MLP needs epochs and n_init"),
        (lambda c: c["model"].update(epochs=10**9), "at most 100000"),
        (lambda c: c["table"]["models"].pop(), "their shape is not that of the table"),
        (lambda c: c["table"]["columns"][0].update(unit=0), r"unit: expected a positive number"),
        (lambda c: c["table"]["columns"][0].update(direction="up"), "expected 'higher' or 'lower'"),
        (lambda c: c["table"]["columns"][0].update(benchmark="x"), "name different benchmarks"),
        (lambda c: c["table"]["benchmarks"].reverse(), "must be sorted by name"),
    ],
)
def test_content_that_makes_no_sense_is_refused(
    saved: Path, tmp_path: Path, change, message: str
) -> None:
    path = _rewritten(saved, tmp_path / "odd.npz", about=change)
    with pytest.raises(eevee.EeveeError, match=f"odd.npz: .*{message}"):
        eevee.Predictor.load(path)


def test_arrays_that_make_no_sense_are_refused(saved: Path, tmp_path: Path) -> None:
    for name, scores in {
        "infinite": np.full((20, 13), np.inf),
        "flat": np.zeros(260),
        "text": np.full((20, 13), "1"),
        "few": np.zeros((3, 13)),
    }.items():
        path = _rewritten(saved, tmp_path / f"{name}.npz", scores=scores)
        with pytest.raises(eevee.EeveeError, match=f"{name}.npz: "):
            eevee.Predictor.load(path)
    with pytest.raises(eevee.EeveeError, match="holds something else"):
        eevee.Predictor.load(_rewritten(saved, tmp_path / "more.npz", more=np.zeros(1)))


def test_a_compressed_file_is_refused_unread(saved: Path, tmp_path: Path) -> None:
    with np.load(saved) as arrays:
        np.savez_compressed(tmp_path / "zip.npz", **arrays)
    with pytest.raises(eevee.EeveeError, match="is compressed"):
        eevee.Predictor.load(tmp_path / "zip.npz")


def test_a_huge_shape_in_a_small_file_is_refused(saved: Path, tmp_path: Path) -> None:
    header = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (2**40, 2**10)}
    np.lib.format.write_array_header_1_0(header, shape)
    with zipfile.ZipFile(saved) as before, zipfile.ZipFile(tmp_path / "huge.npz", "w") as after:
        after.writestr("about.npy", before.read("about.npy"))
        after.writestr("scores.npy", header.getvalue())
        after.writestr("sha256.npy", before.read("sha256.npy"))
    with pytest.raises(eevee.EeveeError, match="is no predictor, or a damaged one"):
        eevee.Predictor.load(tmp_path / "huge.npz")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damage_is_an_error_of_ours_or_goes_unseen(
    saved: Path, tmp_path: Path, data: st.DataObject
) -> None:
    content = bytearray(saved.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    path = tmp_path / "damaged.npz"
    path.write_bytes(content[:cut])
    said = f"{path}: one line"
    try:
        eevee.Predictor.load(path)
    except eevee.EeveeError as error:
        said = str(error)
    assert said.startswith(f"{path}: ")
    assert "\n" not in said


def test_paths_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(eevee.EeveeError, match=r"must end in \.npz"):
        eevee.Predictor.load(tmp_path / "a.pkl")
    with pytest.raises(eevee.EeveeError, match="cannot be read"):
        eevee.Predictor.load(tmp_path / "nothing.npz")
    fitted = eevee.fit_predictor(made_table(), ["b00"], scorer="ridge")
    with pytest.raises(eevee.EeveeError, match="cannot be written"):
        fitted.save(tmp_path / "no" / "folder.npz")
    assert list(tmp_path.iterdir()) == []
