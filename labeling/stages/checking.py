"""The crawler's question: is this text in the corpus already? The cheapest layer that finds something answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction

from dedup.ingest import Page, Problem
from dedup.ingest.objects import read_objects
from labeling.models import Corpus, Text
from labeling.services.partitions import active_decision
from labeling.stages.counting import Counts
from labeling.stages.indexing import opened_index
from labeling.stages.places import Places, documents_of
from labeling.stages.storing import store_pages
from labeling.stages.yardsticks import index_spec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup.index import Index, IndexSpec, Match, Signed

MOST_AT_ONCE = 1_000
IN_LIMIT = 900
LISTED = 20


@dataclass(frozen=True, slots=True)
class Found:
    """What one text met: the layer that found something, and the known texts, best first."""

    layer: str
    matches: "tuple[Match, ...]" = ()
    earlier: "tuple[Match, ...]" = ()


@dataclass(frozen=True, slots=True)
class _Question:
    """Texts with the id that each has, or would have; a document is no match of itself."""

    ids: Sequence[str]
    signed: "Signed"
    keys: Sequence[str]


def check_text(corpus: Corpus, text: str) -> dict[str, Any]:
    """Look one text up; see ``check_texts``."""
    return check_texts(corpus, [text])[0]


def check_texts(
    corpus: Corpus, texts: Sequence[str], *, ids: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Look texts up: by their exact keys, by fingerprints, by signatures; nothing is changed.

    Each answer has ``layer`` (exact, simhash, minhash or none), ``matches``, best first, and ``words``. A document with
    the id of a text is no match of it. Raises ``IndexNotReadyError`` where a job has to make the index first.
    """
    from dedup.index import sign_texts

    spec = index_spec(corpus)
    answers = []
    for start in range(0, len(texts), MOST_AT_ONCE):
        part = texts[start : start + MOST_AT_ONCE]
        named = [""] * len(part) if ids is None else list(ids[start : start + MOST_AT_ONCE])
        question = _question(named, sign_texts(part, spec))
        with opened_index(corpus, spec) as index:
            found = _look_up(corpus, index, question)
        answers += _answers(corpus, spec, question, found)
    return answers


