"""Corners of the readers."""

import datetime as dt
import os
import zipfile

import pyarrow as pa
import pytest
from pyarrow import parquet

from dedup.ingest import (
    RECORD_LIMIT,
    IngestError,
    Problem,
    ReadOptions,
    Record,
    open_corpus,
    preview,
    read_pages,
)
from tests.ingested import ingested, written


def refusal(path, **options):
    with pytest.raises(IngestError) as raised:
        list(read_pages(path, ReadOptions(**options)))
    return str(raised.value)


def test_a_folder_iterates_over_the_records_of_its_files(tmp_path):
    written(tmp_path, "a.csv", "id,text\n1,a\n")
    written(tmp_path, "b.csv", "")

    with open_corpus(tmp_path, ReadOptions()) as reader:
        description = reader.describe()
        items = list(reader)

    assert (description.files, description.columns) == (2, ("id", "text"))
    assert [type(item) for item in items] == [Record, Problem]


def test_a_folder_without_a_readable_file_is_described_as_such(tmp_path):
    written(tmp_path, "b.csv", "")

    assert preview(tmp_path, ReadOptions()).description.format == "folder"


def test_a_device_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert refusal(tmp_path / "pipe") == "pipe is no regular file."


@pytest.mark.parametrize("content", [b"PK\x03\x04 nothing more", b"PK\x05\x06" + bytes(18)])
def test_a_damaged_or_hollow_archive_is_refused(tmp_path, content):
    assert "a.zip" in refusal(written(tmp_path, "a.zip", content))


def test_an_encrypted_member_is_rejected(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a text")
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(data))

    assert "encrypted" in ingested(path).rejections[0].reason


@pytest.mark.parametrize(("mapping", "words"), [({"text": "#9"}, "no column #9"), ({"text": "text"}, "two")])
def test_positions_must_exist(tmp_path, mapping, words):
    path = written(tmp_path, "d.csv", "id,text,text\n1,a,b\n")

    assert words in refusal(path, mapping=mapping) or "2 columns with the same name" in refusal(
        path, mapping=mapping
    )


def test_json_fields_have_no_position_and_sparse_ones_are_remarked(tmp_path):
    path = written(tmp_path, "d.jsonl", '{"id": 1, "text": "a"}\n')

    assert "choose text by name" in refusal(path, mapping={"text": "#2"})
    assert "no column “body”" in refusal(path, mapping={"text": "body"})
    assert (
        "none of the first records has the field chosen for price"
        in ingested(path, mapping={"price": "cost"}).reasons
    )


def test_a_field_that_only_later_records_have_is_used_under_its_own_name(tmp_path):
    first = '{"id": %d, "text": "a"}\n'
    path = written(
        tmp_path,
        "d.jsonl",
        "".join(first % n for n in range(150)) + '{"id": "x", "text": "a", "url": "https://a.b/"}\n',
    )

    assert ingested(path).page("x").url == "https://a.b/"


def test_good_lines_behind_a_hundred_bad_ones_are_read(tmp_path):
    path = written(tmp_path, "d.jsonl", "{broken\n" * 150 + '{"id": "x", "text": "a"}\n')

    found = ingested(path)

    assert (found.texts, len(found.rejections)) == ({"x": "a"}, 150)


@pytest.mark.parametrize("content", ['"id","te', "\n\n,,\n", '"a"b,c\n1,2\n'])
def test_a_first_row_that_names_nothing_is_refused(tmp_path, content):
    assert "d.csv" in refusal(written(tmp_path, "d.csv", content))


def test_deeply_nested_json_is_rejected_and_the_next_line_is_read(tmp_path):
    deep = '{"id": 1, "text": ' + "[" * 100_000 + "]" * 100_000 + "}"

    found = ingested(written(tmp_path, "d.jsonl", f'{deep}\n{{"id": 2, "text": "b"}}\n'))

    assert found.texts == {"2": "b"}
    assert "nested too deeply" in found.rejections[0].reason
    assert "nested too deeply" in ingested(written(tmp_path, "e.json", f"[{deep}]")).rejections[0].reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'[{"id": 1, "text": "a"} {"id": 2}]', "a comma or ] is missing"),
        (b'[{"id": 1, "id": 2}]', "“id” stands twice"),
        ('[{"id": 1, "text": "Größe"}, {"id": 2, "text": "'.encode() + b'\xff"}]', "0xFF is not valid utf-8"),
        (b'[{"id": 1, "text": "' + b"a" * (RECORD_LIMIT + 2**20), "longer than"),
    ],
)
def test_what_stops_an_array_is_said(tmp_path, content, reason):
    assert reason in ingested(written(tmp_path, "d.json", content)).rejections[-1].reason


