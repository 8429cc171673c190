"""Verdicts that are given outside the queue, on a cluster or a held pair: ordinary labels, which the next decision respects."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.core import signing

from labeling.models import Cluster, HeldPair, Label, Pair, Text
from labeling.services.labels import VERDICTS, LabelError

_SALT = "labeling.cluster"


class ShownTexts(Protocol):
    """Two texts as a page outside the queue shows them."""

    @property
    def left(self) -> Text:
        """The one with the smaller ordinal."""

    @property
    def right(self) -> Text:
        """The other one."""

    @property
    def names(self) -> list[int | str]:
        """What a key is made for."""

    @property
    def study_id(self) -> int:
        """The study that its label belongs to."""

    @property
    def origin(self) -> str:
        """Where the label came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPair:
    """Two texts of a cluster, the one with the smaller ordinal left."""

    cluster: Cluster
    left: Text
    right: Text

    @property
    def names(self) -> list[int | str]:
        """What a key is made for: cluster and both texts."""
        return [self.cluster.pk, self.left.pk, self.right.pk]

    @property
    def study_id(self) -> int:
        """The study of the cluster's decision."""
        return self.cluster.decision.study_id

    @property
    def origin(self) -> str:
        """A cluster."""
        return "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTexts:
    """The two texts of a pair that a decision holds for review."""

    held: HeldPair

    @property
    def left(self) -> Text:
        """The one with the smaller ordinal."""
        return self.held.left

    @property
    def right(self) -> Text:
        """The other one."""
        return self.held.right

    @property
    def names(self) -> list[int | str]:
        """What a key is made for: the held pair."""
        return ["held", self.held.pk]

    @property
    def study_id(self) -> int:
        """The study of the decision that holds the pair."""
        return self.held.decision.study_id

    @property
    def origin(self) -> str:
        """A held pair."""
        return "held"


def find_pair(cluster: Cluster, one: int, other: int) -> ClusterPair | None:
    """Two texts by their ids; None unless they are two, and both of the cluster."""
    members = cluster.members.filter(document__text__in=[one, other]).values("document__text")
    texts = list(Text.objects.filter(pk__in=members).order_by("ordinal"))
    if len(texts) != 2:
        return None
    return ClusterPair(cluster=cluster, left=texts[0], right=texts[1])


def serve(pair: ShownTexts, labeller_id: int) -> str:
    """Name one showing of the pair to one person; an answer carries the name back."""
    return signing.dumps([*pair.names, labeller_id, secrets.token_urlsafe(18)], salt=_SALT)


def record(
    *, pair: ShownTexts, serving_key: str, labeller_id: int, verdict: str, at: datetime, note: str = ""
) -> Label:
    """Append a verdict. The same showing counts once: a second answer to it gives back the first.

    Raises ``LabelError`` for a key that wasn't made for this pair and person, or an unknown verdict.
    """
    if verdict not in VERDICTS:
        raise LabelError(f"“{verdict}” is no verdict; answer duplicate, distinct or unsure.")
    try:
        *names, person, nonce = signing.loads(serving_key, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise LabelError(
            "This answer didn't come from a page that showed a pair; nothing was saved."
        ) from error
    if (names, person) != (pair.names, labeller_id):
        raise LabelError("The pair was shown to somebody else, or is another one; nothing was saved.")
    row, _ = Pair.objects.get_or_create(
        left=pair.left, right=pair.right, defaults={"corpus_id": pair.left.corpus_id}
    )
    label, _ = Label.objects.get_or_create(
        serving=nonce,
        defaults={
            "pair": row,
            "study_id": pair.study_id,
            "labeller_id": labeller_id,
            "verdict": verdict,
            "at": at,
            "score_visible": True,
            "origin": pair.origin,
            "note": note,
        },
    )
    return label
