"""Rules of the house that no linter knows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dedup", "labeling", "neardup_site")
MODULES = sorted(
    file for package in PACKAGES for file in (ROOT / package).rglob("*.py") if "migrations" not in file.parts
)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
FORBIDDEN_NAMES = {"utils", "helpers", "common", "managers", "signals", "misc"}
TOP_LEVEL = {
    "manage.py", "pyproject.toml", "README.md", "neardup_site", "labeling", "dedup", "tests", "templates", "static",
    "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "benchmarks", ".ci", ".gitignore", ".gitattributes",
}  # fmt: skip


def tracked_files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("this is not a git checkout, so there is no list of the project's files")
    return listed.stdout.splitlines()


@pytest.mark.parametrize("module", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_module_fits_in_one_sitting(module):
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("module", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_module_is_named_after_what_it_holds(module):
    assert module.stem not in FORBIDDEN_NAMES


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_template_has_nothing_inline_and_trusts_no_text(template):
    text = template.read_text(encoding="utf-8")

    assert not re.search(r"<script(?![^>]*\bsrc=)", text), "inline script"
    assert not re.search(r"<style|\sstyle=", text), "inline style"
    assert not re.search(r"\son[a-z]+=|hx-on|hx-vals=['\"]js:", text), "inline handler"
    assert "|safe" not in text
    assert "autoescape off" not in text
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", text), "another host"


def test_the_top_level_holds_what_the_project_says_it_holds():
    assert {file.split("/")[0] for file in tracked_files()} <= TOP_LEVEL


def test_the_readme_fits_in_150_lines_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]

    missing = [link for link in links if not (ROOT / link).exists()]

    assert len(text.splitlines()) <= 150
    assert missing == []


def test_every_link_inside_the_documents_leads_somewhere():
    missing = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in (ROOT / "docs").rglob("*.md")
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]

    assert missing == []


def test_the_sample_has_a_true_group_for_every_document():
    import csv
    import json

    folder = ROOT / "labeling" / "sample"
    documents = [
        json.loads(line)["id"]
        for line in (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    truth = [
        row["id"] for row in csv.DictReader((folder / "truth.csv").read_text(encoding="utf-8").splitlines())
    ]

    assert sorted(documents) == sorted(truth)
    assert len(set(documents)) == len(documents)
    assert 300 <= len(documents) <= 500


@pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
def test_without_a_data_folder_the_default_is_taken(value, tmp_path):
    environment = {name: text for name, text in os.environ.items() if name != "NEARDUP_DATA_DIR"}
    if value is not None:
        environment["NEARDUP_DATA_DIR"] = value
    program = "from neardup_site import settings; print(settings.DATA_DIR)"
    environment |= {"PYTHONPATH": str(ROOT)}

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == str(ROOT / "data")
