"""Every endpoint by the wrong method, for something that isn't there, and as a page that can be read by everybody."""

import pytest

from tests.web.addresses import NAMES, NOT_HTML, ONLY_POST, PUBLIC, TAKE_POST, every_address


@pytest.fixture
def addresses(study, cleo, settings, tmp_path):
    settings.UPLOADS_DIR, settings.EXPORTS_DIR = tmp_path / "uploads", tmp_path / "exports"
    return every_address(study, cleo)


@pytest.mark.parametrize("name", NAMES)
def test_the_wrong_method_is_refused(as_cleo, addresses, name):
    response = as_cleo.get(addresses[name]) if name in ONLY_POST else as_cleo.delete(addresses[name])

    assert response.status_code == 405


@pytest.mark.parametrize("name", sorted(set(NAMES) - TAKE_POST))
def test_a_page_that_only_shows_takes_no_post(as_cleo, addresses, name):
    assert as_cleo.post(addresses[name]).status_code == 405


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in {"corpora", "corpus_new", "sample", "keys"} | PUBLIC]
)
def test_what_is_not_there_is_not_found(as_cleo, addresses, name):
    address = addresses[name]
    digits = [part for part in address.split("/") if part.isdecimal()]
    missing = address.replace(f"/{digits[0]}/", "/987654/", 1)

    response = as_cleo.post(missing) if name in ONLY_POST else as_cleo.get(missing)

    assert response.status_code == 404


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in ONLY_POST | PUBLIC | NOT_HTML | {"label_answer"}]
)
def test_a_page_has_one_heading_a_title_landmarks_and_a_way_to_its_content(as_cleo, addresses, name):
    html = as_cleo.get(addresses[name]).content.decode()

    assert html.count("<h1") == 1
    assert "<title>" in html
    assert 'href="#main"' in html
    assert '<main class="page" id="main"' in html
    assert "<nav" in html
    assert "{{" not in html
    assert "{%" not in html


def test_every_page_has_the_strict_policy(as_cleo, addresses):
    policy = as_cleo.get(addresses["label"])["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_a_form_without_its_token_is_refused(study, ana):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(ana)

    response = client.post(f"/studies/{study.pk}/label/answer/", {"verdict": "duplicate"})

    assert response.status_code == 403
    assert "Nothing was stored" in response.content.decode()
