"""Two texts as they stand beside each other: who they are, what differs, in which mode they are shown."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from django.http import HttpRequest, HttpResponse

from dedup.diffing import Difference, diff
from labeling.models import Document, StudyPair, Text
from labeling.templatetags.links import host
from labeling.templatetags.numbers import money

Mode = Literal["changes", "side", "inline"]
MODES: dict[str, str] = {"changes": "Changes only", "side": "Side by side", "inline": "Inline"}
MODE_COOKIE = "neardup_mode"
MOSTLY_EQUAL = 0.8
YEAR = 60 * 60 * 24 * 365


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One text with a document that carries it; the other documents with the same words are counted."""

    text: Text
    document: Document | None
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderRow:
    """One fact about both sides; ``mark`` is "equal", "differs" or empty where a comparison says nothing."""

    name: str
    left: str
    right: str
    mark: str
    is_title: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything that the template needs to show a pair."""

    left: Side
    right: Side
    header: tuple[HeaderRow, ...]
    difference: Difference
    mode: str
    next_mode: str


@lru_cache(maxsize=64)
def _difference(left: str, right: str, normaliser: str) -> Difference:
    return diff(left, right, normaliser=normaliser)  # type: ignore[arg-type]


def _side(text: Text) -> Side:
    documents = text.documents.order_by("id")
    return Side(text=text, document=documents.first(), others=max(0, documents.count() - 1))


def _row(
    name: str, left: str, right: str, *, compared: bool = True, is_title: bool = False
) -> HeaderRow | None:
    if not left and not right:
        return None
    mark = ("equal" if left == right else "differs") if compared and left and right else ""
    return HeaderRow(name=name, left=left, right=right, mark=mark, is_title=is_title)


def _values(side: Side) -> dict[str, str]:
    document = side.document
    words = f"{side.text.words:,}"
    if document is None:
        return {"Words": words}
    return {
        "Title": document.title or document.external_id,
        "Source": document.source,
        "First seen": f"{document.first_seen:%Y-%m-%d %H:%M}" if document.first_seen else "",
        "Web host": host(document.url),
        "Price": money(document.price_minor, document.currency),
        "Identifiers": ", ".join(str(identifier) for identifier in document.identifiers),
        "Words": words,
    }


def _header(left: Side, right: Side) -> tuple[HeaderRow, ...]:
    first, second = _values(left), _values(right)
    names = [name for name in first if name in second] or ["Words"]
    rows = [
        _row(
            name,
            first.get(name, ""),
            second.get(name, ""),
            is_title=name == "Title",
            compared=name != "Words",
        )
        for name in names
    ]
    return tuple(row for row in rows if row is not None)


def chosen_mode(request: HttpRequest, difference: Difference) -> str:
    """The mode of the address, else of the cookie, else the one that suits these two texts."""
    for mode in (request.GET.get("mode"), request.COOKIES.get(MODE_COOKIE)):
        if mode in MODES:
            return mode
    return "changes" if (difference.equal_share or 0.0) > MOSTLY_EQUAL else "side"


def remember_mode(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Keep a mode that was chosen in the address for the pairs to come."""
    if request.GET.get("mode") in MODES:
        response.set_cookie(
            MODE_COOKIE,
            request.GET["mode"],
            max_age=YEAR,
            samesite="Lax",
            httponly=True,
            secure=request.is_secure(),
        )
    return response


def read_pair(request: HttpRequest, study_pair: StudyPair, *, swapped: bool) -> Reading:
    """Put the two texts of a pair side by side, the pair's right one first if ``swapped``."""
    pair = study_pair.pair
    left, right = (pair.right, pair.left) if swapped else (pair.left, pair.right)
    difference = _difference(left.body, right.body, study_pair.study.corpus.normaliser)
    mode = chosen_mode(request, difference)
    order = list(MODES)
    sides = _side(left), _side(right)
    return Reading(
        left=sides[0],
        right=sides[1],
        header=_header(*sides),
        difference=difference,
        mode=mode,
        next_mode=order[(order.index(mode) + 1) % len(order)],
    )
