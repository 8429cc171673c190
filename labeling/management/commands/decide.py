from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from dedup.representatives import ORDER, RuleName
from labeling.management.answering import AnsweringCommand, CommandRefusedError
from labeling.management.working import finish_job
from labeling.models import Job, Study, StudyRecipe
from labeling.services import blocked, decisions, pair_rows, studies
from labeling.services.link_rules import RULES, needs_numbers, with_numbers

COUNTS = (
    "clusters",
    "documents",
    "duplicates",
    "largest",
    "implied_pairs",
    "blocked_by_rule",
    "held_for_review",
    "no_content",
)


class Command(AnsweringCommand):
    """Decide, and publish the clusters."""

    help = "Record a decision with its figures, cluster the corpus by it, and publish the clusters."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which study, recipe and threshold, and which rules."""
        parser.add_argument("study", metavar="STUDY", help="Name or id.")
        parser.add_argument("--k", type=int)
        parser.add_argument("--recipe", help="Full name or digest, instead of --k.")
        parser.add_argument("--threshold", type=float, required=True)
        parser.add_argument("--score", choices=["exact", "estimate", "hamming"], default="exact")
        parser.add_argument("--rule", choices=RULES, default="", help="What linked product pages must share.")
        parser.add_argument(
            "--numbers",
            choices=["auto", "hold", "merge"],
            default="auto",
            help="Hold links whose numbers or signs differ for a person, or merge them. auto: hold them, unless labels "
            "say that most of them are duplicates.",
        )
        parser.add_argument("--representative", default=",".join(ORDER), metavar="RULE,RULE,...")
        parser.add_argument("--reason", default="")
        parser.add_argument("--dry-run", action="store_true", help="Only say what would come of it.")

    def answer(self, options: dict[str, Any]) -> None:
        """Decide, or look at what a decision would do."""
        study = studies.find_study(name=options["study"])
        studies.check_ready(study)
        if options["k"] is None and options["recipe"] is None:
            raise CommandRefusedError("Name the recipe with --k or --recipe.")
        recipe = pair_rows.find_recipe(study, name=options["recipe"], k=options["k"], score=options["score"])
        chosen = {
            "study": study,
            "recipe": recipe,
            "threshold": options["threshold"],
            "rule": _rule(options, study, recipe),
            "representative_order": _order(options["representative"]),
        }
        if options["dry_run"]:
            values = {"decision": None, "rule": chosen["rule"], **decisions.dry_run(**chosen)}
            self.reply(values, _lines("This decision would give", values), as_json=options["json"])
            return
        decision, job = decisions.decide(
            **chosen, reason=options["reason"], author_id=None, at=timezone.now()
        )
        job = finish_job(job)
        if job.state != Job.State.DONE:
            raise CommandRefusedError(job.error or f"{job} was {job.get_state_display().lower()}.")
        values = {
            "decision": decision.pk,
            "number": decision.number,
            "corpus": study.corpus.name,
            "study": study.name,
            "recipe": recipe.recipe,
            "threshold": decision.threshold,
            "rule": decision.rule,
            **job.report,
        }
        title = f"Decision {decision.number} of “{study.corpus}” (id {decision.pk}) gives"
        self.reply(values, _lines(title, values), as_json=options["json"])


def _rule(options: dict[str, Any], study: Study, recipe: StudyRecipe) -> str:
    """The rule that was named, with the part about numbers that was asked for."""
    rule: str = options["rule"]
    decisions.check(study=study, recipe=recipe, threshold=options["threshold"], rule=rule)
    if needs_numbers(rule) or options["numbers"] == "merge":
        return rule
    if options["numbers"] == "hold":
        return with_numbers(rule)
    return blocked.advised_rule(study=study, recipe=recipe, threshold=options["threshold"], rule=rule)


def _order(names: str) -> list[RuleName]:
    known = {name: name for name in ORDER}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise CommandRefusedError(f"--representative takes some of {', '.join(ORDER)}, with commas between.")
    return [known[name] for name in wanted]  # type: ignore[index]


def _lines(title: str, values: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{values[name]:,} {name.replace('_', ' ')}" for name in COUNTS)
    changes = ", ".join(f"{count:,} {name}" for name, count in values["changes"].items())
    return [f"{title}: {counts}.", f"Against the active decision: {changes}."]
