"""Objects that came by another way than a file: read by the same rules as a line of JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from dedup.ingest.building import PageBuilder
from dedup.ingest.documents import as_fields
from dedup.ingest.records import Description, Page, Problem, ReadOptions, Record
from dedup.ingest.repeats import DuplicateIds

NO_ID = "there is no id; an insertion needs one, so that it counts once"


class _Objects:
    """The objects as a part, which the builder of pages reads."""

    def __init__(self, name: str, objects: Sequence[Mapping[str, Any]]) -> None:
        self.file = name
        self._records = [
            Record(number, as_fields(dict(value))) for number, value in enumerate(objects, start=1)
        ]

    def describe(self) -> Description:
        columns = dict.fromkeys(name for record in self._records for name in record.fields)
        return Description(file=self.file, format="json", columns=tuple(columns))

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def again(self) -> Self:
        return self

    def close(self) -> None:
        """Nothing is open."""


def read_objects(objects: Sequence[Mapping[str, Any]], *, name: str = "request") -> list[Page | Problem]:
    """Read each object as a page or, where it has no id, repeats one, or can't be stored, as a rejection; same order.

    Names of fields are those that ``docs/ingest.md`` lists; doubts about values stand in the flags of the page. HTML is
    not extracted here: a page holds the text that it is given.
    """
    if not objects:
        return []
    part = _Objects(name, objects)
    builder = PageBuilder(part, ReadOptions())
    seen = DuplicateIds()
    return [_read(builder, record, seen) for record in part]


def _read(builder: PageBuilder, record: Record, seen: DuplicateIds) -> Page | Problem:
    if not record.fields.get("id", "").strip():
        return Problem(file=builder.file, line=record.line, field="id", reason=NO_ID, is_rejection=True)
    draft = builder.begin(record)
    earlier = seen.check(draft.id, draft.text, file=builder.file, line=record.line)
    if earlier is not None:
        return builder.repeated(draft, earlier)
    page = builder.finish(draft, None, record.line)
    return page if page is not None else draft.problems[-1]
