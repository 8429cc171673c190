"""Is this text known? An index that is asked before each insertion, cheapest layer first."""

from dedup.index.asking import Answer, Index, Layer, Match, ask, best_first
from dedup.index.building import build_index
from dedup.index.memory_index import MemoryIndex
from dedup.index.segment_index import SegmentIndex
from dedup.index.signing import Signed, sign_texts
from dedup.index.spec import DEFAULT_THRESHOLD, IndexSpec
from dedup.index.table_files import forget_tables

__all__ = [
    "DEFAULT_THRESHOLD",
    "Answer",
    "Index",
    "IndexSpec",
    "Layer",
    "Match",
    "MemoryIndex",
    "SegmentIndex",
    "Signed",
    "ask",
    "best_first",
    "build_index",
    "forget_tables",
    "sign_texts",
]
