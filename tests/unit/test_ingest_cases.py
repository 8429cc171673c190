"""What went wrong in other products, read by this one."""

import gzip
import json

import pytest

from dedup.ingest import IngestError, open_corpus, read_pages
from dedup.ingest.records import ReadOptions
from tests.ingested import CASES, ingested, written


def case(name, file):
    return ingested(CASES / name / file)


def test_words_that_mean_missing_elsewhere_stay_words():
    found = case("in01-na-strings", "docs.csv")

    assert found.texts == {
        "NA": "Namibia travel notes",
        "null": "a text about the null device",
        "None": "nan",
        "nan": "N/A",
        "N/A": "null",
        "-inf": "None",
        "x7": "",
    }


def test_null_and_empty_cells_of_parquet_are_empty_and_the_word_nan_is_a_word():
    found = case("in03-parquet-nulls", "docs.parquet")

    assert found.texts == {
        "q1": "",
        "q2": "",
        "q3": "nan",
        "q4": "a plain sentence",
        "q5": "a plain sentence",
    }


def test_ids_keep_zeros_signs_and_exponents():
    found = case("in05-leading-zeros", "docs.csv")

    assert [page.id for page in found.pages] == ["007", "7", "0007", "1e5", "100000", "+7", "7.0"]


def test_a_repeated_id_with_another_text_is_rejected_with_both_lines():
    found = case("in08-duplicate-ids", "docs.csv")

    assert found.texts == {"a": "first text for this id", "b": "another text"}
    assert [(problem.line, problem.is_rejection, problem.is_repeat) for problem in found.problems] == [
        (4, True, False),
        (5, False, True),
    ]
    assert "already used on line 2" in found.problems[0].reason


def test_windows_1252_is_read_and_said_to_be_a_guess():
    found = case("in10-cp1252", "docs.csv")

    assert found.texts["w1"] == "“Café crème – only 3 €” said the waiter’s sign"
    assert "cp1252 was guessed" in found.reasons


def test_utf_16_with_a_mark_is_read():
    found = case("in11-utf16", "docs.csv")

    assert found.texts == {"u1": "Größe und Maß, naïve façade", "u2": "second line"}


@pytest.mark.parametrize("file", ["docs.csv", "semicolon.csv"])
def test_a_byte_order_mark_is_no_part_of_the_first_name(file):
    with open_corpus(CASES / "in15-bom-first-column" / file, ReadOptions()) as reader:
        description = reader.describe()
    found = case("in15-bom-first-column", file)

    assert description.columns == ("id", "text")
    assert found.texts == {"1": "first", "2": "second"}


def test_a_field_of_150000_characters_is_read(tmp_path):
    text = ("lorem ipsum dolor sit amet " * 6000)[:149999] + "Z"
    path = written(tmp_path, "docs.csv", f"id,text\nbig,{text}\nsmall,a short line\n")

    found = ingested(path)

    assert found.texts == {"big": text, "small": "a short line"}


def test_line_ends_and_quotes_inside_fields_are_kept():
    found = case("in22-newlines-and-quotes", "docs.csv")

    assert found.texts == {
        "l1": 'first line\nsecond, line\nthird "quoted" line',
        "l2": "windows\r\nbreak",
        "l3": 'ends with a quote"',
    }
    assert [page.line for page in found.pages] == [2, 5, 7]


def test_semicolons_are_found_and_decimal_commas_stay():
    found = case("in25-semicolons", "docs.csv")

    assert found.texts == {"s1": "Breite 1,5 m, Höhe 2,0 m", "s2": "Gewicht 3,25 kg", "s3": "mit; Semikolon"}


def test_two_columns_of_one_name_are_refused_until_one_is_chosen_by_position():
    path = CASES / "in27-duplicate-headers" / "docs.csv"

    with pytest.raises(IngestError, match=r"same name “text”.*text=#2"):
        list(read_pages(path, ReadOptions()))

    assert ingested(path, mapping={"text": "#3"}).texts == {
        "1": "the long body of the page",
        "2": "another long body",
    }


def test_two_columns_whose_names_differ_in_case_alone_are_refused_with_both_places(tmp_path):
    path = written(tmp_path, "docs.csv", "id,Text,TEXT\n1,short,long\n")

    with pytest.raises(IngestError, match=r"2 columns with the same name “Text” .*#2 and #3"):
        list(read_pages(path, ReadOptions()))

    assert ingested(path, mapping={"text": "#3"}).texts == {"1": "long"}


def test_mixed_line_ends_and_a_missing_last_one_lose_nothing():
    found = case("in29-mixed-line-ends", "docs.csv")

    assert found.texts == {
        "1": "windows",
        "2": "unix",
        "3": "old mac",
        "4": "windows again",
        "5": "last without newline",
    }


def test_a_broken_line_is_named_and_the_others_are_read():
    found = case("in35-one-bad-line", "docs.jsonl")

    assert list(found.texts) == ["1", "2", "4", "5"]
    assert [problem.line for problem in found.rejections] == [3]
    assert "invalid JSON" in found.rejections[0].reason


