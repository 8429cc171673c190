"""From a record to a page: the mapping applied, values read, and every doubt reported."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime

from dedup.addresses import HOME_PAGE, UNUSABLE, host_of, names_home_page, resolve
from dedup.extraction import Extraction
from dedup.ingest.dates import AMBIGUOUS, NO_OFFSET, order_evidence, parse_instant
from dedup.ingest.identifiers import IdentifierError, read_identifier, split_values
from dedup.ingest.mapping import Plan, identifier_kind, plan_mapping
from dedup.ingest.prices import Price, PriceError, read_price
from dedup.ingest.records import (
    UNSTORABLE,
    DamagedFileError,
    DateOrder,
    Page,
    Part,
    Problem,
    ReadOptions,
    Record,
    printable,
)
from dedup.ingest.repeats import Earlier

_LONGEST_ID = 500
_LONGEST_SOURCE = 200
_LONGEST_EXAMPLE = 300
_MADE_ID = "there is no id; it was made from the file's name and the number of the record"
_NUL_REMOVED = "holds NUL characters; they were removed"
_SURROGATE_REPLACED = "holds half a character (an unpaired surrogate); it was replaced by U+FFFD"


@dataclass(slots=True)
class Draft:
    """A record on its way to a page."""

    record: Record
    id: str
    text: str
    html: str
    url: str
    flags: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class PageBuilder:
    """Builds the pages of one file. Raises ``IngestError`` if the mapping doesn't fit the file."""

    def __init__(self, part: Part, options: ReadOptions) -> None:
        description = part.describe()
        self.file = part.file
        self._part = part
        self._options = options
        self._plan: Plan = plan_mapping(description, options.mapping)
        self._numbers_by_record = description.format == "json"
        self._records = 0
        self._reported: set[tuple[str, str]] = set()
        self._order: DateOrder | None = options.date_order
        self._order_is_known = options.date_order is not None
        self._identifier_fields = [
            (name, kind)
            for name in (*self._plan.keys, *self._plan.constants)
            if (kind := identifier_kind(name)) is not None
        ]
        self._file_remarks = self._remarks_on_file(description.guesses)

    def begin(self, record: Record) -> Draft:
        """Take id and text out of a record."""
        self._records += 1
        draft = Draft(record, "", "", "", "")
        draft.url = self._clean(draft, "url").strip()
        draft.text = self._clean(draft, "text")
        draft.html = "" if draft.text else self._clean(draft, "html")
        draft.id = self._clean(draft, "id")
        if not draft.id.strip():
            number = self._records if self._numbers_by_record else record.line
            draft.id = f"{self.file}:{number}"
            self._remark_once(draft, "id", _MADE_ID)
        return draft

    def repeated(self, draft: Draft, earlier: Earlier) -> Problem:
        """Report an id that came before: the first is kept, and only an equal text makes that harmless."""
        where = f"line {earlier.line}" + (f" of {earlier.file}" if earlier.file != self.file else "")
        if earlier.same_text:
            reason = f"duplicate id: the same id and text stand on {where}; the first is kept"
        else:
            reason = f"duplicate id: already used on {where} for another text; this record was left out"
        return self._problem(
            draft, "id", reason, draft.id, is_rejection=not earlier.same_text, is_repeat=earlier.same_text
        )

    def finish(self, draft: Draft, found: Extraction | None, position: int) -> Page | None:
        """Build the page with what was found in its HTML, or None with a rejection among the draft's problems."""
        if len(draft.id) > _LONGEST_ID:
            reason = f"the id is longer than {_LONGEST_ID} characters"
            draft.problems.append(self._problem(draft, "id", reason, draft.id, is_rejection=True))
            return None
        draft.problems.extend(self._file_remarks)
        self._file_remarks.clear()
        url = draft.url
        title = self._clean(draft, "title")
        canonical = self._clean(draft, "canonical").strip()
        text = draft.text
        if found is not None:
            text, title = found.text, title or found.title
            draft.flags.extend(found.flags)
            for flag in found.flags:
                draft.problems.append(self._problem(draft, "html", flag, url or draft.id))
            canonical = canonical or found.canonical_url
        price = self._price(draft)
        return Page(
            id=draft.id,
            text=text,
            url=url,
            canonical_url=self._canonical(draft, canonical, url),
            title=title.strip(),
            source=(self._clean(draft, "source").strip() or host_of(url))[:_LONGEST_SOURCE],
            first_seen=self._first_seen(draft),
            price=price.minor if price else None,
            currency=price.currency if price else "",
            identifiers=self._identifiers(draft),
            flags=tuple(dict.fromkeys(draft.flags)),
            file=self.file,
            line=draft.record.line,
            position=position,
        )

    def _clean(self, draft: Draft, name: str) -> str:
        value = self._plan.value(draft.record.fields, name)
        if not value or (value.isascii() and "\x00" not in value):
            return value
        if not UNSTORABLE.search(value):
            return value
        if "\x00" in value:
            self._doubt(draft, name, _NUL_REMOVED, value)
            value = value.replace("\x00", "")
        if UNSTORABLE.search(value):
            self._doubt(draft, name, _SURROGATE_REPLACED, "")
            value = _join_surrogates(value)
        return value

    def _canonical(self, draft: Draft, declared: str, url: str) -> str:
        if not declared:
            return ""
        address = resolve(declared, url)
        if not address:
            self._doubt(draft, "canonical", UNUSABLE, declared)
            return ""
        if names_home_page(address, url):
            self._doubt(draft, "canonical", HOME_PAGE, address)
            return ""
        return address

    def _first_seen(self, draft: Draft) -> datetime | None:
        value = self._clean(draft, "first_seen")
        if not value.strip():
            return None
        instant = parse_instant(value, order=self._order)
        if instant.remark == AMBIGUOUS and not self._order_is_known:
            self._find_order(draft)
            instant = parse_instant(value, order=self._order)
        if instant.remark == NO_OFFSET:
            draft.flags.append(f"first_seen {NO_OFFSET}")
            self._remark_once(draft, "first_seen", f"the date {NO_OFFSET}")
        elif instant.remark:
            self._doubt(draft, "first_seen", f"the date {instant.remark}", value)
        return instant.moment

    def _find_order(self, draft: Draft) -> None:
        self._order_is_known = True
        proofs: dict[DateOrder, str] = {}
        for value in self._dates_in_the_file():
            order = order_evidence(value)
            if order:
                proofs.setdefault(order, value)
            if len(proofs) > 1:
                return
        for order, value in proofs.items():
            self._order = order
            first = "day" if order == "dmy" else "month"
            self._remark_once(
                draft,
                "first_seen",
                f"dates were read with the {first} first, as “{value}” in the same column shows",
            )

    def _dates_in_the_file(self) -> Iterator[str]:
        with closing(self._part.again()) as part:
            try:
                for record in part:
                    if isinstance(record, Record):
                        yield self._plan.value(record.fields, "first_seen")
            except DamagedFileError:
                return

    def _price(self, draft: Draft) -> Price | None:
        text = self._clean(draft, "price")
        if not text.strip():
            return None
        try:
            return read_price(text, self._clean(draft, "currency"))
        except PriceError as error:
            self._doubt(draft, "price", f"the price can't be read: {error.problem}", text)
            return None

    def _identifiers(self, draft: Draft) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for name, kind in self._identifier_fields:
            for value in split_values(kind, self._clean(draft, name)):
                try:
                    identifier = read_identifier(kind, value)
                except IdentifierError as error:
                    self._doubt(draft, name, f"identifier not used: {error}", value)
                    continue
                if identifier:
                    found[identifier] = None
        return tuple(found)

    def _doubt(self, draft: Draft, name: str, reason: str, example: str) -> None:
        draft.flags.append(
            f"{name}: {reason}" if not example else f"{name}: {reason} ({printable(example[:100])})"
        )
        draft.problems.append(self._problem(draft, name, reason, example))

    def _remark_once(self, draft: Draft, name: str, reason: str) -> None:
        if (name, reason) not in self._reported:
            self._reported.add((name, reason))
            draft.problems.append(self._problem(draft, name, reason, ""))

    def _problem(
        self,
        draft: Draft,
        name: str,
        reason: str,
        example: str,
        *,
        is_rejection: bool = False,
        is_repeat: bool = False,
    ) -> Problem:
        return Problem(
            file=self.file,
            line=draft.record.line,
            field=name[:100],
            reason=reason,
            example=printable(example)[:_LONGEST_EXAMPLE],
            is_rejection=is_rejection,
            is_repeat=is_repeat,
        )

    def _remarks_on_file(self, guesses: Iterable[str]) -> list[Problem]:
        remarks = []
        if "encoding" in guesses:
            remarks.append(self._guessed_encoding())
        for name in self._plan.missing:
            reason = f"none of the first records has the field chosen for {name}"
            remarks.append(Problem(file=self.file, line=None, field=name[:100], reason=reason))
        return remarks

    def _guessed_encoding(self) -> Problem:
        description = self._part.describe()
        odd = "" if description.odd_byte is None else f" (the first is 0x{description.odd_byte:02X})"
        reason = (
            f"no encoding is declared and the bytes are not UTF-8{odd}; {description.encoding} was guessed"
        )
        return Problem(file=self.file, line=description.odd_line, field="encoding", reason=reason)


def _join_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
