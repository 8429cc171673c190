"""Pages that lead extractors astray."""

import pytest

from dedup.extraction import CONSENT_ONLY, NO_MAIN_TEXT, SCRIPT_ONLY, extract
from dedup.text import words
from tests.ingested import CASES, ingested


def texts_of(name):
    return ingested(CASES / name).texts


def jaccard(left, right):
    first, second = set(words(left)), set(words(right))
    return len(first & second) / len(first | second)


FERRY = (
    "The harbour ferry will run every twenty minutes from the first of May after the operator bought two boats. "
    "Each boat carries ninety people and eight bicycles. Fares stay at three crowns for adults."
)
MUSEUM = (
    "The textile museum reopened on Saturday with a new gallery about looms and dyes. Visitors can try weaving on "
    "three restored machines from the nineteenth century. Entry is free this month."
)


def page(body, head=""):
    return f'<!doctype html><html><head><meta charset="utf-8"><title>T</title>{head}</head><body>{body}</body></html>'


def test_a_consent_notice_longer_than_the_article_is_left_out():
    found = texts_of("ht01-consent-longer-than-article")

    assert "harbour ferry will run every twenty minutes" in found["p1"]
    assert "textile museum reopened" in found["p2"]
    assert "partners" not in found["p1"] + found["p2"]


