"""What the sample's README says is true is what comes out of the sample."""

import csv
import re
from pathlib import Path

import pytest

from tests.quality.gold import manage_json, manage_lines, pool_truth, true_figures

SAMPLE = Path(__file__).resolve().parents[2] / "labeling" / "sample"
ROW = re.compile(r"^\| (0\.\d0) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    data = tmp_path_factory.mktemp("sample") / "data"
    ingest = manage_json(data, "ingest", SAMPLE / "documents.jsonl", "--corpus", "Sample")
    study = manage_json(data, "study", "Sample", "--name", "Sample study")
    with (SAMPLE / "truth.csv").open(encoding="utf-8", newline="") as file:
        clusters = {row["id"]: row["cluster"] for row in csv.DictReader(file)}
    recipes = {recipe["k"]: recipe["recipe"] for recipe in study["recipes"]}
    return ingest, recipes, pool_truth(manage_lines(data, "pairs", "Sample study"), clusters)


def test_the_sample_has_as_many_pairs_and_duplicates_as_its_readme_says(truth):
    ingest, _, pairs = truth
    text = (SAMPLE / "README.md").read_text(encoding="utf-8")

    duplicates = sum(duplicate for _, duplicate in pairs)

    assert f"collects {len(pairs)} candidate pairs" in text
    assert f"{duplicates} of them are true duplicates" in text
    assert f"the {ingest['exact_duplicates']} exact duplicates" in text


def test_the_table_of_true_figures_is_right(truth):
    _, recipes, pairs = truth
    rows = ROW.findall((SAMPLE / "README.md").read_text(encoding="utf-8"))

    for threshold, *cells in rows:
        for k, cell in zip((3, 5, 7), cells, strict=True):
            figures = true_figures(pairs, recipes[k], "exact", float(threshold))
            links = sum(scores[recipes[k]]["exact"] >= float(threshold) - 1e-12 for scores, _ in pairs)
            assert cell == f"{links}, {figures['precision']:.2f}, {figures['recall']:.2f}"
    assert len(rows) == 5
