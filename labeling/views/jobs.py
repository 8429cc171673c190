"""The worker's jobs: honest progress, the report, what was rejected."""

import csv
from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.db.models import Count, F, Max
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dedup.exporting import neutralised
from labeling.http import PageRequest, fetched, render_page
from labeling.models import Job, Problem
from labeling.services import jobs
from labeling.services.access import Right
from labeling.services.reading_order import in_reading_order

EXAMPLES = 3
REASONS = 50
REPORT_NAMES = {
    "read": "Read",
    "accepted": "Accepted",
    "updated": "Updated",
    "unchanged": "Unchanged",
    "rejected": "Left out",
    "no_content": "No content",
    "exact_duplicates": "Exact duplicates",
    "pool": "Candidate pairs",
}


def _grouped_problems(job: Job) -> list[dict[str, Any]]:
    """Problems by reason, the most frequent first, each with a few examples."""
    groups = (
        job.problems.values("reason", "field", "is_rejection")
        .annotate(records=Count("pk"), newest=Max("pk"))
        .order_by("-is_rejection", "-records", "reason", "field")
    )
    return [
        {
            **group,
            "examples": job.problems.filter(
                reason=group["reason"], field=group["field"], is_rejection=group["is_rejection"]
            ).order_by("id")[:EXAMPLES],
        }
        for group in groups[:REASONS]
    ]


def _finished_context(job: Job) -> dict[str, Any]:
    counts = {name: value for name, value in in_reading_order(job.report) if _is_count(value)}
    return {
        "next_study": job.corpus.studies.order_by("-created_at", "-id").first(),
        "problems": _grouped_problems(job),
        "problem_count": job.problems.count(),
        "report_counts": [(REPORT_NAMES.get(name, _words(name)), value) for name, value in counts.items()],
        "report_sum": _sum_sentence(counts) if job.kind == Job.Kind.INGEST else "",
        "seconds": [
            (_words(name), value) for name, value in in_reading_order(job.report.get("seconds") or {})
        ],
    }


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _sum_sentence(counts: dict[str, int]) -> str:
    """How the counts of an ingest add up; empty where one of them is missing."""
    parts = [
        (REPORT_NAMES[name].lower(), counts.get(name))
        for name in ("accepted", "updated", "unchanged", "rejected")
    ]
    if "read" not in counts or any(value is None for _, value in parts):
        return ""
    return f"{counts['read']:,} read = " + " + ".join(f"{value:,} {name}" for name, value in parts) + "."


@require_safe
def job(request: PageRequest, job_id: int) -> HttpResponse:
    """How far a job is; htmx asks every second until it has ended."""
    found = fetched(request, Job.objects.select_related("corpus", "study", "decision"), pk=job_id)
    now = timezone.now()
    is_live = found.state in {Job.State.QUEUED, Job.State.RUNNING} and not found.is_stale(now)
    context = {
        "job": found,
        "corpus": found.corpus,
        "study": found.study,
        "decision": found.decision,
        "state": found.display_state(now),
        "is_stale": found.is_stale(now),
        "is_live": is_live,
        "no_worker": jobs.waits_without_worker(job=found, at=now),
        "seconds_left": found.seconds_left(now),
        "rate": found.rate(now),
    }
    if not is_live:
        context |= _finished_context(found)
    return render_page(request, "labeling/job.html", context, partial="labeling/job_progress.html")


@require_POST
def job_cancel(request: PageRequest, job_id: int) -> HttpResponse:
    """Ask the worker to stop at the next safe place."""
    found = fetched(request, Job.objects.all(), Right.OWN, pk=job_id)
    jobs.request_cancel(job=found, at=timezone.now())
    return redirect("labeling:job", job_id)


@require_POST
def job_resume(request: PageRequest, job_id: int) -> HttpResponse:
    """Queue an interrupted, failed or cancelled job again; it goes on where it stopped."""
    found = fetched(request, Job.objects.all(), Right.OWN, pk=job_id)
    try:
        jobs.resume(job=found, at=timezone.now())
    except jobs.JobStateError as error:
        messages.error(request, str(error), "bad")
    return redirect("labeling:job", job_id)


class _Echo:
    """A file for ``csv.writer`` that hands every line straight back."""

    def write(self, line: str) -> str:
        return line


def _problem_rows(job: Job) -> Iterator[list[object]]:
    yield ["file", "line", "field", "reason", "example", "left_out"]
    problem: Problem
    for problem in job.problems.order_by("file", F("line").asc(nulls_first=True), "id").iterator(
        chunk_size=2000
    ):
        yield [
            neutralised(problem.file),
            "" if problem.line is None else problem.line,
            neutralised(problem.field),
            neutralised(problem.reason),
            neutralised(problem.example),
            "yes" if problem.is_rejection else "no",
        ]


@require_safe
def job_problems(request: PageRequest, job_id: int) -> StreamingHttpResponse:
    """Every rejected or doubtful record, as CSV."""
    found = fetched(request, Job.objects.all(), pk=job_id)
    writer = csv.writer(_Echo())
    lines = (writer.writerow(row) for row in _problem_rows(found))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="job-{found.pk}-problems.csv"'
    return response
