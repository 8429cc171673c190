"""Which column is which field? What a person chose, else the column's name; a guess is called a guess."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dedup.ingest.delimited import column_keys
from dedup.ingest.records import Description, IngestError

IDENTIFIER_KINDS = ("gtin", "isbn", "doi", "sku", "mpn")
NAMES: dict[str, tuple[str, ...]] = {
    "id": (
        "id",
        "docid",
        "documentid",
        "recordid",
        "pageid",
        "articleid",
        "productid",
        "uid",
        "uuid",
        "guid",
        "key",
    ),
    "text": (
        "text",
        "body",
        "content",
        "maintext",
        "bodytext",
        "articletext",
        "article",
        "description",
        "fulltext",
    ),
    "html": ("html", "rawhtml", "pagehtml", "bodyhtml", "htmlbody"),
    "url": ("url", "link", "pageurl", "uri", "address", "permalink"),
    "canonical": ("canonical", "canonicalurl", "canonicallink", "declaredcanonical"),
    "title": ("title", "headline", "name", "heading"),
    "source": ("source", "site", "publisher", "domain", "host", "shop", "feed"),
    "first_seen": (
        "firstseen",
        "publishedat",
        "published",
        "publicationdate",
        "date",
        "crawledat",
        "fetchedat",
        "createdat",
        "timestamp",
        "time",
    ),
    "price": ("price", "amount", "preis", "prix"),
    "currency": ("currency", "pricecurrency", "currencycode"),
    "gtin": ("gtin", "gtin13", "gtin14", "gtin12", "gtin8", "ean", "ean13", "upc", "barcode"),
    "isbn": ("isbn", "isbn13", "isbn10"),
    "doi": ("doi",),
    "sku": ("sku", "articlenumber", "itemnumber"),
    "mpn": ("mpn", "manufacturerpartnumber"),
}
_NOT_ALNUM = re.compile(r"[\W_]+")
_CUSTOM = "identifier:"


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each field comes from: a record's key, or a constant."""

    keys: Mapping[str, str]
    constants: Mapping[str, str]
    guesses: Mapping[str, str]
    missing: tuple[str, ...] = ()

    def value(self, fields: Mapping[str, str], name: str) -> str:
        """The field's text in a record; empty if the record hasn't got it."""
        constant = self.constants.get(name)
        if constant is not None:
            return constant
        key = self.keys.get(name)
        return fields.get(key, "") if key is not None else ""


def plan_mapping(description: Description, mapping: Mapping[str, str]) -> Plan:
    """Decide the source of every field of a file.

    Raises ``IngestError`` for an unknown field, a chosen column that doesn't exist or is there twice, and a file without text or HTML.
    """
    keys: dict[str, str] = {}
    constants: dict[str, str] = {}
    missing = []
    for name, column in mapping.items():
        check_field(name)
        if column.startswith("="):
            constants[name] = column[1:]
            continue
        key = _find(column, description, name)
        if key is None:
            missing.append(name)
            key = column
        keys[name] = key
    chosen = set(keys.values())
    guesses = _guess(description, taken=set(mapping), chosen=chosen)
    if description.columns or not is_open(description):
        _check_text({**guesses, **keys}, mapping, description)
    return Plan(
        keys={**_open_names(description, set(mapping)), **guesses, **keys},
        constants=constants,
        guesses=guesses,
        missing=tuple(missing),
    )


def check_field(name: str) -> None:
    """Refuse a field that doesn't exist with an ``IngestError`` that names those that do."""
    if name not in NAMES and not (name.startswith(_CUSTOM) and len(name) > len(_CUSTOM)):
        raise IngestError(
            f"There is no field “{name}” to map; the fields are {', '.join(NAMES)} and identifier:<name>."
        )


def is_open(description: Description) -> bool:
    """Whether later records may have fields that the first ones hadn't."""
    return description.format in {"json", "jsonl"}


def identifier_kind(name: str) -> str | None:
    """The kind of identifier that a field holds, or None."""
    if name in IDENTIFIER_KINDS:
        return name
    return name.removeprefix(_CUSTOM) if name.startswith(_CUSTOM) else None


def _find(column: str, description: Description, name: str) -> str | None:
    columns = list(description.columns)
    if column.startswith("#") and column[1:].isdecimal():
        return _by_position(int(column[1:]), description, name)
    count = columns.count(column)
    if count > 1:
        places = [place for place, other in enumerate(columns, start=1) if other == column]
        raise IngestError(_twice(column, places, description, name))
    if count == 1:
        return column
    if is_open(description) and (not columns or name not in {"text", "html", "id"}):
        return None
    raise IngestError(
        f"{description.file} has no column “{column}” (chosen for {name}). {_there_is(description)}"
    )


def _by_position(position: int, description: Description, name: str) -> str:
    if is_open(description):
        raise IngestError(f"{description.file}: the fields of JSON have no position; choose {name} by name.")
    if not 1 <= position <= len(description.columns):
        raise IngestError(
            f"{description.file} has no column #{position} (chosen for {name}). {_there_is(description)}"
        )
    return column_keys(description.columns)[position - 1]


def _twice(column: str, positions: Sequence[int], description: Description, name: str) -> str:
    places = " and ".join(f"#{position}" for position in positions)
    return (
        f"{description.file} has {len(positions)} columns with the same name “{column}” (duplicate names, columns {places}); "
        f"choose one by position, for example {name}=#{positions[0]}."
    )


def _guess(description: Description, *, taken: set[str], chosen: set[str]) -> dict[str, str]:
    plain: dict[str, list[str]] = {}
    for column in description.columns:
        plain.setdefault(_plain(column), []).append(column)
    guesses: dict[str, str] = {}
    for name, spellings in NAMES.items():
        if name in taken or (name == "html" and "text" in taken) or (name == "text" and "html" in taken):
            continue
        for spelling in spellings:
            columns = plain.get(spelling, [])
            if not columns or columns[0] in chosen or columns[0] in guesses.values():
                continue
            if len(columns) > 1 and name in {"id", "text", "html"}:
                places = [
                    place for place, other in enumerate(description.columns, start=1) if other in columns
                ]
                raise IngestError(_twice(columns[0], places, description, name))
            guesses[name] = columns[0]
            break
    return guesses


def _open_names(description: Description, taken: set[str]) -> dict[str, str]:
    if not is_open(description):
        return {}
    sampled = {"id", "text", "html"} if description.columns else set()
    return {name: name for name in NAMES if name not in taken | sampled}


def _check_text(keys: Mapping[str, str], mapping: Mapping[str, str], description: Description) -> None:
    if "text" in keys or "html" in keys or "text" in mapping or "html" in mapping:
        return
    if not description.columns:
        raise IngestError(f"{description.file} holds nothing that can be read.")
    example = description.columns[-1][:60]
    raise IngestError(
        f"{description.file} has no column for the text. {_there_is(description)} Choose one, for example text={example}."
    )


def _there_is(description: Description) -> str:
    shown = ", ".join(f"“{name[:60]}”" for name in description.columns[:30])
    more = f" and {len(description.columns) - 30} more" if len(description.columns) > 30 else ""
    return f"Its columns are {shown}{more}."


def _plain(column: str) -> str:
    return _NOT_ALNUM.sub("", column.casefold())
