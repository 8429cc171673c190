"""Web archives: the pages among the responses of a WARC file."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC
from http.client import HTTPException, HTTPMessage, parse_headers
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from dedup.ingest.markup import decode_html
from dedup.ingest.records import RECORD_LIMIT, DamagedFileError, Description, Problem, Record

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain", ""})
_CHUNK_HEAD = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_GZIP_OR_ZLIB = 47
_RAW_DEFLATE = -15
_LONGEST_HEADER = 65_536
_AROUND_HEADERS = len("WARC/1.0\r\n\r\n")
_BEHIND_CONTENT = len("\r\n\r\n")
_TOLERATED_GAP = 64
_TOLERATED_REST = 16


class WarcReader:
    """Reads the responses of a WARC file that carry a page: status 200 to 299, HTML or plain text.

    Requests, revisits and metadata are no pages and are passed over; so are pictures and the like, with one remark at the
    end that counts them.
    A record that is cut off is a rejection.
    """

    def __init__(self, file: str, stream: BinaryIO) -> None:
        self.file = file
        self._stream = _QuietStream(stream)
        self._passed_over: Counter[str] = Counter()
        self._number = 0
        self._pages = 0
        self._end = 0

    def describe(self) -> Description:
        """A page has the fields ``id``, ``url``, ``html`` or ``text``, and ``first_seen``."""
        return Description(file=self.file, format="warc", columns=("id", "url", "html", "text", "first_seen"))

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the pages; ``line`` is the number of the record in the file."""
        try:
            yield from self._responses()
        except (OSError, ValueError) as error:
            yield self._rejection(
                self._number + 1, f"the record is damaged ({error}); what follows was not read"
            )
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            yield self._rejection(self._number + 1, "the record is damaged; what follows was not read")
        if self._stream.failure:
            reason = f"{self._stream.failure} The last record is incomplete and was not stored."
            yield self._rejection(self._number, reason)
        elif self._stream.tell() > self._end + _TOLERATED_REST:
            yield self._rejection(
                self._number + 1, "the file ends early: its last record is incomplete and was not stored"
            )
        if self._number and not self._pages:
            yield self._remark(f"no page among {self._number} records")
        if self._passed_over:
            counts = ", ".join(f"{count} {what}" for what, count in sorted(self._passed_over.items())[:8])
            yield self._remark(f"responses that are no pages were passed over: {counts}"[:300])

    def _responses(self) -> Iterator[Record | Problem]:
        from fastwarc.warc import ArchiveIterator, WarcRecordType

        for record in ArchiveIterator(self._stream, parse_http=False, stream_detect=False, quirks_mode=True):
            self._number += 1
            yield from self._check_gap(record)
            if record.headers.get("Content-Length") is None:
                yield self._rejection(
                    self._number, "the record is incomplete: its header ends early or has no length"
                )
            elif record.record_type == WarcRecordType.response and record.is_http:
                yield from self._read(record)

    def _check_gap(self, record: "WarcRecord") -> Iterator[Problem]:
        if self._number > 1 and record.stream_pos > self._end + _TOLERATED_GAP:
            gap = record.stream_pos - self._end
            yield self._remark(
                f"about {gap:,} bytes before this record belong to no record; they were passed over"
            )
        headers = sum(len(name) + len(value) + 4 for name, value in record.headers.items())
        self._end = record.stream_pos + _AROUND_HEADERS + headers + record.content_length + _BEHIND_CONTENT

    def _read(self, record: "WarcRecord") -> Iterator[Record | Problem]:
        address = (record.headers.get("WARC-Target-URI") or "").strip("<> ").replace(" ", "%20")
        if record.content_length > RECORD_LIMIT:
            yield self._rejection(
                self._number, f"the response is longer than {RECORD_LIMIT:,} bytes", address
            )
            return
        message = record.reader.read()
        if len(message) < record.content_length:
            if not self._stream.failure:
                reason = (
                    f"the file ends early: the record is incomplete ({len(message):,} of {record.content_length:,} bytes) "
                    "and was not stored"
                )
                yield self._rejection(self._number, reason, address)
            return
        found = read_response(message)
        if isinstance(found, str):
            self._passed_over[found] += 1
            return
        self._pages += 1
        yield from self._page(record, address, *found)

    def _page(
        self, record: "WarcRecord", address: str, media_type: str, charset: str, body: bytes
    ) -> Iterator[Record | Problem]:
        text, remark = decode_html(body, declared=charset)
        if remark:
            yield self._remark(remark, address)
        cut = record.headers.get("WARC-Truncated")
        if cut:
            yield self._remark(f"the crawler cut this response off ({cut})", address)
        seen = record.record_date
        kind = "text" if media_type == "text/plain" else "html"
        yield Record(
            self._number,
            {
                "id": (record.record_id or "").strip("<>"),
                "url": address,
                kind: text,
                "first_seen": seen.astimezone(UTC).isoformat() if seen else "",
            },
        )

    def _remark(self, reason: str, example: str = "") -> Problem:
        return Problem(file=self.file, line=self._number, field="", reason=reason, example=example[:300])

    def _rejection(self, line: int, reason: str, example: str = "") -> Problem:
        return Problem(
            file=self.file, line=line, field="", reason=reason, example=example[:300], is_rejection=True
        )


