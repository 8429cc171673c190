"""Two texts as they stand beside each other: who they are, what differs, in which mode they are shown."""

from dataclasses import dataclass
from datetime import datetime
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


@dataclass(frozen=True, slots=True)
class SideFact:
    """One fact about a text; ``mark`` is "equal", "differs", or empty where comparing it says nothing."""

    name: str
    value: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One text with a document that carries it; the other documents with the same words are counted."""

    name: str
    title: str
    facts: tuple[SideFact, ...]
    document: Document | None
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything that the template needs to show a pair."""

    sides: tuple[Side, Side]
    difference: Difference
    mode: str
    next_mode: str


@lru_cache(maxsize=64)
def _difference(left: str, right: str, normaliser: str) -> Difference:
    return diff(left, right, normaliser=normaliser)  # type: ignore[arg-type]


def _moment(at: datetime | None) -> str:
    """Date and time, or the date alone where the time is midnight, as it is where only a date was given."""
    if at is None:
        return ""
    return f"{at:%Y-%m-%d}" if (at.hour, at.minute, at.second) == (0, 0, 0) else f"{at:%Y-%m-%d %H:%M}"


def _values(text: Text, document: Document | None) -> dict[str, str]:
    """What is known about a text, by name; empty where it isn't known."""
    values = {"Words": f"{text.words:,}"}
    if document is None:
        return values
    return {
        "Source": document.source,
        "First seen": _moment(document.first_seen),
        "Web host": host(document.url),
        "Price": money(document.price_minor, document.currency),
        "Identifiers": ", ".join(str(identifier) for identifier in document.identifiers),
        **values,
    }


def _mark(name: str, mine: str, other: str) -> str:
    if name == "Words" or not other:
        return ""
    return "equal" if mine == other else "differs"


def _sides(texts: tuple[Text, Text]) -> tuple[Side, Side]:
    """Both texts with their facts, each fact marked where the other side has it too."""
    rows = [text.documents.order_by("id") for text in texts]
    first = [documents.first() for documents in rows]
    values = [_values(text, document) for text, document in zip(texts, first, strict=True)]
    sides = []
    for place, name in enumerate(("Left", "Right")):
        document, mine, other = first[place], values[place], values[1 - place]
        facts = [
            SideFact(key, mine[key], _mark(key, mine[key], other.get(key, ""))) for key in mine if mine[key]
        ]
        title = (document.title or document.external_id) if document else f"Text {texts[place].ordinal}"
        others = max(0, rows[place].count() - 1)
        sides.append(Side(name=name, title=title, facts=tuple(facts), document=document, others=others))
    return sides[0], sides[1]


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
    return Reading(
        sides=_sides((left, right)),
        difference=difference,
        mode=mode,
        next_mode=order[(order.index(mode) + 1) % len(order)],
    )
