from dataclasses import fields
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from dedup.specs import StudySpec
from labeling.models import Corpus, Job, Study
from labeling.services import jobs
from labeling.services.corpora import LONGEST_ID

LONGEST_NAME = 200


class StudyError(ValueError):
    """A study can't be made, found or used; the message is one sentence for people."""


def spec_values(spec: StudySpec) -> dict[str, Any]:
    """A spec as the JSON that a study keeps."""
    values = {field.name: getattr(spec, field.name) for field in fields(spec) if field.init}
    return values | {"ks": list(spec.ks)}


def study_spec(study: Study) -> StudySpec:
    """The spec of a stored study."""
    return StudySpec(**{**study.spec, "ks": tuple(study.spec["ks"])})


@transaction.atomic
def create_study(
    *, corpus: Corpus, name: str, spec: StudySpec, by_id: int | None, at: datetime
) -> tuple[Study, Job]:
    """Make a study and queue its job. Raises ``StudyError`` where the corpus has one of this name, or the name is too long."""
    if spec.normaliser != corpus.normaliser:
        raise StudyError(
            f"The corpus reads words by “{corpus.normaliser}”, and the study would by “{spec.normaliser}”."
        )
    if not name.strip() or len(name) > LONGEST_NAME:
        raise StudyError(f"A study needs a name of 1 to {LONGEST_NAME} characters.")
    try:
        with transaction.atomic():
            study = Study.objects.create(
                corpus=corpus, name=name, spec=spec_values(spec), created_by_id=by_id, created_at=at
            )
    except IntegrityError as error:
        raise StudyError(f"The corpus “{corpus}” has a study named “{name}” already.") from error
    return study, enqueue_study(study=study, by_id=by_id, at=at)


def enqueue_study(*, study: Study, by_id: int | None, at: datetime) -> Job:
    """Queue a study's job: its first run, or a refresh that takes in new documents and keeps all labels."""
    return jobs.enqueue(kind=Job.Kind.STUDY, corpus=study.corpus, study=study, payload={}, by_id=by_id, at=at)


def find_study(*, name: str) -> Study:
    """The study of that id or name; of several with one name, none. Raises ``StudyError``."""
    studies = Study.objects.select_related("corpus")
    named = list(studies.filter(name=name).order_by("id")[:10])
    if len(named) == 1:
        return named[0]
    is_id = name.isdecimal() and len(name) <= LONGEST_ID
    by_id = studies.filter(pk=int(name)).first() if is_id else None
    if by_id is not None:
        return by_id
    if not named:
        raise StudyError(f"There is no study named “{name}”.{_studies_of(name)}")
    choices = ", ".join(f"{study.pk} ({study.corpus})" for study in named)
    raise StudyError(f"Several studies are named “{name}”; use an id: {choices}.")


def _studies_of(corpus: str) -> str:
    """A sentence that names the studies of the corpus of that name; empty where it has none."""
    found = Study.objects.filter(corpus__name=corpus).order_by("id")[:10]
    names = ", ".join(f"“{study.name}” (id {study.pk})" for study in found)
    return f" The corpus of that name has {names}." if names else ""


def check_ready(study: Study) -> None:
    """Raise ``StudyError`` for a study that has not run yet."""
    if study.state != Study.State.READY:
        raise StudyError(f"The study “{study}” has not run yet, so it has no pairs.")
