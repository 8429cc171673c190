"""From figures to a decision that can be defended, and what came of it."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from dedup.evaluation import Figure
from labeling.forms.decisions import DecisionForm, recipe_name
from labeling.forms.evaluation import RULES
from labeling.http import PageRequest, fetched, render_page, row_number
from labeling.models import Decision, Study, StudyRecipe
from labeling.services import blocked, cluster_facets, cluster_review, decisions, figures
from labeling.services.access import Right
from labeling.services.link_rules import needs_numbers, product_part

COUNTS = {
    "documents": "Documents",
    "representatives": "Representatives",
    "duplicates": "Duplicates",
    "no_content": "No content",
    "clusters": "Clusters of two and more",
    "largest": "Largest cluster",
    "links": "Links, with those by people",
}
ORDER_NAMES = {
    "canonical": "declared canonical URL",
    "first_seen": "first seen",
    "trust": "most trusted source",
}
REMARKS = {
    "implied_pairs": "Pairs in one cluster without a link of their own",
    "blocked_by_rule": "Pairs kept apart by the product rule",
    "held_for_review": "Pairs held for review",
    "contradictions": "Pairs that people called distinct, in one cluster all the same",
    "outside_study": "Documents added after the study was run",
}
CHANGES = {
    "split": "Clusters split",
    "merged": "Clusters merged",
    "new": "Clusters new",
    "representative": "Documents with another representative",
}


NUMBERS = {
    "kept": "Cluster numbers that live on",
    "new": "Cluster numbers that are new",
    "retired": "Cluster numbers that are retired",
}


def _figure(study: Study, recipe: StudyRecipe, threshold: float, rule: str) -> Figure | None:
    """The figures that a decision would record."""
    evaluation = figures.evaluate_study(study=study, score=recipe.score, thresholds=(threshold,), rule=rule)
    return next((row for row in evaluation.figures if row.recipe == recipe.recipe), None)


def _initial(request: PageRequest, study: Study) -> dict[str, Any]:
    """What the address names, else the first exact recipe at 0.6."""
    first = study.recipes.filter(score="exact").order_by("k", "id").first() or study.recipes.first()
    chosen = request.GET.get("recipe", "")
    recipe = study.recipes.filter(pk=row_number(chosen)).first()
    try:
        threshold = float(request.GET.get("threshold", "0.6"))
    except ValueError:
        threshold = 0.6
    return {
        "recipe": recipe or first,
        "threshold": threshold,
        "rule": _initial_rule(study, recipe or first, threshold, request.GET.get("rule", "")),
        "representative_order": "canonical,first_seen,trust",
    }


def _initial_rule(study: Study, recipe: StudyRecipe | None, threshold: float, rule: str) -> str:
    """What the address names, with numbers that must match where that is advised."""
    if recipe is None or rule not in dict(RULES):
        return ""
    try:
        decisions.check(study=study, recipe=recipe, threshold=threshold, rule=rule)
    except decisions.DecisionError:
        return rule
    return (
        rule
        if needs_numbers(rule)
        else blocked.advised_rule(study=study, recipe=recipe, threshold=threshold, rule=rule)
    )


def _blocked(study: Study, recipe: StudyRecipe, threshold: float, rule: str) -> dict[str, Any]:
    """What the chosen product rule blocks, and what would be held if numbers had to match."""
    product = product_part(rule)
    chosen: dict[str, Any] = {"study": study, "recipe": recipe, "threshold": threshold}
    return {
        "is_held": needs_numbers(rule),
        "held": blocked.held_links(**chosen, rule=rule),
        "blocked": blocked.blocked_links(**chosen, rule=product) if product else None,
    }


def _outlook(study: Study, values: dict[str, Any]) -> dict[str, Any]:
    """Figures and dry run for the values of the form."""
    recipe, threshold, rule = values["recipe"], values["threshold"], values.get("rule", "")
    outlook: dict[str, Any] = {
        "recipe": recipe,
        "threshold": threshold,
        "rule": rule,
        "rule_name": dict(RULES).get(rule, rule),
    }
    try:
        decisions.check(study=study, recipe=recipe, threshold=threshold, rule=rule)
        outlook["figure"] = _figure(study, recipe, threshold, rule)
        outlook |= _blocked(study, recipe, threshold, rule)
        if rule:
            outlook["figure_without"] = _figure(study, recipe, threshold, "")
        counts = decisions.dry_run(study=study, recipe=recipe, threshold=threshold, rule=rule)
    except decisions.DecisionError as error:
        return outlook | {"problem": str(error)}
    return outlook | {"outcome": _outcome(counts)}


def _counts(values: Mapping[str, Any], names: Mapping[str, str]) -> list[tuple[str, int]]:
    """The counts that have a name for people, in the order of the names."""
    return [(label, values[name]) for name, label in names.items() if isinstance(values.get(name), int)]


def _outcome(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a decision comes to, in three groups: documents and clusters, what to look at, changes."""
    return {
        "counts": _counts(values, COUNTS),
        "remarks": _counts(values, REMARKS),
        "changes": _counts(values.get("changes") or {}, CHANGES),
        "numbers": _counts(values.get("numbers") or {}, NUMBERS),
        "largest_changes": (values.get("numbers") or {}).get("largest_changes") or [],
    }


