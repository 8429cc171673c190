"""The import rules hold, and each of them is seen to fail when it is broken."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINT_IMPORTS = Path(sys.executable).parent / "lint-imports"
HEAVY = ["numba", "sklearn", "pandas", "datasketch", "trafilatura", "resiliparse", "pyarrow", "scipy.stats"]
PLANTED = {
    "The site knows the app, the app knows the method, never the other way round": (
        "dedup/text.py",
        "import labeling.models",
    ),
    "The method knows no web framework and no database": ("dedup/shingling.py", "import django.http"),
    "Inside the method, imports point against the data flow": ("dedup/specs.py", "import dedup.sampling"),
    "Inside the app, pages and commands sit on services, services on models": (
        "labeling/models/jobs.py",
        "import labeling.services",
    ),
    "The web process reaches no heavy library": ("labeling/urls.py", "import pandas"),
    "datasketch stays where signatures are made": ("dedup/representatives.py", "import datasketch"),
}


def lint_imports(folder):
    command = [str(LINT_IMPORTS), "--no-cache", "--config", "pyproject.toml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def copy_packages(folder):
    for package in ("dedup", "labeling", "neardup_site"):
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "sample")
        )
    shutil.copy(ROOT / "pyproject.toml", folder / "pyproject.toml")


def test_every_import_rule_fails_when_its_violation_is_planted(tmp_path):
    copy_packages(tmp_path)
    for module, line in PLANTED.values():
        file = tmp_path / module
        file.write_text(file.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")

    result = lint_imports(tmp_path)

    kept = [name for name in PLANTED if f"{name} BROKEN" not in " ".join(result.stdout.split())]
    assert result.returncode != 0
    assert kept == []


def test_starting_the_web_process_loads_no_heavy_library():
    program = (
        "import sys, neardup_site.wsgi; from django.urls import get_resolver; get_resolver().url_patterns; "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )

    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "[]"


def test_no_import_rule_goes_untested():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]

    assert {contract["name"] for contract in contracts} == set(PLANTED)
