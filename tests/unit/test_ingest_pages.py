import json
import zipfile

import pytest

from dedup.ingest import DuplicateIds, IngestError, Page, ReadOptions, preview, read_pages
from tests.ingested import ingested, written

ARTICLE = "<html><body><article><h1>{0}</h1><p>{1}</p></article></body></html>"
SENTENCE = "The harbour ferry will run every twenty minutes from the first of May after the operator bought two boats. "


def jsonl(folder, *records, name="docs.jsonl"):
    return written(folder, name, "\n".join(json.dumps(record) for record in records))


def test_an_empty_file_is_refused_by_name(tmp_path):
    path = written(tmp_path, "nothing.csv", "")

    with pytest.raises(IngestError, match=r"nothing\.csv is empty"):
        list(read_pages(path, ReadOptions()))


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7 \x00\x01", b"\x89PNG\r\n\x1a\n", b"SQLite format 3\x00rest", bytes(range(256)) * 4]
)
def test_a_binary_file_is_refused_by_name(tmp_path, content):
    path = written(tmp_path, "thing.csv", content)

    with pytest.raises(IngestError, match=r"thing\.csv can't be read"):
        list(read_pages(path, ReadOptions()))


def test_a_missing_file_and_an_empty_folder_are_refused(tmp_path):
    with pytest.raises(IngestError, match=r"gone\.csv doesn't exist"):
        list(read_pages(tmp_path / "gone.csv", ReadOptions()))
    (tmp_path / "hollow").mkdir()
    with pytest.raises(IngestError, match="hollow has no files"):
        list(read_pages(tmp_path / "hollow", ReadOptions()))


def test_a_missing_text_column_names_the_columns_that_exist(tmp_path):
    path = written(tmp_path, "docs.csv", "id,body2\n1,a text\n")

    with pytest.raises(IngestError, match=r"docs\.csv has no column for the text.*“id”, “body2”.*text=body2"):
        list(read_pages(path, ReadOptions()))
    assert ingested(path, mapping={"text": "body2"}).texts == {"1": "a text"}


def test_a_chosen_column_that_does_not_exist_names_those_that_do(tmp_path):
    path = written(tmp_path, "docs.csv", "id,text\n1,a\n")

    with pytest.raises(IngestError, match=r"no column “prcie” \(chosen for price\).*“id”, “text”"):
        list(read_pages(path, ReadOptions(mapping={"price": "prcie"})))


def test_an_unknown_field_is_refused(tmp_path):
    path = written(tmp_path, "docs.csv", "id,text\n1,a\n")

    with pytest.raises(IngestError, match="no field “colour”"):
        list(read_pages(path, ReadOptions(mapping={"colour": "id"})))


def test_a_null_or_missing_text_is_an_empty_text(tmp_path):
    path = jsonl(
        tmp_path,
        {"id": "a", "text": None},
        {"id": "b"},
        {"id": "c", "text": ""},
        {"id": "d", "text": "words"},
    )

    found = ingested(path)

    assert found.texts == {"a": "", "b": "", "c": "", "d": "words"}
    assert found.rejections == []


def test_ids_are_made_from_file_and_line_and_that_is_said_once(tmp_path):
    path = written(tmp_path, "docs.csv", "text\none\n\ntwo\n")

    found = ingested(path)

    assert list(found.texts) == ["docs.csv:2", "docs.csv:4"]
    assert [problem.field for problem in found.problems] == ["id"]


def test_made_ids_of_a_json_array_count_records(tmp_path):
    path = written(tmp_path, "docs.json", '[{"text": "one"}, {"text": "two"}]')

    assert list(ingested(path).texts) == ["docs.json:1", "docs.json:2"]


def test_an_id_beyond_500_characters_is_rejected(tmp_path):
    found = ingested(jsonl(tmp_path, {"id": "x" * 501, "text": "a"}, {"id": "y", "text": "b"}))

    assert list(found.texts) == ["y"]
    assert "longer than 500" in found.rejections[0].reason


def test_the_source_is_the_host_unless_a_column_names_it(tmp_path):
    path = jsonl(
        tmp_path,
        {"id": "a", "text": "x", "url": "https://News.Example.org/1"},
        {"id": "b", "text": "x", "url": "https://news.example.org/2", "source": "wire"},
    )

    assert [page.source for page in ingested(path).pages] == ["news.example.org", "wire"]


def test_a_constant_stands_for_every_record(tmp_path):
    path = written(tmp_path, "docs.csv", "id,text,price\n1,kettle,24.90\n")

    found = ingested(path, mapping={"currency": "=EUR", "source": "=shop"})

    assert (found.page("1").price, found.page("1").currency, found.page("1").source) == (2490, "EUR", "shop")


def test_any_named_field_can_be_an_identifier(tmp_path):
    path = written(tmp_path, "docs.csv", "id,text,ASIN,ean\n1,kettle, B00X ,4006381333931\n")

    found = ingested(path, mapping={"identifier:asin": "ASIN"})

    assert set(found.page("1").identifiers) == {"asin:B00X", "gtin:04006381333931"}


def test_nested_fields_have_dotted_names(tmp_path):
    path = jsonl(tmp_path, {"id": 1, "text": "kettle", "offers": {"price": 24.90, "priceCurrency": "EUR"}})

    found = ingested(path, mapping={"price": "offers.price", "currency": "offers.priceCurrency"})

    assert (found.page("1").price, found.page("1").currency) == (2490, "EUR")