def _reconciled(summary: dict[str, Any]) -> str:
    """How the documents add up; empty while the clusters are being written."""
    names = ("documents", "representatives", "duplicates", "no_content")
    if any(name not in summary for name in names):
        return ""
    documents, representatives, duplicates, no_content = (summary[name] for name in names)
    return (
        f"{documents:,} documents = {representatives:,} representatives (single documents among them) "
        f"+ {duplicates:,} duplicates + {no_content:,} without content."
    )


def _giant(decision: Decision) -> dict[str, Any] | None:
    """The cluster that looks too large, with the link that makes it."""
    found = cluster_facets.giant_of(decision)
    if found is None:
        return None
    ties = cluster_review.ties_of(found)
    giant: dict[str, Any] = {
        "cluster": found,
        "share": found.documents / decision.summary["documents"],
        "ties": ties,
    }
    if ties.weakest is not None:
        [tie] = ties.take([ties.weakest])
        names = cluster_review.documents_of_texts([tie.link.left_id, tie.link.right_id])
        giant |= {"tie": tie, "left": names.get(tie.link.left_id), "right": names.get(tie.link.right_id)}
    return giant


def _replay(decision: Decision) -> str:
    """The command that takes this decision again."""
    parts = [
        "manage.py decide",
        str(decision.study_id),
        f"--k {decision.recipe.k}",
        f"--threshold {decision.threshold:g}",
    ]
    parts.append(f"--score {decision.recipe.score}")
    if decision.rule:
        parts.append(f"--rule {decision.rule}")
    parts.append(f"--representative {','.join(decision.representative_order)}")
    return " ".join(parts)


def _record(request: PageRequest, study: Study, form: DecisionForm) -> HttpResponse | None:
    """Take the decision; None with a sentence in the form where it can't be taken."""
    values = form.cleaned_data
    try:
        decision, _ = decisions.decide(
            study=study,
            recipe=values["recipe"],
            threshold=values["threshold"],
            rule=values["rule"],
            representative_order=values["representative_order"].split(","),
            reason=values["reason"],
            author_id=request.user.pk,
            at=timezone.now(),
        )
    except decisions.DecisionError as error:
        form.add_error(None, str(error))
        return None
    messages.success(request, f"Decision {decision.number} is recorded.", "good")
    return redirect("labeling:decision", decision.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def decide(request: PageRequest, study_id: int) -> HttpResponse:
    """Choose recipe, threshold and rules; look at what would be recorded; record it."""
    study = fetched(request, Study.objects.select_related("corpus"), Right.OWN, pk=study_id)
    if study.state != Study.State.READY:
        return redirect("labeling:study", study_id)
    initial = _initial(request, study)
    form = DecisionForm(request.POST or None, study=study, initial=initial)
    is_preview = "preview" in request.POST
    if request.method == "POST" and form.is_valid() and not is_preview:
        recorded = _record(request, study, form)
        if recorded is not None:
            return recorded
    cleaned = form.cleaned_data if form.is_bound and form.cleaned_data else {}
    values = cleaned if {"recipe", "threshold"} <= set(cleaned) else initial
    context = {"study": study, "corpus": study.corpus, "form": form, "outlook": None}
    context["has_former"] = study.corpus.decisions.exists()
    if values["recipe"]:
        context |= {"outlook": _outlook(study, values), "outlook_name": recipe_name(values["recipe"])}
    status = 422 if request.method == "POST" and not is_preview else 200
    return render_page(
        request, "labeling/decide.html", context, partial="labeling/outlook.html", status=status
    )


@require_safe
def decision(request: PageRequest, decision_id: int) -> HttpResponse:
    """What was decided, on which figures, by whom, and what came of it."""
    rows = Decision.objects.select_related("study", "corpus", "recipe", "author")
    found = fetched(request, rows, pk=decision_id)
    context = {
        "decision": found,
        "study": found.study,
        "corpus": found.corpus,
        "recipe_name": recipe_name(found.recipe),
        "rule_name": dict(RULES).get(found.rule, found.rule),
        "representative_order": ", else ".join(
            ORDER_NAMES.get(name, name) for name in found.representative_order
        ),
        "outcome": _outcome(found.summary),
        "reconciled": _reconciled(found.summary),
        "giant": _giant(found),
        "replay": _replay(found),
        "job": found.jobs.order_by("-created_at", "-id").first(),
        "exports": found.exports.order_by("-at", "-id"),
        "now": timezone.now(),
    }
    return render_page(request, "labeling/decision.html", context)
