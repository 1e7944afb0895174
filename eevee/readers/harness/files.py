"""The files of a source: found, read and parsed within limits."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path

from eevee.base.bounded import MAX_MB, TooLarge, read_bytes
from eevee.base.errors import EeveeError
from eevee.base.visible import visible
from eevee.readers.grid import Grid
from eevee.readers.marks import tidy_cells
from eevee.readers.text import read_grid

MAX_FILES = 200_000
"""Files and folders below a source that are looked at."""
MAX_DEPTH = 12
"""Folders below each other that are looked into."""

_SAMPLE = 60
_GRIDS = 8
_KEPT = 20_000_000
"""Bytes of JSON texts whose content is kept at a time: each format looks at the same files."""
_HEAD = 4096
_ZSTANDARD = 93
_LOCAL_HEADER = 30


class Files:
    """A file, or a folder and what lies below it.

    Parameters
    ----------
    source : path
    max_mb : float
        Megabytes that a file may have, unpacked.
    missing : collection of str
        What means "not measured" in tables, besides the usual words.
    """

    def __init__(
        self,
        source: str | os.PathLike[str],
        max_mb: float = MAX_MB,
        missing: Collection[str] = (),
    ) -> None:
        self.root = Path(source)
        self.name = visible(self.root.name or self.root.resolve().name)
        self.max_mb = max_mb
        self.missing = tuple(missing)
        self.paths = tuple(sorted(_below(self.root, self.name)))
        self.unread: dict[str, str] = {}
        self._digests: dict[Path, str] = {}
        self._kept: dict[Path, tuple[int, object]] = {}
        self.grid = lru_cache(maxsize=_GRIDS)(self._grid)

    def named(self, *ends: str) -> list[Path]:
        """Return the files whose names end so."""
        return [path for path in self.paths if path.name.casefold().endswith(ends)]

    def sample(self, *ends: str) -> Iterator[Path]:
        """Return enough of these files to tell a format: evenly from all of them."""
        found = self.named(*ends)
        step = max(1, len(found) // _SAMPLE)
        return iter(found[::step][:_SAMPLE])

    def where(self, path: Path) -> str:
        """Name a file in a message: below the source, or as the source."""
        below = path.relative_to(self.root).as_posix() if path != self.root else ""
        return visible(below) if below else self.name

    def error(self, path: Path, text: str) -> EeveeError:
        """Make an error about one file."""
        return EeveeError(f"{self.where(path)}: {text}")

    def json(self, path: Path) -> object:
        """Parse a JSON file.

        Raises
        ------
        EeveeError
        """
        if path not in self._kept:
            size, content = self._json(path)
            while self._kept and size + sum(n for n, _ in self._kept.values()) > _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[path] = size, content
        return self._kept[path][1]

    def maybe_json(self, path: Path) -> object:
        """Parse a JSON file, None if that is not to be had."""
        try:
            return self.json(path)
        except EeveeError as wrong:
            where = self.where(path)
            self.unread[where] = str(wrong).removeprefix(f"{where}: ")
            return None

    def maybe_grid(self, path: Path) -> Grid | None:
        """Read a table, None if that is not to be had."""
        try:
            return self.grid(path)
        except EeveeError:
            return None

    def head(self, path: Path) -> str:
        """Return the first line of a text file, cut at some length; empty if it has none."""
        return next(iter(self.top(path)), "")

    def top(self, path: Path) -> list[str]:
        """Return the lines that a text file begins with, the last of them cut."""
        try:
            if not path.is_file():  # what a pipe says can be read only once
                return []
            with path.open("rb") as file:
                return file.read(_HEAD).decode("utf-8-sig", errors="replace").splitlines()
        except OSError:
            return []

    def digest(self, used: set[str]) -> str:
        """Return the SHA-256 of the files that were used: of the file, or of names and hashes."""
        known = {self.where(path): digest for path, digest in self._digests.items()}
        if self.root.is_file() and self.name in known:
            return known[self.name]
        lines = [f"{name} {known.get(name, '')}\n" for name in sorted(used)]
        return hashlib.sha256("".join(lines).encode(errors="surrogatepass")).hexdigest()

    def member(self, path: Path, name: str) -> object:
        """Parse one JSON member of a zip file, None if there is no such member."""
        try:
            with zipfile.ZipFile(path) as archive:
                if name not in archive.namelist():
                    return None
                raw = _unpacked(archive, archive.getinfo(name), path, self._most)
        except TooLarge:
            raise self._too_large(path) from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, struct.error):
            raise self.error(path, "the zip file is damaged; make it again") from None
        except EeveeError as wrong:
            raise self.error(path, str(wrong)) from None
        self._digests[path] = hashlib.sha256(raw).hexdigest()
        return self._parsed(path, raw)

    @property
    def _most(self) -> int:
        return int(self.max_mb * 1e6)

    def _too_large(self, path: Path) -> EeveeError:
        return self.error(
            path,
            f"has more than {self.max_mb:g} MB; if that is meant, raise the limit "
            "(max_mb, --max-mb)",
        )

    def _json(self, path: Path) -> tuple[int, object]:
        try:
            raw = read_bytes(path, self._most)
        except TooLarge:
            raise self._too_large(path) from None
        except OSError as why:
            raise self.error(path, f"cannot be read ({why.strerror})") from None
        self._digests[path] = hashlib.sha256(raw).hexdigest()
        return len(raw), self._parsed(path, raw)

    def _parsed(self, path: Path, raw: bytes) -> object:
        try:
            return json.loads(raw.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise self.error(path, "is not UTF-8 text") from None
        except RecursionError:
            raise self.error(path, "is nested too deeply") from None
        except json.JSONDecodeError as why:
            raise self.error(path, f"line {why.lineno} is not JSON: {why.msg}") from None
        except ValueError:
            raise self.error(path, "holds a number that is too long") from None

    def _grid(self, path: Path) -> Grid:
        grid = read_grid(path, self.max_mb)
        self._digests[path] = grid.sha256
        return tidy_cells(grid, self.missing) if self.missing else grid


def _below(root: Path, name: str) -> Iterator[Path]:
    """Return the regular files of a source; folders that are links are not entered."""
    if not root.is_dir():
        yield root
        return
    seen = 0
    for folder, folders, files in os.walk(root):
        seen += len(files) + len(folders)
        if seen > MAX_FILES:
            raise EeveeError(f"{name}: has more than {MAX_FILES} files; give a folder of results")
        if len(Path(folder).relative_to(root).parts) >= MAX_DEPTH:
            folders.clear()
        folders[:] = [one for one in folders if not one.startswith(".")]
        paths = (Path(folder, one) for one in files if not one.startswith("."))
        yield from (path for path in paths if path.is_file())


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, most: int) -> bytes:
    """Unpack one member; what its header says of its size is not believed."""
    if info.compress_type == _ZSTANDARD:
        raw = _zstandard(info, path, most)
    else:
        try:
            with archive.open(info) as file:
                raw = file.read(most + 1)
        except NotImplementedError:
            raise EeveeError("is packed in a way that Python cannot unpack") from None
    if len(raw) > most:
        raise TooLarge
    return raw


def _zstandard(info: zipfile.ZipInfo, path: Path, most: int) -> bytes:
    """Unpack Zstandard, which `zipfile` knows from Python 3.14 on."""
    try:
        import zstandard
    except ImportError:
        raise EeveeError(
            "is packed with Zstandard; pip install zstandard, or run "
            "inspect log convert --to json --output-dir DIR FILE"
        ) from None
    with path.open("rb") as file:
        file.seek(info.header_offset)
        sizes = struct.unpack("<26xHH", file.read(_LOCAL_HEADER))
        file.seek(info.header_offset + _LOCAL_HEADER + sum(sizes))
        packed = file.read(min(info.compress_size, most))
    try:
        # A large member is several frames, of which the first alone is read without asking.
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        return bytes(reader.read(most + 1))
    except zstandard.ZstdError as why:
        raise OSError(str(why)) from None
