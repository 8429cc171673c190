"""The page where the day is spent: two texts, one answer, the next two texts."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.forms.labelling import AnswerForm, RemarkForm, SkipForm
from labeling.http import PageRequest, fetched, render_page, row_number, wants_partial
from labeling.models import Label, Remark, Study, StudyPair
from labeling.services import figures, labels, remarks
from labeling.services.access import Right
from labeling.views.reading import MODES, read_pair, remember_mode

TEMPLATE, PARTIAL = "labeling/label.html", "labeling/label_pair.html"
GONE = "This pair has left the study since the page was made, so nothing was saved. Here is the next one."
ANSWERED = (
    "This page of the pair was answered before, as “{verdict}”, and nothing was saved now. "
    "Here is the pair again, for another answer."
)
RECENT = 20
RECENT_ROWS = 80


def _study(request: PageRequest, study_id: int) -> Study:
    return fetched(request, Study.objects.select_related("corpus"), Right.LABEL, pk=study_id)


def _recent(study: Study, labeller_id: int) -> list[dict[str, Any]]:
    """The labeller's latest answers in this study, newest first, each pair once, with the way to change it."""
    rows = Label.objects.filter(study=study, labeller=labeller_id).order_by("-id")[:RECENT_ROWS]
    newest: dict[int, Label] = {}
    for row in rows:
        newest.setdefault(row.pair_id, row)
    answers = [row for row in newest.values() if row.verdict != Label.Verdict.WITHDRAWN][:RECENT]
    study_pairs = StudyPair.objects.filter(study=study, pair__in=[row.pair_id for row in answers])
    by_pair = {study_pair.pair_id: study_pair for study_pair in study_pairs}
    held = remarks.remarks_of(answers)
    return [
        {"label": row, "study_pair": by_pair.get(row.pair_id), "remarks": held[row.pk]} for row in answers
    ]


def _about(study: Study, serving: labels.Serving | None, labeller_id: int) -> dict[str, Any]:
    """The answer that reasons, a note and a flag may be added to: that to the pair on the page, else the latest one."""
    own = labels.own_answer(serving.study_pair, labeller_id) if serving else None
    answer = own or labels.latest_answer(study, labeller_id)
    if answer is None:
        return {"answer": None}
    held = remarks.remarks_on(answer)
    chips = [
        {"number": number, "value": value, "name": name, "is_on": value in held.reasons}
        for number, (value, name) in enumerate(Remark.Reason.choices, start=1)
    ]
    return {"answer": answer, "is_about_this_pair": own is not None, "remarks": held, "chips": chips}


def _study_pair(request: PageRequest, study: Study, key: object) -> StudyPair:
    rows = StudyPair.objects.select_related("pair__left", "pair__right", "study__corpus")
    return fetched(request, rows, study=study, pk=row_number(str(key)))


def _served(request: PageRequest, study: Study, key: str | None) -> labels.Serving | None:
    """The pair that the key names, or the next one of the queue."""
    if key is None:
        return labels.next_pair(study=study, labeller_id=request.user.pk, at=timezone.now())
    return labels.serve(study_pair=_study_pair(request, study, key), labeller_id=request.user.pk)


def _finished(study: Study) -> dict[str, Any]:
    """What the labels bought: the recommended decision and its figure."""
    evaluation = figures.evaluate_study(study=study, score="exact")
    rule, choice = next(
        ((rule, choice) for rule, choice in evaluation.recommended.items() if choice), (None, None)
    )
    figure = None
    if choice is not None:
        recipe, score, threshold = choice
        figure = next(
            (
                row
                for row in evaluation.figures
                if (row.recipe, row.score, row.threshold) == (recipe, score, threshold)
            ),
            None,
        )
    return {"rule": rule, "figure": figure, "evaluation": evaluation}


