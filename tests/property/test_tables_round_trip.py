import csv
import json
from io import StringIO

import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dedup.exporting import Column, neutralised, original, write_table

texts = (
    st.text(alphabet=st.characters(exclude_categories=["Cs"]) | st.sampled_from("=+-@\t\r'\n,\"")) | st.none()
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(st.text(alphabet=st.sampled_from("=+-@\t\r'a1")))
def test_a_neutralised_text_is_harmless_and_comes_back(text):
    cell = neutralised(text)

    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert original(cell) == text


@quick
@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_texts_come_back_from_csv(tmp_path, rows):
    path = tmp_path / "table.csv"

    write_table(({"a": one, "b": other} for one, other in rows), [Column("a"), Column("b")], path, "csv")

    found = list(csv.reader(StringIO(path.read_bytes().decode(), newline="")))[1:]
    assert [[original(cell) for cell in line] for line in found] == [
        [one or "", other or ""] for one, other in rows
    ]


@quick
@given(
    st.lists(
        st.tuples(texts, st.integers(-(2**63), 2**63 - 1) | st.none(), st.floats() | st.none()), max_size=5
    )
)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_values_come_back_from_formats_for_programs(tmp_path, form, rows):
    columns = [Column("a"), Column("b", "integer"), Column("c", "number")]
    path = tmp_path / "table"

    write_table((dict(zip("abc", row, strict=True)) for row in rows), columns, path, form)

    found = (
        pyarrow.parquet.read_table(path).to_pylist()
        if form == "parquet"
        else [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    )
    finite = [number if number is not None and abs(number) < float("inf") else None for _, _, number in rows]
    assert [tuple(record.values()) for record in found] == [
        (text, whole, number) for (text, whole, _), number in zip(rows, finite, strict=True)
    ]