def test_a_text_file_beyond_the_limit_is_rejected(tmp_path):
    found = ingested(written(tmp_path, "d.txt", b"word " * (RECORD_LIMIT // 4)))

    assert "longer than" in found.rejections[0].reason


def test_bytes_and_lists_in_parquet_become_text(tmp_path):
    table = pa.table(
        {
            "id": [b"1", b"2"],
            "text": pa.array([b"Gr\xc3\xb6\xc3\x9fe", b"\xff"], pa.binary()),
            "title": [["a", "b"], None],
            "sku": [True, False],
            "date": [dt.date(2024, 3, 1), None],
        }
    )
    parquet.write_table(table, tmp_path / "d.parquet")

    found = ingested(tmp_path / "d.parquet")

    assert (found.texts, found.page("1").title) == ({"1": "Größe"}, "a\nb")
    assert [(problem.line, problem.reason) for problem in found.rejections] == [
        (2, "the byte 0xFF is not valid utf-8")
    ]


def test_parquet_that_expands_beyond_the_limit_or_is_damaged_inside_stops(tmp_path):
    path = tmp_path / "d.parquet"
    table = pa.table({"id": [str(n) for n in range(3000)], "text": [f"{n} text" * 20 for n in range(3000)]})
    parquet.write_table(table, path, compression="none", use_dictionary=False)
    assert "more than the limit" in ingested(path, expanded_limit=300_000).rejections[-1].reason

    data = bytearray(path.read_bytes())
    data[4:80] = b"\xff" * 76
    path.write_bytes(bytes(data))

    assert "is damaged" in ingested(path).rejections[-1].reason


def test_the_order_of_dates_is_sought_in_a_damaged_file_too(tmp_path):
    import gzip

    rows = "".join(f"{number},some text {number * 7919},01/02/2025\n" for number in range(60_000))
    packed = gzip.compress(f"id,text,date\n{rows}".encode())

    found = ingested(written(tmp_path, "d.csv.gz", packed[: len(packed) // 2]))

    assert {page.first_seen for page in found.pages} == {None}
    assert "ends early" in found.rejections[-1].reason


def test_a_column_of_canonical_addresses_is_checked_like_a_link(tmp_path):
    path = written(
        tmp_path, "d.csv", "id,text,url,canonical\n1,a,https://a.b/x,javascript:x\n2,a,https://a.b/x,/y\n"
    )

    found = ingested(path)

    assert [page.canonical_url for page in found.pages] == ["", "https://a.b/y"]
    assert "can't be used" in found.reasons


def test_a_response_beyond_the_limit_is_rejected(tmp_path):
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nWARC-Date: 2024-04-02T10:00:00Z\r\n"
    body = b"HTTP/1.1 200 OK\r\n\r\n<" + b"a" * RECORD_LIMIT
    path = written(tmp_path, "a.warc", head + b"Content-Length: %d\r\n\r\n" % len(body) + body + b"\r\n\r\n")

    assert "longer than" in ingested(path).rejections[0].reason


def test_hidden_folders_are_not_even_walked_through(tmp_path, monkeypatch):
    for name in ("a.txt", "sub/b.txt", ".cache/c.txt", "sub/.git/d.txt", "__MACOSX/e.txt"):
        written(tmp_path, name, "a few words of text")
    walked = []
    whole = os.scandir

    def watched(folder):
        walked.append(str(folder))
        return whole(folder)

    monkeypatch.setattr(os, "scandir", watched)

    found = ingested(tmp_path)

    assert {page.id for page in found.pages} == {"a", "sub/b"}
    assert not any(".cache" in folder or ".git" in folder or "__MACOSX" in folder for folder in walked)