def _page(
    request: PageRequest, study: Study, serving: labels.Serving | None, *, status: int = 200, **more: object
) -> HttpResponse:
    context: dict[str, Any] = {
        "study": study,
        "corpus": study.corpus,
        "serving": serving,
        "modes": MODES,
        "progress": labels.progress(study, request.user.pk),
        "recent": _recent(study, request.user.pk),
        "about": _about(study, serving, request.user.pk),
        "is_partial": wants_partial(request),
        "notices": [
            {"text": str(message), "is_saved": message.extra_tags == "saved"}
            for message in messages.get_messages(request)
        ],
        **more,
    }
    if serving is None:
        context |= {"finished": _finished(study), "undo_key": labels.undo_key(request.user.pk)}
        return render_page(request, TEMPLATE, context, partial=PARTIAL, status=status)
    context["reading"] = read_pair(request, serving.study_pair, swapped=serving.swapped)
    response = render_page(request, TEMPLATE, context, partial=PARTIAL, status=status)
    return remember_mode(request, response)


@require_safe
def label(request: PageRequest, study_id: int) -> HttpResponse:
    """The next pair of the queue, or the one that the address names."""
    study = _study(request, study_id)
    if study.state != Study.State.READY:
        return redirect("labeling:study", study_id)
    serving = _served(request, study, request.GET.get("pair"))
    return _page(request, study, serving, note=request.GET.get("note", ""))


def _to_queue(study_id: int, **query: object) -> HttpResponseRedirect:
    address = reverse("labeling:label", args=[study_id])
    return HttpResponseRedirect(f"{address}?{urlencode(query)}" if query else address)


def _not_saved(request: PageRequest, study_id: int) -> HttpResponse:
    """Say that the session has ended; the answer stays in the page, or in the address that follows the sign-in."""
    values = {
        name: request.POST.get(name, "")
        for name in ("key", "study_pair", "swapped", "verdict", "note", "flag")
    }
    resend = f"{reverse('labeling:label_answer', args=[study_id])}?{urlencode(values)}"
    context = {
        "sign_in": f"{reverse('labeling:sign_in')}?{urlencode({'next': resend})}",
        "verdict": values["verdict"],
    }
    response = render_page(
        request, "labeling/not_saved.html", context, partial="labeling/not_saved_status.html", status=401
    )
    response["HX-Retarget"] = "#status"
    response["HX-Reswap"] = "innerHTML"
    return response


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def label_answer(request: PageRequest, study_id: int) -> HttpResponse:
    """Record a verdict, then go on to the next pair. A GET after signing in again offers to send the answer that waits."""
    if not request.user.is_authenticated:
        if request.method == "POST":
            return _not_saved(request, study_id)
        return redirect(f"{reverse('labeling:sign_in')}?{urlencode({'next': request.get_full_path()})}")
    study = _study(request, study_id)
    if request.method != "POST":
        form = AnswerForm(request.GET)
        if not form.is_valid():
            return _to_queue(study_id)
        return render_page(
            request, "labeling/resend.html", {"study": study, "corpus": study.corpus, "form": form}
        )
    form = AnswerForm(request.POST)
    if not form.is_valid():
        return _refused(
            request, study, "The answer was incomplete, so nothing was saved. Here is the pair again."
        )
    return _record(request, study, form.cleaned_data)


def _refused(request: PageRequest, study: Study, sentence: str) -> HttpResponse:
    """Show the same pair, freshly served, and say why the answer was not taken."""
    key = request.POST.get("study_pair", "")
    is_there = StudyPair.objects.filter(study=study, pk=row_number(key)).exists()
    serving = _served(request, study, key if is_there else None)
    return _page(
        request,
        study,
        serving,
        status=422,
        problem=sentence,
        note=request.POST.get("note", ""),
        flag=request.POST.get("flag", ""),
    )


