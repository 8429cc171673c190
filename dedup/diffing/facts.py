"""Numbers, dates, prices and negations: the small differences that make two texts say different things."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from dedup.diffing.shapes import Note

_FRACTION = r"[¼-¾⅐-⅞]"
_NUMBER = rf"(?<![\w.,])[+\-−]?(?:\d+(?:[.,:/]\d+|[ \u00a0\u202f'’]\d{{3}}(?!\d))*{_FRACTION}?|{_FRACTION})"
_CURRENCY_SIGN = r"[$€£¥₹₽₩₺₴₫฿₪]"
_CURRENCY = rf"(?:{_CURRENCY_SIGN}|(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|CAD|AUD|INR|HUF|BRL)\b)"
_CURRENCY_NAME = r"(?:euros?|dollars?|pounds?|francs?|crowns?|cents?|kr|zł|Kč|Ft|yen|yuan|元|円|원)(?!\w)"
_MONTH = (
    r"(?:jan(?:uary|uar|vier|\.)?|feb(?:ruary|ruar|\.)?|février|mar(?:ch|\.)|märz|mars|apr(?:il|\.)?|avril|may|mai|mayo"
    r"|june?|juni|juin|junio|july?|juli|juillet|julio|aug(?:ust|\.)?|août|agosto|sep(?:t?\.|tember|tembre|tiembre)"
    r"|oct(?:ober|obre|ubre|\.)?|o[kc]t(?:ober|\.)|nov(?:ember|embre|iembre|\.)?|de[cz](?:ember|\.)|décembre|diciembre"
    r"|enero|febrero|marzo|abril|septiembre)"
)
_WEEKDAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)"
)
_DATE = (
    r"\d{4}-\d{2}-\d{2}(?!\d)|\d{1,2}[./]\d{1,2}[./]\d{2,4}(?!\d)|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?"
    rf"|\d{{1,2}}(?:\.|st|nd|rd|th)?\s(?:of\s|de\s)?{_MONTH}(?!\w)(?:,?\s(?:de\s)?\d{{4}}(?!\d))?"
    rf"|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?!\w)(?:,?\s\d{{4}}(?!\d))?|{_MONTH}\s\d{{4}}(?!\d)|{_WEEKDAY}(?!\w)"
)
_NEGATION = (
    r"(?:\w+n['’]t|not|no|never|none|nobody|nothing|neither|nor|without|cannot"
    r"|nicht|nichts|kein\w*|nie|niemals|ohne|niemand|pas|jamais|sans|aucune?|nunca|sin|não|sem|senza"
    r"|не|нет|ни|без|никогда|नहीं|لا|لم|لن|ليس)(?!\w)"
)
_NEGATION_WITHOUT_BLANKS = r"[不没沒無无未]|ไม่"
_FACT = re.compile(
    r"(?P<address>(?:https?://|www\.)[^\s<>\]]+)"
    rf"|(?P<date>(?<!\w)(?:{_DATE}))"
    rf"|(?P<price>{_CURRENCY}\s?\d[\d.,]*(?<=\d)|{_NUMBER}\s?(?:{_CURRENCY}|{_CURRENCY_NAME}))"
    rf"|(?P<number>{_NUMBER}(?:\s?(?:%|‰|°\s?[CF]?|per\s?cent|Prozent|pour cent|por ciento))?|(?<!\w)[^\W\d]*+\d\w*+)"
    rf"|(?P<negation>(?<!\w){_NEGATION}|{_NEGATION_WITHOUT_BLANKS})",
    re.IGNORECASE,
)
_KINDS: tuple[Note, ...] = ("date", "price", "number", "negation")


@dataclass(frozen=True, slots=True)
class Mention:
    """A fact in a text: ``raw[start:end]``."""

    kind: Note
    start: int
    end: int
    text: str

    @property
    def key(self) -> tuple[str, str]:
        """Equal for facts that say the same."""
        return self.kind, "".join(self.text.casefold().split())


def mentions(raw: str, start: int, end: int) -> list[Mention]:
    """Facts in ``raw[start:end]``, in order, none overlapping.

    >>> [(mention.kind, mention.text) for mention in mentions("Not 12 % on 5 May 2024, but $ 3.50", 0, 34)]
    [('negation', 'Not'), ('number', '12 %'), ('date', '5 May 2024'), ('price', '$ 3.50')]
    """
    return [
        Mention(kind, match.start(), match.end(), match.group())
        for match in _FACT.finditer(raw, start, end)
        for kind in _KINDS
        if match.lastgroup == kind
    ]


def pair(left: list[Mention], right: list[Mention]) -> Iterator[tuple[Mention | None, Mention | None]]:
    """Pair the facts of one change by kind and order; those with equal text on both sides don't differ.

    >>> [(one.text, other.text) for one, other in pair(mentions("12 %", 0, 4), mentions("14 %", 0, 4))]
    [('12 %', '14 %')]
    """
    for kind in _KINDS:
        some = [mention for mention in left if mention.kind == kind]
        others = [mention for mention in right if mention.kind == kind]
        both = Counter(mention.key for mention in some) & Counter(mention.key for mention in others)
        yield from zip_longest(_without(some, both.copy()), _without(others, both))


def within(found: Sequence[Mention], start: int, end: int) -> Sequence[Mention]:
    """Those of some mentions, in order and not overlapping, that share a character with ``raw[start:end]``."""
    first = bisect_right(found, start, key=lambda mention: mention.end)
    return found[first : bisect_left(found, end, key=lambda mention: mention.start)]


def _without(some: list[Mention], taken: Counter[tuple[str, str]]) -> Iterator[Mention]:
    for mention in some:
        if taken[mention.key]:
            taken[mention.key] -= 1
        else:
            yield mention
