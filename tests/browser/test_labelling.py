"""What only a browser can show about the labelling page: keys, focus, swaps, sessions that end."""

import pytest
from django.contrib.sessions.models import Session

from labeling.models import Label

pytestmark = pytest.mark.browser


def open_queue(visitor, study, query=""):
    page = visitor.page
    page.goto(f"/studies/{study.pk}/label/{query}")
    page.wait_for_function("() => window.htmx !== undefined")
    return page


def shown_pair(page):
    return page.input_value("#pair input[name=study_pair]")


def wait_for_next(page, before):
    page.wait_for_function(
        "before => { const field = document.querySelector('#pair input[name=study_pair]');"
        " return !field || field.value !== before; }",
        arg=before,
    )


def press(page, key):
    before = shown_pair(page)
    page.keyboard.press(key)
    wait_for_next(page, before)


def verdicts():
    return list(Label.objects.order_by("id").values_list("verdict", flat=True))


def test_a_whole_queue_is_answered_by_keyboard(visit, ana, study):
    page = open_queue(visit(ana), study)

    for key in ("1", "2", "3", "y", "n", "u", "1", "2"):
        press(page, key)

    page.wait_for_selector("text=This queue is done")
    assert verdicts() == [
        "duplicate",
        "distinct",
        "unsure",
        "duplicate",
        "distinct",
        "unsure",
        "duplicate",
        "distinct",
    ]


def test_after_an_answer_the_page_says_what_was_saved_and_the_focus_is_on_the_pair(visit, ana, study):
    page = open_queue(visit(ana), study)

    press(page, "1")

    page.wait_for_function(
        "() => document.querySelector('#announce').textContent.includes('Saved: duplicate')"
    )
    page.wait_for_function("() => document.activeElement.id === 'pair'")
    assert "Undo" in page.inner_text("#status")
    assert page.evaluate("scrollY") == 0


def test_a_held_key_and_a_double_click_count_once(visit, ana, study):
    page = open_queue(visit(ana), study)
    before = shown_pair(page)

    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.up("1")
    wait_for_next(page, before)
    second = shown_pair(page)
    page.dblclick("#pair [data-answer=distinct]")
    wait_for_next(page, second)
    page.wait_for_timeout(300)

    assert verdicts()[:2] == ["duplicate", "distinct"]
    assert Label.objects.filter(pair__study_pairs=before).count() == 1
    assert Label.objects.filter(pair__study_pairs=second).count() == 1


def test_keys_do_nothing_while_somebody_types(visit, ana, study):
    page = open_queue(visit(ana), study)

    page.focus("#note")
    page.keyboard.type("d n s 1 2 u y z j k m e ?")
    page.keyboard.press("Backspace")
    typed = page.input_value("#note")
    nothing = Label.objects.count()
    page.keyboard.press("Escape")
    press(page, "1")

    assert typed == "d n s 1 2 u y z j k m e "
    assert nothing == 0
    assert Label.objects.get().note == typed.strip()


def test_an_editable_element_of_an_extension_keeps_its_keys(visit, ana, study):
    page = open_queue(visit(ana), study)
    page.evaluate(
        "const box = document.createElement('div'); box.contentEditable = 'true'; box.id = 'box';"
        " document.querySelector('#main').append(box); box.focus();"
    )

    page.keyboard.type("1 2 u")

    assert Label.objects.count() == 0


@pytest.mark.parametrize("chord", ["Control+1", "Alt+1", "Meta+1", "Control+y", "Shift+Control+z"])
def test_keys_of_the_browser_stay_the_browsers(visit, ana, study, chord):
    page = open_queue(visit(ana), study)

    page.keyboard.press(chord)
    page.wait_for_timeout(150)

    assert Label.objects.count() == 0


def test_undo_by_key_goes_back_pair_by_pair(visit, ana, study):
    page = open_queue(visit(ana), study)
    first = shown_pair(page)
    press(page, "1")
    second = shown_pair(page)
    press(page, "2")

    press(page, "z")
    after_one = shown_pair(page)
    press(page, "Control+z")
    after_two = shown_pair(page)

    assert (after_one, after_two) == (second, first)
    assert verdicts() == ["duplicate", "distinct", "withdrawn", "withdrawn"]


def test_space_skips_but_presses_a_button_that_has_the_focus(visit, ana, study):
    page = open_queue(visit(ana), study)

    press(page, "Space")
    skipped = Label.objects.count()
    before = shown_pair(page)
    page.focus("#pair [data-answer=unsure]")
    page.keyboard.press("Space")
    wait_for_next(page, before)

    assert skipped == 0
    assert verdicts() == ["unsure"]


def test_the_keys_dialog_opens_and_escape_closes_it_without_an_answer(visit, ana, study):
    page = open_queue(visit(ana), study)

    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")

    assert Label.objects.count() == 0