def _record(request: PageRequest, study: Study, answer: dict[str, Any]) -> HttpResponse:
    study_pair = study.study_pairs.filter(pk=answer["study_pair"]).first()
    if study_pair is None:
        return _refused(request, study, GONE)
    try:
        row = labels.record(
            serving_key=answer["key"],
            study_pair=study_pair,
            labeller_id=request.user.pk,
            verdict=Label.Verdict(answer["verdict"]),
            swapped=answer["swapped"],
            at=timezone.now(),
            note=answer["note"],
            is_flagged=answer["flag"],
        )
    except labels.LabelError as error:
        return _refused(request, study, str(error))
    if row.verdict != answer["verdict"] or not labels.still_stands(row):
        return _refused(request, study, ANSWERED.format(verdict=row.get_verdict_display().lower()))
    messages.success(request, f"Saved: {row.get_verdict_display().lower()}.", "saved")
    return _to_queue(study.pk)


@require_POST
def label_skip(request: PageRequest, study_id: int) -> HttpResponse:
    """Put the pair aside; it comes back after the others."""
    study = _study(request, study_id)
    form = SkipForm(request.POST)
    if not form.is_valid():
        return _refused(request, study, "Nothing was skipped. Here is the pair again.")
    values = form.cleaned_data
    study_pair = study.study_pairs.filter(pk=values["study_pair"]).first()
    if study_pair is None:
        return _refused(request, study, GONE)
    try:
        labels.skip(
            serving_key=values["key"],
            study_pair=study_pair,
            labeller_id=request.user.pk,
            at=timezone.now(),
        )
    except labels.LabelError as error:
        return _refused(request, study, str(error))
    messages.info(request, "Skipped; this pair comes back after the others.", "skipped")
    return _to_queue(study.pk)


@require_POST
def label_remark(request: PageRequest, study_id: int) -> HttpResponse:
    """Add a reason, the flag or a note to an answer of one's own, or take it back; then show the same pair again."""
    study = _study(request, study_id)
    form = RemarkForm(request.POST)
    if not form.is_valid():
        return _refused(request, study, "Nothing was added to your answer. Here is the pair again.")
    values = form.cleaned_data
    own = Label.objects.filter(labeller=request.user.pk, pair__corpus=study.corpus_id)
    answer = own.filter(pk=values["label"]).first()
    if answer is None:
        raise Http404
    _set_remark(answer, values)
    study_pair = study.study_pairs.filter(pk=values["study_pair"]).first()
    if not wants_partial(request):
        return _to_queue(study.pk, pair=study_pair.pk) if study_pair else _to_queue(study.pk)
    serving = labels.serve(study_pair=study_pair, labeller_id=request.user.pk) if study_pair else None
    context = {"study": study, "serving": serving, "about": _about(study, serving, request.user.pk)}
    return render_page(request, "labeling/last_answer.html", context, partial="labeling/last_answer.html")


def _set_remark(answer: Label, values: dict[str, Any]) -> None:
    at = timezone.now()
    chosen, is_on = values["give"] or values["take"], bool(values["give"])
    if values["save_note"]:
        remarks.set_note(label=answer, note=values["note"], at=at)
    elif chosen == "flag":
        remarks.set_flag(label=answer, is_on=is_on, at=at)
    else:
        remarks.set_reason(label=answer, reason=chosen, is_on=is_on, at=at)


@require_POST
def label_undo(request: PageRequest, study_id: int) -> HttpResponse:
    """Take back the labeller's own last answer and show its pair again."""
    study = _study(request, study_id)
    study_pair = labels.undo_last(
        study=study, labeller_id=request.user.pk, at=timezone.now(), key=request.POST.get("key", "")
    )
    if study_pair is None:
        messages.info(request, "There is no answer of yours to take back.", "nothing")
        return _to_queue(study.pk)
    messages.info(request, "Your last answer was taken back. Here is its pair again.", "undone")
    return _to_queue(study.pk, pair=study_pair.pk)


@require_safe
def keys(request: PageRequest) -> HttpResponse:
    """The keys of the labelling page."""
    return render_page(request, "labeling/keys.html", {})
