"""Files written from a decision."""

from pathlib import Path

from django.conf import settings
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from dedup.exporting import ExportError
from labeling.forms.decisions import ExportForm
from labeling.http import PageRequest, fetched, render_page
from labeling.models import Decision, Export
from labeling.services import exports
from labeling.services.access import Right


@require_http_methods(["GET", "HEAD", "POST"])
def export_new(request: PageRequest, decision_id: int) -> HttpResponse:
    """Choose what to write and in which format, write it, and list what has been written."""
    right = Right.LABEL if request.method == "POST" else Right.SEE
    decision = fetched(
        request, Decision.objects.select_related("corpus", "study", "recipe"), right, pk=decision_id
    )
    form = ExportForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and decision.state == Decision.State.PUBLISHED:
        try:
            exports.write_export(decision=decision, **form.cleaned_data, at=timezone.now())
        except ExportError as error:
            form.add_error(None, str(error))
        else:
            return redirect("labeling:export_new", decision_id)
    context = {
        "decision": decision,
        "study": decision.study,
        "corpus": decision.corpus,
        "form": form,
        "exports": decision.exports.order_by("-at", "-id"),
    }
    status = 422 if request.method == "POST" else 200
    return render_page(request, "labeling/export_new.html", context, status=status)


@require_safe
def export_file(request: PageRequest, export_id: int) -> FileResponse:
    """Send a file; only whole files have a row, and so an address."""
    export = fetched(request, Export.objects.all(), pk=export_id)
    path = Path(settings.EXPORTS_DIR) / export.file
    if not path.is_file():
        raise Http404(f"{export.file} was removed from the folder of exports; write it again.")
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name)
