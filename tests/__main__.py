"""Run every check of the project: ``python -m tests``. Installs Chromium and PostgreSQL where it can, and says what it left out."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from tests import postgresql_server

PYTHON = [sys.executable, "-m"]
POSTGRESQL = "tests on PostgreSQL (pytest)"
ROWS = ["tests/db", "tests/web", "tests/unit/test_commands.py"]
CHECKS = {
    "code style (ruff)": [*PYTHON, "ruff", "check", "."],
    "formatting (ruff)": [*PYTHON, "ruff", "format", "--check", "."],
    "types (mypy)": [*PYTHON, "mypy"],
    "import rules (import-linter)": [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
    "migrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    "tests (pytest)": [*PYTHON, "pytest", "-q"],
    POSTGRESQL: [*PYTHON, "pytest", "-q", "--database", "postgresql", *ROWS],
}


def install(what: str, packages: list[str], is_there: Callable[[], bool]) -> str | None:
    """Make sure that a program is there; returns a sentence if the tests that need it must be left out."""
    if is_there():
        return None
    if shutil.which("apt-get") is None:
        return f"Left out: {what}. Install it with your system's packages, then run this again."
    if os.geteuid() != 0:
        return f"Left out: {what}. Install it, then run this again: sudo apt-get install {packages[0]}"
    print(f"Installing {packages[0]} ...", flush=True)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=False, env=environment, **quiet)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    subprocess.run(command, check=False, env=environment, **quiet)
    return None if is_there() else f"Left out: {what}. apt-get could not install {packages[0]}."


def install_browser() -> str | None:
    """Make sure that Chromium is there."""
    packages = ["chromium", "fonts-noto-core", "fonts-noto-cjk"]
    return install("the browser tests, which need Chromium", packages, lambda: bool(shutil.which("chromium")))


def install_postgresql() -> str | None:
    """Make sure that PostgreSQL's programs and its client for Python are there."""
    if find_spec("psycopg") is None:
        return 'Left out: the tests on PostgreSQL, which need psycopg: pip install "psycopg[binary]"'
    what = "the tests on PostgreSQL, which need its server programs"
    return install(what, ["postgresql"], lambda: postgresql_server.programs() is not None)


def main() -> int:
    """Run the checks in order, all of them, and return 0 only if every one passed."""
    left_out = [install_browser(), install_postgresql()]
    failed = []
    folder = tempfile.TemporaryDirectory(prefix="neardup-checks-")
    environment = {
        **os.environ,
        "NEARDUP_DATA_DIR": folder.name,
        "NEARDUP_SECRET_KEY": "a key that only the checks know",
    }
    checks = {name: command for name, command in CHECKS.items() if name != POSTGRESQL or left_out[1] is None}
    for name, command in checks.items():
        started = time.monotonic()
        print(f"== {name}", flush=True)
        extra = sys.argv[1:] if command == CHECKS["tests (pytest)"] else []
        done = subprocess.run([*command, *extra], check=False, env=environment)
        print(
            f"   {'passed' if done.returncode == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s",
            flush=True,
        )
        if done.returncode != 0:
            failed.append(name)
    for sentence in filter(None, left_out):
        print(sentence)
    print(f"Failed: {', '.join(failed)}" if failed else "All checks passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
