"""A study: its settings before it runs, its buckets while they are labelled."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from dedup.banding import study_bands
from labeling.forms.studies import CurveForm, StudyForm
from labeling.http import PageRequest, fetched, render_page
from labeling.models import Corpus, Study, StudyRecipe
from labeling.services import figures, labels, studies
from labeling.services.access import Right
from labeling.views import charts

SHOWN_SIMILARITIES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
KS = {Corpus.Kind.ARTICLES: [3, 5, 7], Corpus.Kind.PRODUCTS: [1, 3, 5], Corpus.Kind.PAGES: [3, 5, 7]}


def _curve(collection_threshold: float, num_perm: int) -> dict[str, Any]:
    """Bands, curve and table for a collection threshold; the sentence where no bands can serve it."""
    try:
        banding = study_bands(collection_threshold, num_perm)
    except ValueError as error:
        return {"curve_error": str(error)}
    chances = charts.surfaced(bands=banding.bands, rows_per_band=banding.rows_per_band, at=SHOWN_SIMILARITIES)
    return {
        "banding": banding,
        "curve": charts.collision_curve(
            bands=banding.bands,
            rows_per_band=banding.rows_per_band,
            collection_threshold=collection_threshold,
        ),
        "chances": chances,
        "at_forty": dict(chances)[0.4],
        "at_sixty": dict(chances)[0.6],
    }


def _curve_of(values: Mapping[str, object]) -> dict[str, Any]:
    form = CurveForm(values)
    if not form.is_valid():
        return {"curve_error": "Enter a collection threshold between 0.05 and 0.95 to see what it surfaces."}
    return _curve(form.cleaned_data["collection_threshold"], form.cleaned_data["num_perm"])


@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: PageRequest, corpus_id: int) -> HttpResponse:
    """Settings of a new study; htmx redraws the collision curve when the collection threshold changes."""
    corpus = fetched(request, Corpus.objects.all(), Right.OWN, pk=corpus_id)
    number = corpus.studies.count() + 1
    initial: dict[str, object] = {"name": f"Study {number}", "ks": KS[Corpus.Kind(corpus.kind)]}
    form = StudyForm(request.POST or None, corpus=corpus, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            _, job = studies.create_study(
                corpus=corpus,
                name=form.cleaned_data["name"],
                spec=form.spec(),
                by_id=request.user.pk,
                at=timezone.now(),
            )
        except ValueError as error:
            form.add_error(None, str(error))
        else:
            return redirect("labeling:job", job.pk)
    defaults = {"collection_threshold": 0.3, "num_perm": 128}
    values = request.POST or (request.GET if "collection_threshold" in request.GET else defaults)
    context = {"corpus": corpus, "form": form, "has_texts": corpus.texts.exists(), **_curve_of(values)}
    status = 422 if request.method == "POST" else 200
    return render_page(
        request, "labeling/study_new.html", context, partial="labeling/curve.html", status=status
    )


def _exact_recipes(study: Study) -> list[StudyRecipe]:
    return list(study.recipes.filter(score="exact").order_by("k", "id"))


def _bucket_context(study: Study) -> dict[str, Any]:
    """Histograms and bucket tables, one of each per k."""
    evaluation = figures.evaluate_study(study=study, score="exact")
    panels = []
    for recipe in _exact_recipes(study):
        rows = [bucket for bucket in evaluation.buckets if bucket.recipe == recipe.recipe]
        counts = [
            charts.BucketCount(
                low=row.low / 1000,
                high=row.high / 1000,
                population=row.population,
                labelled=row.labelled,
                share=row.share,
            )
            for row in rows
        ]
        panels.append({"recipe": recipe, "rows": rows, "chart": charts.histogram(f"k = {recipe.k}", counts)})
    return {"panels": panels, "evaluation": evaluation}


@require_safe
def study(request: PageRequest, study_id: int) -> HttpResponse:
    """The pool, its buckets, how much is labelled, and the way to label."""
    found = fetched(request, Study.objects.select_related("corpus", "created_by"), pk=study_id)
    context: dict[str, Any] = {
        "study": found,
        "corpus": found.corpus,
        "job": found.jobs.order_by("-created_at", "-id").first(),
        "now": timezone.now(),
        "spec": found.spec,
        "largest_hub": max((hub["size"] for hub in found.hub_buckets), default=0),
        **_curve(found.spec["collection_threshold"], found.spec["num_perm"]),
    }
    if found.state == Study.State.READY:
        context |= _bucket_context(found)
        context["progress"] = labels.progress(found, request.user.pk)
    return render_page(request, "labeling/study.html", context)
