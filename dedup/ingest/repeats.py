"""Has this id come before? A compact memory of ids: 20 bytes a slot, two thirds of them filled at most."""

import hashlib
from array import array
from dataclasses import dataclass

_SMALLEST = 1 << 10
_LINE_BITS = 40
_LINE_MASK = (1 << _LINE_BITS) - 1
_FILE_MASK = (1 << 24) - 1


@dataclass(frozen=True, slots=True)
class Earlier:
    """Where an id stood before, and whether its text was the same."""

    file: str
    line: int
    same_text: bool


class DuplicateIds:
    """Remembers ids by 64-bit hashes, with file, line and a 32-bit hash of the text.

    Two different ids share a hash with a chance of n² / 2⁶⁵ (one in 400,000 for ten million ids). An open-addressing table
    in flat arrays: 30 to 60 bytes an id.
    """

    def __init__(self) -> None:
        self._files: list[str] = []
        self._file_numbers: dict[str, int] = {}
        self._count = 0
        self._allocate(_SMALLEST)

    def __len__(self) -> int:
        return self._count

    def check(self, page_id: str, text: str, *, file: str, line: int) -> Earlier | None:
        """Remember an id; if it came before, return where instead, and keep the earlier place."""
        digest = hashlib.blake2b(page_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest, "little") or 1
        content = hash_text(text)
        slot = self._slot(key)
        if self._keys[slot]:
            return self._earlier(slot, content)
        self._keys[slot] = key
        self._contents[slot] = content
        self._places[slot] = (self._file_number(file) << _LINE_BITS) | (line & _LINE_MASK)
        self._count += 1
        if self._count * 3 > self._size * 2:
            self._grow()
        return None

    def _earlier(self, slot: int, content: int) -> Earlier:
        place = self._places[slot]
        return Earlier(self._files[place >> _LINE_BITS], place & _LINE_MASK, self._contents[slot] == content)

    def _slot(self, key: int) -> int:
        keys, mask = self._keys, self._size - 1
        slot = key & mask
        while keys[slot] and keys[slot] != key:
            slot = (slot + 1) & mask
        return slot

    def _file_number(self, file: str) -> int:
        number = self._file_numbers.get(file)
        if number is None:
            number = min(len(self._files), _FILE_MASK)
            if number == len(self._files):
                self._files.append(file)
            self._file_numbers[file] = number
        return number

    def _allocate(self, size: int) -> None:
        self._size = size
        self._keys = array("Q", bytes(8 * size))
        self._places = array("Q", bytes(8 * size))
        self._contents = array("I", bytes(4 * size))

    def _grow(self) -> None:
        old = zip(self._keys, self._places, self._contents, strict=True)
        self._allocate(self._size * 2)
        for key, place, content in old:
            if key:
                slot = self._slot(key)
                self._keys[slot], self._places[slot], self._contents[slot] = key, place, content


def hash_text(text: str) -> int:
    """A 32-bit hash of a text that is the same in every process."""
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "little"
    )
