"""The whole afternoon, from the one command: sign in, read, study, label, evaluate, decide, look, export."""

import csv
import io
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.browser.conftest import EXPECTED

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "tests" / "data" / "cases" / "planted-pairs" / "pairs.jsonl"
PATIENCE = 90_000


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A running installation with a data folder of its own, and the link that it printed."""
    folder = tmp_path_factory.mktemp("installation")
    log = folder / "up.log"
    command = [sys.executable, "manage.py", "up", "--no-browser", "--port", str(free_port())]
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=output,
            stderr=output,
            env={**os.environ, "NEARDUP_DATA_DIR": str(folder / "data")},
        )
    deadline = time.monotonic() + PATIENCE / 1000
    while not (found := re.search(r"http://\S+/sign-in/link/\S+/", log.read_text())):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)
    yield found.group(0)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0, log.read_text()


@pytest.fixture(scope="module")
def signed_in(browser, installation):
    """The cookies of the administrator, who came by the link and pressed its button."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(installation)
    page.goto(installation)
    page.click("main button")
    page.wait_for_selector("text=Try the sample")
    state = context.storage_state()
    context.close()
    return state


def wait_for_job(page, sign):
    """Wait for a sign on the job's page; without script, by asking again."""
    deadline = time.monotonic() + PATIENCE / 1000
    while page.locator(sign).count() == 0:
        assert time.monotonic() < deadline, page.inner_text("main")
        page.wait_for_timeout(400)
        page.reload()


def label_everything(page, has_script):
    """Answer by key or button, from what the titles say: a and b of one topic belong together."""
    while page.locator("text=This queue is done").count() == 0:
        before = page.input_value("#pair input[name=study_pair]")
        left, right = page.locator(".side h2").all_inner_texts()
        is_duplicate = left[:-1] == right[:-1]
        if not has_script:
            page.click(f"[data-answer={'duplicate' if is_duplicate else 'distinct'}]")
            continue
        page.keyboard.press("1" if is_duplicate else "2")
        page.wait_for_function(
            "before => { const field = document.querySelector('#pair input[name=study_pair]');"
            " return !field || field.value !== before; }",
            arg=before,
        )


@pytest.mark.parametrize("has_script", [True, False])
def test_an_analyst_goes_the_whole_way(browser, installation, signed_in, has_script):
    address = installation.split("/sign-in/")[0]
    context = browser.new_context(
        base_url=address, storage_state=signed_in, java_script_enabled=has_script, accept_downloads=True
    )
    context.set_default_timeout(20_000)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None,
    )

    page.goto("/corpora/new/")
    page.fill("#id_name", f"Planted pairs, {'with' if has_script else 'without'} script")
    page.click("main button.main")
    page.set_input_files("#id_upload", DOCUMENTS)
    page.click("text=Look at the first rows")
    assert "harbour ferry" in page.inner_text("main")
    page.click("text=Start")
    wait_for_job(page, "#problems-heading")
    page.click("a >> text=New study")
    page.click("text=Run the study")
    wait_for_job(page, "text=Look at the study")
    page.click("a.large >> text=Label")
    label_everything(page, has_script)
    page.click("text=Look at the evaluation")
    assert "1.00" in page.inner_text("#figures")
    page.click("text=Decide on this >> nth=0")
    suggested = page.input_value("#id_threshold")
    for threshold in ("0.9", suggested) if has_script else ():
        page.fill("#id_threshold", threshold)
        page.wait_for_selector(f"#outlook >> text=threshold {float(threshold):.2f}")
    page.fill("#id_reason", "Nothing distinct would be merged.")
    page.click("text=Record the decision")
    wait_for_job(page, "text=What came of it")
    assert "16 documents = 8 representatives" in page.inner_text("main")
    decision = page.url
    page.click("a.main >> text=Clusters")
    assert "8 clusters" in page.inner_text("main")
    page.goto(decision)
    page.click("a.button >> text=Export")
    page.click("text=Write the file")
    with page.expect_download() as download:
        page.click("tbody a >> nth=0")
    table = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    context.close()

    assert sorted(row["document_id"] for row in table) == sorted({row["document_id"] for row in table})
    assert len(table) == 16
    assert len({row["cluster_id"] for row in table}) == 8
    assert [complaint for complaint in complaints if not any(word in complaint for word in EXPECTED)] == []
