"""Precision and recall with intervals for every recipe and threshold, live while labels arrive."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dedup.evaluation import Choice, Evaluation, Figure, Interval
from labeling.forms.evaluation import EvaluationForm
from labeling.http import PageRequest, fetched, render_page
from labeling.models import Study, StudyRecipe
from labeling.services import figures, labels
from labeling.services.piles import piles_at
from labeling.views import charts, curves, setting
from labeling.views.recommended import recommended

Rows = dict[str, list[Figure]]
COLUMNS = (
    "recipe", "k", "score", "threshold", "links", "labelled", "precision", "precision_low", "precision_high", "recall",
    "recall_low", "recall_high", "recall_all", "recall_all_low", "recall_all_high", "f1", "f1_low", "f1_high",
    "false_positives", "false_positives_low", "false_positives_high", "missed", "missed_low", "missed_high",
    "expected_cost", "expected_cost_low", "expected_cost_high", "warnings",
)  # fmt: skip
BUCKET_COLUMNS = (
    "recipe", "k", "low", "high", "population", "sampled", "labelled", "duplicates", "distinct", "unsure",
    "share", "share_low", "share_high",
)  # fmt: skip


def _study(request: PageRequest, study_id: int) -> Study:
    return fetched(request, Study.objects.select_related("corpus"), pk=study_id)


def _grid(form: EvaluationForm, study: Study) -> tuple[float, ...]:
    """The thresholds that compete and stand in the tables."""
    wanted = form.thresholds()
    return setting.slider_thresholds(study, "hamming") if wanted is None else wanted


def _evaluate(study: Study, form: EvaluationForm, *, slider: bool = False) -> Evaluation:
    """The figures of the form's thresholds, with ``slider`` also those of every place of the slider."""
    values = form.cleaned_data
    grid = _grid(form, study)
    places = set(grid) | (set(setting.slider_thresholds(study, values["score"])) if slider else set())
    return figures.evaluate_study(
        study=study,
        score=values["score"],
        thresholds=sorted(places),
        rule=values["rule"],
        cost_fp=values["cost_fp"],
        cost_fn=values["cost_fn"],
        wishes=form.wishes(),
        competing=grid,
    )


def _points(rows: Sequence[Figure], name: str) -> list[charts.Estimate]:
    points = []
    for row in rows:
        value: Interval = getattr(row, name)
        points.append(
            charts.Estimate(at=row.threshold, estimate=value.estimate, low=value.low, high=value.high)
        )
    return points


def _panels(
    recipes: Sequence[StudyRecipe], evaluation: Evaluation, grid: Sequence[float]
) -> list[dict[str, Any]]:
    """One chart and one table for each recipe, in the order of k."""
    panels = []
    for recipe in recipes:
        rows = [row for row in evaluation.figures if row.recipe == recipe.recipe]
        name = setting.recipe_name(recipe)
        precision, recall = _points(rows, "precision"), _points(rows, "recall")
        panels.append(
            {
                "name": name,
                "rows": [row for row in rows if row.threshold in grid],
                "all_rows": rows,
                "chart": charts.precision_and_recall(name, precision, recall, dotted=grid),
                "recipe": recipe,
                "is_bits": recipe.score == "hamming",
            }
        )
    return panels


def _next_labels(study: Study, form: EvaluationForm, place: tuple[StudyRecipe, float]) -> dict[str, Any]:
    """Where further labels narrow the wanted figure of this setting most; buckets are those of exact similarities."""
    values = form.cleaned_data
    recipe, threshold = place
    if recipe.score == "hamming":
        return {"proposals": (), "is_planned": False}
    evaluation = figures.evaluate_study(
        study=study,
        score="exact",
        thresholds=[threshold],
        rule=values["rule"],
        cost_fp=values["cost_fp"],
        cost_fn=values["cost_fn"],
    )
    proposals = figures.next_labels(
        study=study,
        evaluation=evaluation,
        wishes=form.wishes(Choice(recipe.recipe, "exact", threshold)),
        cost_fp=values["cost_fp"],
        cost_fn=values["cost_fn"],
    )
    return {
        "proposals": proposals,
        "is_planned": True,
        "total": sum(entry.labels for entry in proposals),
        "half_width": proposals[0].half_width if proposals else None,
        "expected": proposals[0].expected if proposals else None,
    }


def _unsurfaced(figure: Figure) -> float | None:
    """The share of all duplicates that are expected never to have become candidates; None where nothing is known."""
    recall, everything = figure.recall.estimate, figure.recall_all.estimate
    return None if not recall or everything is None else max(0.0, 1.0 - everything / recall)


