"""Reads a path and sorts what comes out, so that tests can ask for it by name."""

from dataclasses import dataclass
from pathlib import Path

from dedup.ingest import Page, Problem, ReadOptions, read_pages

CASES = Path(__file__).parent / "data" / "cases"


@dataclass(frozen=True)
class Ingested:
    pages: list[Page]
    problems: list[Problem]

    @property
    def texts(self):
        return {page.id: page.text for page in self.pages}

    @property
    def rejections(self):
        return [problem for problem in self.problems if problem.is_rejection]

    @property
    def reasons(self):
        return " / ".join(problem.reason for problem in self.problems)

    def page(self, page_id):
        return next(page for page in self.pages if page.id == page_id)


def ingested(path, **options):
    items = list(read_pages(path, ReadOptions(**options)))
    return Ingested(
        [item for item in items if isinstance(item, Page)],
        [item for item in items if isinstance(item, Problem)],
    )


def written(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
