"""What became of the records of an ingest: counts that add up, and problems by their reasons."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dedup.ingest import Problem
from labeling.models import Job
from labeling.models import Problem as ProblemRow

ROWS_PER_REASON = 1_000
LISTED_GROUPS = 500
EXAMPLES = 3


@dataclass(slots=True)
class Counts:
    """What became of the records: ``read`` = ``accepted`` + ``updated`` + ``unchanged`` + ``rejected``.

    ``no_content`` and ``exact_duplicates`` are among the accepted and updated ones.
    """

    accepted: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    no_content: int = 0
    exact_duplicates: int = 0

    @classmethod
    def of(cls, values: Mapping[str, int]) -> "Counts":
        """The counts of a checkpoint."""
        return cls(**values)

    @property
    def read(self) -> int:
        """All records."""
        return self.accepted + self.updated + self.unchanged + self.rejected

    def values(self) -> dict[str, int]:
        """As a checkpoint and a report keep them."""
        return asdict(self)


class ProblemLog:
    """Exact counts for each reason, and up to 1,000 rows of each."""

    def __init__(self, job: Job, saved: Iterable[dict[str, Any]]) -> None:
        self._job = job
        self._groups: dict[tuple[str, str, str, bool], dict[str, Any]] = {
            (group["file"], group["field"], group["reason"], group["is_rejection"]): group for group in saved
        }

    def add(self, problems: Iterable[Problem], counts: Counts) -> None:
        """Count problems and store those that there is room for."""
        rows = []
        for problem in problems:
            counts.rejected += problem.is_rejection
            counts.unchanged += problem.is_repeat
            group = self._group(problem)
            group["count"] += 1
            if len(group["examples"]) < EXAMPLES and problem.example:
                group["examples"].append(problem.example[:300])
            if group["count"] <= ROWS_PER_REASON:
                rows.append(self._row(problem))
        ProblemRow.objects.bulk_create(rows, batch_size=100)

    def groups(self) -> list[dict[str, Any]]:
        """As a checkpoint keeps them."""
        return list(self._groups.values())

    def listed(self) -> list[dict[str, Any]]:
        """As a report lists them: rejections first, the most frequent ones first."""
        return sorted(
            self._groups.values(),
            key=lambda group: (not group["is_rejection"], -group["count"], group["file"], group["reason"]),
        )

    def _group(self, problem: Problem) -> dict[str, Any]:
        key = (problem.file, problem.field, problem.reason, problem.is_rejection)
        if key not in self._groups and len(self._groups) >= LISTED_GROUPS:
            key = ("", "", "further problems, of other kinds", problem.is_rejection)
        return self._groups.setdefault(
            key,
            {
                "file": key[0],
                "line": problem.line if key[0] else None,
                "field": key[1],
                "reason": key[2],
                "is_rejection": key[3],
                "count": 0,
                "examples": [],
            },
        )

    def _row(self, problem: Problem) -> ProblemRow:
        return ProblemRow(
            job=self._job,
            file=problem.file,
            line=problem.line,
            field=problem.field[:100],
            reason=problem.reason[:300],
            example=problem.example[:300],
            is_rejection=problem.is_rejection,
        )
