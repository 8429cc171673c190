"""A setting that is wrong is refused with one sentence and status 2, whatever the command."""

import os
import subprocess
import sys
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from labeling.management.processes import port_number

ROOT = Path(__file__).resolve().parents[2]


def start(*arguments, **variables):
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env={**os.environ, "DATABASE_URL": "", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("NEARDUP_WORKERS", "many", "NEARDUP_WORKERS must be a whole number, not 'many'.\n"),
        (
            "NEARDUP_LOG_LEVEL",
            "loud",
            "NEARDUP_LOG_LEVEL must be DEBUG, INFO, WARNING, ERROR or CRITICAL, not 'LOUD'.\n",
        ),
        ("NEARDUP_DATA_DIR", "/dev/null", "The data folder /dev/null can't be used: File exists.\n"),
    ],
)
def test_a_wrong_setting_is_refused_with_one_sentence(tmp_path, name, value, sentence):
    variables = {"NEARDUP_DATA_DIR": str(tmp_path), "NEARDUP_SECRET_KEY": "", name: value}

    ended = start("documents", "News", **variables)

    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", sentence)


def test_a_key_that_a_full_disk_cut_off_is_made_anew(tmp_path):
    key = tmp_path / "secret_key"
    key.touch()

    start("documents", "News", NEARDUP_DATA_DIR=str(tmp_path), NEARDUP_SECRET_KEY="")

    assert len(key.read_text(encoding="utf-8")) > 40
    assert key.stat().st_mode & 0o077 == 0
    assert not list(tmp_path.glob(".secret_key*"))


@pytest.mark.parametrize("port", ["0", "-1", "65536", "99999", "http", "9" * 5000])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(ArgumentTypeError, match="a port lies between 1 and 65535"):
        port_number(port)
