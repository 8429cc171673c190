"""From files to documents: choose, look at the first rows, start."""

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import get_valid_filename
from django.views.decorators.http import require_http_methods

from dedup.ingest.records import IngestError
from labeling.forms.ingesting import FIELDS, IngestForm, MappingForm
from labeling.http import PageRequest, fetched, render_page
from labeling.models import Corpus, Job
from labeling.services import access, ingesting
from labeling.services.access import Right

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

    from dedup.ingest.records import Preview
    from dedup.ingest.samples import Samples

MANIFEST = "upload.json"
PREVIEW_ROWS = 20
SAMPLED_PAGES = 10
LONGEST_TOKEN = 64
CHOICES = ("encoding", "delimiter", "extractor")
FIXED_FORMATS = frozenset({"html", "warc", "text"})
DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tabulator", "|": "vertical bar"}


def _folder(token: str) -> Path:
    """The folder of one upload; the token names nothing outside of it."""
    if len(token) > LONGEST_TOKEN or not token.replace("-", "").replace("_", "").isalnum():
        raise Http404
    return Path(settings.UPLOADS_DIR) / token


def _store(files: "list[UploadedFile[Any]]", folder: Path) -> list[str]:
    """Write uploaded files under names that are safe, numbered where two are alike."""
    paths = []
    for number, file in enumerate(files, start=1):
        path = folder / f"{number:03d}" / (get_valid_filename(file.name or "file") or "file")
        path.parent.mkdir(parents=True)
        with path.open("wb") as target:
            for chunk in file.chunks():
                target.write(chunk)
        paths.append(str(path))
    return paths


def _begin(corpus: Corpus, form: IngestForm) -> str:
    """Keep what is to be read under a fresh token, and return the token."""
    token = secrets.token_urlsafe(12)
    folder = _folder(token)
    folder.mkdir(parents=True)
    path = form.cleaned_data["server_path"]
    paths = [path] if path else _store(form.cleaned_data["upload"], folder)
    manifest = {"corpus": corpus.pk, "paths": paths, "format": form.cleaned_data["format"] or "auto"}
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return token


@require_http_methods(["GET", "HEAD", "POST"])
def ingest(request: PageRequest, corpus_id: int) -> HttpResponse:
    """Choose files or a path on the server."""
    corpus = fetched(request, Corpus.objects.all(), Right.OWN, pk=corpus_id)
    form = IngestForm(
        request.POST or None, request.FILES or None, reads_server=access.is_administrator(request.user)
    )
    if request.method == "POST" and form.is_valid():
        return redirect("labeling:ingest_preview", corpus.pk, _begin(corpus, form))
    status = 422 if request.method == "POST" else 200
    return render_page(request, "labeling/ingest.html", {"corpus": corpus, "form": form}, status=status)


def _manifest(corpus: Corpus, token: str) -> dict[str, Any]:
    file = _folder(token) / MANIFEST
    if not file.exists():
        raise Http404
    manifest: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if manifest["corpus"] != corpus.pk:
        raise PermissionDenied("These files were given to another corpus.")
    return manifest


def _options(manifest: dict[str, Any], form: MappingForm) -> dict[str, Any]:
    """The options of ``ReadOptions``, as a job's payload holds them; what was left empty is left out."""
    if not form.is_bound or not form.is_valid():
        return {"format": manifest["format"]}
    values = form.cleaned_data
    chosen = {name: values[name] for name in CHOICES if values[name]}
    return {"format": values["format"] or manifest["format"], "mapping": form.mapping(), **chosen}


def _look(path: Path, options: dict[str, Any], rows: int) -> "tuple[Preview | None, str]":
    """The first rows, or the sentence that says why there are none."""
    try:
        return ingesting.preview(path=path, options=options, rows=rows), ""
    except IngestError as error:
        return None, str(error)


