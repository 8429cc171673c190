"""A page's main content, without what stands on every page."""

import re
from dataclasses import dataclass, field
from typing import Literal

import lxml.etree
import lxml.html
from lxml.etree import _Element as Element

from dedup.addresses import declared_canonical
from dedup.boilerplate import (
    free_content,
    keep_declared_content,
    remove_consent,
    remove_shop_notices,
    use_noscript,
)
from dedup.notices import is_consent_notice, is_script_notice

ExtractorName = Literal["trafilatura", "resiliparse"]
NO_MAIN_TEXT = "no main text"
CONSENT_ONLY = f"{NO_MAIN_TEXT}: the page is only a consent notice"
SCRIPT_ONLY = f"{NO_MAIN_TEXT}: the page is built by scripts"
TOO_DEEP = "the page is nested too deeply; its text may be incomplete"
_LARGE_PAGE = 2_000_000
_TABLE_RULE = re.compile(r"^\|(?:-+\|)+\n?", re.MULTILINE)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Main text, title, the canonical address that the page declares (empty if none can be used), and remarks."""

    text: str
    title: str = ""
    canonical_url: str = ""
    flags: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sheet:
    """A page on the table."""

    html: str
    tree: Element | None
    flags: list[str] = field(default_factory=list)


def extract(html: bytes | str, *, url: str = "", extractor: ExtractorName = "trafilatura") -> Extraction:
    """Find a page's main text. The result depends on nothing but the arguments.

    ``trafilatura`` is the better one, ``resiliparse`` some ten times as fast; it also steps in where trafilatura finds
    nothing, and on pages of more than two million characters. A page that has no main text gives an empty text and a
    flag that says why. Bytes are read as UTF-8.
    """
    if isinstance(html, bytes):
        html = html.decode("utf-8", "replace")
    sheet = _parse(html)
    if sheet.tree is None:
        return Extraction(text="", flags=(NO_MAIN_TEXT,))
    title = _title(sheet.tree)
    canonical, remarks = declared_canonical(sheet.tree, url)
    sheet.flags.extend(remarks)
    text = _main_text(sheet, sheet.tree, extractor)
    return Extraction(text=text, title=title, canonical_url=canonical, flags=tuple(sheet.flags))


def _parse(html: str) -> _Sheet:
    parser = lxml.html.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True)
    data = _XML_DECLARATION.sub("", html).replace("\x00", "").encode("utf-8", "replace")
    try:
        tree = lxml.html.document_fromstring(data, parser=parser)
    except (lxml.etree.LxmlError, ValueError):
        return _Sheet(html, None)
    sheet = _Sheet(html, tree)
    if any("depth" in entry.message for entry in parser.error_log):
        sheet.flags.append(TOO_DEEP)
    return sheet


def parse_page(html: str) -> Element | None:
    """The tree of a page as ``extract`` sees it before anything is taken out; None where there is nothing to parse."""
    return _parse(html).tree


def _title(tree: Element) -> str:
    for title in tree.iter("title"):
        return " ".join("".join(title.itertext()).split())
    return ""


def _main_text(sheet: _Sheet, tree: Element, extractor: ExtractorName) -> str:
    body = tree.find("body")
    if body is None:
        body = tree
    had_consent = remove_consent(body)
    use_noscript(body)
    free_content(body)
    keep_declared_content(body)
    remove_shop_notices(body)
    text = _extracted(sheet, extractor)
    if is_script_notice(text) or (not text and next(tree.iter("script"), None) is not None):
        sheet.flags.append(SCRIPT_ONLY)
        return ""
    if is_consent_notice(text) or (not text and had_consent):
        sheet.flags.append(CONSENT_ONLY)
        return ""
    if not text:
        sheet.flags.append(NO_MAIN_TEXT)
    return text


def _extracted(sheet: _Sheet, extractor: ExtractorName) -> str:
    if extractor == "trafilatura" and len(sheet.html) <= _LARGE_PAGE and TOO_DEEP not in sheet.flags:
        text = _by_trafilatura(sheet.tree)
        if text:
            return text
    html = sheet.html if TOO_DEEP in sheet.flags else lxml.html.tostring(sheet.tree, encoding="unicode")
    return _by_resiliparse(html)


def _by_trafilatura(tree: Element) -> str:
    import trafilatura

    try:
        text = trafilatura.extract(tree, favor_precision=True, include_comments=False, deduplicate=False)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError, lxml.etree.LxmlError):
        return ""
    return _TABLE_RULE.sub("", str(text or "")).strip()


def _by_resiliparse(html: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    text = extract_plain_text(
        html, main_content=True, alt_texts=False, list_bullets=False, preserve_formatting=True
    )
    return str(text).strip()
