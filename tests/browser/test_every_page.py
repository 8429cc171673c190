"""Every page in a browser: accessible, no wider than a small screen, no markup that runs, the console clean."""

import pytest

from tests.web import rows

pytestmark = pytest.mark.browser
AXE_RULES = {
    "light": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "dark": {"type": "rule", "values": ["color-contrast"]},
}


@pytest.fixture
def addresses(study, cleo):
    decision = rows.make_decision(study, author=cleo)
    job = rows.make_job(
        study.corpus, report={"read": 16, "accepted": 16, "updated": 0, "unchanged": 0, "rejected": 0}
    )
    corpus = study.corpus
    held = rows.hold(decision, *corpus.texts.order_by("ordinal")[:2])
    cluster = decision.clusters.order_by("-documents").first()
    texts = cluster.members.order_by("id").values_list("document__text", flat=True)
    return [
        "/",
        "/keys/",
        "/corpora/new/",
        f"/corpora/{corpus.pk}/",
        f"/corpora/{corpus.pk}/ingest/",
        f"/corpora/{corpus.pk}/documents/",
        f"/corpora/{corpus.pk}/people/",
        f"/corpora/{corpus.pk}/studies/new/",
        f"/documents/{corpus.documents.first().pk}/",
        f"/jobs/{job.pk}/",
        f"/studies/{study.pk}/",
        f"/studies/{study.pk}/label/?mode=changes",
        f"/studies/{study.pk}/label/?mode=side",
        f"/studies/{study.pk}/label/?mode=inline",
        f"/studies/{study.pk}/pairs/",
        f"/studies/{study.pk}/pairs/{study.study_pairs.first().pk}/",
        f"/studies/{study.pk}/evaluation/",
        f"/studies/{study.pk}/decide/",
        f"/decisions/{decision.pk}/",
        f"/decisions/{decision.pk}/clusters/",
        f"/decisions/{decision.pk}/held/",
        f"/decisions/{decision.pk}/held/{held.pk}/",
        f"/decisions/{decision.pk}/exports/",
        f"/clusters/{cluster.pk}/",
        f"/clusters/{cluster.pk}/pairs/{texts[0]}/{texts[1]}/",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(visit, cleo, addresses, scheme):
    axe_module = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python isn't installed"
    )
    page = visit(cleo, color_scheme=scheme).page

    found = []
    for address in addresses:
        page.goto(address)
        violations = (
            axe_module.Axe()
            .run(page, options={"runOnly": AXE_RULES[scheme], "resultTypes": ["violations"]})
            .response["violations"]
        )
        found += [(address, violation["id"], violation["nodes"][0]["html"][:160]) for violation in violations]

    assert found == []


@pytest.mark.parametrize("width", [320, 640])
def test_no_page_is_wider_than_the_screen(visit, cleo, addresses, width):
    page = visit(cleo).page
    page.set_viewport_size({"width": width, "height": 640})

    too_wide = []
    for address in addresses:
        page.goto(address)
        extra = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if extra > 0:
            too_wide.append((address, extra))

    assert too_wide == []


def test_mark_up_in_documents_is_shown_as_typed_and_never_runs(visit, cleo):
    corpus = rows.make_corpus("<img src=x onerror=\"document.title='hit'\">")
    rows.read_case(corpus, "ui35-markup-in-documents/docs.jsonl")
    study = rows.make_study(corpus, name="<script>document.title='hit'</script>")
    decision = rows.make_decision(study, author=cleo)
    page = visit(cleo).page
    texts = [text.body for text in corpus.texts.all()]

    addresses = [f"/corpora/{corpus.pk}/", f"/corpora/{corpus.pk}/documents/", f"/studies/{study.pk}/", "/"]
    addresses += [
        f"/studies/{study.pk}/pairs/{pair.pk}/?mode={mode}"
        for pair in study.study_pairs.all()[:4]
        for mode in ("changes", "side", "inline")
    ]
    addresses += [f"/documents/{document.pk}/" for document in corpus.documents.all()]
    addresses += [
        f"/decisions/{decision.pk}/clusters/",
        f"/clusters/{decision.clusters.order_by('-documents').first().pk}/",
    ]
    for address in addresses:
        page.goto(address)
        page.wait_for_timeout(30)
        assert page.title() != "hit"
        assert (
            page.evaluate(
                "document.querySelectorAll('main img, main script, main style, main iframe').length"
            )
            == 0
        )

    page.goto(f"/documents/{corpus.documents.first().pk}/")
    assert page.text_content(".prose") in texts


def test_only_web_addresses_become_links(visit, cleo):
    corpus = rows.make_corpus("Addresses")
    rows.read_case(corpus, "ui37-javascript-links/docs.jsonl")
    page = visit(cleo).page

    schemes = set()
    for document in corpus.documents.all():
        page.goto(f"/documents/{document.pk}/")
        schemes |= set(page.evaluate("[...document.querySelectorAll('main a')].map(link => link.protocol)"))
    page.goto(f"/documents/{corpus.documents.get(external_id='u4').pk}/")

    assert schemes == {"http:", "https:"}
    assert (
        page.get_attribute("main a[href^='https://ok.example.org']", "rel") == "noopener noreferrer nofollow"
    )


def test_the_curve_follows_the_collection_threshold_while_it_is_typed(visit, cleo, study):
    page = visit(cleo).page
    page.goto(f"/corpora/{study.corpus_id}/studies/new/")
    before = page.inner_text("#curve")

    page.fill("#id_collection_threshold", "0.6")
    page.wait_for_function("before => document.querySelector('#curve').innerText !== before", arg=before)

    assert "bands of" in page.inner_text("#curve")
    assert page.evaluate("document.activeElement.id") == "id_collection_threshold"


def test_the_evaluation_follows_new_labels_and_keeps_still_otherwise(visit, cleo, study):
    from django.utils import timezone

    from labeling.models import Label

    page = visit(cleo).page
    page.goto(f"/studies/{study.pk}/evaluation/")
    page.evaluate("document.querySelector('#figures').dataset.witness = 'the same element'")
    page.wait_for_timeout(3500)
    kept = page.evaluate("document.querySelector('#figures').dataset.witness")

    Label.objects.create(
        pair=study.study_pairs.first().pair,
        labeller=cleo,
        study=study,
        verdict="duplicate",
        at=timezone.now(),
        serving="x",
    )
    page.wait_for_function("() => document.querySelector('#figures').dataset.witness === undefined")

    assert kept == "the same element"


def test_a_job_is_followed_until_it_has_ended(visit, cleo, study):
    from django.utils import timezone

    job = rows.make_job(
        study.corpus,
        state="running",
        stage="sign",
        unit="texts",
        done=3,
        total=9,
        heartbeat_at=timezone.now(),
    )
    page = visit(cleo).page
    page.goto(f"/jobs/{job.pk}/")
    page.wait_for_selector("text=Sign: 3 of 9 texts")

    job.state, job.finished_at = "done", timezone.now()
    job.save()
    page.wait_for_selector("#problems-heading")

    assert page.get_attribute("#job", "hx-get") is None


def test_the_suggested_study_can_be_run_as_it_stands(visit, cleo, study):
    page = visit(cleo).page
    page.goto(f"/corpora/{study.corpus_id}/studies/new/")

    page.click("text=Run the study")
    page.wait_for_url("**/jobs/*/")

    assert study.corpus.studies.count() == 2
