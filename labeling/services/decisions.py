"""Decisions: what was chosen, on which figures, and what it would change before it is taken."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from dedup.evaluation import Figure
from dedup.representatives import ORDER, RuleName
from dedup.segments import SegmentError
from dedup.specs import RecipeMismatchError
from labeling.models import Decision, Job, Study, StudyRecipe
from labeling.services import figures, jobs, linking, partitions, representing
from labeling.services.link_rules import RULES
from labeling.services.studies import StudyError, check_ready

ATTEMPTS = 5
DOUBLE_CLICK = timedelta(seconds=5)


class DecisionError(ValueError):
    """A decision can't be taken; the message is one sentence for people."""


def decide(
    *,
    study: Study,
    recipe: StudyRecipe,
    threshold: float,
    rule: str,
    representative_order: Sequence[str],
    reason: str,
    author_id: int | None,
    at: datetime,
) -> tuple[Decision, Job]:
    """Record a decision with the figures it is taken on, and queue the job that publishes its clusters.

    Raises ``DecisionError`` where study, recipe, threshold, rule or order don't fit together.
    """
    check(
        study=study, recipe=recipe, threshold=threshold, rule=rule, representative_order=representative_order
    )
    evaluation = figures.evaluate_study(study=study, score=recipe.score, thresholds=(threshold,), rule=rule)
    figure = next(
        (row for row in evaluation.figures if (row.recipe, row.score) == (recipe.recipe, recipe.score)), None
    )
    values: dict[str, Any] = {
        "study": study,
        "corpus": study.corpus,
        "recipe": recipe,
        "threshold": threshold,
        "rule": rule,
        "representative_order": list(representative_order),
        "reason": reason,
        "figures": {} if figure is None else figure_values(figure),
        "label_counts": asdict(evaluation.labels),
        "author_id": author_id,
        "at": at,
    }
    for _ in range(ATTEMPTS):
        try:
            return _record(values, author_id, at)
        except IntegrityError:
            continue
    raise DecisionError("Several people are deciding at this moment; try again.")


@transaction.atomic
def _record(values: dict[str, Any], author_id: int | None, at: datetime) -> tuple[Decision, Job]:
    corpus = values["corpus"]
    pressed_before = None if author_id is None else _just_taken(values, at)
    if pressed_before is not None:
        return pressed_before, pressed_before.jobs.order_by("id")[0]
    last = corpus.decisions.aggregate(last=Max("number"))["last"] or 0
    decision = Decision.objects.create(number=last + 1, **values)
    job = jobs.enqueue(
        kind=Job.Kind.DECIDE,
        corpus=corpus,
        study=decision.study,
        decision=decision,
        payload={},
        by_id=author_id,
        at=at,
    )
    return decision, job


def _just_taken(values: dict[str, Any], at: datetime) -> Decision | None:
    """The newest decision of the corpus, if the same person took the very same one a moment ago: a double click."""
    last = values["corpus"].decisions.order_by("-number").first()
    names = ("study", "recipe", "threshold", "rule", "representative_order", "reason", "author_id")
    if last is None or at - last.at > DOUBLE_CLICK:
        return None
    return last if all(getattr(last, name) == values[name] for name in names) else None


def figure_values(figure: Figure) -> dict[str, Any]:
    """A figure as JSON; its intervals become objects, and nothing in it is NaN."""
    values = asdict(figure)
    return values | {"warnings": list(figure.warnings)}


def check(
    *,
    study: Study,
    recipe: StudyRecipe,
    threshold: float,
    rule: str,
    representative_order: Sequence[str] = ORDER,
) -> None:
    """Raise ``DecisionError`` where study, recipe, threshold, rule or order don't fit together."""
    try:
        check_ready(study)
    except StudyError as error:
        raise DecisionError(str(error)) from error
    if recipe.study_id != study.pk:
        raise DecisionError("The recipe belongs to another study.")
    _check_threshold(recipe, threshold)
    if rule and rule not in RULES:
        raise DecisionError(f"There is no product rule “{rule}”; known are {', '.join(RULES)}.")
    unknown = [name for name in representative_order if name not in ORDER]
    if unknown or len(set(representative_order)) != len(representative_order):
        raise DecisionError(f"Representatives are chosen by {', '.join(ORDER)}, each named once.")


def _check_threshold(recipe: StudyRecipe, threshold: float) -> None:
    highest = recipe.scale if recipe.score == "hamming" else 1
    if not 0 <= threshold <= highest:
        raise DecisionError(
            f"For this score a threshold lies between 0 and {highest}, and {threshold:g} doesn't."
        )
    if recipe.score == "exact" and abs(threshold * recipe.scale - round(threshold * recipe.scale)) > 1e-6:
        raise DecisionError(
            f"A threshold has at most three digits behind the point, and {threshold!r} has more."
        )


def dry_run(
    *,
    study: Study,
    recipe: StudyRecipe,
    threshold: float,
    rule: str = "",
    representative_order: Sequence[RuleName] | None = None,
) -> dict[str, Any]:
    """What a decision would publish, and change against the active one; nothing is written.

    With ``representative_order``, ``changes`` also counts the documents that would get another representative, which
    takes a while in a large corpus. Raises ``DecisionError`` like ``decide``, and where the pool can't be read.
    """
    check(study=study, recipe=recipe, threshold=threshold, rule=rule)
    corpus = study.corpus
    try:
        linked = linking.link_texts(study=study, recipe=recipe, threshold=threshold, rule=rule)
    except (SegmentError, RecipeMismatchError) as error:
        raise DecisionError(f"{error}; run the study again.") from error
    after = partitions.partition_of(corpus, linked)
    active = partitions.active_decision(corpus)
    before = None if active is None else partitions.published_partition(active)
    changes = partitions.changes(before, after)
    if representative_order is not None:
        chosen = representing.choose_representatives(
            corpus, after.documents, after.clusters, representative_order
        )
        new = representing.representatives_by_document(chosen)
        old = {} if active is None else representing.published_representatives(active)
        changes["representative"] = partitions.moved_representatives(old, new)
    return {**partitions.summarise(corpus, linked, after), "changes": changes}