def test_half_characters_are_replaced_and_reported(tmp_path):
    path = written(
        tmp_path,
        "docs.jsonl",
        '{"id": "1", "text": "cut \\ud83d off"}\n{"id": "2", "text": "\\ud83d\\ude00"}\n',
    )

    found = ingested(path)

    assert found.texts == {"1": "cut � off", "2": "😀"}
    assert "unpaired surrogate" in found.reasons


def test_a_text_is_preferred_and_html_is_used_where_it_is_empty(tmp_path):
    html = ARTICLE.format("Ferry", SENTENCE * 3)
    path = jsonl(tmp_path, {"id": "a", "text": "short", "html": html}, {"id": "b", "text": "", "html": html})

    found = ingested(path)

    assert found.page("a").text == "short"
    assert "harbour ferry" in found.page("b").text


def test_a_folder_is_read_in_the_order_of_names_whatever_it_holds(tmp_path):
    written(tmp_path, "c.txt", "a plain text of a few words")
    written(tmp_path, "b/page.html", ARTICLE.format("Ferry", SENTENCE * 3))
    written(tmp_path, "a.jsonl", '{"id": "j", "text": "line"}\n')
    written(tmp_path, "d.csv", "id,nothing\n1,2\n")
    written(tmp_path, ".hidden.txt", "not read")

    found = ingested(tmp_path)

    assert [page.id for page in found.pages] == ["j", "b/page", "c"]
    assert [problem.file for problem in found.rejections] == ["d.csv"]


def test_files_that_differ_only_in_their_ending_keep_it_in_their_ids(tmp_path):
    written(tmp_path, "a.txt", "one text here")
    written(tmp_path, "a.html", ARTICLE.format("Ferry", SENTENCE * 3))

    assert {page.id for page in ingested(tmp_path).pages} == {"a.html", "a.txt"}


def test_an_id_used_in_another_file_is_rejected_with_both_places(tmp_path):
    jsonl(tmp_path, {"id": "1", "text": "one"}, name="a.jsonl")
    jsonl(tmp_path, {"id": "1", "text": "other"}, name="b.jsonl")

    found = ingested(tmp_path)

    assert found.texts == {"1": "one"}
    assert "line 1 of a.jsonl" in found.rejections[0].reason


def test_ids_can_be_remembered_over_several_paths(tmp_path):
    seen = DuplicateIds()
    first = jsonl(tmp_path, {"id": "1", "text": "one"}, name="a.jsonl")
    second = jsonl(tmp_path, {"id": "1", "text": "one"}, name="b.jsonl")

    assert isinstance(next(read_pages(first, ReadOptions(), seen=seen)), Page)
    assert next(read_pages(second, ReadOptions(), seen=seen)).is_repeat


@pytest.mark.parametrize("after", range(9))
def test_a_resumed_run_gives_what_the_first_had_left_to_give(tmp_path, after):
    path = written(
        tmp_path,
        "docs.csv",
        "id,text,first_seen\na,one,2024-03-01\nb,two,2024-03-02\nb,two,2024-03-02\na,else,\n"
        ',three,never\n"broken\nd,four,01/02/2024\ne,five,13/02/2024\n',
    )
    whole = list(read_pages(path, ReadOptions()))

    resumed = list(read_pages(path, ReadOptions(), after=after))

    assert resumed == [item for item in whole if item.position > after]


def test_remarks_come_before_their_page(tmp_path):
    path = jsonl(tmp_path, {"id": "a", "text": "x", "price": "two"}, {"id": "b", "text": "y"})

    items = list(read_pages(path, ReadOptions()))

    assert [(type(item).__name__, item.position) for item in items] == [
        ("Problem", 1),
        ("Page", 1),
        ("Page", 2),
    ]


def test_several_processes_give_the_same_as_one(tmp_path):
    records = [
        {"id": n, "html": ARTICLE.format(n, SENTENCE * 3)} if n % 3 else {"id": n, "text": "t"}
        for n in range(12)
    ]
    path = jsonl(tmp_path, *records, {"id": 0, "text": "again"})

    alone = list(read_pages(path, ReadOptions()))
    together = list(read_pages(path, ReadOptions(), workers=2))

    assert together == alone


def test_the_preview_shows_rows_pages_and_guesses(tmp_path):
    path = written(
        tmp_path,
        "docs.csv",
        "key;Body Text;EAN\n" + "".join(f"{n};text {n};4006381333931\n" for n in range(40)),
    )

    shown = preview(path, ReadOptions(), rows=5)

    assert shown.rows[0] == {"key": "0", "Body Text": "text 0", "EAN": "4006381333931"}
    assert [page.id for page in shown.pages] == ["0", "1", "2", "3", "4"]
    assert shown.description.guesses == {"delimiter": ";", "id": "key", "text": "Body Text", "gtin": "EAN"}
    assert shown.error == ""


def test_the_preview_says_why_a_mapping_does_not_fit(tmp_path):
    shown = preview(written(tmp_path, "docs.csv", "a,b\n1,2\n"), ReadOptions())

    assert shown.rows == ({"a": "1", "b": "2"},)
    assert "no column for the text" in shown.error


@pytest.mark.parametrize(("name", "content"), [("h.csv", "id,text\n"), ("b.jsonl", "\n\n"), ("e.json", "[]")])
def test_a_file_without_records_says_so(tmp_path, name, content):
    found = ingested(written(tmp_path, name, content))

    assert (found.pages, found.reasons) == ([], "the file has no records")


def test_what_is_in_an_archive_is_read_like_a_folder(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x/p.html", ARTICLE.format("Ferry", SENTENCE * 3))
        archive.writestr("b.csv", "id,text\n01,text\n")

    assert [page.id for page in ingested(path).pages] == ["01", "x/p"]
