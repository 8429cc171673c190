"""Pairs that a decision holds for review: the list, and each pair with the way to judge it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from labeling.forms.labelling import ClusterAnswerForm
from labeling.http import PageRequest, fetched, page_of, render_page
from labeling.models import Decision, HeldPair, Pair, StudyPair
from labeling.services import cluster_labels, held_pairs
from labeling.services.access import Right
from labeling.services.labels import LabelError
from labeling.views.reading import MODES, read_pair, remember_mode


@require_safe
def pairs(request: PageRequest, decision_id: int) -> HttpResponse:
    """The pairs that a decision holds, the most similar first."""
    decision = fetched(request, Decision.objects.select_related("corpus", "study", "recipe"), pk=decision_id)
    page = page_of(request, decision.held_pairs.select_related("left", "right").order_by("id"))
    context = {
        "decision": decision,
        "study": decision.study,
        "corpus": decision.corpus,
        "page": page,
        "rows": held_pairs.listed(list(page)),
        "total": decision.summary.get("held_for_review", page.paginator.count),
    }
    return render_page(request, "labeling/held_pairs.html", context)


def _answered(request: PageRequest, texts: cluster_labels.HeldTexts, form: ClusterAnswerForm) -> str:
    """Record the answer and say what it does; the sentence of what was wrong is returned."""
    if not form.is_valid():
        return "Answer duplicate, distinct or unsure; nothing was saved."
    try:
        label = cluster_labels.record(
            pair=texts,
            serving_key=form.cleaned_data["key"],
            labeller_id=request.user.pk,
            verdict=form.cleaned_data["verdict"],
            at=timezone.now(),
            note=form.cleaned_data["note"],
        )
    except LabelError as error:
        return str(error)
    messages.success(request, f"Saved as {label.verdict}. It counts from the next decision on.", "good")
    return ""


@require_http_methods(["GET", "HEAD", "POST"])
def pair(request: PageRequest, decision_id: int, held_id: int) -> HttpResponse:
    """One held pair, read side by side, and a verdict on it."""
    rows = HeldPair.objects.select_related(
        "left", "right", "decision__corpus", "decision__study", "decision__recipe"
    )
    right = Right.LABEL if request.method == "POST" else Right.SEE
    held = fetched(request, rows, right, pk=held_id, decision=decision_id)
    decision, texts = held.decision, cluster_labels.HeldTexts(held=held)
    form = ClusterAnswerForm(request.POST or None)
    problem = _answered(request, texts, form) if request.method == "POST" else ""
    if request.method == "POST" and not problem:
        return redirect("labeling:held_pairs", decision.pk)
    unsaved = StudyPair(
        study=decision.study, pair=Pair(corpus=decision.corpus, left=held.left, right=held.right)
    )
    context = {
        "held": held,
        "decision": decision,
        "study": decision.study,
        "corpus": decision.corpus,
        "reading": read_pair(request, unsaved, swapped=False),
        "modes": MODES,
        "key": cluster_labels.serve(texts, request.user.pk),
        "history": held_pairs.history(held),
        "problem": problem,
    }
    response = render_page(request, "labeling/held_pair.html", context, status=422 if problem else 200)
    return remember_mode(request, response)
