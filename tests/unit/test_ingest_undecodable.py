"""Bytes that are no characters: the record is named, the others go on, and what is reported can be stored."""

from dedup.ingest import Problem
from tests.ingested import ingested, written


def test_json_lines_are_utf8_and_a_wrong_byte_costs_only_its_line(tmp_path):
    content = (
        b'{"id":"1","text":"good one"}\n{"id":"2","text":"bad \xff byte"}\n{"id":"3","text":"good three"}\n'
    )

    found = ingested(written(tmp_path, "d.jsonl", content))

    assert sorted(found.texts) == ["1", "3"]
    assert [(problem.line, problem.is_rejection) for problem in found.problems] == [(2, True)]
    assert "0xFF" in found.reasons


def test_a_guessed_encoding_names_the_first_line_that_made_it_necessary(tmp_path):
    content = b"id,text\n1,good row\n2,caf\xe9 au lait\n3,another good row\n"

    found = ingested(written(tmp_path, "d.csv", content))

    assert found.texts["2"] == "café au lait"
    assert [problem.line for problem in found.problems if problem.field == "encoding"] == [3]
    assert "0xE9" in found.reasons


def test_a_wrong_byte_in_a_file_that_is_utf8_costs_only_its_row(tmp_path):
    content = "id,text\n1,größe und maß überall\n".encode() + b"2,bad \xff byte\n" + "3,höher\n".encode()

    found = ingested(written(tmp_path, "d.csv", content))

    assert sorted(found.texts) == ["1", "3"]
    assert [problem.line for problem in found.problems if problem.is_rejection] == [3]


def test_whatever_a_problem_quotes_can_be_written_as_utf8():
    problem = Problem(file="a\udcff.csv", line=1, field="f\x00", reason="r\ud800", example="e\udcfe")

    texts = (problem.file, problem.field, problem.reason, problem.example)

    assert all("\x00" not in text and text.encode() for text in texts)
