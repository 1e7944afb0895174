"""A signal ends the program with one line and its own exit code, whatever it is doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from eevee.base.stopping import STOPS, Stop, handle, raising, stopped_by

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = {one: signal.getsignal(one) for one in STOPS}
    hook = sys.unraisablehook
    for one, handler in before.items():
        if handler is signal.SIG_IGN:  # the tests run under nohup
            signal.signal(one, signal.SIG_DFL)
    yield
    sys.unraisablehook = hook
    for one, handler in before.items():
        signal.signal(one, handler)
    with raising():
        pass  # forgets what came
    for one, handler in before.items():
        signal.signal(one, handler)
    sys.unraisablehook = hook


@pytest.mark.parametrize("number", STOPS)
def test_while_libraries_are_loaded_it_ends_on_the_spot(number: int) -> None:
    code = (
        "import os, signal; from eevee.base.stopping import end_at_once; "
        f"end_at_once(); os.kill(os.getpid(), {int(number)}); print('still there')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "interrupted\n")


@pytest.mark.parametrize("number", STOPS)
def test_later_it_is_raised_with_its_number_and_in_the_end_ignored(number: int) -> None:
    with raising(), pytest.raises(Stop) as caught:
        os.kill(os.getpid(), number)
    assert stopped_by(caught.value) == number
    os.kill(os.getpid(), number)


def test_an_error_that_a_library_makes_of_it_is_still_a_stop() -> None:
    with raising():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except Stop:
            error = ImportError("libwhatever failed to import")
    assert stopped_by(error) == signal.SIGTERM


def test_what_is_ignored_stays_so() -> None:
    """As under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert signal.SIGHUP not in handle(lambda number, frame: None)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
