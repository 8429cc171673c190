"""What a person sees of a page before and after extraction."""

from dedup.extraction_view import view_extraction
from dedup.ingest import ReadOptions, open_corpus, sample_pages
from tests.ingested import written

PARAGRAPH = (
    "The old harbour tram returns on Friday after eleven years of repairs, and the council expects that "
    "twelve thousand passengers will use it on a weekday once the second depot opens in the autumn. "
)
PAGE = f"""<html><head><title>Trams</title><script>var hidden = 1</script></head><body>
<nav><ul><li><a href=/>Start</a></li><li><a href=/s>Sports</a></li></ul></nav>
<div class="cookie-banner"><p>We value your privacy. We and our partners use cookies. Accept all</p></div>
<article><h1>Trams return</h1><p>{PARAGRAPH}</p>
<p>A <b>second</b> depot opens in autumn, said the mayor of the town, who had promised it.</p></article>
<footer>Imprint and contact</footer></body></html>"""


def test_every_visible_word_of_a_page_is_either_kept_or_removed_and_hidden_ones_are_neither():
    view = view_extraction(PAGE)

    shown = " ".join(block.text for block in view.blocks)
    assert view.words == len(shown.split())
    assert "hidden" not in shown
    assert {block.text for block in view.blocks if block.is_kept} >= {
        " ".join(PARAGRAPH.split()),
        "A second depot opens in autumn, said the mayor of the town, who had promised it.",
    }


def test_what_was_removed_is_named_by_the_place_it_stood_in():
    removed = {stretch.place: stretch.texts for stretch in view_extraction(PAGE).removed}

    assert removed["navigation"] == ("Start", "Sports")
    assert removed["footer"] == ("Imprint and contact",)
    assert "Accept all" in " ".join(removed["consent notice"])


def test_a_word_that_stands_in_the_menu_and_in_the_article_is_removed_only_from_the_menu():
    page = PAGE.replace("Sports", "Trams")

    view = view_extraction(page)

    assert ("Start", "Trams") in [stretch.texts for stretch in view.removed]


def test_a_page_without_visible_text_has_no_blocks_and_says_why_nothing_was_kept():
    view = view_extraction("<html><body><script>draw()</script></body></html>")

    assert view.blocks == ()
    assert view.extraction.flags == ("no main text: the page is built by scripts",)


def test_a_very_long_page_is_viewed_up_to_a_limit_and_its_words_are_still_counted():
    page = f"<html><body><article><h1>Long</h1>{'<p>one two three four five</p>' * 5_000}</article></body></html>"

    view = view_extraction(page)

    assert view.is_cut
    assert view.words == 25_001
    assert sum(len(block.text.split()) for block in view.blocks) == 20_000


def test_pages_of_a_folder_are_drawn_from_all_of_its_files_and_the_same_ones_again(tmp_path):
    for number in range(30):
        written(tmp_path, f"pages/p{number:02d}.html", PAGE)

    def drawn():
        with open_corpus(tmp_path / "pages", ReadOptions()) as reader:
            return sample_pages(reader, ReadOptions(), 4)

    first, again = drawn(), drawn()

    assert first.drawn_from == 30
    assert [page.id for page in first.pages] == [page.id for page in again.pages]
    assert len(first.pages) == 4
    assert first.pages[-1].id > "p10"


def test_pages_inside_a_table_are_drawn_from_its_first_records(tmp_path):
    import json

    rows = [
        json.dumps({"id": f"r{number}", "html": PAGE, "url": "https://a.example/x"}) for number in range(20)
    ]
    path = written(tmp_path, "pages.jsonl", "\n".join(rows))

    with open_corpus(path, ReadOptions()) as reader:
        found = sample_pages(reader, ReadOptions(), 3)

    assert (found.drawn_from, len(found.pages)) == (20, 3)
    assert all(page.view.kept_words for page in found.pages)
