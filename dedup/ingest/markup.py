"""HTML pages that are files: bytes to characters, and a record per file."""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from dedup.ingest.encodings import (
    Encoding,
    byte_order_mark,
    decode_marking,
    find_encoding,
    read_sample,
    undecodable_byte,
)
from dedup.ingest.records import RECORD_LIMIT, Description, Problem, Record

_DECLARATION = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_.:-]+)", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([a-zA-Z0-9_.:-]+)", re.IGNORECASE)
_DECLARATION_REACH = 16_384
_REPLACEMENT = "\ufffd"
_MARKED = re.compile("[\udc00-\udcff]")
_AS_BROWSERS_READ = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "latin-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}


def decode_html(data: bytes, *, declared: str = "") -> tuple[str, str]:
    """Decode a page; returns its characters and a remark, empty if there was no doubt.

    The byte order mark decides, then the ``declared`` charset (that of the HTTP header), then the page's own declaration,
    then UTF-8, then a guess. Bytes that are valid UTF-8 with characters beyond ASCII are UTF-8 whatever was declared.
    Charsets mean what browsers take them for (Latin-1 is windows-1252). Bytes that stand for no character become U+FFFD, with a remark.
    """
    marked = byte_order_mark(data)
    if marked:
        return _finish(decode_marking(data, marked), marked, "")
    if data.isascii() and b"\x1b" not in data:
        return data.decode("ascii"), ""
    codec = _codec(declared) or _codec(_declared_inside(data))
    if codec != "utf-8" and not data.isascii() and _is_utf8(data):
        remark = f"declared as {codec}, is valid UTF-8 and was read as that" if codec else ""
        return data.decode("utf-8"), remark
    if codec is None:
        guess = find_encoding(data).name
        return _finish(
            decode_marking(data, guess),
            guess,
            f"no charset declared; {guess} was guessed" if guess != "utf-8" else "",
        )
    return _decode_as_declared(data, codec)


def _decode_as_declared(data: bytes, codec: str) -> tuple[str, str]:
    text = decode_marking(data, codec)
    if codec == "utf-8" and undecodable_byte(text) is not None:
        guess = find_encoding(data).name
        if guess != "utf-8":
            return _finish(
                decode_marking(data, guess), guess, f"declared as utf-8 and isn't; {guess} was guessed"
            )
    return _finish(text, codec, "")


def _finish(text: str, codec: str, remark: str) -> tuple[str, str]:
    byte = undecodable_byte(text)
    if byte is None:
        return text, remark
    return _MARKED.sub(
        _REPLACEMENT, text
    ), f"the byte 0x{byte:02X} is not valid {codec}; such bytes were replaced by U+FFFD"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _declared_inside(data: bytes) -> str:
    head = data[:_DECLARATION_REACH]
    found = _XML_DECLARATION.search(head) or _DECLARATION.search(head)
    return found[1].decode("ascii") if found else ""


def _codec(name: str) -> str | None:
    try:
        codec = codecs.lookup(name.strip().strip("\"'"))
    except (LookupError, ValueError):
        return None
    if not codec._is_text_encoding or codec.name.startswith("utf-16"):  # noqa: SLF001 - no public name for it
        return None
    return _AS_BROWSERS_READ.get(codec.name, codec.name)


class HtmlReader:
    """Reads one HTML file as one record."""

    def __init__(self, file: str, stream: BinaryIO, *, page_id: str) -> None:
        self.file = file
        self._stream = stream
        self._id = page_id

    def describe(self) -> Description:
        """A page has the fields ``id`` and ``html``."""
        return Description(file=self.file, format="html", columns=("id", "html"))

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the page, behind a remark if its charset left a doubt."""
        data = read_sample(self._stream, RECORD_LIMIT + 1)
        if len(data) > RECORD_LIMIT:
            reason = f"the page is longer than {RECORD_LIMIT:,} bytes"
            yield Problem(file=self.file, line=None, field="html", reason=reason, is_rejection=True)
            return
        text, remark = decode_html(data)
        if remark:
            yield Problem(file=self.file, line=None, field="html", reason=remark)
        yield Record(1, {"id": self._id, "html": text})


class TextReader:
    """Reads one plain text file as one record."""

    def __init__(self, file: str, stream: BinaryIO, *, page_id: str, encoding: Encoding) -> None:
        self.file = file
        self._stream = stream
        self._id = page_id
        self._found = encoding
        self._encoding = encoding.name

    def describe(self) -> Description:
        """A text has the fields ``id`` and ``text``."""
        return Description(
            file=self.file,
            format="text",
            encoding=self._encoding,
            columns=("id", "text"),
            guesses={"encoding": self._encoding} if self._found.is_guess else {},
            odd_line=self._found.odd_line,
            odd_byte=self._found.odd_byte,
        )

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the text, or a rejection that names the line of the first wrong byte."""
        data = read_sample(self._stream, RECORD_LIMIT + 1)
        if len(data) > RECORD_LIMIT:
            reason = f"the text is longer than {RECORD_LIMIT:,} bytes"
            yield Problem(file=self.file, line=None, field="text", reason=reason, is_rejection=True)
            return
        text = decode_marking(data, self._encoding)
        byte = undecodable_byte(text)
        if byte is None:
            yield Record(1, {"id": self._id, "text": text})
            return
        found = _MARKED.search(text)
        line = text.count("\n", 0, found.start() if found else 0) + 1
        reason = f"the byte 0x{byte:02X} is not valid {self._encoding}; is the file in another encoding?"
        yield Problem(file=self.file, line=line, field="text", reason=reason, is_rejection=True)
