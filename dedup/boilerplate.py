"""What is taken out of a page, or put right in it, before its main content is looked for."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

_CONSENT_NAME = re.compile(
    r"(?<![a-z])(?:cookies?|consent|gdpr|ccpa|cmp|cmplz|onetrust|didomi|truste|usercentrics|iubenda|borlabs|klaro|evidon|tarteaucitron"
    r"|qc-cmp2?|sp_message|privacy[-_]?(?:notice|banner|popup|wall|overlay|modal|bar|manager))(?![a-z]{2,}(?<!banner)(?<!notice)(?<!consent)(?<!bar)(?<!wall)(?<!bot))",
    re.I,
)
_TAXONOMY = re.compile(r"\b(?:tag|category|cat|topic|post_tag|section|label)[-_][\w-]+", re.I)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CONSENT_WORDS = re.compile(
    r"accept|agree|consent|partner|preferenc|personal data|advertis|privacy|tracking|third part|legitimate interest|reject|opt out"
    r"|akzeptier|zustimm|einwillig|ablehn|datenschutz|werbung|einstellung"
    r"|accepter|consentement|partenaire|confidentialit|publicit|refuser|vie privée"
    r"|acept|consentimiento|socios|privacidad|publicidad|rechaz|accett|rifiut|consenso|riservatezza"
    r"|akkoord|toestemming|weiger|aceit|rejeit|samtyck|samtykk|godk|akceptuj|zgod|prywatno|souhlas|soukrom",
    re.I,
)
_CONSENT_SENTENCES = re.compile(
    r"we value your privacy|we (?:and|use|care)\b[^.]{0,60}\b(?:cookies|partners|privacy)|(?:store|access)[^.]{0,30} information on (?:a|your) device"
    r"|process(?:ing)? (?:of )?personal data|accept all|reject all|manage (?:your )?(?:preferences|choices|settings|options|consent)"
    r"|legitimate interest|(?:change|withdraw) your (?:choice|consent|mind|preferences)|uses? cookies|by continuing to (?:use|browse)|cookie (?:policy|settings|preferences|notice)"
    r"|wir (?:und|verwenden|nutzen|benötigen)\b[^.]{0,60}\b(?:cookies|partner|zustimmung)|alle (?:cookies )?(?:akzeptieren|ablehnen)|informationen auf (?:einem|ihrem) gerät|personenbezogene daten"
    r"|nous (?:et|utilisons|respectons)\b[^.]{0,60}\b(?:cookies|partenaires|vie privée)|tout (?:accepter|refuser)|données personnelles"
    r"|(?:utilizamos|usamos|nosotros y)\b[^.]{0,60}\b(?:cookies|socios)|aceptar tod[ao]s|datos personales"
    r"|(?:utilizziamo|noi e)\b[^.]{0,60}\b(?:cookie|partner)|accetta tutt|dati personali|wij (?:en|gebruiken)\b[^.]{0,60}\b(?:cookies|partners)|alles accepteren|persoonsgegevens",
    re.I,
)
_CONSENT_STEMS = (
    "cookie", "privacy", "privée", "partner", "socios", "partenaires", "accept", "aceptar", "akzept", "accett", "reject", "refuser",
    "ablehnen", "personal data", "personenbez", "personnelles", "personales", "personali", "persoonsg", "device", "gerät", "consent", "zustimm",
    "legitimate", "preferences", "choice", "continuing", "your mind", "manage",
)  # fmt: skip
_SCRIPT_NOTICE = re.compile(
    r"(?:enable|activate|turn on|requires?|need|without|aktivier|benötig|activ|habilit|abilit|inschakel|włącz|povol)\w*\b[^.]{0,60}\bjava\s?script|java\s?script\b[^.]{0,60}\b"
    r"(?:is (?:disabled|required|not enabled|turned off)|disabled|required|enable|aktivier|deaktiviert|désactivé|activ|deshabilitado|habilit)|(?:loading|please wait)\W*$",
    re.I,
)
_SHOP_NAME = re.compile(
    r"(?<![a-z])(?:delivery|shipping|shipment|returns?[-_ ]?(?:policy|info|information)|returns|refunds?|payment[-_ ]?(?:methods?|info|options?)"
    r"|versand(?:kosten|info)?|lieferung|rückgabe|livraison|retours|envio|envíos|devoluciones|spedizione|resi|verzending|retour)(?![a-z])",
    re.I,
)
_SHOP_HEADING = re.compile(
    r"(?:(?:free |fast )?(?:delivery|shipping|returns?|refunds?|payment|versand|lieferung|rückgabe|retoure|zahlung|livraison|retours?|paiement|envíos?|devoluciones"
    r"|pagos?|spedizion[ei]|resi|pagament[oi]|verzending|betaling)(?: methods?| options?| information| policy| costs?)?(?:\s*(?:and|und|et|y|e|en|&|,|/)\s*|$))+",
    re.I,
)
_LOWER_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "summary"})
_WORDS_LEFT = 12
_CONTAINERS = ("div", "section", "aside", "dialog", "form", "footer", "header", "ul", "span", "p")
_REMOVED_BY_CLEANING = ("aside", "nav", "footer", "header", "form", "figure", "dialog", "details", "fieldset")
_CONTENT = ("article", "main")
_NOTICE_TAGS = frozenset({"div", "section", "aside", "dialog", "form", "footer", "header"})
_UNSEEN = frozenset({"script", "style", "template", "head", "svg"})
_SHORTEST_CONSENT_SENTENCE = 9
_SENTENCES_TO_BE_A_NOTICE = 3
_WORDS_PER_CONSENT_SENTENCE = 40
_LONGEST_SCRIPT_NOTICE = 40
_LONGEST_CONSENT_PAGE = 400


def is_consent_notice(text: str) -> bool:
    """Whether a text is a consent notice and little else: at least two of its usual sentences, and one in every 40 words.

    >>> is_consent_notice("We value your privacy. We and our 12 partners store information on a device. Accept all")
    True
    """
    words = len(text.split())
    if not 0 < words <= _LONGEST_CONSENT_PAGE:
        return False
    found = len(_CONSENT_SENTENCES.findall(text))
    return found >= 2 and words <= found * _WORDS_PER_CONSENT_SENTENCE


def is_script_notice(text: str) -> bool:
    """Whether a short text only says that the page needs scripts.

    >>> is_script_notice("You need to enable JavaScript to run this app.")
    True
    """
    words = len(text.split())
    return 0 < words <= _LONGEST_SCRIPT_NOTICE and _SCRIPT_NOTICE.search(text) is not None


def remove_consent(body: Any) -> bool:
    """Remove consent notices from a page, those with a telling name and those with telling sentences; say whether there were any."""
    doomed = [element for element in body.iter(*_CONTAINERS) if _has_consent_name(element) and _is_consent(element)]
    doomed += _with_consent_sentences(body)
    for element in doomed:
        if element is not body and element.getparent() is not None:
            drop(element)
    return bool(doomed)


def drop(element: Any) -> None:
    """Remove an element, but not the text behind it."""
    parent = element.getparent()
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = f"{before.tail or ''} {element.tail}"
        else:
            parent.text = f"{parent.text or ''} {element.tail}"
    parent.remove(element)


def free_content(body: Any) -> None:
    """Make plain blocks of elements that extractors throw away although most of the page's paragraphs are inside.

    An aside, a form or a footer that holds at least half of the words in paragraphs is no aside.
    """
    candidates = list(body.iter(*_REMOVED_BY_CLEANING))
    if not candidates:
        return
    total = _paragraph_words(body)
    if not total:
        return
    for element in candidates:
        if _paragraph_words(element) * 2 >= total:
            element.tag = "div"
            for name in ("class", "id", "role"):
                element.attrib.pop(name, None)


def keep_declared_content(body: Any) -> None:
    """Where a page says which element is its content, leave nothing but that.

    That is its only ``main`` (or ``role=main``) if it holds the page's first heading or at least half of the words in paragraphs, else its only
    ``article`` if it holds the first heading.
    """
    roots = [element for element in body.iter("main", "div", "section") if element.tag == "main" or element.get("role") == "main"]
    if len(roots) == 1 and (_has_heading(roots[0]) or _paragraph_words(roots[0]) * 2 >= _paragraph_words(body)):
        _keep_only(roots[0], body)
        return
    articles = list(body.iter("article"))
    if not roots and len(articles) == 1 and _has_heading(articles[0]):
        _keep_only(articles[0], body)


def remove_shop_notices(body: Any) -> None:
    """Remove blocks about delivery, returns and payment, which a shop repeats on every page, if enough is left without them."""
    doomed = [element for element in body.iter("div", "section", "aside", "ul", "details") if _is_shop_notice(element)]
    if not doomed:
        return
    inside = {element for element in doomed if not any(outer in doomed for outer in element.iterancestors())}
    left = len(_text_of(body).split()) - sum(len(_text_of(element).split()) for element in inside)
    if left < _WORDS_LEFT:
        return
    for element in inside:
        if element.getparent() is not None:
            drop(element)


def _is_shop_notice(element: Any) -> bool:
    if _has_heading(element) or next(element.iter(*_CONTENT), None) is not None:
        return False
    name = _CAMEL.sub("-", f"{element.get('id', '')} {element.get('class', '')}")
    if _SHOP_NAME.search(name):
        return True
    first = next(element.iterchildren(etree.Element), None)
    return first is not None and first.tag in _LOWER_HEADINGS and _SHOP_HEADING.fullmatch(" ".join(_text_of(first).split())) is not None


def _has_heading(element: Any) -> bool:
    return next(element.iter("h1"), None) is not None


def _keep_only(element: Any, body: Any) -> None:
    while element is not body:
        parent = element.getparent()
        for sibling in list(parent):
            if sibling is not element:
                parent.remove(sibling)
        parent.text = None
        element.tail = None
        element = parent


def use_noscript(body: Any) -> None:
    """Put the content of ``noscript`` in place where the page has nothing else; take notices about scripts out."""
    found = list(body.iter("noscript"))
    with_content = [element for element in found if _is_content(" ".join(element.itertext()))]
    elsewhere = sum(len(text.split()) for text in visible_texts(body, skip=("noscript",))) if with_content else 0
    for element in found:
        if element in with_content and len(_text_of(element).split()) > elsewhere:
            element.tag = "div"
        elif element.getparent() is not None:
            drop(element)


def _is_content(text: str) -> bool:
    return len(text.split()) > _LONGEST_SCRIPT_NOTICE // 2 and not is_script_notice(text)


def visible_texts(body: Any, skip: Iterable[str] = ()) -> Iterator[str]:
    """The pieces of text under an element that a reader sees; elements named in ``skip`` are left out."""
    unseen = {*_UNSEEN, *skip}
    stack: list[tuple[Any, bool]] = [(body, True)]
    while stack:
        element, is_entered = stack.pop()
        if not is_entered:
            if element.tail:
                yield element.tail
            continue
        is_element = isinstance(element.tag, str)
        if is_element and element.tag not in unseen:
            if element.text:
                yield element.text
            for child in reversed(element):
                stack.append((child, False))
                stack.append((child, True))


def _has_consent_name(element: Any) -> bool:
    name = f"{element.get('id', '')} {element.get('class', '')} {element.get('aria-label', '')}"
    return len(name) > 4 and _CONSENT_NAME.search(_CAMEL.sub("-", _TAXONOMY.sub(" ", name))) is not None


def _is_consent(element: Any) -> bool:
    if next(element.iter(*_CONTENT), None) is not None:
        return False
    text = _text_of(element)
    return len({found.lower() for found in _CONSENT_WORDS.findall(text)}) >= 2 or len(text.split()) <= 3


def _with_consent_sentences(body: Any) -> list[Any]:
    counts: dict[Any, int] = {}
    for element in body.iter(etree.Element):
        if element.tag not in _UNSEEN:
            _count_sentences(element, element.text, counts)
        if element is not body and element.getparent().tag not in _UNSEEN:
            _count_sentences(element.getparent(), element.tail, counts)
    return [
        element
        for element, count in counts.items()
        if count >= _SENTENCES_TO_BE_A_NOTICE
        and element.tag in _NOTICE_TAGS
        and next(element.iter(*_CONTENT), None) is None
        and len(_text_of(element).split()) <= count * _WORDS_PER_CONSENT_SENTENCE
    ]


def _count_sentences(element: Any, piece: str | None, counts: dict[Any, int]) -> None:
    if not piece or len(piece) < _SHORTEST_CONSENT_SENTENCE or piece.isspace():
        return
    lowered = piece.lower()
    if not any(stem in lowered for stem in _CONSENT_STEMS):
        return
    found = len(_CONSENT_SENTENCES.findall(lowered))
    while found and element is not None:
        counts[element] = counts.get(element, 0) + found
        element = element.getparent()


def _paragraph_words(element: Any) -> int:
    return sum(len(_text_of(paragraph).split()) for paragraph in element.iter("p"))


def _text_of(element: Any) -> str:
    return " ".join(element.itertext())
