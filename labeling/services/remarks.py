"""What people add to their answers: reasons, a flag for discussion, a note."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from labeling.models import Label, Remark, Study

BATCH = 400
REASONS = tuple(Remark.Reason.values)


class RemarkError(ValueError):
    """A remark can't be taken; the message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """What holds for one answer: its reasons in the order of the keys, its note, whether it is flagged."""

    reasons: tuple[str, ...] = ()
    note: str = ""
    is_flagged: bool = False

    @property
    def names(self) -> list[str]:
        """The reasons in words."""
        return [str(Remark.Reason(reason).label) for reason in self.reasons]


def remarks_of(labels: Iterable[Label]) -> dict[int, Remarks]:
    """What holds for each label, by its id."""
    answers = list(labels)
    rows: dict[int, list[Remark]] = {label.pk: [] for label in answers}
    keys = list(rows)
    for start in range(0, len(keys), BATCH):
        for remark in Remark.objects.filter(label__in=keys[start : start + BATCH]).order_by("id"):
            rows[remark.label_id].append(remark)
    return {label.pk: _what_holds(label.note, rows[label.pk]) for label in answers}


def remarks_on(label: Label) -> Remarks:
    """What holds for one label."""
    return remarks_of([label])[label.pk]


def _what_holds(note: str, rows: Sequence[Remark]) -> Remarks:
    newest = {(row.kind, row.reason): row for row in rows}
    held = {reason for (_, reason), row in newest.items() if reason and row.is_on}
    flag, noted = newest.get((Remark.Kind.FLAG, "")), newest.get((Remark.Kind.NOTE, ""))
    return Remarks(
        reasons=tuple(reason for reason in REASONS if reason in held),
        note=note if noted is None else noted.note,
        is_flagged=flag is not None and flag.is_on,
    )


def set_reason(*, label: Label, reason: str, is_on: bool, at: datetime) -> Remarks:
    """Give an answer a reason, or take it back. Asking twice appends once. Raises ``RemarkError`` for an unknown reason."""
    if reason not in REASONS:
        raise RemarkError(f"“{reason}” is no reason; known are {', '.join(REASONS)}.")
    if (reason in remarks_on(label).reasons) != is_on:
        Remark.objects.create(label=label, kind=Remark.Kind.REASON, reason=reason, is_on=is_on, at=at)
    return remarks_on(label)


def set_flag(*, label: Label, is_on: bool, at: datetime) -> Remarks:
    """Flag an answer for discussion, or take the flag back."""
    if remarks_on(label).is_flagged != is_on:
        Remark.objects.create(label=label, kind=Remark.Kind.FLAG, is_on=is_on, at=at)
    return remarks_on(label)


def set_note(*, label: Label, note: str, at: datetime) -> Remarks:
    """Put a note in the place of the one that the answer has."""
    if remarks_on(label).note != note:
        Remark.objects.create(label=label, kind=Remark.Kind.NOTE, note=note, at=at)
    return remarks_on(label)


def remarks_by_pair(study: Study, pairs: Iterable[int]) -> dict[int, list[Remarks]]:
    """What people added to their current answers to these pairs, in the order of the answers."""
    found: dict[int, list[Remarks]] = {}
    wanted = sorted(set(pairs))
    for start in range(0, len(wanted), BATCH):
        chosen = wanted[start : start + BATCH]
        rows = Label.objects.filter(pair__in=chosen, pair__corpus=study.corpus_id).order_by("id")
        newest = {(row.pair_id, row.labeller_id): row for row in rows}
        standing = [row for row in newest.values() if row.verdict != Label.Verdict.WITHDRAWN]
        held = remarks_of(standing)
        for row in standing:
            found.setdefault(row.pair_id, []).append(held[row.pk])
    return found


def reasons_by_pair(study: Study, pairs: Iterable[int]) -> dict[int, set[str]]:
    """The reasons that people gave with their current answers to these pairs."""
    return {
        pair: {reason for remark in held for reason in remark.reasons}
        for pair, held in remarks_by_pair(study, pairs).items()
    }


def count_reasons(reasons: Iterable[Iterable[str]]) -> list[tuple[str, int]]:
    """Names of reasons with the number of pairs that have them, most frequent first.

    >>> count_reasons([{"excerpt"}, {"excerpt", "footer"}, set()])
    [('Excerpt', 2), ('Footer or boilerplate added', 1)]
    """
    counts = Counter(reason for group in reasons for reason in group)
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], REASONS.index(entry[0])))
    return [(str(Remark.Reason(reason).label), number) for reason, number in ordered]
