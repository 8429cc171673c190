import csv
import gzip
import io
import json
import string
from datetime import datetime

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dedup.extraction import extract
from dedup.ingest import DuplicateIds, IngestError, Page, ReadOptions, open_corpus, read_pages
from dedup.ingest.dates import parse_instant
from dedup.ingest.identifiers import check_digit, normalise_identifier
from dedup.ingest.lines import Lines
from dedup.ingest.markup import decode_html
from dedup.ingest.prices import Price, parse_price
from dedup.ingest.web_archive import read_response, unchunk
from tests.ingested import ingested, written
from tests.reference import ingest as reference

fast = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
fuzz = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
storable = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\r\t"), max_size=40)
MARKUP = (
    "<p>", "</p>", "<div class='cookie'>", "</div>", "<noscript>", "</noscript>", "<h2>Returns</h2>", "<main>", "<base href='x'>",
    "<link rel=canonical href='//'>", "&#1;", "\x01", "words here ", "<article>", "<aside><h1>", "<script>", "<frameset>", "<svg>",
)  # fmt: skip
BEGINNINGS = (
    b"", b"{", b"[", b'{"id": 1, "text": "', b"id,text\n", b"<!doctype html><html>", b"WARC/1.0\r\n", b"PK\x03\x04", b"PAR1",
    b"\x1f\x8b\x08\x00", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff\xfe\x00\x00", b"<?xml ",
)  # fmt: skip


def outcome(path):
    try:
        return list(read_pages(path, ReadOptions())), ""
    except IngestError as error:
        return [], str(error)


@fuzz
@given(
    st.sampled_from(BEGINNINGS),
    st.binary(max_size=300),
    st.sampled_from(["d", "d.csv", "d.html", "d.json", "d.gz", "d.xlsx"]),
)
@example(b"PK\x03\x04", b"", "d.zip")
@example(b"WARC/1.0\r\n", b"Content-Length: 99999999999999999999\r\n\r\n", "d.warc")
def test_no_bytes_raise_anything_but_one_sentence_that_names_the_file(tmp_path, beginning, rest, name):
    path = written(tmp_path, name, beginning + rest)

    items, sentence = outcome(path)

    assert sentence == "" or (name in sentence and "\n" not in sentence)
    assert all(item.position >= 1 for item in items)


@fuzz
@given(st.binary(max_size=400), st.integers(0, 10_000), st.binary(min_size=1, max_size=4))
def test_damage_inside_a_real_file_never_raises_anything_else(tmp_path, noise, place, change):
    rows = "".join(f'{{"id": "{number}", "text": "text {number}"}}\n' for number in range(20)).encode()
    data = bytearray(gzip.compress(rows + noise))
    place %= len(data)
    data[place : place + len(change)] = change
    path = written(tmp_path, "d.jsonl.gz", bytes(data))

    items, sentence = outcome(path)

    assert sentence == "" or "d.jsonl.gz" in sentence
    assert sum(isinstance(item, Page) for item in items) <= 20 + noise.count(b"\n") + 1


@fast
@given(
    st.lists(st.tuples(storable, storable), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read_back(tmp_path, rows, delimiter, line_end):
    content = io.StringIO(newline="")
    writer = csv.writer(content, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "text"), *rows])
    path = written(tmp_path, "d.csv", content.getvalue())

    with open_corpus(path, ReadOptions(delimiter=delimiter, encoding="utf-8")) as reader:
        records = [record.fields for record in reader]

    assert records == reference.columns_of([("id", "text"), *rows])


@fast
@given(
    st.lists(
        st.dictionaries(st.sampled_from(["id", "text", "title"]), storable, min_size=3),
        min_size=1,
        max_size=8,
    ),
    st.booleans(),
)
def test_what_the_json_module_writes_is_read_back(tmp_path, objects, is_array):
    lines = (
        json.dumps(objects, indent=1)
        if is_array
        else "\n".join(json.dumps(item, ensure_ascii=False) for item in objects)
    )
    path = written(tmp_path, "d.json" if is_array else "d.jsonl", lines)

    with open_corpus(path, ReadOptions(encoding="utf-8")) as reader:
        assert [record.fields for record in reader] == objects


