"""What was read, document by document."""

from django.db.models import Q
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from labeling.http import PageRequest, fetched, page_of, render_page
from labeling.models import Corpus, Decision, Document, Member

DOCUMENTS_BESIDE = 50


@require_safe
def documents(request: PageRequest, corpus_id: int) -> HttpResponse:
    """The documents of a corpus in the order of their ids, searched by id, address or title."""
    corpus = fetched(request, Corpus.objects.all(), pk=corpus_id)
    rows = corpus.documents.select_related("text").order_by("external_id", "id")
    search = request.GET.get("q", "").strip().replace("\0", "")
    status = request.GET.get("status", "")
    if search:
        rows = rows.filter(
            Q(external_id__mentions=search) | Q(url__mentions=search) | Q(title__mentions=search)
        )
    if status in Document.Status.values:
        rows = rows.filter(status=status)
    context = {"corpus": corpus, "page": page_of(request, rows), "search": search, "status": status}
    return render_page(request, "labeling/documents.html", context)


@require_safe
def document(request: PageRequest, document_id: int) -> HttpResponse:
    """One document: what is known about it, its text, who shares its words, where decisions put it."""
    found = fetched(
        request, Document.objects.select_related("corpus", "text", "first_ingest"), pk=document_id
    )
    same_words = Document.objects.none()
    if found.text_id is not None:
        same_words = (
            Document.objects.filter(text=found.text_id).exclude(pk=found.pk).order_by("external_id", "id")
        )
    memberships = (
        Member.objects.filter(document=found, decision__state=Decision.State.PUBLISHED)
        .select_related("decision", "cluster__representative")
        .order_by("-decision__number")
    )
    context = {
        "document": found,
        "corpus": found.corpus,
        "same_words": same_words[:DOCUMENTS_BESIDE],
        "same_words_count": same_words.count(),
        "memberships": memberships,
    }
    return render_page(request, "labeling/document.html", context)
