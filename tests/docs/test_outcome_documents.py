from pathlib import Path

import pytest

from dedup import exporting
from dedup.diffing import alignment, comparing, diff, plans
from labeling.services import exports

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("columns", [exports.ASSIGNMENT_COLUMNS, exports.LINK_COLUMNS, exports.LABEL_COLUMNS])
def test_every_exported_column_is_documented(columns):
    document = (DOCS / "exports.md").read_text(encoding="utf-8")

    assert [column.name for column in columns if column.name not in document] == []


@pytest.mark.parametrize("format_name", exporting.SUFFIXES)
def test_every_export_format_is_documented(format_name):
    document = (DOCS / "exports.md").read_text(encoding="utf-8")

    assert f"| `{format_name}` |" in document
    assert f"{exporting.MOST_CELL_CHARACTERS:,} characters in a cell" in document
    assert f"{exporting.MOST_SHEET_ROWS - 1:,} rows" in document


def test_the_document_on_differences_names_the_limits_in_force():
    document = (DOCS / "reading-differences.md").read_text(encoding="utf-8")

    assert f"at least {alignment.PAIR_FLOOR:.0%} of both".replace("%", " %") in document
    assert (
        f"{alignment.CONTAINED_FLOOR:.0%} of the\n   shorter one, from {alignment.CONTAINED_WORDS} words".replace(
            "%", " %"
        )
        in document
    )
    assert f"at least {alignment.MOVE_WORDS} words that is left over" in document
    assert f"at least {alignment.MOVE_FLOOR:.0%} equal has moved".replace("%", " %") in document
    assert comparing.MOST_MOVES == 6
    assert plans.CONTEXT_WORDS == 12
    assert f"({diff.__kwdefaults__['max_words']:,} words)" in document
