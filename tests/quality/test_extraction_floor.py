"""The quality of main texts on real pages, against passages that a person chose.

The pages belong to their publishers and may not be copied here; they are read where they lie beside the project.
"""

import gzip
import json
from pathlib import Path

import pytest

from dedup.extraction import extract

PAGES = Path(__file__).resolve().parents[3] / "shared" / "data" / "html_trafilatura_open" / "docs.jsonl.gz"


@pytest.fixture(scope="module")
def pages():
    if not PAGES.exists():
        pytest.skip(
            "the real pages may not be copied here, and the folder beside the project hasn't got them"
        )
    with gzip.open(PAGES, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines][::3]


def f1(pages, text_of):
    kept = missed = unwanted = 0
    for page in pages:
        text = text_of(page)
        found = sum(passage in text for passage in page["must_contain"])
        kept += found
        missed += len(page["must_contain"]) - found
        unwanted += sum(passage in text for passage in page["must_not_contain"])
    return 2 * kept / (2 * kept + missed + unwanted)


def test_main_texts_are_no_worse_than_those_of_the_plain_extractor(pages):
    import trafilatura

    def plain(page):
        return trafilatura.extract(page["html"], favor_precision=True, include_comments=False) or ""

    ours = f1(pages, lambda page: extract(page["html"], url=page["url"]).text)

    assert ours >= f1(pages, plain)
    assert ours >= 0.91


def test_the_fast_extractor_keeps_its_floor(pages):
    assert (
        f1(pages, lambda page: extract(page["html"], url=page["url"], extractor="resiliparse").text) >= 0.83
    )


def test_the_declared_address_is_found(pages):
    declared = [page for page in pages if str(page.get("declared_canonical") or "").startswith("http")]

    found = [
        extract(page["html"], url=page["url"], extractor="resiliparse").canonical_url for page in declared
    ]

    agreeing = sum(ours == page["declared_canonical"] for ours, page in zip(found, declared, strict=True))
    assert agreeing >= len(declared) * 0.95
