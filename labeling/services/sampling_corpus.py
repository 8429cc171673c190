"""The sample that comes with the project: a corpus of real texts with known truth, and a study of it."""

from datetime import datetime
from pathlib import Path

from django.db import transaction

from dedup.specs import StudySpec
from labeling.models import Corpus, Job
from labeling.services import corpora, ingesting, studies

NAME = "Sample"
STUDY_NAME = "Sample study"
DOCUMENTS = Path(__file__).resolve().parent.parent / "sample" / "documents.jsonl"
TRUTH = DOCUMENTS.with_name("truth.csv")


@transaction.atomic
def enqueue_sample(*, by_id: int | None, at: datetime) -> Job:
    """Make the sample corpus with its ingest and its study, where they are missing; returns the job that reads it."""
    corpus = Corpus.objects.filter(name=NAME).first()
    if corpus is None:
        corpus = corpora.create_corpus(name=NAME, owner_id=by_id, at=at)
    job = corpus.jobs.filter(kind=Job.Kind.INGEST).order_by("id").first()
    if job is None:
        job = ingesting.enqueue_ingest(
            corpus=corpus, paths=[DOCUMENTS], options={"format": "jsonl"}, by_id=by_id, at=at
        )
    if not corpus.studies.exists():
        studies.create_study(corpus=corpus, name=STUDY_NAME, spec=StudySpec(), by_id=by_id, at=at)
    return job
