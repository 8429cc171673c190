"""Children that end when their parent ends, whatever ends it, and that are started again when they crash."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

PARENT_VARIABLE = "NEARDUP_PARENT_PID"
LOOK_SECONDS = 1.0
GRACE_SECONDS = 15.0
LONG_ENOUGH_SECONDS = 10.0
MOST_CRASHES = 5
HIGHEST_PORT = 65_535

_PR_SET_PDEATHSIG = 1
_MANAGE = Path(__file__).resolve().parents[2] / "manage.py"


def end_with_parent() -> None:
    """End this process when the process that started it with ``Child`` ends, also after a kill -9.

    Linux tells the kernel so; everywhere, a thread also looks whether the parent is still there.
    """
    parent = os.environ.get(PARENT_VARIABLE, "")
    if not parent.isdecimal():
        return
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    threading.Thread(target=_watch, args=(int(parent),), name="watch parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    sleep(GRACE_SECONDS)
    os._exit(1)


def port_number(value: str) -> int:
    """A port from the command line; for ``argparse``, which says so where it is none."""
    if not (value.isdecimal() and len(value) <= 5 and 0 < int(value) <= HIGHEST_PORT):
        raise ArgumentTypeError(f"a port lies between 1 and {HIGHEST_PORT}, and {value} is none")
    return int(value)


class Child:
    """A command of ``manage.py`` in a process of its own; Ctrl-C reaches only the parent, which stops it."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = list(arguments)
        self.crashes = 0
        self._started = 0.0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process."""
        self._started = monotonic()
        self._process = subprocess.Popen(  # noqa: S603 - our own command, no shell
            [sys.executable, str(_MANAGE), *self.arguments],
            env={**os.environ, PARENT_VARIABLE: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def ended(self) -> int | None:
        """The exit status, or None while it runs."""
        return None if self._process is None else self._process.poll()

    def restart_if_crashed(self) -> bool:
        """Start it again if it has ended; False once it has crashed too often in a row."""
        if self.ended() is None:
            return True
        self.crashes = 0 if monotonic() - self._started > LONG_ENOUGH_SECONDS else self.crashes + 1
        if self.crashes >= MOST_CRASHES:
            return False
        self.start()
        return True

    def ask_to_stop(self) -> None:
        """Ask it to end in good order."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def wait_or_kill(self) -> None:
        """Give it some seconds to end, then end it."""
        if self._process is None:
            return
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
