"""The index of a corpus: opened once a process, brought up to date with the rows before each question, stored by a job."""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dedup.engines.protocol import StoredFile
from labeling.models import Corpus, Job, Segment
from labeling.services import jobs, pools
from labeling.stages.reporting import Reporter
from labeling.stages.stored_texts import StoredTexts
from labeling.stages.yardsticks import index_spec

if TYPE_CHECKING:
    from dedup.index import IndexSpec, SegmentIndex

MOST_IN_MEMORY = 50_000
STORE_EVERY = 20_000
SIGNED_AT_ONCE = 2_000
MOST_OPEN = 8


class IndexNotReadyError(RuntimeError):
    """So many texts are new that a job has to make the index first; the message is a sentence for people."""

    def __init__(self, corpus: Corpus, job: Job) -> None:
        super().__init__(
            f"The index of “{corpus}” is being made by job {job.pk}; ask again when it is done. "
            "A worker must run: manage.py up, or manage.py worker."
        )
        self.job = job


class _Shared:
    """An index that the threads of this process share; one at a time uses it."""

    def __init__(self, index: "SegmentIndex") -> None:
        self.index = index
        self.lock = threading.Lock()
        self.asked_at = 0


_open: OrderedDict[tuple[object, ...], _Shared] = OrderedDict()
_open_lock = threading.Lock()


@contextmanager
def opened_index(corpus: Corpus, spec: "IndexSpec") -> Iterator["SegmentIndex"]:
    """The corpus's index, which knows every text that is committed now, for this thread alone.

    Raises ``IndexNotReadyError``, with the job queued, where more than 50,000 texts have no place in it yet.
    """
    shared = _shared(corpus, spec)
    with shared.lock:
        _catch_up(corpus, spec, shared)
        yield shared.index


def enqueue_index(corpus: Corpus, *, by_id: int | None = None) -> Job:
    """Queue the job that stores the corpus's index, unless one waits already."""
    waiting = corpus.jobs.filter(kind=Job.Kind.INDEX, state__in=(Job.State.QUEUED, Job.State.RUNNING)).first()
    if waiting is not None:
        return waiting
    return jobs.enqueue(kind=Job.Kind.INDEX, corpus=corpus, payload={}, by_id=by_id, at=timezone.now())


def run(job: Job, reporter: Reporter) -> dict[str, Any]:
    """Sign the texts that are new and store the tables of the index; returns the job's report."""
    from dedup.index import build_index

    corpus = Corpus.objects.get(pk=job.corpus_id)
    spec = index_spec(corpus)
    segments, tables = build_index(
        StoredTexts(corpus),
        spec,
        arrays=pools.arrays_folder(corpus),
        report=reporter.follow,
        workers=settings.WORKERS,
    )
    _record_files(corpus, spec, segments, tables)
    return {"texts": corpus.next_ordinal, "recipe": spec.recipe, "threshold": spec.threshold}


def _record_files(
    corpus: Corpus, spec: "IndexSpec", segments: Sequence[StoredFile], tables: Sequence[StoredFile]
) -> None:
    """Rows for the files that are there now; tables of a recipe that nobody asks by any more go."""
    from dedup.index import forget_tables

    folder = pools.arrays_folder(corpus)
    own = Segment.objects.filter(corpus=corpus, study=None)
    signed = own.filter(recipe__in={file.recipe for file in segments})
    indexes = own.filter(recipe__startswith="index|")
    for recipe in set(indexes.exclude(recipe=spec.recipe).values_list("recipe", flat=True)):
        forget_tables(folder, recipe)
    gone = [row.pk for row in indexes if not (Path(settings.ARRAYS_DIR) / row.path).exists()]
    rows = [pools.segment_row(corpus, None, folder.name, file) for file in (*segments, *tables)]
    with transaction.atomic():
        signed.delete()
        Segment.objects.filter(pk__in=gone).delete()
        Segment.objects.filter(path__in=[row.path for row in rows[len(segments) :]]).delete()
        Segment.objects.bulk_create(rows, batch_size=100)


def _shared(corpus: Corpus, spec: "IndexSpec") -> _Shared:
    from dedup.index import SegmentIndex

    arrays = pools.arrays_folder(corpus)
    key = (arrays, spec, corpus.pk, corpus.salt, corpus.created_at)
    with _open_lock:
        if key not in _open:
            _open[key] = _Shared(SegmentIndex(arrays, spec))
            while len(_open) > MOST_OPEN:
                _open.popitem(last=False)
        _open.move_to_end(key)
        return _open[key]


def _catch_up(corpus: Corpus, spec: "IndexSpec", shared: _Shared) -> None:
    """Take in the texts that anybody has committed since; rows are the truth."""
    from dedup.index import SegmentIndex, sign_texts

    shared.index.refresh()
    stop = Corpus.objects.values_list("next_ordinal", flat=True).get(pk=corpus.pk)
    if shared.index.stop > stop:
        shared.index = SegmentIndex(pools.arrays_folder(corpus), spec)
    index = shared.index
    if stop - index.stop > MOST_IN_MEMORY:
        raise IndexNotReadyError(corpus, enqueue_index(corpus))
    texts = StoredTexts(corpus)
    while index.stop < stop:
        upto = min(index.stop + SIGNED_AT_ONCE, stop)
        index.extend(sign_texts(texts.batch(index.stop, upto), spec))
    if stop - max(index.stored, shared.asked_at) >= STORE_EVERY:
        shared.asked_at = stop
        enqueue_index(corpus)