def test_changes_are_visited_in_turn_and_modes_follow_each_other(visit, ana, study):
    page = open_queue(visit(ana), study, "?mode=changes")

    page.keyboard.press("j")
    first = page.inner_text("#change-counter")
    page.keyboard.press("m")
    page.wait_for_selector(".mode-side")
    page.keyboard.press("m")
    page.wait_for_selector(".mode-inline")

    assert first.startswith("change 1 of")
    assert page.locator(".modes a[aria-current]").inner_text() == "Inline"


def test_an_ended_session_keeps_the_answer_until_it_can_be_sent(visit, ana, study):
    visitor = visit(ana)
    page = open_queue(visitor, study)
    before = shown_pair(page)
    page.fill("#note", "same story")
    page.keyboard.press("Escape")
    Session.objects.all().delete()

    page.keyboard.press("1")
    page.wait_for_selector("#status >> text=Not saved")
    link = page.get_attribute("#status a", "target")
    lost = Label.objects.count()
    other = visitor.new_page()
    other.goto("/sign-in/")
    other.fill("#id_username", "Ana")
    other.fill("#id_password", "Ana knows it well")
    other.click("main button[type=submit]")
    other.wait_for_selector("h1")
    page.bring_to_front()
    page.keyboard.press("1")
    wait_for_next(page, before)

    label = Label.objects.get()
    assert link == "_blank"
    assert lost == 0
    assert (label.verdict, label.note) == ("duplicate", "same story")


def test_a_lost_connection_is_said_and_the_answer_can_be_sent_again(visit, ana, study):
    visitor = visit(ana)
    page = open_queue(visitor, study)
    before = shown_pair(page)

    visitor.context.set_offline(True)
    page.keyboard.press("2")
    page.wait_for_selector("#status >> text=can't be reached")
    visitor.context.set_offline(False)
    page.keyboard.press("2")
    wait_for_next(page, before)

    assert verdicts() == ["distinct"]


def test_back_forward_and_reload_show_whole_pages(visit, ana, study):
    page = open_queue(visit(ana), study)
    for key in ("1", "2", "1"):
        press(page, key)
    page.goto(f"/studies/{study.pk}/")

    for step in (page.go_back, page.go_forward, page.go_back, page.reload):
        step()
        page.wait_for_selector("header.top")
        assert page.locator("h1").count() == 1
        assert page.evaluate("document.styleSheets.length") >= 1


def test_without_script_the_queue_is_answered_by_buttons(visit, ana, study):
    page = visit(ana, java_script_enabled=False).page
    page.goto(f"/studies/{study.pk}/label/")

    page.click("[data-answer=duplicate]")
    page.click("[data-answer=skip]")
    page.click("[data-answer=distinct]")
    page.click("[data-answer=undo]")
    page.click(".modes a >> text=Inline")

    assert verdicts() == ["duplicate", "distinct", "withdrawn"]
    assert page.locator(".mode-inline").count() == 1


def test_a_reason_is_given_to_the_last_answer_by_two_keys_and_the_next_key_answers_the_next_pair(
    visit, ana, study
):
    page = open_queue(visit(ana), study)
    press(page, "1")
    second = shown_pair(page)

    page.keyboard.press("t")
    page.keyboard.press("3")
    page.wait_for_selector("#last-answer .badge >> text=Excerpt")
    same = shown_pair(page)
    press(page, "2")

    first = Label.objects.order_by("id").first()
    assert same == second
    assert verdicts() == ["duplicate", "distinct"]
    assert [remark.reason for remark in first.remarks.all()] == ["excerpt"]


def test_escape_closes_the_reasons_and_a_digit_answers_again(visit, ana, study):
    page = open_queue(visit(ana), study)
    press(page, "1")

    page.keyboard.press("t")
    page.keyboard.press("Escape")
    press(page, "3")

    assert verdicts() == ["duplicate", "unsure"]
    assert not Label.objects.order_by("id").first().remarks.exists()


def test_a_flag_by_key_goes_with_the_answer(visit, ana, study):
    page = open_queue(visit(ana), study)

    page.keyboard.press("b")
    press(page, "1")

    assert [remark.kind for remark in Label.objects.get().remarks.all()] == ["flag"]


def test_an_earlier_answer_is_found_and_changed_by_keyboard_alone(visit, ana, study):
    page = open_queue(visit(ana), study)
    first = shown_pair(page)
    press(page, "1")
    press(page, "1")

    page.keyboard.press("r")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "pair => document.querySelector('#pair input[name=study_pair]').value === pair", arg=first
    )
    press(page, "2")

    assert verdicts() == ["duplicate", "duplicate", "distinct"]
    assert Label.objects.order_by("-id").first().pair == Label.objects.order_by("id").first().pair