def read_response(message: bytes) -> tuple[str, str, bytes] | str:
    """Cut an HTTP response into media type, charset and decoded body; or say in words why it is no page."""
    head, body = _head_and_body(message)
    status = head.split(None, 2)[1:2]
    if not status or not status[0].isdigit():
        return "without a status"
    if not 200 <= int(status[0]) <= 299:
        return f"with status {int(status[0])}"
    headers = _headers(head)
    content_type = str(headers.get("Content-Type") or "")
    media_type = content_type.partition(";")[0].strip().lower()
    body = decode_body(
        body, str(headers.get("Transfer-Encoding") or ""), str(headers.get("Content-Encoding") or "")
    )
    if media_type not in _PAGE_TYPES or (not media_type and body.lstrip()[:1] != b"<"):
        return f"of type {media_type[:40] or 'unknown'}"
    charset = _CHARSET.search(content_type)
    return media_type, charset[1] if charset else "", body


def decode_body(body: bytes, transfer_encoding: str, content_encoding: str) -> bytes:
    """Undo the encodings that the headers name; bytes that aren't encoded as they say are taken as they are."""
    if "chunked" in transfer_encoding.lower():
        body = unchunk(body)
    for coding in reversed([name.strip().lower() for name in content_encoding.split(",")]):
        body = _decompress(body, coding)
    return body


def unchunk(body: bytes) -> bytes:
    r"""Join the chunks of a chunked body; a body that isn't chunked from end to end comes back unchanged.

    >>> unchunk(b"5\r\nHello\r\n0\r\n\r\n"), unchunk(b"Hello")
    (b'Hello', b'Hello')
    """
    pieces: list[bytes] = []
    at = 0
    while True:
        head = _CHUNK_HEAD.match(body, at)
        if not head:
            return b"".join(pieces) if pieces and not body[at:].strip() else body
        size = int(head[1], 16)
        if size == 0:
            return b"".join(pieces)
        chunk = body[head.end() : head.end() + size]
        if len(chunk) < size:
            return body
        pieces.append(chunk)
        at = head.end() + size
        at += 2 if body[at : at + 2] == b"\r\n" else body[at : at + 1] == b"\n"


def _decompress(body: bytes, coding: str) -> bytes:
    if coding in {"gzip", "x-gzip"}:
        return _inflate(body, (_GZIP_OR_ZLIB,))
    if coding == "deflate":
        return _inflate(body, (_GZIP_OR_ZLIB, _RAW_DEFLATE))
    if coding == "br":
        return _unbrotli(body)
    return body


def _inflate(body: bytes, windows: tuple[int, ...]) -> bytes:
    for window in windows:
        unpacker = zlib.decompressobj(window)
        try:
            data = unpacker.decompress(body, RECORD_LIMIT)
        except zlib.error:
            continue
        if unpacker.eof or data:
            return data
    return body


def _unbrotli(body: bytes) -> bytes:
    try:
        import brotli
    except ImportError:
        return body
    unpacker = brotli.Decompressor()
    try:
        return bytes(unpacker.process(body, output_buffer_limit=RECORD_LIMIT))
    except brotli.error:
        return body


def _head_and_body(message: bytes) -> tuple[bytes, bytes]:
    ends = [
        (at, len(end)) for end in (b"\r\n\r\n", b"\n\n") if (at := message.find(end, 0, _LONGEST_HEADER)) >= 0
    ]
    if not ends:
        return message[:_LONGEST_HEADER], b""
    at, length = min(ends)
    return message[:at], message[at + length :]


def _headers(head: bytes) -> HTTPMessage:
    _, _, fields = head.partition(b"\n")
    try:
        return parse_headers(BytesIO(fields + b"\r\n\r\n"))
    except HTTPException:
        return HTTPMessage()


class _QuietStream:
    """A stream that ends where it is damaged; ``failure`` then says why. The archive library needs no more than these methods."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._at = 0
        self.failure: DamagedFileError | None = None

    def read(self, size: int = -1) -> bytes:
        """Read at most ``size`` bytes."""
        try:
            data = bytes(self._stream.read1(size))  # type: ignore[attr-defined]
        except DamagedFileError as error:
            self.failure = error
            return b""
        self._at += len(data)
        return data

    def close(self) -> None:
        """Close the stream below."""
        self._stream.close()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Refuse: archives are read from beginning to end."""
        raise OSError(f"no way to {offset} from {whence}")

    def tell(self) -> int:
        """Bytes read so far."""
        return self._at
