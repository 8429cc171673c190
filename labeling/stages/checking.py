"""The crawler's question: is this text in the corpus already? The cheapest layer that finds something answers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.engines import corpus_arrays
from dedup.engines.corpus_arrays import SEGMENT_ROWS, segment_bounds
from dedup.minhash import agreements
from dedup.segments import SegmentError
from dedup.simhash import hamming_distance
from dedup.specs import MinHashSpec, SimHashSpec
from labeling.models import Corpus, Document, Member, Study, Text
from labeling.services import pools
from labeling.services.corpora import normaliser_of
from labeling.services.partitions import active_decision
from labeling.services.studies import study_spec
from labeling.stages.similarities import TextSimilarities

DEFAULT_THRESHOLD = 0.6
SLACK = 0.15
LOOKED_AT = 200
LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Yardstick:
    """What counts as a match: the active decision's k and threshold where it looks at similarities, else the default."""

    study: Study
    spec: MinHashSpec
    threshold: float


def check_text(corpus: Corpus, text: str) -> dict[str, Any]:
    """Look a text up: by its exact key, by the fingerprints, by the signatures of the latest study.

    Returns ``layer`` (exact, simhash, minhash or none) and ``matches``, best first. Texts that came after the study are
    found by their exact key only.
    """
    from dedup.kernel import TextColumn, clean

    cleaned = clean(TextColumn.from_strings([text]), normaliser_of(corpus))
    if not int(cleaned.words[0]):
        return {"layer": "none", "matches": [], "words": 0}
    key = cleaned.exact_keys[0].tobytes().hex()
    same = list(corpus.texts.filter(exact_key=key).order_by("ordinal"))
    if same:
        return _answer(corpus, "exact", [(text.ordinal, 1.0) for text in same])
    study = corpus.studies.filter(state=Study.State.READY, texts__gt=0).order_by("-id").first()
    if study is None:
        return {"layer": "none", "matches": [], "studied_texts": 0}
    simhash = study_spec(study).simhash_spec
    near = [] if simhash is None else _near(study, simhash, cleaned.streams)
    if near:
        return _answer(corpus, "simhash", near)
    return _answer(corpus, "minhash", _alike(_yardstick(corpus, study), cleaned.streams, text))


def _yardstick(corpus: Corpus, study: Study) -> Yardstick:
    specs = {spec.recipe: spec for spec in study_spec(study).minhash_specs}
    decision = active_decision(corpus)
    if decision is not None and decision.recipe.recipe in specs:
        return Yardstick(study=study, spec=specs[decision.recipe.recipe], threshold=decision.threshold)
    return Yardstick(study=study, spec=next(iter(specs.values())), threshold=DEFAULT_THRESHOLD)


def _near(study: Study, spec: SimHashSpec, streams: Any) -> list[tuple[int, float]]:  # noqa: ANN401
    """Texts whose fingerprints differ in few bits; the number with each is the share of equal bits."""
    from dedup.kernel import fingerprints

    stored: NDArray[np.uint64] = _rows(study, spec.recipe)
    own = np.full(stored.shape, fingerprints(streams, spec)[0], np.uint64)
    distances = hamming_distance(own, stored)
    found = np.flatnonzero(distances <= spec.max_distance)
    found = found[np.argsort(distances[found], kind="stable")]
    return [(int(place), 1 - int(distances[place]) / 64) for place in found[:LISTED]]


def _alike(yardstick: Yardstick, streams: Any, text: str) -> list[tuple[int, float]]:  # noqa: ANN401
    """Texts whose exact similarity reaches the threshold, among those with the best estimates."""
    from dedup.kernel import signatures

    spec = yardstick.spec
    stored: NDArray[np.uint32] = _rows(yardstick.study, spec.recipe)
    rows = np.concatenate((stored, signatures(streams, [spec])[0]))
    others = np.arange(stored.shape[0], dtype=np.int64)
    estimates = agreements(rows, np.full(others.size, others.size, np.int64), others) / spec.num_perm
    likely = np.flatnonzero(estimates >= yardstick.threshold - SLACK)
    likely = likely[np.argsort(-estimates[likely], kind="stable")][:LOOKED_AT]
    compare = TextSimilarities(yardstick.study.corpus, spec.k)
    found = zip(likely.tolist(), compare.with_text(text, likely).tolist(), strict=True)
    matches = [(ordinal, value) for ordinal, value in found if value >= yardstick.threshold - 1e-12]
    return sorted(matches, key=lambda match: (-match[1], match[0]))[:LISTED]


def _rows(study: Study, recipe: str) -> NDArray[Any]:
    folder = pools.arrays_folder(study.corpus)
    for texts in (study.corpus.next_ordinal, study.texts):
        try:
            return corpus_arrays.read_rows(folder, recipe, segment_bounds(texts, SEGMENT_ROWS))
        except SegmentError:
            continue
    raise SegmentError(f"the signatures of {study.corpus} are missing; run the study again")


def _answer(corpus: Corpus, layer: str, found: list[tuple[int, float]]) -> dict[str, Any]:
    texts = {
        text.ordinal: text
        for text in Text.objects.filter(corpus=corpus, ordinal__in=[ordinal for ordinal, _ in found])
    }
    matches = [
        {"id": document.external_id, "similarity": similarity, "method": layer, **_place(corpus, document)}
        for ordinal, similarity in found
        for document in Document.objects.filter(text=texts[ordinal]).order_by("external_id")[:LISTED]
    ]
    return {"layer": layer if matches else "none", "matches": matches[:LISTED]}


def _place(corpus: Corpus, document: Document) -> dict[str, Any]:
    """Where the active decision put a document."""
    decision = active_decision(corpus)
    member = None
    if decision is not None:
        rows = Member.objects.filter(decision=decision, document=document)
        member = rows.select_related("cluster__representative").first()
    if member is None or member.cluster is None:
        return {"cluster_id": None, "representative_id": None}
    return {
        "cluster_id": member.cluster.number,
        "representative_id": member.cluster.representative.external_id,
    }
