from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from dedup.extraction import extract
from dedup.representatives import Member, NoRepresentativeError, choose, comparable_url
from tests.reference import cases

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def members_of(case, *names):
    documents = {document["id"]: document for document in cases.documents(case)}
    return [member_of(documents[name]) for name in names]


def member_of(document):
    html, url = document.get("html", ""), document.get("url", "")
    return Member(
        id=document["id"],
        url=url,
        canonical_url=extract(html, url=url).canonical_url if html else "",
        first_seen=datetime.fromisoformat(document["first_seen"]),
        source=document["source"],
    )


def chosen_in_any_order(members, **rules):
    choices = [(order, choose(order, **rules)) for order in permutations(members)]
    return {(order[choice.index].id, choice.rule, choice.reason) for order, choice in choices}


def test_the_address_that_most_pages_declare_canonical_represents():
    members = [
        Member(id="a", url="https://a.example/1", first_seen=NOON),
        Member(id="b", url="https://b.example/1", canonical_url="https://c.example/1"),
        Member(id="c", url="HTTPS://C.example:443/1#top", canonical_url="https://c.example/1"),
    ]

    assert chosen_in_any_order(members) == {("c", "canonical", "declared canonical by 2 of 3")}


def test_pages_that_each_declare_themselves_leave_it_to_the_next_rule():
    members = [
        Member(id=name, url=url, canonical_url=url, first_seen=seen)
        for name, url, seen in [
            ("a", "https://a.example/", NOON),
            ("b", "https://b.example/", NOON - timedelta(days=1)),
        ]
    ]

    assert chosen_in_any_order(members) == {("b", "first_seen", "earliest, 2024-04-30")}


def test_two_copies_of_the_canonical_page_are_told_apart_by_the_next_rules():
    members = [
        Member(id="b", url="https://c.example/1", canonical_url="https://c.example/1"),
        Member(id="a", url="https://c.example/1", canonical_url="https://c.example/1"),
        Member(id="0", url="https://d.example/1"),
    ]

    assert chosen_in_any_order(members) == {
        ("a", "canonical", "declared canonical by 2 of 3, then smallest id of 2")
    }


def test_relative_canonical_addresses_make_the_original_represent_though_a_copy_was_seen_first():
    members = members_of("ca01", "r0", "r1", "r2", "r3")

    assert chosen_in_any_order(members) == {("r0", "canonical", "declared canonical by 4 of 4")}


def test_pages_inside_a_site_that_name_its_home_page_dont_make_it_represent():
    home = Member(id="home", url="https://shop.example.org/", first_seen=NOON)

    members = [home, *members_of("ca03", "h1", "h2", "h3")]

    assert {rule for _, rule, _ in chosen_in_any_order(members)} == {"first_seen"}
    assert {name for name, _, _ in chosen_in_any_order(members)} == {"home"}


def test_an_original_on_another_site_represents_its_copies():
    members = members_of("ca06", "s0", "s1", "s2")

    assert chosen_in_any_order(members) == {("s0", "canonical", "declared canonical by 2 of 3")}


def test_a_canonical_address_outside_the_cluster_leaves_it_to_the_earliest():
    members = members_of("ca06", "q1", "q2")

    assert {(name, rule) for name, rule, _ in chosen_in_any_order(members)} == {("q1", "first_seen")}


def test_pages_that_name_a_page_outside_the_cluster_are_counted_in_the_reason():
    members = [
        Member(id="a", url="https://a.example/", canonical_url="https://a.example/"),
        Member(id="b", url="https://b.example/1", canonical_url="https://gone.example/1"),
    ]

    choice = choose(members)

    assert choice.reason == "declared canonical by 1 of 2 (1 names a page outside the cluster)"


def test_of_two_first_seen_at_the_same_time_the_more_trusted_source_represents():
    members = members_of("nd48", "t1", "t2")

    assert chosen_in_any_order(members, trust={"beta": 0, "alpha": 1}) == {
        ("t2", "trust", "most trusted source, beta")
    }


def test_of_two_with_equal_time_and_trust_the_smallest_id_represents():
    members = members_of("nd48", "t3", "t4")

    assert chosen_in_any_order(members, trust={"beta": 0, "alpha": 1}) == {
        ("t3", "smallest_id", "smallest id of 2")
    }


def test_ids_are_compared_by_code_points():
    members = [Member(id="a10"), Member(id="a9"), Member(id="Z")]

    assert {name for name, _, _ in chosen_in_any_order(members)} == {"Z"}


def test_the_reason_gives_the_time_where_the_day_says_nothing():
    members = [Member(id="a", first_seen=NOON), Member(id="b", first_seen=NOON - timedelta(hours=1))]

    assert choose(members).reason == "earliest, 2024-05-01 11:00:00 UTC"


def test_an_unknown_time_comes_after_every_known_one():
    members = [Member(id="a"), Member(id="b", first_seen=NOON)]

    assert choose(members).index == 1


def test_a_source_without_a_rank_comes_after_every_ranked_one():
    members = [Member(id="a", source="x"), Member(id="b", source="y")]

    assert choose(members, trust={"y": 9}).index == 1


def test_rules_apply_in_the_order_asked_for():
    members = [
        Member(id="a", url="https://a.example/1", first_seen=NOON),
        Member(
            id="b",
            url="https://b.example/1",
            canonical_url="https://a.example/1",
            first_seen=NOON - timedelta(1),
        ),
    ]

    rules = [
        choose(members, order=order).rule
        for order in (["canonical", "first_seen"], ["first_seen", "canonical"])
    ]

    assert rules == ["canonical", "first_seen"]


def test_a_rule_that_isnt_asked_for_plays_no_part():
    members = [Member(id="b", first_seen=NOON), Member(id="a")]

    assert choose(members, order=[]).rule == "smallest_id"


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="unknown rules for representatives: newest"):
        choose([Member(id="a")], order=["newest"])


def test_a_document_without_content_never_represents():
    members = [
        Member(id="a", first_seen=NOON, has_content=False),
        Member(id="b"),
        Member(id="c", has_content=False),
    ]

    choice = choose(members)

    assert (choice.index, choice.rule, choice.reason) == (
        1,
        "only_document",
        "only one of 3 documents with content",
    )


def test_a_single_document_represents_itself():
    assert choose([Member(id="a")]).reason == "only document"


def test_a_cluster_without_content_has_no_representative():
    with pytest.raises(NoRepresentativeError, match="none of 2 documents"):
        choose([Member(id="a", has_content=False), Member(id="b", has_content=False)])


@pytest.mark.parametrize(
    "address", ["", "javascript:alert(1)", "https:///t/1", "http://[", "/2024/page", "data:x"]
)
def test_what_is_no_web_address_equals_nothing(address):
    assert comparable_url(address) == ""


def test_addresses_that_lead_to_different_pages_stay_different():
    addresses = ["http://a.example/", "https://a.example/", "https://a.example/A", "https://a.example/a?x=1"]

    assert len({comparable_url(address) for address in addresses}) == 4
