"""The queue and its answers: serve a pair, append a verdict, put it aside, take it back."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from django.core import signing
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from labeling.models import Label, Skip, Study, StudyPair
from labeling.services import remarks
from labeling.services.verdicts import current_verdicts, newest_answers

__all__ = [
    "LabelError",
    "Progress",
    "Serving",
    "current_verdicts",
    "latest_answer",
    "next_pair",
    "own_answer",
    "progress",
    "record",
    "serve",
    "skip",
    "still_stands",
    "undo_key",
    "undo_last",
]

_SALT = "labeling.serving"
VERDICTS = (Label.Verdict.DUPLICATE, Label.Verdict.DISTINCT, Label.Verdict.UNSURE)


class LabelError(ValueError):
    """An answer can't be taken; the message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A pair as it is shown to one person.

    ``key`` names this showing and is sent back with the answer. ``swapped`` puts the pair's right text on the left.
    ``done`` of the ``total`` drawn pairs have a verdict; this one is number ``position``, counted from 1.
    """

    study_pair: StudyPair
    key: str
    swapped: bool
    position: int
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a study's queue is: drawn pairs with a verdict of anybody, and labels counted apart from pairs.

    ``labels`` counts everybody's current answers to drawn pairs, ``own_pairs`` the pairs that this person answered,
    ``skipped`` those that this person put aside and has not answered yet.
    """

    pairs_done: int
    pairs_total: int
    labels: int
    own_pairs: int
    skipped: int


def progress(study: Study, labeller_id: int) -> Progress:
    """Count the study's drawn pairs and the answers to them."""
    drawn = set(study.study_pairs.filter(drawn=True).values_list("pair_id", flat=True))
    answers = {key: verdict for key, verdict in newest_answers(study).items() if key[0] in drawn}
    own = {pair for pair, labeller in answers if labeller == labeller_id}
    skipped = Skip.objects.filter(study_pair__study=study, study_pair__drawn=True, labeller=labeller_id)
    waiting = set(skipped.values_list("study_pair__pair_id", flat=True)) - own
    return Progress(
        pairs_done=len({pair for pair, _ in answers}),
        pairs_total=len(drawn),
        labels=len(answers),
        own_pairs=len(own),
        skipped=len(waiting),
    )


def serve(*, study_pair: StudyPair, labeller_id: int) -> Serving:
    """Show a pair to a person. The same person always sees it the same way round."""
    side = hashlib.sha256(f"{study_pair.pair_id}:{labeller_id}".encode()).digest()[0]
    swapped = bool(side & 1)
    token = [study_pair.pk, labeller_id, swapped, secrets.token_urlsafe(18)]
    counted = progress(study_pair.study, labeller_id)
    return Serving(
        study_pair=study_pair,
        key=signing.dumps(token, salt=_SALT),
        swapped=swapped,
        position=study_pair.position + 1,
        done=counted.pairs_done,
        total=counted.pairs_total,
    )


def queue_for(study: Study, labeller_id: int) -> QuerySet[StudyPair]:
    """The drawn pairs that a person has no answer to: those that nobody judged first, those put aside last."""
    answers = Label.objects.filter(pair=OuterRef("pair"))
    own = answers.filter(labeller=labeller_id).order_by("-id").values("verdict")[:1]
    others = answers.exclude(labeller=labeller_id).exclude(verdict=Label.Verdict.WITHDRAWN)
    skips = Skip.objects.filter(study_pair=OuterRef("pk"), labeller=labeller_id)
    return (
        study.study_pairs.filter(drawn=True)
        .annotate(own=Subquery(own), is_judged=Exists(others), is_skipped=Exists(skips))
        .filter(Q(own=None) | Q(own=Label.Verdict.WITHDRAWN))
        .annotate(skips_so_far=Count("skips", filter=Q(skips__labeller=labeller_id)))
        .order_by("is_skipped", "is_judged", "skips_so_far", "position", "id")
    )


def next_pair(*, study: Study, labeller_id: int, at: datetime) -> Serving | None:  # noqa: ARG001
    """The next pair of the queue for this person, or None when every drawn pair has their answer."""
    rows = queue_for(study, labeller_id).select_related("pair__left", "pair__right", "study__corpus")
    study_pair = rows.first()
    return None if study_pair is None else serve(study_pair=study_pair, labeller_id=labeller_id)


