"""Two people, one moment: nothing is lost and nothing is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.environment import own_address

ROOT = Path(__file__).resolve().parents[2]


def test_two_people_who_answer_at_the_same_moment_are_both_heard(tmp_path):
    environment = {
        **os.environ,
        "DATABASE_URL": own_address(tmp_path),
        "NEARDUP_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "neardup_site.settings",
    }
    command = [sys.executable, "-m", "tests.db.answering_at_once"]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert set(found["codes"]) == {302}
    assert found["labels"] == len(found["codes"]) == 2 * found["repetitions"]