@fast
@given(st.lists(st.text("ab\r\n", max_size=6), max_size=6), st.integers(0, 8))
def test_lines_handed_back_come_again(texts, count):
    content = "".join(texts)
    lines = Lines(io.BytesIO(content.encode()), "utf-8")
    lines.start_record()
    taken = [line for _, line in zip(range(count), lines, strict=False)]
    before = lines.number

    lines.hand_back(len(taken))

    assert lines.number == before - len(taken)
    assert "".join(lines) == content


@fast
@given(st.lists(st.tuples(st.integers(0, 1500), st.sampled_from(["a", "b"])), max_size=60))
@example([(number, "a") for number in range(1500)] * 2)
def test_repeated_ids_are_those_of_a_dictionary(numbered):
    pairs = [(f"id {number}", text) for number, text in numbered]
    seen = DuplicateIds()

    found = [seen.check(name, text, file="d", line=line) for line, (name, text) in enumerate(pairs, start=1)]

    assert [earlier and (earlier.line, earlier.same_text) for earlier in found] == reference.repeats(pairs)
    assert len(seen) == len(dict(pairs))


@fast
@given(st.text(string.digits, min_size=7, max_size=13))
def test_check_digits_match_the_reference(digits):
    assert check_digit(digits) == reference.check_digit(digits)


@fast
@given(
    st.text(string.digits, min_size=11, max_size=12).filter(lambda digits: digits.strip("0")),
    st.integers(0, 2),
)
def test_zeros_before_a_gtin_do_not_matter(digits, zeros):
    code = digits + str(reference.check_digit(digits))

    assert normalise_identifier("gtin", code) == normalise_identifier("gtin", code.zfill(14))


@fast
@given(
    st.integers(0, 10**9),
    st.sampled_from(
        [("{whole:,}.{cents:02}", ","), ("{whole:,}.{cents:02}", "."), ("{whole}.{cents:02}", "")]
    ),
)
def test_an_amount_survives_its_spellings(minor, spelling):
    pattern, group = spelling
    text = pattern.format(whole=minor // 100, cents=minor % 100)
    if group == ".":
        text = text.translate(str.maketrans(",.", ".,"))

    assert parse_price(f"{text} €") == Price(minor, "EUR")


@fast
@given(st.text(max_size=30), st.text(max_size=5))
def test_no_text_makes_the_readers_of_values_fail(text, other):
    parse_price(text, other)
    parse_instant(text)
    for kind in ("gtin", "isbn", "doi", "sku"):
        normalise_identifier(kind, text)


@fast
@given(st.datetimes(timezones=st.timezones()))
def test_iso_dates_are_the_same_instant(moment):
    if moment.utcoffset().total_seconds() % 60 == 0 and 1 < moment.year < 9999:
        assert parse_instant(moment.isoformat()).moment == datetime.fromisoformat(moment.isoformat())


@fast
@given(st.lists(st.binary(max_size=30), max_size=5))
def test_chunks_are_joined(pieces):
    assert unchunk(reference.chunked(pieces)) == b"".join(pieces) or not any(pieces)


@fast
@given(st.binary(max_size=200), st.sampled_from(["", "utf-8", "latin-1", "nonsense", "utf-16", "gb2312"]))
def test_any_bytes_decode_as_html_without_lone_surrogates(data, declared):
    text, _ = decode_html(data, declared=declared)

    text.encode()


@fast
@given(st.binary(max_size=200))
def test_any_bytes_are_a_response_or_a_reason(data):
    assert isinstance(read_response(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n" + data), str | tuple)


@fast
@given(st.integers(0, 30))
def test_resuming_anywhere_loses_and_repeats_nothing(tmp_path, after):
    rows = "".join(f"{number % 9},text {number % 4},{number}/02/2025\n" for number in range(1, 28))
    path = written(tmp_path, "d.csv", f"id,text,date\n{rows}")

    whole = list(read_pages(path, ReadOptions()))

    assert list(read_pages(path, ReadOptions(), after=after)) == [
        item for item in whole if item.position > after
    ]
    assert ingested(path).pages == [item for item in whole if isinstance(item, Page)]


@fast
@given(st.lists(st.sampled_from(MARKUP), max_size=20).map("".join))
def test_no_markup_makes_the_extraction_fail(html):
    assert isinstance(extract(html).text, str)
