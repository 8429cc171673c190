"""What people's answers come to: one current answer per person and pair, one final verdict per pair."""

from collections.abc import Collection, Iterable, Mapping

from django.db.models import F

from labeling.models import Corpus, Label, Study

PairAndLabeller = tuple[int, int]


def newest_answers(study: Study) -> dict[PairAndLabeller, str]:
    """The current answer of each person to each pair of the study; answers that were taken back are left out."""
    rows = Label.objects.filter(pair__study_pairs__study=study)
    return _newest(rows.order_by("id").values_list("pair_id", "labeller_id", "verdict"))


def current_verdicts(study: Study) -> dict[int, str]:
    """The final verdict of each judged pair of the study, whatever study it was judged in.

    People who disagree make a pair ``unsure``.
    """
    return _final(newest_answers(study))


def corpus_verdicts(corpus: Corpus) -> dict[int, str]:
    """The final verdict of each judged pair of the corpus."""
    rows = Label.objects.filter(pair__corpus=corpus)
    return _final(_newest(rows.order_by("id").values_list("pair_id", "labeller_id", "verdict")))


def verdicts_of_pairs(pairs: Collection[int]) -> dict[int, str]:
    """The final verdict of each judged one of some pairs, by their ids."""
    rows = Label.objects.filter(pair__in=pairs)
    return _final(_newest(rows.order_by("id").values_list("pair_id", "labeller_id", "verdict")))


def unsurfaced_duplicates(study: Study) -> int:
    """Number of pairs that people of this study called duplicates and that its pool doesn't hold.

    Texts of equal words are no candidates, since the exact layer has them.
    """
    rows = (
        Label.objects.filter(study=study)
        .exclude(pair__in=study.study_pairs.values("pair"))
        .exclude(pair__left__exact_key=F("pair__right__exact_key"))
    )
    final = _final(_newest(rows.order_by("id").values_list("pair_id", "labeller_id", "verdict")))
    return sum(1 for verdict in final.values() if verdict == Label.Verdict.DUPLICATE)


def _newest(rows: Iterable[tuple[int, int, str]]) -> dict[PairAndLabeller, str]:
    newest = {(pair, labeller): verdict for pair, labeller, verdict in rows}
    return {key: verdict for key, verdict in newest.items() if verdict != Label.Verdict.WITHDRAWN}


def _final(answers: Mapping[PairAndLabeller, str]) -> dict[int, str]:
    final: dict[int, str] = {}
    for (pair, _), verdict in answers.items():
        agrees = final.setdefault(pair, verdict) == verdict
        final[pair] = verdict if agrees else str(Label.Verdict.UNSURE)
    return final
