"""The whole way in Chromium, by keyboard, from the one command to the exported clusters; with JavaScript and without."""

import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "labeling" / "sample"
DOCUMENTS = 110
LINK = re.compile(r"http://127\.0\.0\.1:\d+/sign-in/link/\S+")
SERVED = ".row-of-answers input[name=key]"
BROKEN_LINE = '{"id": "broken", "text": '

pytestmark = pytest.mark.browser


def sample_part():
    """Part of the sample, with the id as title so that the page shows it, and the true cluster of each id."""
    with (SAMPLE / "truth.csv").open(encoding="utf-8", newline="") as file:
        truth = {row["id"]: row["cluster"] for row in csv.DictReader(file)}
    lines = (SAMPLE / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    chosen = sorted(records, key=lambda record: truth[record["id"]], reverse=True)[:DOCUMENTS]
    return [{**record, "title": record["id"]} for record in chosen], truth


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def up(tmp_path):
    """The installation, started by its one command; stopped by Ctrl-C, which must end it cleanly."""
    command = [sys.executable, "manage.py", "up", "--no-browser", "--port", str(free_port())]
    environment = {**os.environ, "NEARDUP_DATA_DIR": str(tmp_path / "data"), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    link = None
    for line in process.stdout:
        if found := LINK.search(line):
            link = found.group()
            break
    assert link is not None, "the command printed no sign-in link"
    yield link
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == 0, rest


class Analyst:
    """Somebody with a keyboard."""

    def __init__(self, page, *, has_script):
        self.page, self.has_script = page, has_script

    def go(self, role, name, **options):
        """Put the focus on a link or button and press Enter."""
        target = self.page.get_by_role(role, name=name, **options).first
        target.focus()
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def fill(self, label, text):
        self.page.get_by_label(label).first.focus()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def wait_for_job(self):
        """Until the job's page says that it is done; without script one reloads."""
        for _ in range(120):
            text = self.page.inner_text("main")
            assert not re.search(r"\b(failed|interrupted)\b", text, re.IGNORECASE), text
            if re.search(r"\bdone\b", text, re.IGNORECASE):
                return
            self.page.wait_for_timeout(500)
            if not self.has_script:
                self.page.reload()
        raise AssertionError(self.page.inner_text("main"))

    def answer(self, verdict):
        """Press the key; without script, press the button."""
        before = self.page.locator(SERVED).get_attribute("value")
        if self.has_script:
            self.page.keyboard.press({"duplicate": "1", "distinct": "2"}[verdict])
            script = "([served, before]) => document.querySelector(served)?.value !== before"
            self.page.wait_for_function(script, arg=[SERVED, before])
        else:
            self.page.locator(f"button[value={verdict}]").focus()
            with self.page.expect_navigation():
                self.page.keyboard.press("Enter")


@pytest.mark.parametrize("has_script", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_an_analyst_goes_from_a_file_to_exported_clusters_by_keyboard(browser, up, tmp_path, has_script):
    records, truth = sample_part()
    upload = tmp_path / "pages.jsonl"
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    upload.write_text("\n".join([*lines[:3], BROKEN_LINE, *lines[3:]]) + "\n", encoding="utf-8")
    context = browser.new_context(
        java_script_enabled=has_script, viewport={"width": 1280, "height": 800}, accept_downloads=True
    )
    context.set_default_timeout(20_000)
    page = context.new_page()
    complaints = []
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    analyst = Analyst(page, has_script=has_script)

    page.goto(up)
    analyst.go("button", "Sign in")
    analyst.go("link", re.compile("news and articles", re.IGNORECASE))
    analyst.fill("Name", "Afternoon")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.set_input_files("input[type=file]", str(upload))
    analyst.go("button", "Look at the first rows")
    assert "Line 4" in page.inner_text("main")
    analyst.go("button", "Start")
    analyst.wait_for_job()
    assert "line 4" in page.inner_text("main").lower()

    analyst.go("link", "Afternoon")
    analyst.go("link", "New study")
    analyst.go("button", re.compile("start|run|make", re.IGNORECASE))
    analyst.wait_for_job()
    analyst.go("link", "Afternoon")
    analyst.go("link", re.compile("^Study"))
    analyst.go("link", re.compile("^Label"))
    answers = 0
    while page.locator(SERVED).count():
        left, right = page.locator(".sides h2").all_inner_texts()[:2]
        analyst.answer("duplicate" if truth[left] == truth[right] else "distinct")
        answers += 1
        assert answers < 500, "the queue doesn't end"
    assert "This queue is done" in page.inner_text("main")

    analyst.go("link", "Look at the evaluation")
    assert "no data" not in page.locator("section[aria-labelledby=recommended]").inner_text()
    analyst.go("link", "Decide on this")
    page.get_by_label("Why this one").focus()
    page.keyboard.type("Best balance on my labels.")
    analyst.go("button", "Record the decision and write the clusters")
    for _ in range(60):
        if page.get_by_role("link", name="Clusters", exact=True).count():
            break
        page.wait_for_timeout(500)
        page.reload()
    decision = page.url
    analyst.go("link", "Clusters", exact=True)
    assert page.locator("table tbody tr").count() > 0
    page.goto(decision)
    analyst.go("link", "Export", exact=True)
    analyst.go("button", "Write the file")
    with page.expect_download() as download:
        page.locator("a[href*='/exports/']").first.focus()
        page.keyboard.press("Enter")
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    context.close()

    assert answers >= 20
    assert sorted(row["document_id"] for row in rows) == sorted(record["id"] for record in records)
    assert {row["cluster_id"] for row in rows} != {""}
    assert complaints == []
