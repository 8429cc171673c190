"""The two piles: labelled pairs on the wrong side of a threshold, each to be opened and learnt from."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from labeling.models import Label, Study, StudyPair, StudyRecipe
from labeling.services import remarks
from labeling.services.verdicts import current_verdicts

SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A labelled pair with its score: a similarity from 0 to 1, or a number of bits."""

    study_pair: StudyPair
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Piles:
    """Labelled duplicates that the threshold would miss, and labelled distinct pairs that it would merge.

    Nearest to the threshold first, at most 50 of each; the counts are those of all. The reasons that people gave for the
    pairs of a pile come with the number of pairs that have them.
    """

    recipe: StudyRecipe
    threshold: float
    missed: list[Entry]
    wrong: list[Entry]
    missed_count: int
    wrong_count: int
    missed_reasons: list[tuple[str, int]]
    wrong_reasons: list[tuple[str, int]]


def piles_at(study: Study, recipe: StudyRecipe, threshold: float) -> Piles:
    """Sort the labelled pairs of a study by the side of the threshold that they don't belong to."""
    verdicts = current_verdicts(study)
    key = f"{recipe.digest}:{recipe.score}"
    missed: list[Entry] = []
    wrong: list[Entry] = []
    judged = Label.objects.filter(pair=OuterRef("pair"))
    for row in study.study_pairs.filter(Exists(judged)).order_by("position", "id"):
        verdict, level = verdicts.get(row.pair_id), row.levels.get(key)
        if level is None or verdict is None:
            continue
        value = level if recipe.score == "hamming" else level / recipe.scale
        accepted = value <= threshold if recipe.score == "hamming" else value >= threshold - 1e-9
        if verdict == Label.Verdict.DUPLICATE and not accepted:
            missed.append(Entry(study_pair=row, value=value))
        elif verdict == Label.Verdict.DISTINCT and accepted:
            wrong.append(Entry(study_pair=row, value=value))
    return Piles(
        recipe=recipe,
        threshold=threshold,
        missed=_nearest(missed, threshold),
        wrong=_nearest(wrong, threshold),
        missed_count=len(missed),
        wrong_count=len(wrong),
        missed_reasons=_reasons(study, missed),
        wrong_reasons=_reasons(study, wrong),
    )


def _reasons(study: Study, entries: list[Entry]) -> list[tuple[str, int]]:
    pairs = [entry.study_pair.pair_id for entry in entries]
    return remarks.count_reasons(remarks.reasons_by_pair(study, pairs).values())


def _nearest(entries: list[Entry], threshold: float) -> list[Entry]:
    return sorted(entries, key=lambda entry: (abs(entry.value - threshold), entry.study_pair.pk))[:SHOWN]
