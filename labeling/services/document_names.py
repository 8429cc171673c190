"""Names by which people know texts: the smallest id of the documents that hold them."""

from collections.abc import Iterable

from labeling.models import Corpus, Document

IN_LIMIT = 900


def names_of_all(corpus: Corpus) -> dict[int, str]:
    """The smallest document id, by code points, of each text that has a document, by ordinal."""
    rows = Document.objects.filter(corpus=corpus, text__isnull=False).order_by()
    return _smallest(rows.values_list("text__ordinal", "external_id").iterator(chunk_size=5000))


def names_of(corpus: Corpus, ordinals: Iterable[int]) -> dict[int, str]:
    """The smallest document id of each of these texts."""
    wanted = sorted(set(ordinals))
    found: dict[int, str] = {}
    for start in range(0, len(wanted), IN_LIMIT):
        rows = Document.objects.filter(corpus=corpus, text__ordinal__in=wanted[start : start + IN_LIMIT])
        found.update(_smallest(rows.order_by().values_list("text__ordinal", "external_id")))
    return found


def _smallest(rows: Iterable[tuple[int, str]]) -> dict[int, str]:
    names: dict[int, str] = {}
    for ordinal, name in rows:
        if ordinal not in names or name < names[ordinal]:
            names[ordinal] = name
    return names
