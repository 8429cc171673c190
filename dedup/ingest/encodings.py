"""Which characters do these bytes stand for? Marks first, then the declaration, then UTF-8, and a guess only at the end."""

import codecs
import re
from dataclasses import dataclass
from typing import BinaryIO

import charset_normalizer

from dedup.ingest.records import IngestError

MARKED_BYTE = re.compile("[\udc00-\udcff]")
_MARK_HANDLER = "dedup-mark-undecodable-bytes"
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
_CONTROL_BYTE = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LIKELY = [
    *(
        "cp1250",
        "cp1251",
        "cp1252",
        "cp1253",
        "cp1254",
        "cp1255",
        "cp1256",
        "cp1257",
        "cp1258",
        "cp874",
        "iso8859_2",
        "koi8_r",
    ),
    *(
        "koi8_u",
        "gb18030",
        "big5",
        "cp932",
        "shift_jis",
        "euc_jp",
        "iso2022_jp",
        "cp949",
        "euc_kr",
        "mac_cyrillic",
    ),
]
_LATIN = frozenset({"cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "iso8859_2"})
_NOT_LATIN = [name for name in _LIKELY if name not in _LATIN]
_LONG_RUN = re.compile(rb"[\x80-\xff]{4,}")
_LOOSE_CHAOS = 0.02


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec's name, and whether it is a guess rather than a mark, a declaration or valid UTF-8.

    ``odd_line`` and ``odd_byte`` say where a guess became necessary: the first byte that isn't UTF-8.
    """

    name: str
    is_guess: bool = False
    odd_line: int | None = None
    odd_byte: int | None = None


def mark_undecodable(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler: each byte that can't be decoded becomes the lone surrogate U+DC00 plus its value."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(0xDC00 + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error(_MARK_HANDLER, mark_undecodable)


def decode_marking(data: bytes, encoding: str) -> str:
    """Decode, with undecodable bytes marked as ``mark_undecodable`` says."""
    return data.decode(encoding, _MARK_HANDLER)


def marking_handler() -> str:
    """Name of the error handler, for wrappers that decode as they read."""
    return _MARK_HANDLER


def undecodable_byte(text: str) -> int | None:
    """Value of the first marked byte, or None; ``text`` must come from ``decode_marking``."""
    if text.isascii():
        return None
    found = MARKED_BYTE.search(text)
    return ord(found[0]) - 0xDC00 if found else None


def known_codec(name: str, *, file: str) -> str:
    """Python's name for an encoding that a person chose. Raises ``IngestError`` if there is none."""
    try:
        codec = codecs.lookup(name.strip())
    except (LookupError, ValueError) as error:
        raise IngestError(
            f"{file}: “{name}” is no encoding known here; try utf-8, windows-1252 or utf-16."
        ) from error
    if not codec._is_text_encoding:  # noqa: SLF001 - the codec registry has no public name for it
        raise IngestError(f"{file}: “{name}” is no encoding of text.")
    return codec.name


def byte_order_mark(sample: bytes) -> str | None:
    """The encoding that a byte order mark names, or None."""
    return next((name for mark, name in _BYTE_ORDER_MARKS if sample.startswith(mark)), None)


def find_encoding(sample: bytes) -> Encoding:
    """Find the encoding of the bytes at the start of a file.

    A byte order mark decides; then UTF-16 by its pattern of zeros; then UTF-8 if the sample is valid, or has more valid
    multi-byte characters than wrong bytes; then charset-normalizer, with windows-1252 preferred among equals.
    """
    marked = byte_order_mark(sample)
    if marked:
        return Encoding(marked)
    by_zeros = _utf16_by_zeros(sample)
    if by_zeros:
        return Encoding(by_zeros, is_guess=True)
    if _is_mostly_utf8(sample):
        return Encoding("utf-8")
    line, byte = _first_odd_byte(sample)
    return Encoding(_guess(sample), is_guess=True, odd_line=line, odd_byte=byte)


def find_json_encoding(sample: bytes) -> Encoding:
    """Find the encoding of JSON, which is UTF-8 unless a byte order mark or its zeros say otherwise (RFC 8259)."""
    found = find_encoding(sample)
    return Encoding("utf-8") if found.odd_byte is not None else found


def looks_binary(sample: bytes) -> bool:
    """Whether control characters say that these bytes are no text in any encoding."""
    if byte_order_mark(sample) or _utf16_by_zeros(sample):
        return False
    controls = len(_CONTROL_BYTE.findall(sample))
    return controls > max(2, len(sample) * 0.03)


def read_sample(stream: BinaryIO, size: int) -> bytes:
    """Up to ``size`` bytes; fewer only at the end of the stream."""
    pieces = []
    while size > 0 and (piece := stream.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _is_mostly_utf8(sample: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        valid = _MULTIBYTE.findall(sample)
        wrong = len(_HIGH_BYTE.findall(sample)) - sum(map(len, valid))
        return len(valid) > wrong
    return True


def _first_odd_byte(sample: bytes) -> tuple[int | None, int | None]:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError as error:
        return sample.count(b"\n", 0, error.start) + 1, sample[error.start]
    return None, None


def _utf16_by_zeros(sample: bytes) -> str | None:
    pairs = len(sample) // 2
    if pairs < 4:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > pairs * 0.4 and even < pairs * 0.05:
        return "utf-16-le"
    if even > pairs * 0.4 and odd < pairs * 0.05:
        return "utf-16-be"
    return None


def _guess(sample: bytes) -> str:
    head = sample[: 2**16]
    likely = _NOT_LATIN if _has_words_of_high_bytes(head) else _LIKELY
    matches = list(charset_normalizer.from_bytes(head, cp_isolation=likely)) or list(
        charset_normalizer.from_bytes(head)
    )
    if not matches:
        return "cp1252"
    best = matches[0]
    for match in matches:
        if (
            match.encoding == "cp1252"
            and match.chaos <= best.chaos + _LOOSE_CHAOS
            and match.coherence >= best.coherence
        ):
            return "cp1252"
    return str(best.encoding)


def _has_words_of_high_bytes(sample: bytes) -> bool:
    """Whether most bytes above ASCII stand in runs of four and more, which accented letters of Latin scripts never do."""
    inside = sum(len(run) for run in _LONG_RUN.findall(sample))
    return inside > 0.6 * len(_HIGH_BYTE.findall(sample))
