import hashlib
from datetime import datetime

from django.db import IntegrityError, transaction

from dedup.specs import NormaliserName
from labeling.models import Corpus, Membership, Role

LONGEST_NAME = 200
LONGEST_ID = 18


class CorpusError(ValueError):
    """A corpus can't be made or found; the message is one sentence for people."""


def salt_of(name: str) -> int:
    """The salt of a corpus, from its name, so that the same corpus made anew draws the same pairs."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 1


def create_corpus(
    *,
    name: str,
    kind: str = Corpus.Kind.ARTICLES,
    owner_id: int | None,
    at: datetime,
    normaliser: str = "unicode",
    source_trust: dict[str, int] | None = None,
) -> Corpus:
    """Make an empty corpus that this person owns. Raises ``CorpusError`` where the name is taken or too long, or the kind isn't known."""
    if kind not in Corpus.Kind.values:
        raise CorpusError(f"There is no kind of corpus “{kind}”; known are {', '.join(Corpus.Kind.values)}.")
    if not name.strip() or len(name) > LONGEST_NAME:
        raise CorpusError(f"A corpus needs a name of 1 to {LONGEST_NAME} characters.")
    try:
        with transaction.atomic():
            corpus = Corpus.objects.create(
                name=name,
                kind=kind,
                normaliser=normaliser,
                salt=salt_of(name),
                source_trust=source_trust or {},
                created_by_id=owner_id,
                created_at=at,
            )
            if owner_id is not None:
                Membership.objects.create(
                    corpus=corpus, person_id=owner_id, role=Role.OWNER, added_by_id=owner_id, added_at=at
                )
            return corpus
    except IntegrityError as error:
        raise CorpusError(f"There is a corpus named “{name}” already.") from error


def find_corpus(*, name: str) -> Corpus:
    """The corpus of that name or, where no name fits, of that id. Raises ``CorpusError``."""
    found = Corpus.objects.filter(name=name).first()
    if found is None and name.isdecimal() and len(name) <= LONGEST_ID:
        found = Corpus.objects.filter(pk=int(name)).first()
    if found is None:
        raise CorpusError(f"There is no corpus named “{name}”.")
    return found


def normaliser_of(corpus: Corpus) -> NormaliserName:
    """How the corpus's texts are cut into words."""
    return "lesson" if corpus.normaliser == "lesson" else "unicode"
