from collections.abc import Sequence

from labeling.models import Corpus, Text


class StoredTexts:
    """The texts of a corpus by ordinal, read from rows."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def __len__(self) -> int:
        return self._corpus.next_ordinal

    def batch(self, start: int, stop: int) -> Sequence[str]:
        """Bodies of the ordinals ``start`` to ``stop - 1``.

        Also of texts that no document has any more, so that stored segments stay true; their pairs are left out later.
        """
        bodies = [""] * (stop - start)
        rows = Text.objects.filter(corpus=self._corpus, ordinal__gte=start, ordinal__lt=stop)
        for ordinal, body in rows.order_by().values_list("ordinal", "body").iterator(chunk_size=2000):
            bodies[ordinal - start] = body
        return bodies
