"""Inputs of reported faults, by the name of their folder."""

import json
from pathlib import Path

CASES = Path(__file__).parents[1] / "data" / "cases"


def documents(case: str) -> list[dict[str, str]]:
    """Documents of the one case whose name starts like this."""
    [folder] = CASES.glob(f"{case}-*")
    lines = (folder / "docs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def texts(case: str) -> dict[str, str]:
    return {document["id"]: document["text"] for document in documents(case)}