def _figures_context(request: PageRequest, study: Study, form: EvaluationForm) -> dict[str, Any]:
    """Everything on the page that comes from labels."""
    values, grid = form.cleaned_data, _grid(form, study)
    evaluation = _evaluate(study, form, slider=True)
    recipes = list(study.recipes.filter(score=values["score"]).order_by("k", "id"))
    context: dict[str, Any] = {
        "evaluation": evaluation,
        "has_labels": bool(evaluation.labels.sampled or evaluation.labels.known),
    }
    if not recipes or not context["has_labels"]:
        return context
    place = setting.place_of(request, recipes, evaluation)
    positions = sorted({row.threshold for row in evaluation.figures})
    axis = charts.threshold_axis(positions)
    panel = setting.panel(study, evaluation, form, recipes, place, {at: axis(at) for at in positions})
    panels = _panels(recipes, evaluation, grid)
    rows: Rows = {entry["name"]: entry["all_rows"] for entry in panels}
    place = (panel["recipe"], panel["threshold"])
    return context | {
        "panel": panel,
        "panels": panels,
        "unsurfaced": _unsurfaced(panel["figure"]),
        "recommended": recommended(
            evaluation, recipes, grid, form.wishes(), (values["cost_fp"], values["cost_fn"])
        ),
        "trade": curves.precision_against_recall(rows, dotted=grid),
        "costs": curves.cost_against_threshold(rows, dotted=grid),
        "next": _next_labels(study, form, place),
        "pile": piles_at(study, *place),
    }


@require_safe
def evaluation(request: PageRequest, study_id: int) -> HttpResponse:
    """Figures, charts and the two piles; a poll that finds no new label gets 204 and leaves the page alone."""
    study = _study(request, study_id)
    form = EvaluationForm.filled(request.GET)
    used = form if form.is_valid() else EvaluationForm.filled({})
    used.full_clean()
    version = figures.label_version(study)
    if request.GET.get("seen") == version and request.htmx:
        return HttpResponse(status=204, headers={"Vary": "HX-Request"})
    progress = labels.progress(study, request.user.pk)
    context = {
        "study": study,
        "corpus": study.corpus,
        "form": form,
        "values": used.cleaned_data | used.choices_in_words(),
        "kept": used.kept(),
        "kept_for_next": used.kept(without=("target", "labels")),
        "version": version,
        "waiting": progress.pairs_total - progress.pairs_done,
        **_figures_context(request, study, used),
    }
    status = 200 if form.is_valid() else 422
    return render_page(
        request,
        "labeling/evaluation.html",
        context,
        partial="labeling/evaluation_figures.html",
        status=status,
    )


def _cells(row: Figure) -> Iterator[object]:
    yield from (row.recipe, row.k, row.score, row.threshold, row.links, row.labelled)
    intervals = (
        row.precision, row.recall, row.recall_all, row.f1_interval, row.false_positives_interval,
        row.missed_interval, row.expected_cost_interval,
    )  # fmt: skip
    for value in intervals:
        yield from (value.estimate, value.low, value.high)
    yield " ".join(row.warnings)


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> HttpResponse:
    """A table to download; an empty cell is "no data"."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    writer = csv.writer(response)
    writer.writerow(columns)
    writer.writerows(list(row) for row in rows)
    return response


@require_safe
def evaluation_csv(request: PageRequest, study_id: int) -> HttpResponse:
    """The figures of the page's tables and curves."""
    study = _study(request, study_id)
    form = EvaluationForm.filled(request.GET)
    if not form.is_valid():
        return HttpResponse("The filters don't make sense together.\n", content_type="text/plain", status=422)
    rows = _evaluate(study, form, slider="every" in request.GET).figures
    return csv_response(f"evaluation-{study.pk}", COLUMNS, (_cells(row) for row in rows))


@require_safe
def buckets_csv(request: PageRequest, study_id: int) -> HttpResponse:
    """The similarity buckets of the histograms."""
    study = _study(request, study_id)
    found = figures.evaluate_study(study=study, score="exact")
    rows = (
        (
            row.recipe, row.k, row.low / 1000, min(row.high, 1000) / 1000, row.population, row.sampled, row.labelled,
            row.duplicates, row.distinct, row.unsure, row.share.estimate, row.share.low, row.share.high,
        )
        for row in found.buckets
    )  # fmt: skip
    return csv_response(f"buckets-{study.pk}", BUCKET_COLUMNS, rows)
