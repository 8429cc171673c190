"""Labels from a file: answers that were given elsewhere, matched by document ids, each refused with its line."""

import csv
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from labeling.models import Document, Label, Study
from labeling.services import remarks
from labeling.services.known_pairs import keep_known, pair_ids
from labeling.services.labels import VERDICTS
from labeling.services.scoring import open_scored_pool

BATCH = 400
LISTED_PROBLEMS = 1_000
UNSTORABLE = re.compile("[\\x00\\ud800-\\udfff]")
NEEDED = ("left_id", "right_id", "verdict")
MORE = ("labeller", "note", "at", "reasons", "flagged")
FLAGS = {"": False, "false": False, "0": False, "true": True, "1": True}


class LabelFileError(ValueError):
    """A file of labels can't be read at all; the message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One answer as it stands in a file."""

    line: int
    left_id: str
    right_id: str
    verdict: str
    labeller: str = ""
    note: str = ""
    at: str = ""
    reasons: str = ""
    flagged: str = ""

    @property
    def reason_list(self) -> list[str]:
        """The reasons, which semicolons separate."""
        return [reason.strip() for reason in self.reasons.split(";") if reason.strip()]

    @property
    def is_flagged(self) -> bool | None:
        """Whether the answer is flagged for discussion; None for a word that doesn't say."""
        return FLAGS.get(self.flagged.strip().lower())


@dataclass(slots=True, kw_only=True)
class Imported:
    """What came of a file: ``read`` = ``accepted`` + ``unchanged`` + ``rejected``; up to 1,000 problems are listed."""

    read: int = 0
    accepted: int = 0
    unchanged: int = 0
    rejected: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)

    def reject(self, line: int, reason: str) -> None:
        """Count a row that was left out, and say why."""
        self.rejected += 1
        if len(self.problems) < LISTED_PROBLEMS:
            self.problems.append({"line": line, "reason": reason})


def import_labels(*, study: Study, path: Path, at: datetime, labeller: str = "import") -> Imported:
    """Append the answers of a CSV or JSONL file; an answer that its labeller has given already counts as unchanged.

    ``labeller`` signs rows that name nobody. Pairs of the pool that were not drawn become known pairs of the study.
    Raises ``LabelFileError`` if the file can't be read.
    """
    imported = Imported()
    batch: list[Row] = []
    for row in read_rows(path, imported):
        batch.append(row)
        if len(batch) == BATCH:
            _store(batch, study, imported, at, labeller)
            batch = []
    _store(batch, study, imported, at, labeller)
    imported.problems.sort(key=lambda problem: problem["line"])
    if imported.accepted:
        keep_known(study, open_scored_pool(study))
    return imported


def read_rows(path: Path, imported: Imported) -> Iterator[Row]:
    """Read a CSV (with a header) or JSONL file; rows that make no sense are counted as rejected."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = file.readlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LabelFileError(f"{path} can't be read: {error}.") from error
    first = next((line for line in lines if line.strip()), "")
    values = _json_rows(lines, imported) if first.lstrip().startswith("{") else _csv_rows(path, lines)
    for line, record in values:
        imported.read += 1
        flaw = _flaw(record)
        if flaw:
            imported.reject(line, flaw)
            continue
        known = {name: str(record.get(name) or "") for name in MORE}
        yield Row(
            line=line,
            left_id=str(record["left_id"]),
            right_id=str(record["right_id"]),
            verdict=str(record["verdict"]).strip().lower(),
            **known,
        )


def _flaw(record: dict[str, Any]) -> str:
    """Why a record can't be an answer, whatever the corpus holds; empty if it can."""
    missing = [name for name in NEEDED if not str(record.get(name) or "").strip()]
    if missing:
        return f"the row has no {' and no '.join(missing)}"
    if any(UNSTORABLE.search(str(record.get(name) or "")) for name in (*NEEDED, *MORE)):
        return "the row holds a character that can't be stored (NUL, or half of a surrogate pair)"
    return ""


