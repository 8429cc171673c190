"""Whether the array files beside the database are those that its rows speak of."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from dedup.segments import SegmentError, verify_array
from labeling.models import Segment


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """How many files were looked at, and one sentence for each that is missing or damaged."""

    files: int
    whole: int
    problems: tuple[str, ...]


def verify_files() -> Verified:
    """Compare every array file with the hash that its row keeps."""
    problems = []
    files = 0
    for segment in Segment.objects.order_by("path").iterator(chunk_size=500):
        files += 1
        try:
            verify_array(Path(settings.ARRAYS_DIR) / segment.path, segment.sha256)
        except SegmentError as error:
            problems.append(f"{error}; running the study again makes it anew.")
    return Verified(files=files, whole=files - len(problems), problems=tuple(problems))
