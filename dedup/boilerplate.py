"""What is taken out of a page, or put right in it, before its main content is looked for."""

import re
from collections.abc import Iterable, Iterator

from lxml import etree
from lxml.etree import _Element as Element

from dedup.notices import (
    consent_sentences,
    has_consent_name,
    has_shop_name,
    is_dense_in_consent,
    is_script_notice,
    is_shop_heading,
    speaks_of_consent,
)

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LOWER_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "summary"})
_CONTAINERS = ("div", "section", "aside", "dialog", "form", "footer", "header", "ul", "span", "p")
_REMOVED_BY_CLEANING = ("aside", "nav", "footer", "header", "form", "figure", "dialog", "details", "fieldset")
_CONTENT = ("article", "main")
_NOTICE_TAGS = frozenset({"div", "section", "aside", "dialog", "form", "footer", "header"})
_UNSEEN = frozenset({"script", "style", "template", "head", "svg"})
_SHORTEST_CONSENT_SENTENCE = 9
_WORDS_LEFT = 12
_SHORTEST_NOSCRIPT = 20


def remove_consent(body: Element) -> bool:
    """Remove consent notices, those with a telling name and those with telling sentences; say whether there were any."""
    doomed = [element for element in body.iter(*_CONTAINERS) if _is_named_consent(element)]
    doomed += _with_consent_sentences(body)
    for element in doomed:
        if element is not body and element.getparent() is not None:
            drop(element)
    return bool(doomed)


def use_noscript(body: Element) -> None:
    """Put the content of ``noscript`` in place where the page has nothing else; take notices about scripts out."""
    found = list(body.iter("noscript"))
    with_content = [element for element in found if _is_content(_text_of(element))]
    elsewhere = 0
    if with_content:
        elsewhere = sum(len(text.split()) for text in visible_texts(body, skip=("noscript",)))
    for element in found:
        if element in with_content and len(_text_of(element).split()) > elsewhere:
            element.tag = "div"
        elif element.getparent() is not None:
            drop(element)


def free_content(body: Element) -> None:
    """Make plain blocks of elements that extractors throw away although most of the page's paragraphs are inside.

    An aside, a form or a footer that holds at least half of the words in paragraphs is no aside.
    """
    candidates = list(body.iter(*_REMOVED_BY_CLEANING))
    total = _paragraph_words(body) if candidates else 0
    if not total:
        return
    for element in candidates:
        if _paragraph_words(element) * 2 >= total:
            element.tag = "div"
            for name in ("class", "id", "role"):
                element.attrib.pop(name, None)


def keep_declared_content(body: Element) -> None:
    """Where a page says which element is its content, leave nothing but that.

    That is its only ``main`` (or ``role=main``) if it holds the page's first heading or at least half of the words in
    paragraphs, else its only ``article`` if it holds the first heading.
    """
    roots = [element for element in body.iter("main", "div", "section") if _is_main(element)]
    if len(roots) == 1 and (
        _has_heading(roots[0]) or _paragraph_words(roots[0]) * 2 >= _paragraph_words(body)
    ):
        _keep_only(roots[0], body)
        return
    articles = list(body.iter("article"))
    if not roots and len(articles) == 1 and _has_heading(articles[0]):
        _keep_only(articles[0], body)


def remove_shop_notices(body: Element) -> None:
    """Remove blocks about delivery, returns and payment, which a shop repeats on every page, if enough is left without them."""
    doomed = [
        element
        for element in body.iter("div", "section", "aside", "ul", "details")
        if _is_shop_notice(element)
    ]
    if not doomed:
        return
    outermost = {
        element for element in doomed if not any(outer in doomed for outer in element.iterancestors())
    }
    left = len(_text_of(body).split()) - sum(len(_text_of(element).split()) for element in outermost)
    if left < _WORDS_LEFT:
        return
    for element in outermost:
        if element is not body:
            drop(element)


def drop(element: Element) -> None:
    """Remove an element, but not the text behind it."""
    parent = element.getparent()
    before = element.getprevious()
    if element.tail and before is not None:
        before.tail = _NOT_IN_XML.sub(" ", f"{before.tail or ''} {element.tail}")
    elif element.tail:
        parent.text = _NOT_IN_XML.sub(" ", f"{parent.text or ''} {element.tail}")
    parent.remove(element)


def visible_texts(body: Element, skip: Iterable[str] = ()) -> Iterator[str]:
    """The pieces of text under an element that a reader sees; elements named in ``skip`` are left out."""
    unseen = {*_UNSEEN, *skip}
    stack: list[tuple[Element, bool]] = [(body, True)]
    while stack:
        element, is_entered = stack.pop()
        if not is_entered:
            yield element.tail or ""
        elif isinstance(element.tag, str) and element.tag not in unseen:
            yield element.text or ""
            for child in reversed(element):
                stack.append((child, False))
                stack.append((child, True))


def _is_content(text: str) -> bool:
    return len(text.split()) > _SHORTEST_NOSCRIPT and not is_script_notice(text)


def _is_main(element: Element) -> bool:
    return bool(element.tag == "main" or element.get("role") == "main")


def _is_shop_notice(element: Element) -> bool:
    if _has_heading(element) or _has_content(element):
        return False
    if has_shop_name(f"{element.get('id', '')} {element.get('class', '')}"):
        return True
    first = next(element.iterchildren(etree.Element), None)
    return (
        first is not None
        and first.tag in _LOWER_HEADINGS
        and is_shop_heading(" ".join(_text_of(first).split()))
    )


def _is_named_consent(element: Element) -> bool:
    name = f"{element.get('id', '')} {element.get('class', '')} {element.get('aria-label', '')}"
    if len(name) <= 4 or not has_consent_name(name):
        return False
    return not _has_content(element) and speaks_of_consent(_text_of(element))


def _with_consent_sentences(body: Element) -> list[Element]:
    counts: dict[Element, int] = {}
    for element in body.iter(etree.Element):
        if element.tag not in _UNSEEN:
            _count_sentences(element, element.text, counts)
        if element is not body and element.getparent().tag not in _UNSEEN:
            _count_sentences(element.getparent(), element.tail, counts)
    return [
        element
        for element, count in counts.items()
        if element.tag in _NOTICE_TAGS
        and not _has_content(element)
        and is_dense_in_consent(len(_text_of(element).split()), count, least=3)
    ]


def _count_sentences(element: Element | None, piece: str | None, counts: dict[Element, int]) -> None:
    if not piece or len(piece) < _SHORTEST_CONSENT_SENTENCE or piece.isspace():
        return
    found = consent_sentences(piece)
    while found and element is not None:
        counts[element] = counts.get(element, 0) + found
        element = element.getparent()


def _has_content(element: Element) -> bool:
    return next(element.iter(*_CONTENT), None) is not None


def _has_heading(element: Element) -> bool:
    return next(element.iter("h1"), None) is not None


def _keep_only(element: Element, body: Element) -> None:
    while element is not body:
        parent = element.getparent()
        for sibling in list(parent):
            if sibling is not element:
                parent.remove(sibling)
        parent.text = None
        element.tail = None
        element = parent


def _paragraph_words(element: Element) -> int:
    return sum(len(_text_of(paragraph).split()) for paragraph in element.iter("p"))


def _text_of(element: Element) -> str:
    return " ".join(element.itertext())
