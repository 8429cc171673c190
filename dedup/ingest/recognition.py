"""Which format is this? The first bytes say so; a file's name only breaks ties."""

import re

from dedup.ingest.encodings import decode_marking, find_encoding, looks_binary
from dedup.ingest.records import IngestError

_OTHER_KINDS = (
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old Office document; save it as XLSX or CSV"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x7fELF", "a program"),
    (b"filedesc://", "an ARC file, the forerunner of WARC; convert it to WARC first"),
)
_HTML = re.compile(
    r"\s*(?:<!--.*?-->\s*|<\?xml.*?\?>\s*)*<(?:!doctype\s+html|html|head|body|meta|title|div|article|main|p|h1)\b",
    re.IGNORECASE | re.DOTALL,
)
_HTML_SUFFIXES = {".html", ".htm", ".xhtml"}
_TABLE_SUFFIXES = {".csv", ".tsv", ".tab"}
_JSON_FIRST_KEY = re.compile(r"\{\s*[\"}]")


def recognise(sample: bytes, *, file: str, suffix: str) -> str:
    """Name the format of a file that starts with ``sample``; ``suffix`` is its name's ending in lower case.

    Raises ``IngestError`` for an empty file, a binary file, and formats that are known and not read.
    """
    if not sample:
        raise IngestError(f"{file} is empty: it has no bytes at all.")
    if sample.startswith(b"PAR1"):
        return "parquet"
    if sample.startswith(b"PK\x03\x04"):
        return "zip"
    if sample.lstrip()[:5] == b"WARC/":
        return "warc"
    for magic, kind in _OTHER_KINDS:
        if sample.startswith(magic):
            raise IngestError(f"{file} can't be read: it is {kind}.")
    if looks_binary(sample):
        raise IngestError(f"{file} can't be read: it is a binary file, not text.")
    return _recognise_text(decode_marking(sample, find_encoding(sample).name), suffix)


def _recognise_text(text: str, suffix: str) -> str:
    text = text.lstrip("\ufeff")
    if suffix in _HTML_SUFFIXES or _HTML.match(text):
        return "html"
    start = text.lstrip()[:1]
    if suffix in _TABLE_SUFFIXES:
        return "csv"
    if start == "[":
        return "json"
    if suffix in {".jsonl", ".ndjson"}:
        return "jsonl"
    if start == "{":
        return _recognise_json(text.lstrip())
    if suffix == ".json":
        return "json"
    if suffix in {".txt", ".text", ".md"}:
        return "text"
    return "csv" if _looks_tabular(text) else "text"


def _recognise_json(text: str) -> str:
    first, _, rest = text.partition("\n")
    if not rest.strip() or first.rstrip().endswith("}"):
        return "jsonl"
    return "jsonl" if _JSON_FIRST_KEY.match(rest.lstrip()) else "json"


def _looks_tabular(text: str) -> bool:
    from dedup.ingest.delimited import find_delimiter

    lines = [line for line in text.splitlines()[:20] if line.strip()]
    if len(lines) < 2:
        return False
    delimiter = find_delimiter("\n".join(lines))
    header = lines[0].split(delimiter)
    return len(header) > 1 and all(0 < len(name.strip().strip('"')) <= 40 for name in header)