def _nonce(serving_key: str, study_pair: StudyPair, labeller_id: int, *, swapped: bool | None) -> str:
    """The name of one showing. Raises ``LabelError`` for a key that is forged, or of another pair or person."""
    try:
        pair_id, person_id, was_swapped, nonce = signing.loads(serving_key, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise LabelError(
            "This answer didn't come from a page that showed a pair; nothing was saved."
        ) from error
    if (pair_id, person_id) != (study_pair.pk, labeller_id):
        raise LabelError("The pair was shown to somebody else, or is another one; nothing was saved.")
    if swapped is not None and swapped != was_swapped:
        raise LabelError("The two texts stood the other way round; nothing was saved.")
    return str(nonce)


def record(
    *,
    serving_key: str,
    study_pair: StudyPair,
    labeller_id: int,
    verdict: str,
    swapped: bool,
    at: datetime,
    note: str = "",
    is_flagged: bool = False,
) -> Label:
    """Append a verdict. The same showing counts once: a second answer to it gives back the first.

    Raises ``LabelError`` for a key that wasn't made for this pair, person and side, or an unknown verdict.
    """
    if verdict not in VERDICTS:
        raise LabelError(f"“{verdict}” is no verdict; answer duplicate, distinct or unsure.")
    nonce = _nonce(serving_key, study_pair, labeller_id, swapped=swapped)
    row, is_new = Label.objects.get_or_create(
        serving=nonce,
        defaults={
            "pair_id": study_pair.pair_id,
            "study_id": study_pair.study_id,
            "labeller_id": labeller_id,
            "verdict": verdict,
            "at": at,
            "swapped": swapped,
            "note": note,
        },
    )
    if is_new and is_flagged:
        remarks.set_flag(label=row, is_on=True, at=at)
    return row


def still_stands(label: Label) -> bool:
    """Whether the person has neither changed the answer nor taken it back since."""
    return not Label.objects.filter(pair=label.pair_id, labeller=label.labeller_id, pk__gt=label.pk).exists()


def skip(*, serving_key: str, study_pair: StudyPair, labeller_id: int, at: datetime) -> Skip:
    """Put a pair aside; it comes back after the others. Raises ``LabelError`` like ``record``."""
    nonce = _nonce(serving_key, study_pair, labeller_id, swapped=None)
    row, _ = Skip.objects.get_or_create(
        serving=nonce, defaults={"study_pair": study_pair, "labeller_id": labeller_id, "at": at}
    )
    return row


def undo_key(labeller_id: int) -> str:
    """Name a showing of a page that has no pair, so that one press there takes back one answer."""
    return signing.dumps([0, labeller_id, False, secrets.token_urlsafe(18)], salt=_SALT)


def _undo_serving(key: str, labeller_id: int) -> str:
    """The name of the row that an undo from this showing appends: the same for the same showing, else a fresh one."""
    try:
        _, person_id, _, nonce = signing.loads(key, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        person_id, nonce = None, ""
    return f"undo {nonce if person_id == labeller_id else secrets.token_urlsafe(18)}"


@transaction.atomic
def undo_last(*, study: Study, labeller_id: int, at: datetime, key: str = "") -> StudyPair | None:
    """Take back the person's latest answer of this study's queue that still stands; None if there is none.

    Nothing is deleted: a row that says ``withdrawn`` is appended. ``key`` is that of the page that asks; the same page
    takes back one answer, however often it asks. An answer that the person has replaced since, by a file or in another
    study, doesn't stand any more.
    """
    serving = _undo_serving(key, labeller_id)
    row = Label.objects.filter(serving=serving).first() or latest_answer(study, labeller_id)
    if row is None:
        return None
    if row.serving != serving:
        Label.objects.create(
            pair_id=row.pair_id,
            study=study,
            labeller_id=labeller_id,
            verdict=Label.Verdict.WITHDRAWN,
            at=at,
            serving=serving,
        )
    return StudyPair.objects.filter(study=study, pair=row.pair_id).first()


def own_answer(study_pair: StudyPair, labeller_id: int) -> Label | None:
    """The person's current answer to a pair, wherever they gave it; None if there is none."""
    row = Label.objects.filter(pair=study_pair.pair_id, labeller=labeller_id).order_by("-id").first()
    return None if row is None or row.verdict == Label.Verdict.WITHDRAWN else row


def latest_answer(study: Study, labeller_id: int) -> Label | None:
    """The person's latest answer of the study's queue after which they have said nothing else about its pair."""
    since = Label.objects.filter(pair=OuterRef("pair"), labeller=labeller_id).order_by("-id").values("id")[:1]
    rows = Label.objects.filter(study=study, labeller=labeller_id, origin="queue")
    rows = rows.exclude(verdict=Label.Verdict.WITHDRAWN).annotate(newest=Subquery(since))
    return rows.filter(newest=F("id")).order_by("-id").first()
