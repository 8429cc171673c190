"""Rows for tests of pages, made with the ORM: no worker, no engine, the slow definitions of the method."""

import hashlib
import json
from datetime import UTC, datetime
from itertools import combinations, pairwise
from pathlib import Path

from django.contrib.auth.models import User

from dedup.specs import StudySpec
from dedup.text import words
from labeling.models import (
    Cluster,
    Corpus,
    Decision,
    Document,
    HeldPair,
    Job,
    Label,
    Link,
    Member,
    Membership,
    Pair,
    Stratum,
    Study,
    StudyPair,
    StudyRecipe,
    Text,
)

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"
AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EDGES = (0, 300, 400, 500, 600, 700, 800, 900, 1001)


def make_person(name, *, is_owner=False, role="labeller"):
    """Somebody with a role in every corpus that there is and that ``make_corpus`` makes later (kept as last name); None: a stranger.

    ``is_owner`` makes an administrator, who owns every corpus without a role.
    """
    everywhere = "" if is_owner or role is None else role
    person = User.objects.create_user(
        name, password=f"{name} knows it well", is_staff=is_owner, last_name=everywhere
    )
    for corpus in Corpus.objects.all():
        join(corpus, person, everywhere)
    return person


def join(corpus, person, role):
    if role:
        Membership.objects.update_or_create(
            corpus=corpus, person=person, defaults={"role": role, "added_at": AT}
        )


def make_corpus(name="News", kind="articles"):
    corpus = Corpus.objects.create(name=name, kind=kind, salt=7, created_at=AT)
    for person in User.objects.all():
        join(corpus, person, person.last_name)
    return corpus