CONSENT_SENTENCE = (
    "We and our {n} partners store and access information on a device, such as cookies, and process personal data "
    "to show advertising."
)
NOTICES = {
    "by its sentences": '<div class="layer-7f3"><h2>We value your privacy</h2>'
    + "".join(f"<p>{CONSENT_SENTENCE.format(n=n)}</p>" for n in range(5))
    + "<button>Accept all</button></div>",
    "by its name": '<section id="onetrust-banner-sdk"><p>'
    + "Wir verwenden Daten für Werbung. Mit Ihrer Einwilligung geben wir sie an Partner weiter. " * 6
    + "</p><button>Akzeptieren</button></section>",
    "in a dialog": '<dialog open class="privacyModal"><form><h2>Votre vie privée</h2>'
    + "<p>Nous et nos partenaires utilisons des données personnelles pour la publicité.</p>" * 5
    + "<button>Tout accepter</button></form></dialog>",
}
HOLDERS = {
    "aside": "<aside class='content-area'><h1>Ferry</h1><p>{text}</p></aside>",
    "form": "<form id='aspnetForm'><div><h1>Ferry</h1><p>{text}</p></div></form>",
    "footer": "<footer><h1>Ferry</h1><p>{text}</p></footer>",
    "article": "<article><h1>Ferry</h1><p>{text}</p></article>",
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("notice", NOTICES)
def test_the_article_is_found_beside_a_notice(notice, holder):
    html = page(f"{NOTICES[notice]}<nav><a href='/'>Home</a></nav>{HOLDERS[holder].format(text=FERRY)}")

    text = extract(html).text

    assert FERRY in text
    assert not any(word in text.lower() for word in ("partner", "partenaires", "akzeptieren", "accepter"))


@pytest.mark.parametrize("notice", NOTICES)
def test_a_page_that_is_only_a_notice_has_no_main_text(notice):
    found = extract(page(NOTICES[notice]))

    assert (found.text, found.flags) == ("", (CONSENT_ONLY,))


def test_an_article_about_consent_notices_is_an_article():
    about = (
        "Regulators fined three publishers on Monday for the way their pages ask for consent. The banners said that the "
        "publisher and its partners store information on a device, yet offered no way to refuse. A spokeswoman said that "
        "readers had complained for years about dark patterns, long lists of vendors and buttons that did nothing."
    )

    found = extract(page(f"<article class='tag-cookies cmp-text'><h1>Fines</h1><p>{about}</p></article>"))

    assert about in found.text


def test_a_recipe_for_cookies_is_no_notice():
    recipe = (
        "Beat the butter with the sugar, fold in the flour and bake the cookies for twelve minutes until golden. "
        * 3
    )

    assert (
        "Beat the butter"
        in extract(page(f"<div class='cookie-recipe'><h1>Cookies</h1><p>{recipe}</p></div>")).text
    )


def test_products_on_one_template_are_told_apart():
    found = texts_of("ht04-short-product-template")

    assert jaccard(found["t1"], found["t2"]) < 0.3
    assert found["t1"] == found["t3"]


DELIVERY = (
    "Orders placed before three in the afternoon leave our warehouse the same day. Delivery takes two to four working "
    "days. You may return any unused item within thirty days for a full refund of the purchase price."
)
KETTLE = (
    "Quiet steel kettle with a cool handle and a lid that opens at the push of a button. Holds 1.7 litres."
)
LAMP = "Desk lamp made of oiled oak with a linen shade and a long fabric cable. Uses one small bulb of forty watts."
TEMPLATES = {
    "no main element": "<div class='product'><h1>{name}</h1><p>{text}</p></div>"
    "<div class='shippingInfo'><h3>How it reaches you</h3><p>{delivery}</p></div>",
    "inside the main element": "<main><h1>{name}</h1><p>{text}</p>"
    "<section><h2>Delivery and returns</h2><p>{delivery}</p></section></main>",
    "behind an article": "<article><h1>{name}</h1><p>{text}</p></article><div class='box'><p>{delivery}</p></div>",
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_block_about_delivery_does_not_make_products_alike(template):
    kettle = extract(
        page(TEMPLATES[template].format(name="Steel kettle", text=KETTLE, delivery=DELIVERY))
    ).text
    lamp = extract(page(TEMPLATES[template].format(name="Oak lamp", text=LAMP, delivery=DELIVERY))).text

    assert KETTLE in kettle
    assert LAMP in lamp
    assert "warehouse" not in kettle + lamp


def test_a_page_about_delivery_keeps_its_text():
    text = extract(page(f"<div class='delivery'><h1>Delivery</h1><p>{DELIVERY}</p></div>")).text

    assert "warehouse" in text


def test_the_fifth_copy_extracts_like_the_first():
    found = texts_of("ht06-extraction-has-no-memory")

    assert len(set(found.values())) == 1
    assert len(found) == 5


def test_a_page_extracts_the_same_whatever_came_before():
    html = page(f"<article><h1>Ferry</h1><p>{FERRY}</p><p>{MUSEUM}</p></article>")
    first = extract(html)

    others = [
        extract(page(f"<article><h1>Ferry {number}</h1><p>{FERRY}</p></article>")) for number in range(6)
    ]

    assert len(others) == 6
    assert extract(html) == first


def test_text_below_three_hundred_elements_is_kept():
    text = texts_of("ht10-deep-nesting")["deep"]

    assert "Beekeepers in the valley" in text
    assert "Mix the flour" in text


@pytest.mark.parametrize("depth", [500, 1500, 6000])
@pytest.mark.parametrize("element", ["div", "section", "span"])
def test_nested_text_is_kept_or_the_page_is_flagged(depth, element):
    html = page(
        f"<p>{MUSEUM}</p>{f'<{element}>' * depth}<p>{FERRY}</p>{f'</{element}>' * depth}<p>Behind it all.</p>"
    )

    found = extract(html)

    assert "harbour ferry" in found.text or "incomplete" in " ".join(found.flags)


def test_pages_built_by_scripts_have_no_main_text_and_noscript_articles_do():
    pages = {page.id: page for page in ingested(CASES / "ht12-script-only-pages").pages}

    assert pages["app1"].text == pages["app2"].text == ""
    assert pages["app1"].flags == (SCRIPT_ONLY,)
    assert "textile museum reopened" in pages["ns"].text


@pytest.mark.parametrize(
    "body",
    [
        "<div id='app'></div><script src='/a.js'></script>",
        "<div id='app'>Loading…</div><script>start()</script>",
        "<p>Bitte aktivieren Sie JavaScript, um diese Seite zu sehen.</p><script src='/a.js'></script>",
        "<noscript><p>This site requires JavaScript.</p></noscript><div id='root'></div><script src='/a.js'></script>",
    ],
)
def test_shells_of_scripts_are_flagged(body):
    found = extract(page(body))

    assert (found.text, found.flags) == ("", (SCRIPT_ONLY,))


def test_a_noscript_note_beside_an_article_is_left_out():
    note = "You need to enable JavaScript to run the comments of this page."

    text = extract(page(f"<noscript>{note}</noscript><article><h1>Ferry</h1><p>{FERRY}</p></article>")).text

    assert FERRY in text
    assert note not in text


def test_an_article_about_javascript_is_an_article():
    about = (
        "To use the trainer you need to enable JavaScript in the settings of the browser, then restart it. "
        * 5
    )

    assert (
        "trainer" in extract(page(f"<article><h1>Help</h1><p>{about}</p></article><script>a()</script>")).text
    )


def test_blocks_and_breaks_separate_words():
    found = texts_of("ht13-words-glued")

    assert words(found["g1"]) == words(found["g2"])
    assert {"price", "weight", "colour", "first", "second"} <= set(words(found["g1"]))


@pytest.mark.parametrize("extractor", ["trafilatura", "resiliparse"])
@pytest.mark.parametrize(
    "markup",
    ["{}<br>{}", "<div>{}</div><div>{}</div>", "<ul><li>{}</li><li>{}</li></ul>", "<h2>{}</h2><p>{}</p>"],
)
def test_neighbours_are_never_glued(extractor, markup):
    inside = markup.format("Nordlicht seven", "eight Südwind")

    text = extract(
        page(f"<article><h1>T</h1><p>{FERRY}</p>{inside}<p>{MUSEUM}</p></article>"), extractor=extractor
    ).text

    assert "seveneight" not in text


def test_declared_latin_1_reads_like_utf_8():
    found = texts_of("ht20-declared-latin1")

    assert found["l1"] == found["l2"]
    assert "�" not in found["l1"]


def test_an_empty_page_has_no_main_text():
    assert extract("").flags == (NO_MAIN_TEXT,)
    assert extract(page("")).flags == (NO_MAIN_TEXT,)


@pytest.mark.parametrize("odd", ["&#1;", "\x01", "\x0c", "&#xFFFF;", "\ud83d", "&#xD800;"])
def test_characters_that_no_parser_likes_do_no_harm(odd):
    note = f"<div class='cookie'>Accept</div>{odd} behind <noscript>{odd}</noscript>{odd}"

    assert (
        "harbour ferry" in extract(page(f"{note}<article><h1>F{odd}</h1><p>{FERRY}{odd}</p></article>")).text
    )
