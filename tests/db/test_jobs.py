from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, transaction

from labeling.management import working
from labeling.management.commands import worker
from labeling.models import Job
from labeling.services import corpora, ingesting, jobs
from labeling.stages.reporting import JobCancelledError, JobLostError, Reporter
from tests.db import rows

pytestmark = pytest.mark.django_db


def enqueue(corpus, at, kind="ingest"):
    return jobs.enqueue(kind=kind, corpus=corpus, payload={}, by_id=None, at=at)


def test_two_workers_never_get_one_job(corpus, at):
    job = enqueue(corpus, at)

    claims = [jobs.claim(job_id=job.pk, worker=name, at=at) for name in ("first", "second")]

    assert [claim is not None for claim in claims] == [True, False]
    assert Job.objects.get().worker == "first"


def test_jobs_of_one_corpus_run_one_after_the_other_in_the_order_of_asking(corpus, at):
    first, second = enqueue(corpus, at), enqueue(corpus, at, "study")

    taken = jobs.claim_next(worker="w", at=at)
    while_running = jobs.claim_next(worker="v", at=at)
    jobs.end(job=taken, worker="w", state=Job.State.DONE, at=at)
    afterwards = jobs.claim_next(worker="v", at=at)

    assert (taken, while_running, afterwards) == (first, None, second)


def test_jobs_of_two_corpora_run_side_by_side(corpus, at):
    other = corpora.create_corpus(name="Shop", owner_id=None, at=at)
    mine, theirs = enqueue(corpus, at), enqueue(other, at)

    taken = {jobs.claim_next(worker=name, at=at) for name in ("v", "w")}

    assert taken == {mine, theirs}


def test_the_database_refuses_two_running_jobs_of_one_corpus(corpus, at):
    enqueue(corpus, at)
    enqueue(corpus, at)

    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.update(state=Job.State.RUNNING)


def test_a_job_of_a_dead_worker_goes_back_into_the_queue_three_times_then_counts_as_interrupted(corpus, at):
    job = enqueue(corpus, at)
    states = []
    for attempt in range(3):
        now = at + timedelta(minutes=attempt)
        jobs.claim(job_id=job.pk, worker=f"w{attempt}", at=now)
        jobs.requeue_stale(at=now + timedelta(seconds=31))
        job.refresh_from_db()
        states.append(str(job.state))

    assert states == ["queued", "queued", "interrupted"]
    assert "resume" in job.error


def test_a_job_that_beats_is_left_alone(corpus, at):
    job = enqueue(corpus, at)
    jobs.claim(job_id=job.pk, worker="w", at=at)
    jobs.beat(job_id=job.pk, worker="w", at=at + timedelta(seconds=25))

    found = jobs.requeue_stale(at=at + timedelta(seconds=50))

    assert found == 0


def test_a_silent_job_is_shown_as_interrupted_at_its_share_at_once(corpus, at):
    job = enqueue(corpus, at)
    job = jobs.claim(job_id=job.pk, worker="w", at=at)
    job.done, job.total = 61, 100

    assert job.display_state(at + timedelta(seconds=29)) == "running"
    assert job.display_state(at + timedelta(seconds=31)) == "interrupted at 61 %"
    job.total = None
    assert job.display_state(at + timedelta(seconds=31)) == "interrupted"


def test_a_worker_that_was_given_up_cannot_end_the_job_of_its_successor(corpus, at):
    job = enqueue(corpus, at)
    slow = jobs.claim(job_id=job.pk, worker="slow", at=at)
    jobs.requeue_stale(at=at + timedelta(seconds=40))
    jobs.claim(job_id=job.pk, worker="quick", at=at + timedelta(seconds=40))

    has_ended = jobs.end(job=slow, worker="slow", state=Job.State.FAILED, at=at)

    job.refresh_from_db()
    assert (has_ended, job.state, job.worker) == (False, "running", "quick")
    with pytest.raises(JobLostError):
        Reporter(slow, "slow").begin("read", unit="documents")


