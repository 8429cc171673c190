"""Every environment variable that is read has its row in docs/settings.md, and no row is left over."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READER = re.compile(r"environment\.\w+\(\s*\"([A-Z_]+)\"")


def test_every_setting_is_documented_and_every_documented_setting_is_read():
    read = set(READER.findall((ROOT / "neardup_site" / "settings.py").read_text(encoding="utf-8")))
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")

    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", page, flags=re.MULTILINE))

    assert documented == read
