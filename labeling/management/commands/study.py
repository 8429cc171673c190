from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from dedup.specs import StudySpec
from labeling.management.answering import REFUSED, AnsweringCommand, CommandRefusedError
from labeling.management.working import finish_job, unfinished_job
from labeling.models import Corpus, Job, Study
from labeling.services import corpora, studies
from labeling.stages.studying import predict_study

CHOICES = ("num_perm", "hash", "collection_threshold", "bucket_width", "per_bucket", "simhash", "hub_limit")


class Command(AnsweringCommand):
    """Run a study of a corpus."""

    help = "Sign a corpus's texts, collect candidate pairs, verify them and draw the pairs to label."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which corpus, and everything that decides about its pairs."""
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("--name", default="Study", help="A study of this name is resumed or refreshed.")
        parser.add_argument(
            "--k", type=int, action="append", metavar="K", help="Words in a shingle; may be repeated."
        )
        parser.add_argument("--num-perm", type=int, metavar="N")
        parser.add_argument("--hash", choices=["sha1", "tokens"])
        parser.add_argument("--collection-threshold", type=float, metavar="S")
        parser.add_argument("--bucket-width", type=float, metavar="W")
        parser.add_argument("--per-bucket", type=int, metavar="N")
        parser.add_argument("--simhash", choices=["plain", "tf"])
        parser.add_argument("--hub-limit", type=int, metavar="N")
        parser.add_argument("--engine", choices=["local"], default="local")
        parser.add_argument(
            "--estimate-only", action="store_true", help="Only say what the study is expected to cost."
        )

    def answer(self, options: dict[str, Any]) -> None:
        """Make or find the study, run its job, report."""
        corpus = corpora.find_corpus(name=options["corpus"])
        given = {name: options[name] for name in CHOICES if options[name] is not None}
        if options["k"]:
            given["ks"] = tuple(options["k"])
        if options["estimate_only"]:
            self._estimate(corpus, given, as_json=options["json"])
            return
        job = finish_job(self._job(corpus, options["name"], given))
        if job.state != Job.State.DONE or job.study is None:
            raise CommandRefusedError(job.error or f"{job} was {job.get_state_display().lower()}.")
        values = {
            "study": job.study.name,
            "id": job.study.pk,
            "corpus": corpus.name,
            "job": job.pk,
            **job.report,
        }
        self.reply(values, _lines(values), as_json=options["json"])

    def _estimate(self, corpus: Corpus, given: dict[str, Any], *, as_json: bool) -> None:
        prediction = predict_study(corpus, _spec(corpus, given))
        self.exit_status = self.exit_status if prediction["fits"] else REFUSED
        line = (
            f"About {prediction['candidate_pairs']:,} candidate pairs, {prediction['seconds']:,.0f} seconds, "
            f"{prediction['memory_mb']:,.0f} MB of memory. {prediction['advice']}"
        )
        self.reply({"corpus": corpus.name, **prediction}, [line], as_json=as_json)

    def _job(self, corpus: Corpus, name: str, given: dict[str, Any]) -> Job:
        study = corpus.studies.filter(name=name).first()
        at = timezone.now()
        if study is None:
            return studies.create_study(
                corpus=corpus, name=name, spec=_spec(corpus, given), by_id=None, at=at
            )[1]
        _check_same(study, given)
        unfinished = unfinished_job(corpus, Job.Kind.STUDY, {}, study=study)
        return unfinished or studies.enqueue_study(study=study, by_id=None, at=at)


def _spec(corpus: Corpus, given: dict[str, Any]) -> StudySpec:
    try:
        return StudySpec(normaliser=corpora.normaliser_of(corpus), **given)
    except ValueError as error:
        raise CommandRefusedError(str(error)) from error


def _check_same(study: Study, given: dict[str, Any]) -> None:
    """A study that exists keeps its settings; others make another study."""
    stored = asdict(studies.study_spec(study))
    for name, value in given.items():
        same = sorted(stored[name]) == sorted(value) if name == "ks" else stored[name] == value
        if not same:
            raise CommandRefusedError(
                f"The study “{study}” has {name} {stored[name]}; give another --name to study it with {value}."
            )


def _lines(values: dict[str, Any]) -> list[str]:
    total = (
        f"Study “{values['study']}” (id {values['id']}) of “{values['corpus']}”: {values['texts']:,} texts, "
        f"{values['pool']:,} candidate pairs, {values['pairs']:,} drawn for labelling."
    )
    buckets = (
        f"  k = {bucket['k']}, {bucket['low']:.2f} to {bucket['high']:.2f}: "
        f"{bucket['population']:,} {'pair' if bucket['population'] == 1 else 'pairs'}, {bucket['sampled']:,} drawn"
        for bucket in values["buckets"]
    )
    return [total, *buckets]
