"""A page's main content, without what stands on every page."""

import re
from dataclasses import dataclass
from typing import Any, Literal

import lxml.html

from dedup.addresses import declared_canonical

ExtractorName = Literal["trafilatura", "resiliparse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Main text, title, the canonical address that the page declares (empty if none can be used), and remarks."""

    text: str
    title: str = ""
    canonical_url: str = ""
    flags: tuple[str, ...] = ()


def extract(html: bytes | str, *, url: str = "", extractor: ExtractorName = "trafilatura") -> Extraction:
    """Extract a page."""
    if isinstance(html, bytes):
        html = html.decode("utf-8", "replace")
    tree = _parse(html)
    title = " ".join("".join(tree.xpath("//title[1]//text()")).split()) if tree is not None else ""
    canonical, flags = declared_canonical(tree, url) if tree is not None else ("", [])
    return Extraction(text=_main_text(html, extractor), title=title, canonical_url=canonical, flags=tuple(flags))


def _parse(html: str) -> Any:
    try:
        return lxml.html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", html))
    except (lxml.etree.LxmlError, ValueError):
        return None


def _main_text(html: str, extractor: ExtractorName) -> str:
    if extractor == "trafilatura":
        import trafilatura

        text = trafilatura.extract(html, favor_precision=True, include_comments=False, deduplicate=False)
        if text:
            return str(text)
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True, alt_texts=False, preserve_formatting=True))
