"""How the kernel's loops are compiled: without the interpreter lock, kept on disk where a folder for it exists."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from numba import njit

Loop = TypeVar("Loop", bound=Callable[..., object])

_SOURCES = (*sorted(Path(__file__).parent.glob("*.py")), Path(__file__).parents[1] / "token_hash.py")


@cache
def source_stamp() -> str:
    """Name the state of the sources that machine code is made from: 8 hexadecimal digits."""
    contents = b"".join(source.read_bytes() for source in _SOURCES)
    return hashlib.sha256(contents).hexdigest()[:8]


def compiled(loop: Loop) -> Loop:
    """Compile a loop at its first call. Nothing is compiled at import.

    Numba keeps the machine code beside the module, or in the user's cache folder if that can't be written; where
    neither can, each process compiles for itself. Numba looks only at the file of the loop itself when it decides
    whether kept code is still good; the stamp in the name makes it look at all that the loop calls.
    """
    return _compiled(loop, forceinline=False)


def inlined(step: Loop) -> Loop:
    """Compile a short step of loops into each loop that calls it, where a call would cost more than the step.

    A call that stays a call counts references to every array it passes, twice.
    """
    return _compiled(step, forceinline=True)


def _compiled(loop: Loop, *, forceinline: bool) -> Loop:
    loop.__qualname__ = f"{loop.__qualname__}_{source_stamp()}"
    try:
        return cast("Loop", njit(nogil=True, cache=True, forceinline=forceinline)(loop))
    except RuntimeError:
        return cast("Loop", njit(nogil=True, forceinline=forceinline)(loop))
