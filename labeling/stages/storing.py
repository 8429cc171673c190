"""Write a batch of pages: texts by their keys, documents by their ids."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import F

from dedup.ingest import Page
from dedup.product_rule import Price, product_key
from labeling.models import Corpus, Document, Job, Text
from labeling.services.corpora import normaliser_of
from labeling.stages.counting import Counts

IN_LIMIT = 900
NO_WORD = "the text holds no word"
NO_TEXT = "the text is empty"

TextKey = tuple[str, str]
Outcome = Literal["inserted", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class KeyedPage:
    """A page with the key of its text (exact key and product key) and its number of words; no key without a word."""

    page: Page
    key: TextKey | None
    words: int


def store_pages(
    corpus: Corpus, pages: Sequence[Page], counts: Counts, *, job: Job | None = None
) -> dict[str, Outcome]:
    """Insert or update documents by their ids, and the texts that they need; returns what became of each id.

    Call it inside a transaction. ``job`` is the ingest that read the pages, where there is one.
    """
    outcomes: dict[str, Outcome] = {}
    keyed = key_pages(corpus, pages)
    stored = _stored_documents(corpus, [page.id for page in pages])
    texts, fresh = _texts(corpus, keyed)
    added: list[Document] = []
    changed: list[Document] = []
    names: set[str] = set()
    for entry in keyed:
        text = None if entry.key is None else texts[entry.key]
        values = _values(entry.page, text)
        document = stored.get(entry.page.id)
        if document is not None and all(getattr(document, name) == value for name, value in values.items()):
            counts.unchanged += 1
            outcomes[entry.page.id] = "unchanged"
            continue
        has_new_words = text is not None and (document is None or document.text_id != text.pk)
        outcomes[entry.page.id] = "inserted" if document is None else "updated"
        if document is None:
            added.append(Document(corpus=corpus, external_id=entry.page.id, first_ingest=job, **values))
        else:
            names |= _assign(document, values)
            changed.append(document)
        counts.no_content += text is None
        if has_new_words and entry.key in fresh:
            fresh.discard(entry.key)
        elif has_new_words:
            counts.exact_duplicates += 1
    Document.objects.bulk_create(added, batch_size=200)
    if changed:
        Document.objects.bulk_update(changed, sorted(names), batch_size=30)
    counts.accepted += len(added)
    counts.updated += len(changed)
    return outcomes


def key_pages(corpus: Corpus, pages: Sequence[Page]) -> list[KeyedPage]:
    """Clean the pages' texts, all at once, and give each its key."""
    from dedup.kernel import TextColumn, clean

    cleaned = clean(TextColumn.from_strings(page.text for page in pages), normaliser_of(corpus))
    return [
        KeyedPage(page, (key.tobytes().hex(), _product_key(corpus, page)) if words else None, words)
        for page, words, key in zip(pages, cleaned.words.tolist(), cleaned.exact_keys, strict=True)
    ]


def _product_key(corpus: Corpus, page: Page) -> str:
    """In a corpus of products, equal words are one text only where identifiers and price are equal too."""
    if corpus.kind != Corpus.Kind.PRODUCTS:
        return ""
    price = Price(page.price, page.currency) if page.price is not None and page.currency else None
    return product_key(page.identifiers, price)


def _stored_documents(corpus: Corpus, ids: Sequence[str]) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for start in range(0, len(ids), IN_LIMIT):
        rows = Document.objects.filter(corpus=corpus, external_id__in=ids[start : start + IN_LIMIT])
        found.update((row.external_id, row) for row in rows)
    return found


def _texts(corpus: Corpus, keyed: Iterable[KeyedPage]) -> tuple[dict[TextKey, Text], set[TextKey | None]]:
    """The text of each key, made where it is missing, and the keys of those that were made."""
    wanted: dict[TextKey, KeyedPage] = {}
    for entry in keyed:
        if entry.key is not None:
            wanted.setdefault(entry.key, entry)
    texts = _stored_texts(corpus, [exact_key for exact_key, _ in wanted])
    missing = [entry for key, entry in wanted.items() if key not in texts]
    made = _new_texts(corpus, missing)
    return texts | made, set(made)


def _stored_texts(corpus: Corpus, exact_keys: Sequence[str]) -> dict[TextKey, Text]:
    found: dict[TextKey, Text] = {}
    for start in range(0, len(exact_keys), IN_LIMIT):
        rows = Text.objects.filter(corpus=corpus, exact_key__in=exact_keys[start : start + IN_LIMIT])
        found.update(((row.exact_key, row.product_key), row) for row in rows)
    return found


def _new_texts(corpus: Corpus, entries: Sequence[KeyedPage]) -> dict[TextKey, Text]:
    """Write new texts under the next ordinals, which are never given out twice."""
    if not entries:
        return {}
    first = Corpus.objects.select_for_update().values_list("next_ordinal", flat=True).get(pk=corpus.pk)
    Corpus.objects.filter(pk=corpus.pk).update(next_ordinal=F("next_ordinal") + len(entries))
    rows = [
        Text(
            corpus=corpus,
            ordinal=first + place,
            exact_key=entry.key[0],
            product_key=entry.key[1],
            words=entry.words,
            body=entry.page.text,
        )
        for place, entry in enumerate(entries)
        if entry.key is not None
    ]
    Text.objects.bulk_create(rows, batch_size=150)
    return {(row.exact_key, row.product_key): row for row in rows}


def _values(page: Page, text: Text | None) -> dict[str, Any]:
    """What the row of a page holds."""
    has_content = text is not None
    return {
        "text_id": None if text is None else text.pk,
        "own_body": page.text if text is None or text.body != page.text else None,
        "status": Document.Status.OK if has_content else Document.Status.NO_CONTENT,
        "status_reason": "" if has_content else (NO_WORD if page.text.strip() else NO_TEXT),
        "source": page.source[:200],
        "url": page.url,
        "canonical_url": page.canonical_url,
        "title": page.title,
        "first_seen": page.first_seen,
        "price_minor": page.price,
        "currency": page.currency,
        "identifiers": list(page.identifiers),
        "flags": list(page.flags),
    }


def _assign(document: Document, values: dict[str, Any]) -> set[str]:
    """Take values over; returns the names of those that are new."""
    names = {name for name, value in values.items() if getattr(document, name) != value}
    for name in names:
        setattr(document, name, values[name])
    return names