def _csv_rows(path: Path, lines: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(lines)
    missing = [name for name in NEEDED if name not in (reader.fieldnames or [])]
    if missing:
        raise LabelFileError(f"{path} has no column {', '.join(missing)}; needed are {', '.join(NEEDED)}.")
    try:
        for record in reader:
            yield reader.line_num, record
    except csv.Error as error:
        raise LabelFileError(f"{path} is no CSV file, line {reader.line_num}: {error}.") from error


def _json_rows(lines: list[str], imported: Imported) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            record = error
        if isinstance(record, dict):
            yield number, record
        else:
            imported.read += 1
            imported.reject(number, "the line is no JSON object")


@transaction.atomic
def _store(rows: list[Row], study: Study, imported: Imported, at: datetime, labeller: str) -> None:
    texts = _texts_of(study, {name for row in rows for name in (row.left_id, row.right_id)})
    good = [row for row in rows if _is_good(row, texts, imported)]
    pairs = [_ordered(texts[row.left_id], texts[row.right_id]) for row in good]
    keys = dict(zip(pairs, pair_ids(study.corpus, pairs), strict=True)) if pairs else {}
    people = _people({row.labeller or labeller for row in good}, at)
    answers = _newest_answers(list(keys.values()))
    for row, pair in zip(good, pairs, strict=True):
        who, pair_id = people[row.labeller or labeller], keys[pair]
        moment = _time(row.at) or at
        known = answers.get((pair_id, who))
        if known is not None and known.verdict == row.verdict:
            if _remark(known, row, moment):
                imported.accepted += 1
            else:
                imported.unchanged += 1
            continue
        answers[pair_id, who] = label = Label.objects.create(
            pair_id=pair_id,
            study=study,
            labeller_id=who,
            verdict=row.verdict,
            at=moment,
            serving=secrets.token_urlsafe(18),
            origin="import",
            note=row.note,
        )
        _remark(label, row, moment)
        imported.accepted += 1


def _remark(label: Label, row: Row, at: datetime) -> bool:
    """Add the reasons and the flag of a row that the answer doesn't have yet, and say whether there were any."""
    held = remarks.remarks_on(label)
    missing = [reason for reason in row.reason_list if reason not in held.reasons]
    for reason in missing:
        remarks.set_reason(label=label, reason=reason, is_on=True, at=at)
    adds_flag = bool(row.is_flagged) and not held.is_flagged
    if adds_flag:
        remarks.set_flag(label=label, is_on=True, at=at)
    return bool(missing) or adds_flag


def _texts_of(study: Study, ids: set[str]) -> dict[str, int]:
    """The ordinal of each document's text, -1 for a document without content."""
    names = sorted(ids)
    found: dict[str, int] = {}
    for start in range(0, len(names), BATCH):
        rows = Document.objects.filter(corpus=study.corpus, external_id__in=names[start : start + BATCH])
        for name, ordinal in rows.values_list("external_id", "text__ordinal"):
            found[name] = -1 if ordinal is None else ordinal
    return found


def _is_good(row: Row, texts: dict[str, int], imported: Imported) -> bool:
    reason = _objection(row, texts)
    if reason:
        imported.reject(row.line, reason)
    return not reason


def _objection(row: Row, texts: dict[str, int]) -> str:
    unknown = [name for name in (row.left_id, row.right_id) if name not in texts]
    if unknown:
        return f"the corpus has no document “{unknown[0]}”"
    if row.verdict not in VERDICTS:
        return f"“{row.verdict}” is no verdict; known are {', '.join(VERDICTS)}"
    empty = [name for name in (row.left_id, row.right_id) if texts[name] < 0]
    if empty:
        return f"the document “{empty[0]}” has no content"
    if texts[row.left_id] == texts[row.right_id]:
        return "both documents have the same words, so there is nothing to judge"
    strange = [reason for reason in row.reason_list if reason not in remarks.REASONS]
    if strange:
        return f"“{strange[0]}” is no reason; known are {', '.join(remarks.REASONS)}, separated by semicolons"
    if row.is_flagged is None:
        return f"“{row.flagged}” in flagged is neither true nor false"
    if row.at and _time(row.at) is None:
        return f"“{row.at}” is no time with its offset, such as 2026-03-02T14:05:00+00:00"
    return ""


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _time(value: str) -> datetime | None:
    if not value:
        return None
    try:
        parsed = parse_datetime(value)
        return parsed.astimezone(UTC) if parsed is not None and timezone.is_aware(parsed) else None
    except (ValueError, OverflowError):
        return None


def _people(names: set[str], at: datetime) -> dict[str, int]:
    """Ids of the labellers; a name that nobody has yet becomes a person who can't sign in."""
    model = get_user_model()
    found: dict[str, int] = {}
    for name in sorted(names):
        person, is_new = model.objects.get_or_create(
            username=name[:150], defaults={"is_active": False, "date_joined": at}
        )
        if is_new:
            person.set_unusable_password()
            person.save(update_fields=["password"])
        found[name] = person.pk
    return found


def _newest_answers(pairs: list[int]) -> dict[tuple[int, int], Label]:
    newest: dict[tuple[int, int], Label] = {}
    for start in range(0, len(pairs), BATCH):
        rows = Label.objects.filter(pair__in=pairs[start : start + BATCH]).order_by("id")
        newest.update(((row.pair_id, row.labeller_id), row) for row in rows)
    return newest
