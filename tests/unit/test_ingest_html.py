import pytest

from dedup.ingest.markup import decode_html
from tests.ingested import ingested, written

GERMAN = "Größe, Maß und übermäßiger Ärger"


def meta(charset):
    return f'<html><head><meta charset="{charset}"></head><body>'


@pytest.mark.parametrize(
    ("data", "declared"),
    [
        ((meta("iso-8859-1") + GERMAN).encode("latin-1"), ""),
        ((meta("windows-1252") + GERMAN).encode("cp1252"), ""),
        ((meta("utf-8") + GERMAN).encode(), ""),
        ((meta("iso-8859-1") + GERMAN).encode(), "iso-8859-1"),
        (GERMAN.encode("latin-1"), "ISO-8859-1"),
        (GERMAN.encode("utf-16"), ""),
        (GERMAN.encode("utf-8-sig"), "latin-1"),
        ((meta("nonsense") + GERMAN).encode(), "also nonsense"),
        (f'<?xml version="1.0" encoding="iso-8859-15"?><html>{GERMAN}'.encode("iso-8859-15"), ""),
        ((meta("utf-8") + GERMAN * 3).encode("cp1252"), ""),
        (GERMAN.encode("cp1252"), ""),
    ],
)
def test_the_charset_is_found_whatever_is_declared(data, declared):
    assert GERMAN in decode_html(data, declared=declared)[0]


def test_latin_1_is_what_browsers_take_it_for():
    assert decode_html(b"\x93quoted\x94 \x80", declared="iso-8859-1") == ("“quoted” €", "")


def test_bytes_that_stand_for_nothing_are_replaced_with_a_remark():
    text, remark = decode_html((meta("utf-8") + GERMAN).encode() + b"\xff")

    assert text.endswith("�")
    assert "0xFF is not valid utf-8" in remark


@pytest.mark.parametrize("charset", ["shift_jis", "euc-jp", "iso-2022-jp"])
def test_japanese_charsets_are_read_as_declared(charset):
    text = "今日は朝から雨が降っています"

    assert text in decode_html((meta(charset) + text).encode(charset))[0]


def test_a_doubtful_charset_is_a_remark_on_the_file(tmp_path):
    path = written(tmp_path, "p.html", (meta("utf-8") + f"<p>{GERMAN}</p>" * 9).encode("cp1252"))

    found = ingested(path)

    assert "declared as utf-8 and isn't" in found.reasons
    assert [problem.position for problem in found.problems] == [1]


def test_a_page_beyond_the_limit_is_rejected(tmp_path):
    found = ingested(written(tmp_path, "p.html", b"<html>" + b"a " * (8 * 2**20)))

    assert "longer than 16,777,216 bytes" in found.rejections[0].reason


def test_the_title_of_a_page_is_kept_unless_a_column_names_it(tmp_path):
    html = "<html><head><title> A \\n title </title></head><body><article><p>some words here</p></article></body></html>"
    path = written(
        tmp_path, "d.jsonl", f'{{"id": 1, "html": "{html}"}}\n{{"id": 2, "html": "{html}", "title": "Own"}}\n'
    )

    assert [page.title for page in ingested(path).pages] == ["A title", "Own"]


def test_pages_are_recognised_without_an_ending(tmp_path):
    path = written(
        tmp_path, "page", "\n<!-- saved --><!DOCTYPE html><html><body><p>some words here</p></body></html>"
    )

    assert [page.id for page in ingested(path).pages] == ["page"]
