"""The evaluation in a browser: a slider that moves every figure by itself, and the same page without script."""

import pytest

from labeling.models import Label
from tests.browser.test_every_page import AXE_RULES
from tests.web import rows

pytestmark = pytest.mark.browser
NAMES = ("precision", "recall", "links", "clusters", "removed", "largest", "missed", "cost")


@pytest.fixture
def labelled(study, cleo):
    """Every pair answered, distinct below 0.9; clusters counted so that each level has numbers of its own."""
    for place, row in enumerate(study.study_pairs.all()):
        Label.objects.create(
            pair=row.pair,
            labeller=cleo,
            study=study,
            verdict="duplicate" if min(row.levels.values()) >= 100 and place % 3 else "distinct",
            at=rows.AT,
            serving=f"answer {place}",
        )
    for recipe in study.recipes.all():
        levels = range(recipe.scale + 1)
        recipe.outcomes = {
            "": {
                "clusters": [recipe.pk * 10_000 + level for level in levels],
                "removed": [recipe.pk * 20_000 + level for level in levels],
                "largest": [recipe.pk * 30_000 + level for level in levels],
            }
        }
        recipe.save()
    return study


def address(study, **query):
    return f"/studies/{study.pk}/evaluation/?" + "&".join(f"{name}={value}" for name, value in query.items())


def figures(page):
    return {name: page.inner_text(f"[data-figure={name}]") for name in NAMES}


def test_the_slider_moves_every_figure_by_key_without_asking_the_server(visit, cleo, labelled):
    recipe = labelled.recipes.filter(score="exact").order_by("k")[1]
    page = visit(cleo).page
    page.goto(address(labelled, recipe=recipe.pk, at="0.85"))
    expected = figures(page)
    page.goto(address(labelled, recipe=recipe.pk, at="0.84"))
    page.route("**/evaluation/**", lambda route: route.abort())

    page.focus("#at")
    page.keyboard.press("ArrowRight")

    assert page.inner_text("#at-words") == "0.85"
    assert figures(page) == expected
    assert page.get_attribute("#at", "aria-valuetext").startswith("0.85: precision ")
    marks = page.evaluate(
        "[...document.querySelectorAll('[data-mark]')].map(line => line.getAttribute('x1'))"
    )
    assert len(marks) == 3
    assert len(set(marks)) == 1


def test_another_k_is_chosen_by_key_and_what_follows_comes_along(visit, cleo, labelled):
    first, second = labelled.recipes.filter(score="exact").order_by("k")[:2]
    page = visit(cleo).page
    page.goto(address(labelled, recipe=first.pk, at="0.9"))
    before = figures(page)

    page.focus("#setting input[name=recipe]:checked")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f"#piles:has-text('k = {second.k}')")

    assert figures(page) != before
    assert page.inner_text("[data-figure=clusters]") == f"{second.pk * 10_000 + 900:,}"
    assert f"recipe={second.pk}" in page.url
    assert f"recipe={second.pk}" in page.get_attribute("[data-decides]", "href")
    assert page.evaluate("document.activeElement.name") == "recipe"
    assert page.get_attribute("figure.chosen", "data-recipe") == str(second.pk)


def test_without_script_a_button_shows_the_setting(visit, cleo, labelled):
    recipe = labelled.recipes.filter(score="exact").order_by("k").first()
    page = visit(cleo, java_script_enabled=False).page
    page.goto(address(labelled, recipe=recipe.pk, at="0.5", cost_fp=4))

    page.focus("#at")
    page.keyboard.press("ArrowRight")
    page.click("text=Show this setting")

    assert page.text_content("#at-words") == "0.51"
    assert page.text_content("[data-figure=clusters]") == f"{recipe.pk * 10_000 + 510:,}"
    assert "cost_fp=4" in page.url


def test_new_labels_leave_the_setting_in_hand_and_what_was_open_open(visit, cleo, labelled):
    recipe = labelled.recipes.filter(score="exact").order_by("k")[2]
    page = visit(cleo).page
    page.goto(address(labelled, at="0.7"))
    page.check(f"#setting input[value='{recipe.pk}']")
    page.click(f"#table-{recipe.pk} > summary")
    page.evaluate("document.querySelector('#figures').dataset.witness = 'the same element'")

    Label.objects.create(
        pair=labelled.study_pairs.first().pair, labeller=cleo, study=labelled, verdict="unsure", at=rows.AT, serving="new"
    )  # fmt: skip
    page.wait_for_function("() => document.querySelector('#figures').dataset.witness === undefined")
    page.wait_for_selector(f"#table-{recipe.pk}[open]")

    assert page.is_checked(f"#setting input[value='{recipe.pk}']")
    assert page.inner_text("#at-words") == "0.70"
    assert page.is_hidden("text=Show this setting")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_there_are_figures(visit, cleo, labelled, scheme):
    axe_module = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python isn't installed"
    )
    page = visit(cleo, color_scheme=scheme).page
    page.goto(address(labelled))
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")

    found = axe_module.Axe().run(page, options={"runOnly": AXE_RULES[scheme], "resultTypes": ["violations"]})

    violations = found.response["violations"]
    assert [(violation["id"], violation["nodes"][0]["html"][:160]) for violation in violations] == []


@pytest.mark.parametrize("width", [320, 400, 640])
def test_the_figures_are_no_wider_than_the_screen(visit, cleo, labelled, width):
    page = visit(cleo).page
    page.set_viewport_size({"width": width, "height": 640})
    page.goto(address(labelled))
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")

    extra = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    assert extra <= 0


def test_the_answer_stands_in_the_first_screen(visit, cleo, labelled):
    page = visit(cleo).page
    page.goto(address(labelled))

    bottoms = page.evaluate(
        "['.lead', '#at', '[data-figure=labelled]'].map(part => document.querySelector(part).getBoundingClientRect().bottom)"
    )

    assert max(bottoms) < 800