def check_and_insert(corpus: Corpus, documents: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Look documents up, then insert those that have an id: each is asked for before it is inserted.

    ``documents`` have ``id`` and ``text``, and may have the other fields of ``docs/ingest.md``. Each answer is that of
    ``check_texts`` with ``id`` and ``status``: inserted, updated (the id had another content), unchanged, or rejected
    with a ``reason``. A document also meets those before it. At most 1,000 are looked up and inserted in one
    transaction, in which nobody else inserts: of two crawlers that bring the same text at once, one is told of the
    other's. Raises ``IndexNotReadyError`` like ``check_texts``.
    """
    answers = []
    for start in range(0, len(documents), MOST_AT_ONCE):
        answers += _insert(corpus, documents[start : start + MOST_AT_ONCE])
    return answers


def _insert(corpus: Corpus, documents: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    from dedup.index import sign_texts

    read = read_objects(documents)
    pages = [item for item in read if isinstance(item, Page)]
    spec = index_spec(corpus)
    question = _question([page.id for page in pages], sign_texts([page.text for page in pages], spec))
    with opened_index(corpus, spec):  # takes in most of what is new while nobody has to wait for it
        pass
    with transaction.atomic():
        locked = Corpus.objects.select_for_update().get(pk=corpus.pk)
        with opened_index(locked, spec) as index:
            found = _look_up(locked, index, question)
        found = _with_earlier(spec, question, found)
        answers = _answers(locked, spec, question, found)
        outcomes = store_pages(locked, pages, Counts())
    by_id = {
        page.id: {"id": page.id, "status": outcomes[page.id], **answer}
        for page, answer in zip(pages, answers, strict=True)
    }
    return [_rejected(item) if isinstance(item, Problem) else by_id[item.id] for item in read]


def _rejected(problem: Problem) -> dict[str, Any]:
    return {
        "id": problem.example if problem.field == "id" else "",
        "status": "rejected",
        "reason": f"Document {problem.line}: {problem.reason}.",
        "layer": "none",
        "matches": [],
        "words": 0,
    }


def _question(ids: Sequence[str], signed: "Signed") -> _Question:
    keys = [
        key.tobytes().hex() if words else ""
        for key, words in zip(signed.exact_keys, signed.words, strict=True)
    ]
    return _Question(ids, signed, keys)


def _look_up(corpus: Corpus, index: "Index", question: _Question) -> list[Found]:
    """Ask layer after layer. What no document but the asking one has any more is passed over."""
    from dedup.index import ask

    found = _exact(corpus, question)
    rest = np.array([place for place, one in enumerate(found) if one.layer == "none"], np.int64)
    signed = question.signed.take(rest)
    passed_over: set[int] = set()
    while rest.size:
        answers = ask(index, signed, _others(passed_over))
        ordinals = {match.ordinal for answer in answers for match in answer.matches}
        documents = documents_of(corpus, ordinals)
        fruitless = {
            place << 32 | match.ordinal
            for place, answer in enumerate(answers)
            for match in answer.matches
            if not _has_others(documents.get(match.ordinal, ()), question.ids[int(rest[place])])
        }
        if not fruitless - passed_over:
            for place, answer in zip(rest.tolist(), answers, strict=True):
                found[place] = Found(answer.layer, answer.matches)
            break
        passed_over |= fruitless
    return found


def _others(passed_over: set[int]) -> "Any":  # noqa: ANN401 - a function of arrays, or None
    if not passed_over:
        return None
    codes = np.fromiter(passed_over, np.int64)

    def allows(places: "NDArray[np.int64]", ordinals: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        return ~np.isin(places << np.int64(32) | ordinals, codes)

    return allows


def _has_others(documents: Iterable[Mapping[str, Any]], own_id: str) -> bool:
    return any(document["id"] != own_id for document in documents)


def _exact(corpus: Corpus, question: _Question) -> list[Found]:
    """Texts with the same words, which a unique index finds."""
    from dedup.index import Match

    wanted = sorted({key for key in question.keys if key})
    ordinals: dict[str, list[int]] = {}
    for start in range(0, len(wanted), IN_LIMIT):
        rows = Text.objects.filter(corpus=corpus, exact_key__in=wanted[start : start + IN_LIMIT])
        for key, ordinal in rows.order_by("ordinal").values_list("exact_key", "ordinal"):
            ordinals.setdefault(key, []).append(ordinal)
    documents = documents_of(corpus, {ordinal for found in ordinals.values() for ordinal in found})
    answers = []
    for key, own_id in zip(question.keys, question.ids, strict=True):
        same = [
            Match(ordinal, 1.0, 1.0)
            for ordinal in ordinals.get(key, ())
            if _has_others(documents.get(ordinal, ()), own_id)
        ]
        answers.append(Found("exact", tuple(same[:LISTED])) if same else Found("none"))
    return answers


def _with_earlier(spec: "IndexSpec", question: _Question, found: list[Found]) -> list[Found]:
    """Let each document of a batch also meet those before it, which are inserted together with it."""
    from dedup.index import Match, MemoryIndex, ask

    if len(found) < 2:
        return found
    batch = MemoryIndex(spec)
    batch.extend(question.signed)
    met = ask(batch, question.signed, lambda places, ordinals: ordinals < places)
    firsts: dict[str, list[int]] = {}
    merged = []
    for place, (key, own, earlier) in enumerate(zip(question.keys, found, met, strict=True)):
        same = tuple(Match(other, 1.0, 1.0) for other in firsts.get(key, ())[:LISTED]) if key else ()
        merged.append(
            _cheaper(own, Found("exact", earlier=same) if same else Found(earlier.layer, (), earlier.matches))
        )
        firsts.setdefault(key, []).append(place)
    return merged


def _cheaper(one: Found, other: Found) -> Found:
    """What the cheaper layer found; what both found where it is the same."""
    order = ("exact", "simhash", "minhash", "none")
    if order.index(one.layer) != order.index(other.layer):
        return min(one, other, key=lambda found: order.index(found.layer))
    return replace(one, earlier=other.earlier)


def _answers(
    corpus: Corpus, spec: "IndexSpec", question: _Question, found: Sequence[Found]
) -> list[dict[str, Any]]:
    places = Places(
        corpus, active_decision(corpus), {match.ordinal for one in found for match in one.matches}
    )
    answers = []
    for place, one in enumerate(found):
        matches = [
            {**_numbers(one.layer, match), **document}
            for match in one.matches
            for document in places.documents(match.ordinal)
            if document["id"] != question.ids[place]
        ]
        matches += [
            {**_numbers(one.layer, match), "id": question.ids[match.ordinal], **places.NOWHERE}
            for match in one.earlier
        ]
        matches.sort(key=lambda match: -match["similarity"])
        answers.append(
            {
                "layer": one.layer,
                "matches": [{"id": match.pop("id"), **match} for match in matches[:LISTED]],
                "words": int(question.signed.words[place]),
                "recipe": spec.minhash.recipe,
                "threshold": spec.threshold,
            }
        )
    return answers


def _numbers(layer: str, match: "Match") -> dict[str, Any]:
    return {"similarity": match.similarity, "exact_jaccard": match.jaccard, "method": layer}
