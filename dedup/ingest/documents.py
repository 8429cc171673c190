"""JSON: a record per line, an array, or values one after the other."""

import json
from collections.abc import Iterator
from typing import Any

from dedup.ingest.encodings import Encoding, undecodable_byte
from dedup.ingest.lines import TOO_LONG, Lines
from dedup.ingest.records import RECORD_LIMIT, DamagedFileError, Description, Problem, Record

_SAMPLED_RECORDS = 100
_SAMPLED_CHARACTERS = 4 * 2**20
_BLOCK = 2**20


class _RepeatedNameError(ValueError):
    """An object names a field twice."""


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(pairs)
    if len(named) != len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedNameError(next(name for name in names if names.count(name) > 1))
    return named


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_names, parse_int=str, parse_float=str, parse_constant=str, strict=False
)


def as_fields(value: dict[str, Any]) -> dict[str, str]:
    """Turn an object into text fields; an object inside gives dotted names, a list of texts is joined by line ends.

    >>> as_fields(_DECODER.decode('{"id": 007e2, "ok": true}'.replace("007", "7")))
    {'id': '7e2', 'ok': 'true'}
    """
    fields: dict[str, str] = {}
    for name, content in value.items():
        if content.__class__ is str:
            fields[name] = content
        else:
            _add_field(fields, name, content)
    return fields


def _add_field(fields: dict[str, str], name: str, content: object) -> None:
    if content is None:
        fields[name] = ""
    elif isinstance(content, str):
        fields[name] = content
    elif isinstance(content, bool):
        fields[name] = "true" if content else "false"
    elif isinstance(content, dict):
        for inner, value in content.items():
            _add_field(fields, f"{name}.{inner}", value)
    elif isinstance(content, list) and all(isinstance(item, str) for item in content):
        fields[name] = "\n".join(content)
    else:
        fields[name] = json.dumps(content, ensure_ascii=False)


class _JsonReader:
    """What both kinds of JSON share: sampling for the columns, and what becomes of a value."""

    format = "jsonl"

    def __init__(self, file: str, lines: Lines, encoding: Encoding) -> None:
        self.file = file
        self._lines = lines
        self._encoding = encoding
        self._items = self._read()
        self._sample: list[Record | Problem] | None = None
        self._failure: DamagedFileError | None = None

    def describe(self) -> Description:
        """Field names of the first 100 records, in order of appearance."""
        columns: dict[str, None] = {}
        for item in self._sampled():
            if isinstance(item, Record):
                columns.update(dict.fromkeys(item.fields))
        guesses = {"encoding": self._encoding.name} if self._encoding.is_guess else {}
        return Description(
            file=self.file,
            format=self.format,
            encoding=self._encoding.name,
            columns=tuple(columns),
            guesses=guesses,
        )

    def __iter__(self) -> Iterator[Record | Problem]:
        """Yield the objects; what is no object, or can't be parsed, is a rejection. Raises ``DamagedFileError``."""
        yield from self._sampled()
        self._sample = []
        if self._failure:
            raise self._failure
        yield from self._items

    def _sampled(self) -> list[Record | Problem]:
        if self._sample is None:
            self._sample = []
            room = _SAMPLED_CHARACTERS
            try:
                for item in self._items:
                    self._sample.append(item)
                    room -= sum(map(len, item.fields.values())) if isinstance(item, Record) else 0
                    if len(self._sample) >= _SAMPLED_RECORDS or room < 0:
                        break
            except DamagedFileError as error:
                self._failure = error
        return self._sample

    def _read(self) -> Iterator[Record | Problem]:
        raise NotImplementedError

    def _as_record(self, line: int, value: object) -> Record | Problem:
        if isinstance(value, dict):
            return Record(line, as_fields(value))
        kind = {str: "a text or a number", list: "a list", bool: "true or false"}.get(type(value), "null")
        return self._rejection(
            line, f"a record must be an object with named fields, this is {kind}", str(value)
        )

    def _rejection(self, line: int, reason: str, example: str) -> Problem:
        return Problem(
            file=self.file, line=line, field="", reason=reason, example=example[:300], is_rejection=True
        )

    def _undecodable(self, line: int, byte: int, example: str) -> Problem:
        reason = f"the byte 0x{byte:02X} is not valid {self._encoding.name}; if the file is in another encoding, choose it"
        return self._rejection(line, reason, example)


