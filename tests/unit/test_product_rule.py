import pytest

from dedup.product_rule import Price, ProductFacts, passes, product_key

EMPTY = ProductFacts()
KETTLE = ProductFacts(identifiers=("gtin:00036000291452", "sku:K1"), price=2490, currency="EUR")
PRICE_ONLY = ProductFacts(price=2490, currency="EUR")
OTHER = ProductFacts(identifiers=("gtin:04006381333931",), price=2490, currency="EUR")


@pytest.mark.parametrize("rule", ["identifiers", "price", "identifiers-or-price"])
def test_missing_values_never_match(rule):
    assert not passes(rule, EMPTY, EMPTY)
    assert not passes(rule, KETTLE, EMPTY)


@pytest.mark.parametrize("rule", ["identifiers", "price", "identifiers-or-price"])
def test_a_page_passes_with_itself_and_the_order_does_not_matter(rule):
    pages = [EMPTY, KETTLE, PRICE_ONLY, OTHER]

    assert passes(rule, KETTLE, KETTLE)
    assert all(passes(rule, left, right) == passes(rule, right, left) for left in pages for right in pages)


def test_identifiers_of_one_kind_that_differ_keep_pages_apart():
    half = ProductFacts(identifiers=("gtin:00036000291452", "sku:other"))

    assert not passes("identifiers", KETTLE, OTHER)
    assert not passes("identifiers", KETTLE, half)
    assert passes("identifiers", KETTLE, ProductFacts(identifiers=("gtin:00036000291452",)))


def test_one_common_value_among_several_is_enough():
    two = ProductFacts(identifiers=("gtin:04006381333931", "gtin:00036000291452"))

    assert passes("identifiers", KETTLE, two)


def test_an_isbn_meets_the_gtin_of_the_same_book():
    book = ProductFacts(identifiers=("isbn:9780306406157",))

    assert passes("identifiers", book, ProductFacts(identifiers=("gtin:09780306406157",)))


def test_prices_need_one_known_currency_and_the_tolerance():
    assert passes("price", KETTLE, PRICE_ONLY)
    assert not passes("price", PRICE_ONLY, ProductFacts(price=2490, currency="USD"))
    assert not passes("price", ProductFacts(price=2490), ProductFacts(price=2490))
    assert not passes("price", PRICE_ONLY, ProductFacts(price=2491, currency="EUR"))
    assert passes("price", PRICE_ONLY, ProductFacts(price=2491, currency="EUR"), tolerance=1)


def test_prices_decide_only_where_identifiers_cannot():
    assert passes("identifiers-or-price", KETTLE, PRICE_ONLY)
    assert not passes("identifiers-or-price", KETTLE, OTHER)


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="no product rule “colour”"):
        passes("colour", KETTLE, KETTLE)


def test_the_product_key_does_not_depend_on_order_and_stays_short():
    many = [f"sku:{number:04}" for number in range(60)]

    assert product_key([], None) == ""
    assert product_key(many, Price(1, "EUR")) == product_key(reversed(many), Price(1, "EUR"))
    assert len(product_key(many, None)) <= 200
    assert product_key([], Price(2490, "EUR")) != product_key([], Price(2490, "USD"))
