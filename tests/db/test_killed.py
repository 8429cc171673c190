"""Processes of their own, killed where it hurts: what was stored stays, and nothing runs on without its parent."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.environment import own_address

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60


def start(data, *arguments):
    environment = {
        **os.environ,
        "DATABASE_URL": own_address(data),
        "NEARDUP_DATA_DIR": str(data),
        "PYTHONUNBUFFERED": "1",
    }
    command = [sys.executable, str(ROOT / "manage.py"), *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(data, *arguments):
    process = start(data, *arguments)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return out


def wait_for(happened, what):
    until = monotonic() + PATIENCE
    while monotonic() < until:
        if (found := happened()) is not None:
            return found
        sleep(0.02)
    pytest.fail(f"{what} did not happen within {PATIENCE} seconds")


def first_row(data, sql):
    """The first row that an installation's database gives, or None while it has no such table."""
    address = own_address(data)
    if address:
        import psycopg

        with psycopg.connect(address) as database:
            try:
                return database.execute(sql).fetchone()
            except psycopg.errors.UndefinedTable:
                return None
    try:
        with sqlite3.connect(f"file:{data / 'neardup.sqlite3'}?mode=ro", uri=True) as database:
            return database.execute(sql).fetchone()
    except sqlite3.OperationalError:
        return None


def stored_batches(data):
    """Position of the newest checkpoint, or None while there is none."""
    row = first_row(data, "select checkpoint from labeling_job")
    if row is None:
        return None
    checkpoint = row[0] if isinstance(row[0], dict) else json.loads(row[0])
    return checkpoint.get("position") or None


def test_an_ingest_that_was_killed_goes_on_to_the_same_rows_and_counts(tmp_path):
    documents = tmp_path / "docs.jsonl"
    with documents.open("w", encoding="utf-8") as file:
        for number in range(6000):
            words = " ".join(f"w{(number * 7 + place) % 5000}" for place in range(8))
            file.write(json.dumps({"id": f"d{number}", "text": words}) + "\n")
        file.write("nonsense\n")
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = start(killed, "ingest", documents, "--corpus", "News", "--json")
    wait_for(lambda: stored_batches(killed), "the first batch")
    process.kill()
    process.communicate()

    resumed = start(killed, "ingest", documents, "--corpus", "News", "--json")
    expected = start(whole, "ingest", documents, "--corpus", "News", "--json")
    reports = [json.loads(run.communicate(timeout=PATIENCE)[0]) for run in (resumed, expected)]

    assert process.returncode == -signal.SIGKILL
    for report in reports:
        report.pop("seconds")
    assert reports[0] == reports[1]
    assert reports[0]["accepted"] == 6000
    assert finish(killed, "documents", "News") == finish(whole, "documents", "News")


def children_of(pid):
    """Ids of the processes that this one has started."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


def are_gone(pids):
    """True once none of them runs any more."""
    for pid in pids:
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
            return None
    return True


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def first_link(process):
    """The sign-in link that ``up`` prints once the server answers."""
    for line in process.stdout:
        if found := re.search(r"http://\S+/sign-in/\S+", line):
            return found[0]
    pytest.fail(process.stderr.read())


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes in /proc")


@needs_proc
def test_up_starts_a_crashed_worker_again_and_leaves_nothing_behind_when_it_is_killed(tmp_path):
    port = free_port()
    process = start(tmp_path, "up", "--no-browser", "--port", port)
    link = first_link(process)
    with urllib.request.urlopen(link) as page:
        assert page.status == 200
    server, worker = children_of(process.pid)

    os.kill(worker, signal.SIGKILL)
    replaced = wait_for(
        lambda: next((child for child in children_of(process.pid) if child not in {server, worker}), None),
        "a new worker",
    )
    process.kill()
    process.communicate()

    wait_for(lambda: are_gone([server, replaced]), "the end of both processes")
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/")


@needs_proc
def test_ctrl_c_stops_both_processes_and_a_taken_port_is_said_in_one_sentence(tmp_path):
    port = free_port()
    process = start(tmp_path, "up", "--no-browser", "--port", port)
    first_link(process)
    children = children_of(process.pid)
    second = start(tmp_path, "up", "--no-browser", "--port", port)
    _, complaint = second.communicate(timeout=PATIENCE)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)

    assert second.returncode == 2
    assert len(complaint.strip().splitlines()) == 1
    assert str(port) in complaint
    assert (process.returncode, err) == (0, "")
    assert len(children) == 2
    assert are_gone(children)