class JsonLinesReader(_JsonReader):
    """Reads one JSON object a line; blank lines don't count, a broken line is a rejection and the next goes on."""

    def _read(self) -> Iterator[Record | Problem]:
        for line in self._lines:
            number = self._lines.number
            self._lines.taken.clear()
            text = line.strip()
            if text:
                yield self._parse(number, text)

    def _parse(self, number: int, text: str) -> Record | Problem:
        if text == TOO_LONG.strip():
            return self._rejection(number, f"the line is longer than {RECORD_LIMIT:,} characters", "")
        byte = undecodable_byte(text)
        if byte is not None:
            return self._undecodable(number, byte, text)
        try:
            return self._as_record(number, _DECODER.decode(text))
        except _RepeatedNameError as error:
            return self._rejection(number, f"the field “{error}” stands twice in one object", text)
        except json.JSONDecodeError as error:
            return self._rejection(number, f"invalid JSON: {error.msg} at character {error.colno}", text)
        except RecursionError:
            return self._rejection(number, "the JSON is nested too deeply", text)


class JsonReader(_JsonReader):
    """Reads the objects of a JSON array, or objects that follow each other, without holding more than a few of them.

    There is no safe place to go on behind invalid JSON, so reading stops there with a rejection that says so.
    """

    format = "json"

    def _read(self) -> Iterator[Record | Problem]:
        window = _Window(self._lines)
        inside = window.skip("[")
        while window.skip_space():
            if inside and window.skip("]"):
                inside = False
                continue
            line = window.line
            try:
                value = window.decode()
            except (ValueError, RecursionError) as error:
                yield self._stopped(window, error)
                return
            byte = undecodable_byte(window.decoded)
            yield (
                self._as_record(line, value)
                if byte is None
                else self._undecodable(line, byte, window.decoded)
            )
            if not window.skip(",") and inside and not window.skip("]"):
                yield self._stopped(window, ValueError("a comma or ] is missing"))
                return

    def _stopped(self, window: "_Window", error: Exception) -> Problem:
        byte = undecodable_byte(window.rest(300))
        if byte is not None:
            return self._undecodable(window.line, byte, window.rest(300))
        if isinstance(error, _RepeatedNameError):
            why = f"the field “{error}” stands twice in one object"
        elif isinstance(error, RecursionError):
            why = "nested too deeply"
        else:
            why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        return self._rejection(
            window.line, f"invalid JSON ({why}); what follows was not read", window.rest(300)
        )


class _Window:
    """A part of the file's text around the place of reading."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._text = ""
        self._at = 0
        self._is_complete = False
        self.line = 1
        self.decoded = ""

    def rest(self, length: int) -> str:
        """What comes next."""
        return self._text[self._at : self._at + length]

    def skip_space(self) -> bool:
        """Go to the next character that is no space; False at the end of the file."""
        while True:
            start = self._at
            length = len(self._text)
            while self._at < length and self._text[self._at] in " \t\r\n\ufeff":
                self._at += 1
            self.line += self._text.count("\n", start, self._at)
            if self._at < length:
                return True
            if not self._extend():
                return False

    def skip(self, character: str) -> bool:
        """Go past ``character`` if it comes next."""
        if not self.skip_space() or self._text[self._at] != character:
            return False
        self._at += 1
        return True

    def decode(self) -> object:
        """Decode the value that comes next, and keep its characters in ``decoded``.

        Raises ``ValueError`` if it is invalid or longer than a record may be.
        """
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if len(self._text) - self._at > RECORD_LIMIT:
                    raise ValueError(f"longer than {RECORD_LIMIT:,} characters") from None
                if not self._extend():
                    raise
                continue
            if end == len(self._text) and self._extend():
                continue
            self.decoded = self._text[self._at : end]
            self.line += self.decoded.count("\n")
            self._at = end
            return value

    def _extend(self) -> bool:
        if self._is_complete:
            return False
        wanted = max(_BLOCK, len(self._text) - self._at)
        more = self._lines.read(wanted)
        self._is_complete = len(more) < wanted
        self._text = self._text[self._at :] + more
        self._at = 0
        return True