def test_a_request_to_stop_ends_a_queued_job_and_reaches_a_running_one_at_its_next_report(corpus, at):
    waiting, running = enqueue(corpus, at), enqueue(corpus, at + timedelta(seconds=1))
    jobs.request_cancel(job=waiting, at=at)
    running = jobs.claim(job_id=running.pk, worker="w", at=at)
    reporter = Reporter(running, "w")
    reporter.begin("read", unit="documents")
    jobs.request_cancel(job=running, at=at)

    with pytest.raises(JobCancelledError):
        reporter.check()

    waiting.refresh_from_db()
    assert waiting.state == "cancelled"


@pytest.mark.parametrize("state", ["failed", "cancelled", "interrupted"])
def test_a_job_that_did_not_come_to_its_end_can_be_resumed(corpus, at, state):
    job = enqueue(corpus, at)
    Job.objects.update(state=state, attempts=3, error="x", checkpoint={"path": 1})

    jobs.resume(job=job, at=at)

    assert (job.state, job.attempts, job.error, job.checkpoint) == ("queued", 0, "", {"path": 1})


@pytest.mark.parametrize("state", ["queued", "running", "done"])
def test_there_is_nothing_to_resume_in_a_job_that_waits_runs_or_is_done(corpus, at, state):
    job = enqueue(corpus, at)
    Job.objects.update(state=state, heartbeat_at=at)

    with pytest.raises(jobs.JobStateError, match="nothing to resume"):
        jobs.resume(job=job, at=at)


def test_a_job_says_so_when_no_worker_is_there_to_take_it(corpus, at):
    job = enqueue(corpus, at)
    later = at + timedelta(seconds=6)

    before = jobs.waits_without_worker(job=job, at=later)
    jobs.worker_beat(worker="w", at=later)
    with_worker = jobs.waits_without_worker(job=job, at=later)
    long_gone = jobs.waits_without_worker(job=job, at=later + timedelta(seconds=20))

    assert (before, with_worker, long_gone) == (True, False, True)


def test_rate_and_time_left_come_from_the_present_run_of_the_stage(corpus, at):
    job = enqueue(corpus, at)
    job.state, job.stage_started_at, job.done_before_stage = "running", at, 400
    job.done, job.total = 500, 700

    now = at + timedelta(seconds=10)

    assert (job.rate(now), job.seconds_left(now)) == (10.0, 20.0)
    assert job.rate(at) is None


def test_a_command_works_off_the_jobs_that_were_asked_for_before_its_own_where_no_worker_is(
    corpus, tmp_path, at
):
    file = rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted())
    earlier, own = (
        ingesting.enqueue_ingest(corpus=corpus, paths=[file], options={}, by_id=None, at=at) for _ in range(2)
    )

    ended = working.finish_job(own)

    earlier.refresh_from_db()
    assert (ended.pk, ended.state, earlier.state) == (own.pk, "done", "done")
    assert (earlier.report["accepted"], ended.report["unchanged"]) == (18, 18)


@pytest.mark.django_db(transaction=True)
def test_a_worker_outlives_a_database_that_refuses_for_a_while(corpus, tmp_path, at, monkeypatch, capsys):
    file = rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted())
    job = ingesting.enqueue_ingest(corpus=corpus, paths=[file], options={}, by_id=None, at=at)
    whole = worker.run_claimed
    answers = iter([DatabaseError("database or disk is full"), DatabaseError("database or disk is full")])

    def refusing(claimed, name, **more):
        for error in answers:
            jobs.end(job=claimed, worker=name, state=Job.State.QUEUED, at=at)
            raise error
        whole(claimed, name, **more)
        raise KeyboardInterrupt

    looks = iter(range(1000))

    def look():
        if next(looks, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(worker, "mark_dead_jobs", look)
    monkeypatch.setattr(worker, "run_claimed", refusing)
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0)
    monkeypatch.setattr(worker, "Heartbeat", lambda beat: nullcontext())
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)

    call_command("worker")

    job.refresh_from_db()
    assert job.state == "done"
    assert capsys.readouterr().err.count("disk is full") == 1
