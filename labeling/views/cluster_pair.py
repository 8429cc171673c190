"""Two texts of one cluster, read side by side, and a verdict on them."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from labeling.forms.labelling import ClusterAnswerForm
from labeling.http import PageRequest, fetched, render_page
from labeling.models import Cluster, Label, Pair, StudyPair
from labeling.services import cluster_labels
from labeling.services.access import Right
from labeling.services.cluster_labels import ClusterPair
from labeling.services.labels import LabelError
from labeling.views.reading import MODES, read_pair, remember_mode

SAVED = {
    Label.Verdict.DUPLICATE: "keeps them together",
    Label.Verdict.DISTINCT: "keeps them apart",
    Label.Verdict.UNSURE: "decides on their scores alone",
}


def _answered(request: PageRequest, pair: ClusterPair, form: ClusterAnswerForm) -> str:
    """Record the answer and say what it does; the sentence of what was wrong is returned."""
    if not form.is_valid():
        return "Answer duplicate, distinct or unsure; nothing was saved."
    try:
        label = cluster_labels.record(
            pair=pair,
            serving_key=form.cleaned_data["key"],
            labeller_id=request.user.pk,
            verdict=form.cleaned_data["verdict"],
            at=timezone.now(),
            note=form.cleaned_data["note"],
        )
    except LabelError as error:
        return str(error)
    effect = SAVED[Label.Verdict(label.verdict)]
    messages.success(
        request,
        f"Saved as {label.verdict}. The next decision {effect}; {pair.cluster.decision} stays as it was published.",
        "good",
    )
    return ""


@require_http_methods(["GET", "HEAD", "POST"])
def cluster_pair(request: PageRequest, cluster_id: int, one: int, other: int) -> HttpResponse:
    """What differs between two texts of a cluster; a verdict is a label like any other, and the next decision obeys it."""
    rows = Cluster.objects.select_related("decision__corpus", "decision__study", "decision__recipe")
    cluster = fetched(request, rows, Right.LABEL if request.method == "POST" else Right.SEE, pk=cluster_id)
    pair = cluster_labels.find_pair(cluster, one, other)
    if pair is None:
        raise Http404("These are not two texts of the cluster.")
    form = ClusterAnswerForm(request.POST or None)
    problem = _answered(request, pair, form) if request.method == "POST" else ""
    if request.method == "POST" and not problem:
        return redirect("labeling:cluster", cluster.pk)
    decision = cluster.decision
    unsaved = StudyPair(
        study=decision.study, pair=Pair(corpus=decision.corpus, left=pair.left, right=pair.right)
    )
    known = Pair.objects.filter(left=pair.left, right=pair.right).first()
    context = {
        "cluster": cluster,
        "decision": decision,
        "study": decision.study,
        "corpus": decision.corpus,
        "reading": read_pair(request, unsaved, swapped=False),
        "modes": MODES,
        "key": cluster_labels.serve(pair, request.user.pk),
        "link": decision.links.filter(left=pair.left, right=pair.right).first(),
        "history": [] if known is None else known.labels.select_related("labeller").order_by("-id"),
        "problem": problem,
    }
    response = render_page(request, "labeling/cluster_pair.html", context, status=422 if problem else 200)
    return remember_mode(request, response)
