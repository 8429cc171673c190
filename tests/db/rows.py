"""Small corpora through the real services and stages, in this process."""

import json
from datetime import UTC, datetime

from dedup.specs import StudySpec
from labeling.services import decisions, ingesting, jobs, pair_rows, studies
from labeling.stages.running import run_claimed

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
SENTENCE = (
    "the council met on monday evening to talk about the new bridge over the river and the cost of repairs "
    "which had risen again since the spring when the flood took away the old wooden pillars near the mill"
)
WORDS = SENTENCE.split()


def article(topic, *, changed=0):
    """A text about a topic; ``changed`` words at its end are other ones."""
    words = [f"{topic}{word}" for word in WORDS]
    return " ".join(words[: len(words) - changed] + [f"new{topic}{number}" for number in range(changed)])


def write_jsonl(path, documents):
    lines = (json.dumps({"id": key, **fields}) for key, fields in documents.items())
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def planted(topics=6):
    """Pairs <topic>a and <topic>b of near-duplicates with ever more differences, and one lone text each."""
    documents = {}
    for number in range(topics):
        topic = chr(ord("p") + number)
        documents[f"{topic}a"] = {"text": article(topic)}
        documents[f"{topic}b"] = {"text": article(topic, changed=1 + number)}
        documents[f"{topic}lone"] = {"text": article(f"{topic}x")}
    return documents


def run(job):
    """Claim a job and run it to its end."""
    claimed = jobs.claim(job_id=job.pk, worker="test", at=AT)
    assert claimed is not None
    return run_claimed(claimed, "test")


def ingest(corpus, path, **options):
    job = ingesting.enqueue_ingest(corpus=corpus, paths=[path], options=options, by_id=None, at=AT)
    job = run(job)
    corpus.refresh_from_db()
    return job


def study_of(corpus, name="Study", **spec):
    study, job = studies.create_study(
        corpus=corpus, name=name, spec=StudySpec(**{"ks": (3, 5), **spec}), by_id=None, at=AT
    )
    job = run(job)
    assert job.state == "done", job.error
    study.refresh_from_db()
    return study


def decision_of(study, *, k=3, threshold=0.6, rule="", order=("canonical", "first_seen", "trust")):
    recipe = pair_rows.find_recipe(study, k=k)
    decision, job = decisions.decide(
        study=study, recipe=recipe, threshold=threshold, rule=rule, representative_order=list(order), reason="",
        author_id=None, at=AT,
    )  # fmt: skip
    job = run(job)
    assert job.state == "done", job.error
    decision.refresh_from_db()
    return decision
