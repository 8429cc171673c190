"""A decision on one page that can be sent on: what was chosen, why, on which figures, and what came of it."""

from pathlib import Path

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dedup.exporting import ExportError, Written
from dedup.segments import write_bytes
from labeling.models import Decision
from labeling.services.reading_order import in_reading_order

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title></head>
<body>
<h1>{title}</h1>
<p>Corpus “{corpus}”, study “{study}”. Taken by {author} on {at}.</p>
<h2>What was decided</h2>
<table>{chosen}</table>
<p>{reason}</p>
<h2>The figures it was taken on</h2>
<table>{figures}</table>
<p>Estimates for all pairs of the pool, from a random sample of labelled pairs; in brackets the 95 % interval.</p>
<h2>Labels</h2>
<table>{labels}</table>
<h2>What came of it</h2>
<table>{summary}</table>
<p>A chain is a cluster in which two texts are less similar than the threshold, joined only through others.</p>
</body>
</html>
"""
MEASURES = (
    ("precision", "Precision"),
    ("recall", "Recall in the pool"),
    ("recall_all", "Recall, missed pairs included"),
)


def write_report(decision: Decision, path: Path, format: str) -> Written:  # noqa: A002
    """Write the report. Raises ``ExportError`` for any format but HTML."""
    if format != "html":
        raise ExportError(f"A report is written as html, not as {format}.")
    content = report_page(decision).encode()
    sha256 = write_bytes(path, content)
    return Written(rows=1, size=len(content), sha256=sha256)


def report_page(decision: Decision) -> SafeString:
    """The page; everything that came from outside is escaped."""
    chosen = [
        ("Recipe", decision.recipe.recipe),
        ("Score", decision.recipe.score),
        ("Threshold", f"{decision.threshold:g}"),
        ("Product rule", decision.rule or "none"),
        ("Representative by", ", ".join(decision.representative_order)),
    ]
    return format_html(
        PAGE,
        title=f"Decision {decision.number}",
        corpus=decision.corpus.name,
        study=decision.study.name,
        author=decision.author.get_username() if decision.author else "a command",
        at=f"{decision.at:%Y-%m-%d %H:%M} UTC",
        chosen=_rows(chosen),
        reason=decision.reason,
        figures=_rows(_figures(decision)),
        labels=_rows([(_words(name), str(count)) for name, count in in_reading_order(decision.label_counts)]),
        summary=_rows(
            [
                (_words(name), str(count))
                for name, count in in_reading_order(decision.summary)
                if isinstance(count, int)
            ]
        ),
    )


def _figures(decision: Decision) -> list[tuple[str, str]]:
    rows = [(label, _interval(decision.figures.get(name))) for name, label in MEASURES]
    return [*rows, *[("Warning", str(sentence)) for sentence in decision.figures.get("warnings", [])]]


def _interval(value: dict[str, float | None] | None) -> str:
    if not value or value.get("estimate") is None:
        return "no data"
    return f"{value['estimate']:.2f} ({value['low']:.2f}–{value['high']:.2f})"


def _rows(pairs: list[tuple[str, str]]) -> SafeString:
    return format_html_join("\n", '<tr><th scope="row">{}</th><td>{}</td></tr>', pairs)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
