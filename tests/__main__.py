"""Run every check of the project: ``python -m tests``. Installs Chromium where it can, and says what it left out."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PYTHON = [sys.executable, "-m"]
CHECKS = {
    "code style (ruff)": [*PYTHON, "ruff", "check", "."],
    "formatting (ruff)": [*PYTHON, "ruff", "format", "--check", "."],
    "types (mypy)": [*PYTHON, "mypy"],
    "import rules (import-linter)": [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
    "migrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    "tests (pytest)": [*PYTHON, "pytest", "-q"],
}


def install_browser() -> str | None:
    """Make sure that a Chromium is there; returns a sentence if the browser tests must be left out."""
    if shutil.which("chromium"):
        return None
    if shutil.which("apt-get") is None:
        return "Left out: the browser tests. They need Chromium on the path; install it with your system's packages."
    if os.geteuid() != 0:
        return "Left out: the browser tests. They need Chromium: sudo apt-get install chromium, then run this again."
    print("Installing Chromium for the browser tests ...", flush=True)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=False, env=environment, **quiet)
    command = ["apt-get", "install", "-y", "-qq", "chromium", "fonts-noto-core", "fonts-noto-cjk"]
    subprocess.run(command, check=False, env=environment, **quiet)
    if shutil.which("chromium"):
        return None
    return "Left out: the browser tests. apt-get could not install Chromium."


def main() -> int:
    """Run the checks in order, all of them, and return 0 only if every one passed."""
    left_out = install_browser()
    failed = []
    folder = tempfile.TemporaryDirectory(prefix="neardup-checks-")
    environment = {
        **os.environ,
        "NEARDUP_DATA_DIR": folder.name,
        "NEARDUP_SECRET_KEY": "a key that only the checks know",
    }
    for name, command in CHECKS.items():
        started = time.monotonic()
        print(f"== {name}", flush=True)
        extra = sys.argv[1:] if "pytest" in name else []
        done = subprocess.run([*command, *extra], check=False, env=environment)
        print(
            f"   {'passed' if done.returncode == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s",
            flush=True,
        )
        if done.returncode != 0:
            failed.append(name)
    if left_out:
        print(left_out)
    print(f"Failed: {', '.join(failed)}" if failed else "All checks passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
