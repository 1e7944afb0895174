"""Writing a file whole or not at all: to a temporary file beside it, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from eevee.base.errors import EeveeError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path in the same folder and rename it to `path` if all goes well.

    Raises
    ------
    EeveeError
        If the file cannot be written. Nothing is left behind and what was there stays.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with replacing(Path(home) / "a.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     [path.name for path in Path(home).iterdir()]
    ['a.txt']
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise EeveeError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()
