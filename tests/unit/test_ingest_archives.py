"""Compressed files, archives, Parquet and workbooks."""

import bz2
import datetime as dt
import gzip
import lzma
import zipfile

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from dedup.ingest import IngestError, ReadOptions, read_pages
from tests.ingested import ingested, written

LINES = b'{"id": "01", "text": "one"}\n{"id": "02", "text": "two"}\n'


def zstandard(data):
    return pa.compress(data, codec="zstd", asbytes=True)


PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zst": zstandard,
}


def many_lines(count=8_000):
    return b"".join(b'{"id": "%d", "text": "%s"}\n' % (n, filling(n).encode()) for n in range(count))


def filling(number):
    return " ".join(str(number * 7919 * step % 1_000_003) for step in range(1, 60))


def zipped(path, entries, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("name", ["docs.jsonl.{}", "docs"])
def test_compressed_files_are_recognised_by_content(tmp_path, packer, name):
    path = written(tmp_path, name.format(packer), PACKERS[packer](LINES))

    assert ingested(path).texts == {"01": "one", "02": "two"}


@pytest.mark.parametrize("packer", PACKERS)
def test_members_behind_each_other_are_all_read(tmp_path, packer):
    pack = PACKERS[packer]
    path = written(tmp_path, f"docs.jsonl.{packer}", pack(LINES[:28]) + pack(LINES[28:]))

    assert list(ingested(path).texts) == ["01", "02"]


@pytest.mark.parametrize("packer", PACKERS)
def test_a_compressed_file_that_ends_early_gives_what_it_has_and_says_so(tmp_path, packer):
    packed = PACKERS[packer](many_lines())
    path = written(tmp_path, f"docs.jsonl.{packer}", packed[: len(packed) * 3 // 4])

    found = ingested(path)

    assert 0 < len(found.pages) < 8_000
    assert all(page.text == filling(int(page.id)) for page in found.pages)
    assert any(word in found.rejections[-1].reason for word in ("ends early", "damaged"))


def test_the_last_row_of_a_cut_off_table_is_not_taken_for_whole(tmp_path):
    rows = "id,text\n" + "".join(f"{number},text number {number}\n" for number in range(50_000))
    packed = gzip.compress(rows.encode())

    found = ingested(written(tmp_path, "d.csv.gz", packed[: len(packed) // 2]))

    assert all(page.text == f"text number {page.id}" for page in found.pages)
    assert "ends early" in found.rejections[-1].reason


def test_a_checksum_that_is_wrong_is_reported(tmp_path):
    path = written(tmp_path, "d.jsonl.gz", gzip.compress(LINES)[:-8] + b"12345678")

    found = ingested(path)

    assert len(found.pages) == 2
    assert "damaged" in found.rejections[0].reason


@pytest.mark.parametrize("packer", PACKERS)
def test_growth_beyond_a_limit_ends_the_reading(tmp_path, packer):
    path = written(tmp_path, f"d.jsonl.{packer}", PACKERS[packer](many_lines()))

    found = ingested(path, expanded_limit=2_000_000)

    assert "expands to more than the limit of 2 MiB" in found.rejections[-1].reason
    assert 0 < len(found.pages) < 6_000


def test_an_archive_that_would_expand_too_far_is_refused_before_it_is_read(tmp_path):
    path = zipped(tmp_path / "bomb.zip", {"a.txt": b"a" * (70 * 2**20)})

    with pytest.raises(IngestError, match=r"bomb\.zip would expand to 70 MiB"):
        list(read_pages(path, ReadOptions()))


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "C:\\out.txt", "..\\out.txt"]
)
def test_names_that_lead_out_of_an_archive_are_rejected(tmp_path, name):
    path = zipped(tmp_path / "a.zip", {name: "text", "fine.txt": "a text"})

    found = ingested(path)

    assert list(found.texts) == ["fine"]
    assert "leads out of the archive" in found.rejections[0].reason


@pytest.mark.parametrize("inner", [gzip.compress(LINES), None])
def test_an_archive_in_an_archive_is_rejected(tmp_path, inner):
    inner = inner or zipped(tmp_path / "inner.zip", {"a.txt": "a"}).read_bytes()
    path = zipped(tmp_path / "outer.zip", {"inner": inner, "b.txt": "a text"})

    found = ingested(path)

    assert list(found.texts) == ["b"]
    assert "unpack it first" in found.rejections[0].reason


def test_a_zip_in_a_gzip_is_refused(tmp_path):
    inner = zipped(tmp_path / "inner.zip", {"a.txt": "a"}).read_bytes()

    with pytest.raises(IngestError, match="unpack it first"):
        list(read_pages(written(tmp_path, "a.zip.gz", gzip.compress(inner)), ReadOptions()))


def test_a_damaged_member_leaves_the_others_alone(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.txt": "first text " * 50, "b.txt": "second text"})
    data = bytearray(path.read_bytes())
    data[45] ^= 0xFF
    path.write_bytes(bytes(data))

    found = ingested(path)

    assert "b" in found.texts
    assert len(found.rejections) == 1


@pytest.mark.parametrize(
    ("name", "kind"), [("word/document.xml", "a Word document"), ("content.xml", "an OpenDocument file")]
)
def test_other_documents_are_refused_by_kind(tmp_path, name, kind):
    with pytest.raises(IngestError, match=kind):
        list(read_pages(zipped(tmp_path / "a.zip", {name: "<x/>"}), ReadOptions()))


def workbook(path, *rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_a_workbook_is_read_as_it_is_shown(tmp_path):
    path = tmp_path / "book.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["id", "text", "first_seen", "price", "currency"])
    sheet.append([7, "NA", dt.datetime(2024, 3, 1, 10, 30), 24.9, "EUR"])  # noqa: DTZ001 - cells have no offset
    sheet.append(["007", "null", None, None, None])
    sheet["A2"].number_format = "00000"
    book.create_sheet("Notes").append(["not read"])
    book.save(path)

    found = ingested(path)

    assert found.texts == {"00007": "NA", "007": "null"}
    page = found.page("00007")
    assert (page.first_seen.isoformat(), page.price, page.line) == ("2024-03-01T10:30:00+00:00", 2490, 2)
    assert "only the sheet “Sheet” was read, not “Notes”" in found.reasons


def test_blank_rows_and_short_rows_of_a_workbook(tmp_path):
    path = workbook(
        tmp_path / "b.xlsx", [None], ["id", "text", "url"], [], ["1", "a"], ["2", "b", "", "surplus"]
    )

    found = ingested(path)

    assert found.texts == {"1": "a"}
    assert [problem.line for problem in found.rejections] == [5]


def test_a_workbook_inside_an_archive_is_read_and_a_damaged_one_is_refused(tmp_path):
    good = workbook(tmp_path / "b.xlsx", ["id", "text"], ["1", "a"]).read_bytes()

    assert ingested(zipped(tmp_path / "a.zip", {"in/b.xlsx": good})).texts == {"1": "a"}
    with pytest.raises(IngestError, match=r"bad\.xlsx can't be read"):
        list(read_pages(written(tmp_path, "bad.xlsx", good[:200] + good[900:]), ReadOptions()))


def test_columns_of_parquet_become_text(tmp_path):
    table = pa.table(
        {
            "id": pa.array([1, 2**63 - 1, None]),
            "text": pa.array(["a", None, "c"]),
            "first_seen": pa.array([dt.datetime(2024, 3, 1, tzinfo=dt.UTC)] * 3),
            "price": pa.array([24.9, float("nan"), None]),
            "currency": pa.array(["EUR", "EUR", "EUR"]).dictionary_encode(),
            "offers": pa.array([{"sku": "A1"}, None, {"sku": None}]),
        }
    )
    parquet.write_table(table, tmp_path / "d.parquet")

    found = ingested(tmp_path / "d.parquet", mapping={"sku": "#6"})

    assert [page.id for page in found.pages] == ["1", "9223372036854775807", "d.parquet:3"]
    assert [page.text for page in found.pages] == ["a", "", "c"]
    assert [page.price for page in found.pages] == [2490, None, None]
    assert found.pages[0].first_seen.isoformat() == "2024-03-01T00:00:00+00:00"


def test_parquet_in_a_gzip_is_read_and_a_damaged_one_is_refused(tmp_path):
    parquet.write_table(pa.table({"id": ["1"], "text": ["a"]}), tmp_path / "d.parquet")
    data = (tmp_path / "d.parquet").read_bytes()

    assert ingested(written(tmp_path, "d.parquet.gz", gzip.compress(data))).texts == {"1": "a"}
    with pytest.raises(IngestError, match=r"bad\.parquet can't be read"):
        list(read_pages(written(tmp_path, "bad.parquet", data[:-20]), ReadOptions()))


def test_two_columns_of_parquet_with_one_name_are_chosen_by_position(tmp_path):
    table = pa.Table.from_arrays(
        [pa.array(["1"]), pa.array(["a"]), pa.array(["b"])], names=["id", "text", "text"]
    )
    parquet.write_table(table, tmp_path / "d.parquet")

    with pytest.raises(IngestError, match="same name “text”"):
        list(read_pages(tmp_path / "d.parquet", ReadOptions()))
    assert ingested(tmp_path / "d.parquet", mapping={"text": "#3"}).texts == {"1": "b"}
