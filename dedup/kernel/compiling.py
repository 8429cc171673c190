"""How the kernel's loops are compiled: without the interpreter lock, kept on disk where a folder for it exists."""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Loop = TypeVar("Loop", bound=Callable[..., object])


def compiled(loop: Loop) -> Loop:
    """Compile a loop at its first call. Nothing is compiled at import.

    Numba keeps the machine code beside the module, or in the user's cache folder if that can't be written; where
    neither can, each process compiles for itself.
    """
    try:
        return cast("Loop", njit(nogil=True, cache=True)(loop))
    except RuntimeError:
        return cast("Loop", njit(nogil=True)(loop))
