from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.measures import read_features
from tests.measures.conftest import made

DATA = made(12, 3, 2)


def write_npz(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def refused(path: Path, said: str, **options: Any) -> None:
    with pytest.raises(EeveeError, match=said) as error:
        read_features(path, **options)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(path.parent))


def test_npz_holds_features_labels_probabilities_and_seconds(tmp_path: Path):
    labels = np.array(["cat", "dog"])[DATA.labels]
    path = tmp_path / "resnet50__pets.npz"
    write_npz(path, features=DATA.features, labels=labels, source_probs=DATA.source_probs,
              seconds=1.5, more=np.arange(3))  # fmt: skip
    found = read_features(path)
    assert (found.model, found.task, found.seconds) == ("resnet50", "pets", 1.5)
    np.testing.assert_array_equal(found.features, DATA.features)
    np.testing.assert_array_equal(found.source_probs, DATA.source_probs)
    np.testing.assert_array_equal(found.labels, labels)


def test_npy_has_its_labels_beside_it(tmp_path: Path):
    path = tmp_path / "vit__pets.npy"
    np.save(path, DATA.features)
    refused(path, "write them to vit__pets.labels.npy")
    np.save(tmp_path / "vit__pets.labels.npy", DATA.labels)
    found = read_features(path)
    np.testing.assert_array_equal(found.features, DATA.features)
    np.testing.assert_array_equal(found.labels, DATA.labels)


def test_a_name_without_a_task_needs_one(tmp_path: Path):
    path = write_npz(tmp_path / "vit.npz", features=DATA.features, labels=DATA.labels)
    refused(path, "MODEL__TASK.npz, or --task")
    assert read_features(path, task="pets").task == "pets"
    refused(write_npz(tmp_path / "__pets.npz", labels=DATA.labels), "MODEL__TASK")


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"features": DATA.features}, "holds no labels"),
        ({"labels": DATA.labels}, "neither 'features' nor 'source_probs'"),
        ({"weights": DATA.features}, "none of the arrays"),
        ({"features": DATA.features, "labels": np.array([None] * 12)}, "Python objects"),
        ({"features": DATA.features, "labels": DATA.labels, "seconds": -1.0}, "must be positive"),
        ({"features": DATA.features, "labels": DATA.labels, "seconds": [1, 2]}, "one number"),
        ({"features": DATA.features, "labels": DATA.labels, "seconds": "1"}, "one number"),
    ],
)
def test_what_an_archive_lacks_is_said(tmp_path: Path, arrays: dict[str, Any], said: str):
    refused(write_npz(tmp_path / "m__t.npz", **arrays), said)


def test_a_missing_file_and_an_unknown_suffix_are_refused(tmp_path: Path):
    refused(tmp_path / "m__t.npz", "cannot be read: No such file")
    refused(tmp_path / "m__t.pkl", "must end in one of .npz, .npy")


def archive(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return path


def as_npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_an_array_that_unpacks_to_more_than_is_allowed_is_not_unpacked(tmp_path: Path):
    path = archive(tmp_path / "m__t.npz", {"features.npy": bytes(5_000_000)})
    assert path.stat().st_size < 100_000
    refused(path, "larger than 1 MB; raise it with --max-mb", max_mb=1)


@pytest.mark.parametrize("shape", ["(1000000000000, 1000000)", "(-1, 3)", "(4, 3)", "(0,)"])
def test_a_header_that_promises_other_than_there_is_allocates_nothing(tmp_path: Path, shape: str):
    good = as_npy(DATA.features)
    bad = good.replace(b"(12, 3)", shape.encode())
    head = 10 + int.from_bytes(bad[8:10], "little") + len(shape) - len("(12, 3)")
    length = head - 10
    bad = bad[:8] + length.to_bytes(2, "little") + bad[10:]
    path = archive(tmp_path / "m__t.npz", {"features.npy": bad, "labels.npy": as_npy(DATA.labels)})
    refused(path, "'features' is damaged")


def test_damaged_files_of_every_kind_are_refused_in_one_line(tmp_path: Path):
    whole = write_npz(tmp_path / "m__t.npz", features=DATA.features, labels=DATA.labels)
    content = whole.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(150):
        changed = bytearray(content[: rng.integers(1, len(content) + 1)])
        for place in rng.integers(0, len(changed), 4):
            changed[place] = rng.integers(256)
        whole.write_bytes(changed)
        try:
            read_features(whole)
        except EeveeError as error:
            assert "\n" not in str(error)  # noqa: PT017
    npy = tmp_path / "m__t.npy"
    np.save(tmp_path / "m__t.labels.npy", DATA.labels)
    content = as_npy(DATA.features)
    for _ in range(150):
        changed = bytearray(content)
        for place in rng.integers(0, 128, 4):
            changed[place] = rng.integers(256)
        npy.write_bytes(changed)
        try:
            read_features(npy)
        except EeveeError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_pickles_are_never_loaded(tmp_path: Path):
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "exploded",))

    path = tmp_path / "m__t.npz"
    np.savez(path, features=np.array([Bomb()], dtype=object), labels=DATA.labels)
    refused(path, "Python objects")
    assert not (tmp_path / "exploded").exists()


def test_without_the_library_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for suffix, library in ((".parquet", "pyarrow"), (".safetensors", "safetensors")):
        monkeypatch.setitem(sys.modules, library, None)
        path = tmp_path / f"m__t{suffix}"
        path.write_bytes(b"PAR1")
        refused(path, rf"pip install 'eevee-tiers\[{library.replace('pyarrow', 'parquet')}\]'")


def test_safetensors_are_read_and_damaged_ones_refused(tmp_path: Path):
    library = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "m__t.safetensors"
    library.save_file({"features": DATA.features, "labels": DATA.labels}, path)
    found = read_features(path)
    np.testing.assert_array_equal(found.features, DATA.features)
    np.testing.assert_array_equal(found.labels, DATA.labels)
    path.write_bytes(b"\xff" * 40)
    refused(path, "damaged")


def test_parquet_columns_are_features_labels_and_probabilities(tmp_path: Path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "m__t.parquet"
    columns = {f"f{j}": DATA.features[:, j] for j in range(3)}
    columns |= {f"source_prob_{j}": DATA.source_probs[:, j] for j in range(5)}
    labels = [f"class {k}" for k in DATA.labels]
    parquet.write_table(pyarrow.table({"label": labels, **columns}), path)
    found = read_features(path)
    np.testing.assert_array_equal(found.features, DATA.features)
    np.testing.assert_array_equal(found.source_probs, DATA.source_probs)
    assert found.labels.tolist() == labels
    refused(path, "larger than", max_mb=1e-4)
    parquet.write_table(pyarrow.table({"label": [None, *labels[1:]], **columns}), path)
    refused(path, "'label' has missing cells")
    parquet.write_table(pyarrow.table({"label": labels, "note": labels}), path)
    refused(path, "'note' is not of numbers")
    parquet.write_table(pyarrow.table(columns), path)
    refused(path, "no column 'label'")
    path.write_bytes(b"PAR1" * 9)
    refused(path, "damaged")
