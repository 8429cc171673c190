"""Pairs of a study with everything that is known about them; not for labelling, since scores are visible."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from labeling.http import PAGE_ROWS, PageRequest, fetched, render_page
from labeling.models import Label, Study, StudyPair
from labeling.services import labels, remarks
from labeling.services.reading_order import in_reading_order
from labeling.views.reading import MODES, read_pair, remember_mode

VERDICTS = ("duplicate", "distinct", "unsure")


def _scores(study_pair: StudyPair) -> list[dict[str, Any]]:
    """One row per way to score: the level as a similarity, or as differing bits."""
    rows = []
    for recipe in study_pair.study.recipes.order_by("k", "score", "id"):
        level = study_pair.levels.get(f"{recipe.digest}:{recipe.score}")
        if level is not None:
            value = None if recipe.score == "hamming" else level / recipe.scale
            rows.append({"recipe": recipe, "level": level, "value": value})
    return rows


@require_safe
def pair(request: PageRequest, study_id: int, study_pair_id: int) -> HttpResponse:
    """One pair with its scores, its difference and every answer ever given."""
    rows = StudyPair.objects.select_related("study__corpus", "pair__left", "pair__right")
    found = fetched(request, rows, study=study_id, pk=study_pair_id)
    history = Label.objects.filter(pair=found.pair_id).select_related("labeller", "study").order_by("-id")
    answers = list(history)
    held = remarks.remarks_of(answers)
    context = {
        "study_pair": found,
        "pair_name": f"Pair {found.pk}",
        "study": found.study,
        "corpus": found.study.corpus,
        "reading": read_pair(request, found, swapped=False),
        "modes": MODES,
        "scores": _scores(found),
        "rules": in_reading_order(found.passes_rule),
        "history": [{"label": row, "remarks": held[row.pk]} for row in answers],
        "verdict": labels.current_verdicts(found.study).get(found.pair_id, ""),
    }
    return remember_mode(request, render_page(request, "labeling/pair.html", context))


@require_safe
def pairs(request: PageRequest, study_id: int) -> HttpResponse:
    """The pairs of a study that are kept as rows, in the order of the queue (position, then id: complete, so paging is stable)."""
    study = fetched(request, Study.objects.select_related("corpus"), pk=study_id)
    verdicts = labels.current_verdicts(study)
    verdict = request.GET.get("verdict", "")
    keys = study.study_pairs.order_by("position", "id").values_list("pk", "pair_id")
    wanted = {"none": ""}.get(verdict, verdict if verdict in VERDICTS else None)
    kept = [key for key, pair in keys if wanted in {None, verdicts.get(pair, "")}]
    page = Paginator(kept, PAGE_ROWS).get_page(request.GET.get("page"))
    shown = study.study_pairs.select_related("pair__left", "pair__right").in_bulk(list(page))
    held = remarks.remarks_by_pair(study, [row.pair_id for row in shown.values()])
    recipes = list(study.recipes.filter(score="exact").order_by("k", "id"))
    listed = [
        {
            "study_pair": row,
            "verdict": verdicts.get(row.pair_id, ""),
            "remarks": held.get(row.pair_id, ()),
            "levels": [row.levels.get(f"{recipe.digest}:exact") for recipe in recipes],
            "left": row.pair.left.documents.order_by("id").first(),
            "right": row.pair.right.documents.order_by("id").first(),
        }
        for row in (shown[key] for key in page)
    ]
    context = {
        "study": study,
        "corpus": study.corpus,
        "page": page,
        "rows": listed,
        "recipes": recipes,
        "verdict": verdict,
    }
    return render_page(request, "labeling/pairs.html", context)
