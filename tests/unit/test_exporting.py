import csv
import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import openpyxl
import pyarrow.parquet
import pytest
from openpyxl.utils.escape import unescape

from dedup import exporting
from dedup.exporting import SUFFIXES, Column, ExportError, Written, original, write_table
from tests.reference import cases

COLUMNS = (
    Column("id"),
    Column("=title"),
    Column("words", "integer"),
    Column("similarity", "number"),
    Column("is_representative", "boolean"),
    Column("first_seen", "time"),
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def row(**values):
    return {
        "id": "a",
        "=title": "A title",
        "words": 3,
        "similarity": 0.5,
        "is_representative": True,
        "first_seen": datetime(2024, 5, 1, 12, tzinfo=UTC),
        **values,
    }


def written(tmp_path, rows, form, columns=COLUMNS):
    path = tmp_path / f"table{SUFFIXES[form]}"
    return path, write_table(rows, columns, path, form)


def csv_cells(path, encoding="utf-8"):
    with path.open(encoding=encoding, newline="") as file:
        return list(csv.reader(file))


def sheet_cells(path):
    """Values of the cells; spreadsheets read ``_x000D_`` as the control character it stands for, so this does too."""
    rows = openpyxl.load_workbook(path).active.iter_rows(values_only=True)
    return [[unescape(value) if isinstance(value, str) else value for value in row] for row in rows]


@pytest.mark.parametrize("form", SUFFIXES)
def test_the_figures_of_a_file_are_those_of_its_bytes(tmp_path, form):
    path, found = written(tmp_path, [row(), row(id="b")], form)

    content = path.read_bytes()
    assert found == Written(2, len(content), hashlib.sha256(content).hexdigest())


@pytest.mark.parametrize("form", SUFFIXES)
def test_equal_rows_give_equal_bytes(tmp_path, form):
    _, first = written(tmp_path, [row()], form)
    _, second = written(tmp_path, [row()], form)

    assert first == second


@pytest.mark.parametrize("form", ["csv", "csv-spreadsheet", "xlsx"])
def test_no_text_from_outside_begins_like_a_formula(tmp_path, form):
    documents = cases.documents("ex01")
    columns = [Column(name) for name in documents[0]] + [Column("=header")]

    path, _ = written(tmp_path, [{**document, "=header": "@x"} for document in documents], form, columns)

    cells = sheet_cells(path) if form == "xlsx" else csv_cells(path, "utf-8-sig")
    assert not [cell for line in cells for cell in line if cell and cell.startswith(FORMULA_STARTS)]
    assert [original(line[0]) for line in cells[1:]] == [document["id"] for document in documents]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_formats_for_programs_hold_the_texts_as_they_are(tmp_path, form):
    documents = cases.documents("ex01")
    columns = [Column(name) for name in documents[0]]

    path, _ = written(tmp_path, documents, form, columns)

    found = (
        pyarrow.parquet.read_table(path).to_pylist()
        if form == "parquet"
        else [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    )
    assert found == documents


def test_accents_come_with_a_mark_for_spreadsheets_and_without_for_programs(tmp_path):
    documents = cases.documents("ex05")
    columns = [Column(name) for name in documents[0]]

    plain = written(tmp_path, documents, "csv", columns)[0].read_bytes()
    marked = written(tmp_path, documents, "csv-spreadsheet", columns)[0].read_bytes()

    assert marked == b"\xef\xbb\xbf" + plain
    assert not plain.startswith(b"\xef\xbb\xbf")
    assert documents[0]["title"] in plain.decode("utf-8")


def test_numbers_stay_numbers(tmp_path):
    values = row(words=np.int64(-3), similarity=np.float32(-0.5), is_representative=np.bool_(False))

    line = csv_cells(written(tmp_path, [values], "csv")[0])[1]
    cells = sheet_cells(written(tmp_path, [values], "xlsx")[0])[1]

    assert line[2:] == ["-3", "-0.5", "false", "2024-05-01T12:00:00Z"]
    assert cells[2:] == [-3, -0.5, False, "2024-05-01T12:00:00Z"]


@pytest.mark.parametrize("nothing", [None, float("nan"), float("inf"), np.float64("nan")])
def test_what_isnt_a_finite_number_is_an_empty_cell(tmp_path, nothing):
    values = [row(similarity=nothing)]

    line = csv_cells(written(tmp_path, values, "csv")[0])[1]
    record = json.loads(written(tmp_path, values, "jsonl")[0].read_text())
    table = pyarrow.parquet.read_table(written(tmp_path, values, "parquet")[0])

    assert (line[3], record["similarity"], table["similarity"].to_pylist()) == ("", None, [None])


def test_nothing_is_an_empty_cell_of_a_worksheet(tmp_path):
    values = dict.fromkeys((column.name for column in COLUMNS), None)

    cells = sheet_cells(written(tmp_path, [values, row()], "xlsx")[0])

    assert cells[1] == [None] * len(COLUMNS)


def test_columns_of_parquet_keep_their_types_even_if_all_cells_are_empty(tmp_path):
    values = dict.fromkeys((column.name for column in COLUMNS), None)

    schema = pyarrow.parquet.read_schema(written(tmp_path, [values], "parquet")[0])

    assert [str(field.type) for field in schema] == [
        "string",
        "string",
        "int64",
        "double",
        "bool",
        "timestamp[us, tz=UTC]",
    ]


def test_more_rows_than_a_batch_arrive_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "_BATCH", 2)

    path, found = written(tmp_path, (row(id=str(number)) for number in range(5)), "parquet")

    assert found.rows == 5
    assert pyarrow.parquet.read_table(path)["id"].to_pylist() == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("form", ["csv", "csv-spreadsheet", "parquet", "xlsx"])
def test_a_table_without_rows_still_has_its_header(tmp_path, form):
    path, found = written(tmp_path, [], form)

    header = {
        "parquet": lambda: pyarrow.parquet.read_schema(path).names,
        "xlsx": lambda: sheet_cells(path)[0],
    }.get(form, lambda: csv_cells(path, "utf-8-sig")[0])()
    assert found.rows == 0
    assert [original(name) for name in header] == [column.name for column in COLUMNS]


def test_line_ends_quotes_and_separators_survive_csv(tmp_path):
    text = 'a "b", c\r\nd\ne\rf;\tg\x00'

    line = csv_cells(written(tmp_path, [row(id=text)], "csv")[0])[1]

    assert line[0] == text


def test_half_a_character_becomes_a_question_mark(tmp_path):
    for form in SUFFIXES:
        assert written(tmp_path, [row(id="a\ud800b")], form)[1].rows == 1
    assert csv_cells(written(tmp_path, [row(id="a\ud800b")], "csv")[0])[1][0] == "a?b"


def test_times_are_written_in_utc(tmp_path):
    at = datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))

    line = csv_cells(written(tmp_path, [row(first_seen=at)], "csv")[0])[1]

    assert line[5] == "2024-05-01T10:00:00Z"