def test_blank_lines_are_no_records():
    found = case("in36-blank-lines", "docs.jsonl")

    assert list(found.texts) == ["1", "2"]
    assert found.problems == []


def test_an_expanding_archive_is_stopped_at_its_limit(tmp_path):
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=9) as stream:
        stream.write(b'{"id": "1", "text": "')
        for _ in range(96):
            stream.write(b"a" * 2**20)
        stream.write(b'"}\n')

    found = ingested(path)

    assert found.pages == []
    assert "more than 200 times its size, the limit" in found.rejections[-1].reason


def test_every_member_of_a_gzip_file_is_read():
    found = case("in41-gzip-members", "docs.jsonl.gz")

    assert list(found.texts) == ["m1", "m2", "m3"]


def test_times_with_different_offsets_become_instants():
    found = case("in45-mixed-offsets", "docs.jsonl")

    instants = {page.id: page.first_seen.isoformat() for page in found.pages}
    assert instants == {
        "z1": "2024-03-01T09:00:00+00:00",
        "z2": "2024-03-01T08:30:00+00:00",
        "z3": "2024-03-01T09:00:00+00:00",
        "z4": "2024-03-01T09:30:00+00:00",
    }
    assert "no offset; it was read as UTC" in found.reasons


def test_the_order_of_day_and_month_follows_from_the_column():
    found = case("in46-day-or-month", "docs.csv")

    days = [page.first_seen and page.first_seen.date().isoformat() for page in found.pages]
    assert days == ["2025-02-01", "2025-02-13", "2025-02-14", None]
    assert "the day first, as “13/02/2025”" in found.reasons
    assert "45702" in [problem.example for problem in found.problems]


def test_one_price_in_several_spellings_is_one_price():
    found = case("pr01-price-spellings", "docs.jsonl")

    prices = {page.id: (page.price, page.currency) for page in found.pages}
    assert {prices[name] for name in ("p1", "p2", "p3", "p4")} == {(129900, "EUR")}
    assert prices["p5"] == (129901, "EUR")
    assert prices["p6"] == (129900, "USD")


def test_gtins_of_different_length_are_one_and_a_wrong_check_digit_is_reported():
    found = case("pr05-gtin-padding", "docs.jsonl")

    identifiers = {page.id: page.identifiers for page in found.pages}
    assert {identifiers[name] for name in ("g1", "g2", "g3", "g4")} == {("gtin:00036000291452",)}
    assert identifiers["g5"] == ("gtin:04006381333931",)
    assert identifiers["g6"] == ()
    assert "wrong check digit" in found.reasons


def test_a_cut_off_archive_gives_its_whole_records_and_says_so():
    found = case("wa01-truncated", "crawl.warc.gz")

    assert [page.url for page in found.pages] == [f"http://news.example.org/{number}" for number in range(3)]
    assert "ends early" in found.rejections[0].reason
    assert "incomplete" in found.rejections[0].reason


def test_chunked_and_compressed_bodies_are_clean_whatever_the_headers_say():
    found = case("wa05-chunked-and-gzip", "crawl.warc.gz")

    texts = {page.url[-1]: page.text for page in found.pages}
    assert texts["2"] == texts["3"]
    assert [text.splitlines()[0] for text in texts.values()] == [
        "ferry",
        "museum",
        "museum",
        "bridge",
        "bees",
    ]


def test_revisits_and_requests_are_no_pages():
    found = case("wa06-revisit", "crawl.warc.gz")

    assert [(page.url, page.first_seen.isoformat()) for page in found.pages] == [
        ("http://a.example.org/1", "2024-04-02T10:00:00+00:00")
    ]


def test_relative_canonical_addresses_are_resolved():
    found = case("ca01-relative", "docs.jsonl")

    assert {page.canonical_url for page in found.pages} == {"https://news.example.org/2024/ferry.html"}


def test_a_canonical_address_without_host_and_a_home_page_are_not_used_and_reported():
    found = case("ca03-bogus-and-homepage", "docs.jsonl")

    assert {page.canonical_url for page in found.pages} == {""}
    assert found.reasons.count("home page") == 3
    assert "canonical address can't be used" in found.reasons
    assert "https://shop.example.org/" in " ".join(found.page("h1").flags)


def test_a_canonical_address_on_another_host_is_kept():
    found = case("ca06-target-missing-or-foreign", "docs.jsonl")

    assert found.page("s1").canonical_url == "https://wire.example.org/ferry"


def test_nul_characters_are_removed_and_reported():
    found = case("db05-nul-in-text", "docs.jsonl")

    assert found.texts == {"n1": "beforeafter", "n2": "clean", "n3": ""}
    assert [(problem.line, problem.field) for problem in found.problems] == [(1, "text"), (3, "text")]


def test_forty_thousand_rows_come_in_order(tmp_path):
    rows = [json.dumps({"id": f"n{number}", "text": f"note {number}"}) for number in range(40_000)]
    path = written(tmp_path, "docs.jsonl", "\n".join(rows))

    found = ingested(path)

    assert [page.position for page in found.pages] == list(range(1, 40_001))
