"""The same documents and answers give the same files, byte for byte, whichever database holds the rows."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from itertools import combinations
from pathlib import Path

from tests.db import rows

ROOT = Path(__file__).resolve().parents[2]
TIES = ROOT / "tests" / "data" / "cases" / "db25-sort-order-both-databases" / "docs.jsonl"
LABELLERS = ["Zoe", "anna", "Ärna", "zoe", "_x", "Anna"]
PRODUCT = {"price": "12.50", "currency": "EUR", "gtin": "4006381333931"}


def write_inputs(folder):
    """Documents whose ids, sources and titles order differently in each language, and answers of such labellers."""
    ties = [json.loads(line) for line in TIES.read_text(encoding="utf-8").splitlines()]
    documents = {row["id"]: {name: row[name] for name in row if name != "id"} for row in ties}
    for place, (name, fields) in enumerate(rows.planted(topics=5).items()):
        title = ["élan", "Elan", "a b", "ab", "ÄB", "a-b"][place % 6]
        documents[f"{'Éeß'[place % 3]}{name}"] = {
            **fields,
            **PRODUCT,
            "title": title,
            "source": ["ä", "Z", "a"][place % 3],
        }
    documents["void"] = {"text": "…"}
    documents["nul\0"] = {"text": "some \0 words"}
    rows.write_jsonl(folder / "docs.jsonl", documents)
    names = [name for name in documents if "p" in name or "q" in name]
    answers = [
        {
            "left_id": left,
            "right_id": right,
            "verdict": ("duplicate", "distinct", "unsure")[place % 3],
            "labeller": LABELLERS[place % len(LABELLERS)],
            "note": f"ß {place}",
            "at": f"2026-03-02T10:{place:02}:00+01:00",
        }
        for place, (left, right) in enumerate(combinations(names, 2))
    ]
    (folder / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))


def start(folder, address, *backup):
    folder.mkdir()
    write_inputs(folder)
    environment = {**os.environ, "NEARDUP_DATA_DIR": str(folder / "data"), "DATABASE_URL": address}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.db.whole_way", str(folder), *map(str, backup)],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def digests(folder):
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.suffix != ".zip"
    }


def finish(*processes):
    ends = [(process.communicate(timeout=240)[1], process.returncode) for process in processes]
    assert [status for _, status in ends] == [0] * len(ends), ends


def test_files_and_lists_are_the_same_from_every_database_and_after_a_backup_moved_from_one_to_the_other(
    postgresql, tmp_path
):
    addresses = {
        "sqlite": "",
        "english": postgresql.make_database("english"),
        "plain": postgresql.make_database("plain", "TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'"),
    }

    finish(*[start(tmp_path / name, address) for name, address in addresses.items()])
    finish(
        start(tmp_path / "from-sqlite", postgresql.make_database("moved"), tmp_path / "sqlite" / "state.zip"),
        start(tmp_path / "from-postgresql", "", tmp_path / "english" / "state.zip"),
    )

    expected = digests(tmp_path / "sqlite")
    assert len(expected) == 2 + 8 + 3 + 15
    assert digests(tmp_path / "english") == expected
    assert digests(tmp_path / "plain") == expected
    assert digests(tmp_path / "from-sqlite") == expected
    assert digests(tmp_path / "from-postgresql") == expected