def test_a_time_without_its_zone_is_refused(tmp_path):
    with pytest.raises(ExportError, match=r"column first_seen of kind time .* needs its time zone"):
        written(tmp_path, [row(first_seen=datetime(2024, 5, 1))], "csv")  # noqa: DTZ001


def test_a_cell_longer_than_a_worksheet_takes_is_cut_marked_and_counted(tmp_path):
    path, found = written(tmp_path, [row(id="x" * 40_000), row()], "xlsx")

    cell = sheet_cells(path)[1][0]
    assert found.cut_cells == 1
    assert len(cell) == 32_767
    assert cell.endswith("x [cut: a cell holds 32,767 characters]")


def test_what_looks_like_an_address_or_a_number_stays_text_in_a_worksheet(tmp_path):
    cells = sheet_cells(written(tmp_path, [row(id="007", **{"=title": "https://a.example/"})], "xlsx")[0])

    assert cells[1][:2] == ["007", "https://a.example/"]


def test_more_rows_than_a_worksheet_holds_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "MOST_SHEET_ROWS", 3)

    with pytest.raises(ExportError, match="holds 3 rows; write csv, jsonl or parquet"):
        written(tmp_path, [row()] * 3, "xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", SUFFIXES)
def test_a_file_that_fails_half_way_leaves_the_one_before_it_alone(tmp_path, form):
    path, _ = written(tmp_path, [row()], form)
    before = path.read_bytes()

    with pytest.raises(ExportError, match="row 2 has no id"):
        written(tmp_path, [row(), {}], form)

    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(ExportError, match="unknown format 'ods'; known: csv"):
        write_table([], COLUMNS, tmp_path / "table", "ods")
