"""The audit log: one line for each change that people or commands make, written in the transaction of the change."""

from datetime import datetime
from typing import TYPE_CHECKING

from labeling.models import AuditEntry, Corpus

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LONGEST = 300


def write(
    *,
    action: str,
    what: str,
    by: "User | None",
    at: datetime,
    corpus: Corpus | None = None,
    **details: object,
) -> AuditEntry:
    """Append a line. ``by`` is None for a command; ``details`` are values that JSON can hold."""
    return AuditEntry.objects.create(
        at=at,
        person=by,
        person_name="" if by is None else by.get_username(),
        corpus=corpus,
        corpus_name="" if corpus is None else corpus.name,
        action=action,
        what=what[:LONGEST],
        details=details,
    )
