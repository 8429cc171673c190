"""The corpora and one corpus: what was read, which studies and decisions there are, what the worker is doing."""

from typing import TYPE_CHECKING

from django.db.models import Count, IntegerField, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.forms.corpora import CorpusForm
from labeling.http import PageRequest, administrator_required, fetched, render_page
from labeling.models import Corpus, Decision, Document, Job, Label, Study, Text
from labeling.services import access, corpora, sampling_corpus

if TYPE_CHECKING:
    from django.contrib.auth.models import User

KINDS = (
    (
        Corpus.Kind.ARTICLES,
        "News and articles",
        "Syndicated copies, corrected versions, printer pages. Long texts: k = 3, 5 and 7.",
    ),
    (
        Corpus.Kind.PRODUCTS,
        "Product pages",
        "One product under several paths; variants stay apart where identifiers or prices must match.",
    ),
    (
        Corpus.Kind.PAGES,
        "CMS pages",
        "Copies under other addresses, language folders, templates. Declared canonical URLs choose what is kept.",
    ),
)


def _counted(model: type[Document | Text | Study], field: str = "corpus") -> Coalesce:
    rows = (
        model.objects.filter(**{field: OuterRef("pk")})
        .order_by()
        .values(field)
        .annotate(n=Count("pk"))
        .values("n")
    )
    return Coalesce(Subquery(rows, output_field=IntegerField()), 0)


def _labels() -> Coalesce:
    rows = Label.objects.filter(pair__corpus=OuterRef("pk")).exclude(verdict=Label.Verdict.WITHDRAWN)
    counts = rows.order_by().values("pair__corpus").annotate(n=Count("pair", distinct=True)).values("n")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)


def listed_corpora(person: "User") -> QuerySet[Corpus]:
    """The corpora that the person may see, with their counts, latest job and latest published decision."""
    published = (
        Decision.objects.filter(state=Decision.State.PUBLISHED).select_related("recipe").order_by("-number")
    )
    return (
        access.visible(Corpus.objects.all(), person)
        .annotate(
            document_count=_counted(Document),
            text_count=_counted(Text),
            study_count=_counted(Study),
            labelled_pairs=_labels(),
        )
        .prefetch_related(
            Prefetch("jobs", Job.objects.order_by("-created_at", "-id"), to_attr="latest_jobs"),
            Prefetch("decisions", published, to_attr="published_decisions"),
        )
    )


@require_safe
def corpora_list(request: PageRequest) -> HttpResponse:
    """The corpora in which the person has a role; three ways to start where there is none."""
    context = {"corpora": listed_corpora(request.user), "kinds": KINDS, "now": timezone.now()}
    return render_page(request, "labeling/corpora.html", context)


@administrator_required
@require_http_methods(["GET", "HEAD", "POST"])
def corpus_new(request: PageRequest) -> HttpResponse:
    """Name a new corpus and say what it holds."""
    kind = request.GET.get("kind", Corpus.Kind.ARTICLES)
    form = CorpusForm(request.POST or None, initial={"kind": kind})
    if request.method == "POST" and form.is_valid():
        try:
            corpus = corpora.create_corpus(**form.cleaned_data, owner_id=request.user.pk, at=timezone.now())
        except corpora.CorpusError as error:
            form.add_error("name", str(error))
        else:
            return redirect("labeling:ingest", corpus.pk)
    status = 422 if request.method == "POST" else 200
    return render_page(request, "labeling/corpus_new.html", {"form": form, "kinds": KINDS}, status=status)


@require_safe
def corpus_page(request: PageRequest, corpus_id: int) -> HttpResponse:
    """Counts that add up, and the way on."""
    corpus = fetched(request, Corpus.objects.all(), pk=corpus_id)
    with_content = corpus.documents.filter(status=Document.Status.OK).count()
    texts = corpus.texts.count()
    counts = {
        "documents": corpus.documents.count(),
        "with_content": with_content,
        "no_content": corpus.documents.filter(status=Document.Status.NO_CONTENT).count(),
        "texts": texts,
        "exact_duplicates": with_content - texts,
    }
    context = {
        "corpus": corpus,
        "counts": counts,
        "studies": corpus.studies.order_by("-created_at", "-id"),
        "jobs": corpus.jobs.order_by("-created_at", "-id")[:10],
        "decisions": corpus.decisions.select_related("recipe", "study", "author").order_by("-number"),
        "now": timezone.now(),
    }
    return render_page(request, "labeling/corpus.html", context)


@administrator_required
@require_POST
def sample(request: PageRequest) -> HttpResponse:
    """Read the built-in sample and study it, as jobs; or go to the job that did."""
    job = sampling_corpus.enqueue_sample(by_id=request.user.pk, at=timezone.now())
    return redirect("labeling:job", job.pk)