def read_case(corpus, path):
    """Documents of one of the files in tests/data/cases."""
    with (CASES / path).open(encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            add_document(corpus, fields.pop("id"), fields.pop("text"), **fields)


def make_planted_corpus(name="News"):
    """Eight planted pairs of near-duplicates, <topic>a and <topic>b, of which each pair is alike and no other is."""
    corpus = make_corpus(name)
    read_case(corpus, "planted-pairs/pairs.jsonl")
    return corpus


def add_document(corpus, external_id, text, **fields):
    """A document and, unless another one has the same words, its text."""
    stream = " ".join(words(text))
    if not stream:
        return Document.objects.create(
            corpus=corpus,
            external_id=external_id,
            status="no content",
            own_body=text,
            status_reason="no word",
            **fields,
        )
    key = hashlib.sha256(stream.encode()).hexdigest()
    row, _ = Text.objects.get_or_create(
        corpus=corpus,
        exact_key=key,
        defaults={"ordinal": corpus.texts.count(), "words": len(words(text)), "body": text},
    )
    own_body = None if row.body == text else text
    return Document.objects.create(
        corpus=corpus, external_id=external_id, text=row, own_body=own_body, status="ok", **fields
    )


def _shingles(stream, k):
    return {tuple(stream[start : start + k]) for start in range(max(1, len(stream) - k + 1))}


def _level(left, right):
    return 1000 * len(left & right) // len(left | right)


def make_study(corpus, *, name="First study", ks=(3, 5, 7), per_bucket=25, least=300):
    """A ready study: every pair whose best exact level reaches ``least``, drawn by a hash of the pair, with buckets."""
    spec = StudySpec(ks=ks, per_bucket=per_bucket)
    study = Study.objects.create(
        corpus=corpus,
        name=name,
        state="ready",
        created_at=AT,
        texts=corpus.texts.count(),
        spec={
            "ks": list(ks),
            "num_perm": 128,
            "hash": "sha1",
            "seed": 1,
            "normaliser": "unicode",
            "collection_threshold": 0.3,
            "bucket_width": 0.1,
            "per_bucket": per_bucket,
            "simhash": None,
            "simhash_k": 3,
            "simhash_distance": 3,
            "hub_limit": 200,
        },
    )
    texts = list(corpus.texts.order_by("ordinal"))
    streams = [words(text.body) for text in texts]
    levels = {}
    for k in ks:
        sets = [_shingles(stream, k) for stream in streams]
        for left, right in combinations(range(len(texts)), 2):
            levels.setdefault((left, right), []).append(_level(sets[left], sets[right]))
    pool = {pair: values for pair, values in levels.items() if max(values) >= least}
    _write_recipes(study, spec, pool)
    _write_pairs(study, texts, pool, spec)
    Study.objects.filter(pk=study.pk).update(pool=len(pool))
    study.refresh_from_db()
    return study


def _u(left, right):
    return int(hashlib.sha256(f"{left} {right}".encode()).hexdigest()[:13], 16) / 16**13


def _digest(spec):
    return hashlib.sha256(spec.recipe.encode()).hexdigest()[:16]


def _histogram(values, scale):
    counts = [0] * (scale + 1)
    for value in values:
        counts[value] += 1
    return counts


def _write_recipes(study, spec, pool):
    for place, minhash in enumerate(spec.minhash_specs):
        exact = [values[place] for values in pool.values()]
        for score, scale in (("exact", 1000), ("estimate", 128)):
            recipe = StudyRecipe.objects.create(
                study=study,
                recipe=minhash.recipe,
                digest=_digest(minhash),
                score=score,
                k=minhash.k,
                bands=42,
                rows_per_band=3,
                scale=scale,
                histogram=_histogram([level * scale // 1000 for level in exact], scale),
                histogram_rule={},
            )
            if score == "exact":
                for low, high in pairwise(EDGES):
                    inside = sorted(_u(*pair) for pair, values in pool.items() if low <= values[place] < high)
                    drawn = min(spec.per_bucket, len(inside))
                    Stratum.objects.create(
                        recipe=recipe,
                        low_level=low,
                        high_level=high,
                        population=len(inside),
                        sampled=drawn,
                        next_u=inside[drawn] if drawn < len(inside) else 1.0,
                    )


def _write_pairs(study, texts, pool, spec):
    drawn = set()
    for place in range(len(spec.minhash_specs)):
        for low, high in pairwise(EDGES):
            inside = sorted(
                (pair for pair, values in pool.items() if low <= values[place] < high),
                key=lambda pair: _u(*pair),
            )
            drawn.update(inside[: spec.per_bucket])
    for position, (left, right) in enumerate(sorted(drawn, key=lambda pair: _u(*pair))):
        pair, _ = Pair.objects.get_or_create(corpus=study.corpus, left=texts[left], right=texts[right])
        levels = {}
        for minhash, level in zip(spec.minhash_specs, pool[left, right], strict=True):
            levels[f"{_digest(minhash)}:exact"] = level
            levels[f"{_digest(minhash)}:estimate"] = level * 128 // 1000
        StudyPair.objects.create(
            study=study, pair=pair, u=_u(left, right), drawn=True, position=position, levels=levels
        )


def make_decision(study, *, threshold=0.6, author=None):
    """A published decision whose clusters follow from the pairs that are kept as rows."""
    recipe = study.recipes.filter(score="exact").order_by("k").first()
    interval = {"estimate": 0.91, "low": 0.85, "high": 0.95}
    decision = Decision.objects.create(
        study=study,
        corpus=study.corpus,
        number=study.corpus.decisions.count() + 1,
        recipe=recipe,
        threshold=threshold,
        representative_order=["canonical", "first_seen", "trust"],
        reason="Precision first: a wrong merge loses a record.",
        figures={"precision": interval, "recall": interval, "recall_all": interval, "warnings": []},
        label_counts={"duplicate": 31, "distinct": 20, "unsure": 2},
        state="published",
        author=author,
        at=AT,
    )
    owner = {text.pk: text.pk for text in study.corpus.texts.all()}
    accepted = []
    for row in study.study_pairs.select_related("pair"):
        level = row.levels[f"{recipe.digest}:exact"]
        if level >= threshold * 1000:
            accepted.append((row.pair, level / 1000))
            first, second = owner[row.pair.left_id], owner[row.pair.right_id]
            owner = {text: first if group == second else group for text, group in owner.items()}
    for pair, similarity in accepted:
        Link.objects.create(
            decision=decision, left=pair.left, right=pair.right, method="minhash", similarity=similarity,
            exact_jaccard=similarity,
        )  # fmt: skip
    _write_clusters(decision, owner, dict.fromkeys(owner.values()), accepted)
    return decision


def _write_clusters(decision, owner, groups, accepted):
    documents = list(decision.corpus.documents.order_by("id"))
    number = duplicates = 0
    for group in groups:
        members = [
            document for document in documents if document.text_id and owner[document.text_id] == group
        ]
        texts = {document.text_id for document in members}
        inside = [similarity for pair, similarity in accepted if pair.left_id in texts]
        number += 1
        duplicates += len(members) - 1
        cluster = Cluster.objects.create(
            decision=decision,
            number=number,
            representative=members[0],
            representative_rule="first_seen",
            representative_reason="earliest, 2024-03-02" if len(members) > 1 else "the only document",
            documents=len(members),
            texts=len(texts),
            lowest_similarity=min(inside) if inside else None,
            is_chain=len(texts) > 3,
        )
        for place, member in enumerate(members):
            Member.objects.create(
                decision=decision, document=member, cluster=cluster, is_representative=place == 0,
                similarity=min(inside) if inside else 1.0, method="minhash" if inside else "exact",
            )  # fmt: skip
    empty = [document for document in documents if document.text_id is None]
    for document in empty:
        Member.objects.create(
            decision=decision, document=document, is_representative=False, method="no content"
        )
    decision.summary = {
        "documents": len(documents),
        "clusters": sum(1 for _ in groups),
        "representatives": number,
        "duplicates": duplicates,
        "no_content": len(empty),
    }
    decision.save()


def hold(decision, left, right, *, similarity=0.8, reason="numbers or signs differ"):
    """A pair of texts that a decision holds for review."""
    ordered = sorted((left, right), key=lambda text: text.ordinal)
    held = HeldPair.objects.create(
        decision=decision, left=ordered[0], right=ordered[1], similarity=similarity, exact_jaccard=similarity,
        reason=reason,
    )  # fmt: skip
    decision.summary = {**decision.summary, "held_for_review": decision.held_pairs.count()}
    decision.save()
    return held


def make_job(corpus, *, kind="ingest", state="done", **fields):
    return Job.objects.create(corpus=corpus, kind=kind, state=state, created_at=AT, **fields)


def answer(study, person, verdict, *, study_pair=None, **fields):
    """An answer as the labelling page stores it; to the first pair of the queue unless another one is named."""
    chosen = study_pair or study.study_pairs.order_by("position", "id").first()
    return Label.objects.create(
        pair=chosen.pair,
        labeller=person,
        study=study,
        verdict=verdict,
        serving=f"test {Label.objects.count()}",
        **{"at": AT, **fields},
    )