def _mapping_form(request: PageRequest, manifest: dict[str, Any], path: Path) -> MappingForm:
    """The form for the columns of the file, with the guesses filled in where nobody chose."""
    options = {"format": request.POST.get("format") or manifest["format"]}
    options |= {name: request.POST[name] for name in CHOICES if request.POST.get(name)}
    found, _ = _look(path, options, 1)
    columns = found.description.columns if found else ()
    if request.method == "POST" and request.POST.get("columns") == "\n".join(columns):
        return MappingForm(request.POST, columns=columns)
    guesses = found.description.guesses if found else {}
    initial = options | {f"map_{name}": column for name, column in guesses.items() if name in FIELDS}
    if request.method == "POST":
        return MappingForm(initial, columns=columns)
    return MappingForm(initial=initial, columns=columns)


def _preview_context(found: "Preview | None", sentence: str, form: MappingForm) -> dict[str, Any]:
    """The first rows as cells, or the sentence that says why there are none."""
    if found is None:
        return {"preview": None, "preview_problem": sentence, "mapped_fields": []}
    description = found.description
    guessed = {
        name for name, column in description.guesses.items() if name in FIELDS and column in form.columns
    }
    fields = [(form[f"map_{name}"], name in guessed) for name in FIELDS]
    if description.format in FIXED_FORMATS:
        fields = []
    return {
        "preview": found,
        "preview_problem": found.error,
        "delimiter_name": DELIMITER_NAMES.get(description.delimiter, description.delimiter),
        "mapped_fields": [(field, is_guess) for field, is_guess in fields if field.value()],
        "other_fields": [field for field, _ in fields if not field.value()],
        "is_table": description.format not in FIXED_FORMATS,
        "row_cells": [[row.get(column, "") for column in description.columns] for row in found.rows],
    }


def _samples(path: Path, options: dict[str, Any], found: "Preview | None") -> "Samples | None":
    """Sampled pages, where there are pages to extract."""
    if found is None or found.error or not found.has_html:
        return None
    try:
        return ingesting.samples(path=path, options=options, count=SAMPLED_PAGES)
    except IngestError:
        return None


def _queue(request: PageRequest, corpus: Corpus, paths: list[str], options: dict[str, Any]) -> HttpResponse:
    """Queue the job once, however often its button is pressed while it waits or runs."""
    with transaction.atomic():
        live = corpus.jobs.filter(kind=Job.Kind.INGEST, state__in=(Job.State.QUEUED, Job.State.RUNNING))
        wanted = {"paths": [str(Path(path).absolute()) for path in paths], "options": options}
        job = next((row for row in live if row.payload == wanted), None) or ingesting.enqueue_ingest(
            corpus=corpus, paths=paths, options=options, by_id=request.user.pk, at=timezone.now()
        )
    return redirect("labeling:job", job.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def ingest_preview(request: PageRequest, corpus_id: int, token: str) -> HttpResponse:
    """The first rows as they would be read; the guesses can be corrected, then the job is started."""
    corpus = fetched(request, Corpus.objects.all(), Right.OWN, pk=corpus_id)
    manifest = _manifest(corpus, token)
    path = Path(manifest["paths"][0])
    form = _mapping_form(request, manifest, path)
    options = _options(manifest, form)
    found, sentence = _look(path, options, PREVIEW_ROWS)
    if "start" in request.POST and form.is_valid() and found is not None and not found.error:
        return _queue(request, corpus, manifest["paths"], options)
    samples = _samples(path, options, found)
    context = {
        "corpus": corpus,
        "samples": samples,
        "heading": "Sampled pages" if samples else "First rows",
        "token": token,
        "form": form,
        "columns": "\n".join(form.columns),
        "names": [Path(path).name for path in manifest["paths"]],
        **_preview_context(found, sentence, form),
    }
    is_fine = found is not None and not found.error and (not form.is_bound or form.is_valid())
    return render_page(request, "labeling/ingest_preview.html", context, status=200 if is_fine else 422)
