"""Clusters on screen: what differs, what holds them together, and how they are found."""

import pytest

from labeling.models import Cluster, Label, Link, Member
from labeling.services.verdicts import corpus_verdicts
from tests.web import rows

STORY = (
    "the council met on monday to talk about the bridge over the river and paid {} crowns for its repair {}"
)


def add(corpus, external_id, text, **fields):
    return rows.add_document(corpus, external_id, text, **fields)


def cluster_of(decision, *documents):
    return decision.clusters.get(members__document__external_id=documents[0])


@pytest.fixture
def page(as_ana):
    def open_page(cluster, **query):
        response = as_ana.get(f"/clusters/{cluster.pk}/", query)
        assert response.status_code == 200
        return " ".join(response.content.decode().split())

    return open_page


@pytest.fixture
def copies(db):
    """Five documents: three of one text, one with another number, one with another ending; all linked with the first."""
    corpus = rows.make_corpus()
    text = STORY.format(200, "before the winter")
    for name in ("a", "b", "c"):
        add(corpus, name, text, source=f"paper {name}")
    add(corpus, "number", STORY.format(900, "before the winter"))
    add(corpus, "ending", STORY.format(200, "after the flood"))
    study = rows.make_study(corpus)
    return rows.make_decision(study, threshold=0.3)


def test_the_stack_counts_documents_behind_each_variant(copies, page):
    html = page(cluster_of(copies, "a"))

    assert "The texts differ at 3 spots, at 1 of them in numbers" in html
    assert "<strong>4 of 5</strong> have <q>200</q>" in html
    assert "<strong>1 of 5</strong> has <q>900</q>" in html
    assert ">number</a>)" in html


def test_a_variant_is_shown_as_text_whatever_it_holds(db, page):
    corpus = rows.make_corpus()
    add(corpus, "plain", STORY.format(200, "before winter"))
    add(corpus, "<b>id</b>", STORY.format(200, "<script>alert(1)</script> winter"))
    decision = rows.make_decision(rows.make_study(corpus), threshold=0.3)

    html = page(cluster_of(decision, "plain"))

    assert "<script>alert" not in html
    assert "<b>id</b>" not in html
    assert "&lt;b&gt;id&lt;/b&gt;" in html


def test_the_lowest_pair_of_a_chain_is_explained_step_by_step(db, page):
    corpus = rows.make_corpus()
    words = [f"word{number}" for number in range(60)]
    for place, name in enumerate(("first", "second", "third", "fourth")):
        add(corpus, name, " ".join(words[3 * place : 3 * place + 40]))
    decision = rows.make_decision(rows.make_study(corpus), threshold=0.75)
    Cluster.objects.filter(decision=decision).update(is_chain=True)

    html = page(cluster_of(decision, "first"))

    assert "This is a chain: two of its texts are less similar than the threshold of 0.75" in html
    assert "No link joins these two." in html
    assert html.count("is linked with") == 3
    assert "3 links are bridges" in html
    assert "and this link alone between them" in html


def test_documents_of_equal_words_have_no_links_to_show(db, page):
    corpus = rows.make_corpus()
    add(corpus, "one", STORY.format(1, ""))
    add(corpus, "two", STORY.format(1, "").upper())
    decision = rows.make_decision(rows.make_study(corpus))

    html = page(cluster_of(decision, "one"))

    assert "All its documents share the very same words." in html
    assert "What holds it together" not in html


def test_a_pair_that_people_call_distinct_is_named_on_its_cluster(copies, page, ana):
    link = Link.objects.filter(decision=copies).order_by("id").first()
    pair = copies.corpus.pairs.get(left=link.left, right=link.right)
    pair.labels.create(labeller=ana, verdict="distinct", at=rows.AT, serving="once")

    html = page(cluster_of(copies, "a"))

    assert "People called 1 pair of its texts distinct" in html


@pytest.mark.parametrize("value", ["0", "-1", "x", "9" * 30, ""])
def test_any_page_of_links_gets_an_answer(copies, page, value):
    assert "The weakest link" in page(cluster_of(copies, "a"), links=value)


def test_a_cluster_of_many_texts_stacks_those_of_most_documents_and_says_so(copies, page):
    cluster = cluster_of(copies, "a")
    texts = [
        add(copies.corpus, f"d{number:03}", STORY.format(200, f"ending {number}")) for number in range(57)
    ]
    cluster.members.bulk_create(
        Member(decision=copies, document=text, cluster=cluster, is_representative=False, method="minhash")
        for text in texts
    )
    Cluster.objects.filter(pk=cluster.pk).update(documents=62, texts=60)

    html = page(cluster)

    assert "Compared are the 41 texts that most documents have: 43 of 62 documents." in html
    assert "1–50 of 62" in html


def numbers_on(response):
    return [row["cluster"].representative.external_id for row in response.context["rows"]]


def test_filters_are_links_with_counts_that_keep_each_other(copies, as_ana):
    response = as_ana.get(f"/decisions/{copies.pk}/clusters/", {"show": "sources", "page": "3"})

    html = " ".join(response.content.decode().split())
    assert numbers_on(response) == ["a"]
    assert '<a href="?show=sources" aria-current="true">Several sources <span class="quiet">1</span>' in html
    assert '<a href="?show=sources&amp;size=3-9">3–9 <span class="quiet">1</span>' in html
    assert '<a href="?show=chains">Chains <span class="quiet">0</span>' in html


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"size": "3-9"}, 1),
        ({"size": "2"}, 0),
        ({"lowest": "one"}, 0),
        ({"show": "random"}, 1),
        ({"show": "nonsense", "size": "x", "lowest": "nan", "order": "?"}, 1),
        ({"order": "loosest"}, 1),
    ],
)
def test_filters_leave_what_they_say(copies, as_ana, query, found):
    response = as_ana.get(f"/decisions/{copies.pk}/clusters/", query)

    assert len(response.context["rows"]) == found


def test_a_verdict_across_two_clusters_marks_both(study, as_ana, ana):
    decision = rows.make_decision(study)
    first, second = decision.clusters.filter(documents__gt=1).order_by("number")[:2]
    texts = [cluster.representative.text for cluster in (first, second)]
    pair, _ = study.corpus.pairs.get_or_create(left=texts[0], right=texts[1])
    pair.labels.create(labeller=ana, verdict="distinct", at=rows.AT, serving="once")

    response = as_ana.get(f"/decisions/{decision.pk}/clusters/", {"show": "distinct", "order": "number"})

    assert [row["cluster"] for row in response.context["rows"]] == [first, second]
    assert all(row["is_touched"] for row in response.context["rows"])


def test_a_verdict_that_was_taken_back_marks_nothing(study, as_ana, ana):
    decision = rows.make_decision(study)
    pair = study.study_pairs.first().pair
    pair.labels.create(labeller=ana, verdict="distinct", at=rows.AT, serving="once")
    pair.labels.create(labeller=ana, verdict="withdrawn", at=rows.AT, serving="twice")

    response = as_ana.get(f"/decisions/{decision.pk}/clusters/", {"show": "distinct"})

    assert response.context["rows"] == []
    assert "No cluster is like that" in response.content.decode()


def test_a_number_leads_to_its_cluster_and_a_retired_one_to_where_most_of_it_is(copies, as_ana):
    later = rows.make_decision(copies.study, threshold=0.3)
    cluster = cluster_of(later, "a")
    later.clusters.filter(pk=cluster.pk).update(number=90)
    address = f"/decisions/{later.pk}/clusters/"

    direct = as_ana.get(address, {"number": "90"}, follow=True)
    retired = as_ana.get(address, {"number": str(cluster.number)}, follow=True)

    assert direct.context["cluster"] == retired.context["cluster"] == cluster
    assert f"Number {cluster.number} is retired under decision 2" in retired.content.decode()
    assert "is retired" not in direct.content.decode()


@pytest.mark.parametrize("value", ["0", "-1", "x", "9" * 18, "9" * 5000, "\u00b2"])
def test_a_number_that_no_cluster_has_leads_back_to_the_list(copies, as_ana, value):
    response = as_ana.get(f"/decisions/{copies.pk}/clusters/", {"number": value}, follow=True)

    assert response.status_code == 200
    assert "No cluster has or had the number" in response.content.decode()


def test_a_decision_shows_which_numbers_live_on_and_where_retired_ones_lead(copies, as_ana):
    changes = [
        {"cluster": 12, "change": "retired", "successor": 5, "documents_before": 3, "documents_now": 0},
        {"cluster": 5, "change": "changed", "successor": None, "documents_before": 2, "documents_now": 5},
    ]
    copies.number = 2
    copies.summary |= {
        "changes": {"merged": 1},
        "numbers": {"previous": 1, "kept": 7, "new": 0, "retired": 1, "largest_changes": changes},
    }
    copies.save()

    html = " ".join(as_ana.get(f"/decisions/{copies.pk}/").content.decode().split())

    assert "<dt>Cluster numbers that live on</dt><dd>7</dd>" in html
    assert f'most of it is in <a href="/decisions/{copies.pk}/clusters/?number=5">cluster 5</a>' in html


def pair_address(cluster):
    texts = list(
        cluster.members.order_by("document__text").values_list("document__text", flat=True).distinct()
    )
    return f"/clusters/{cluster.pk}/pairs/{texts[0]}/{texts[-1]}/"


def test_a_verdict_on_a_cluster_is_an_ordinary_label_and_counts_once(copies, as_ana):
    cluster = cluster_of(copies, "a")
    address = pair_address(cluster)
    page = as_ana.get(address)
    answer = {"key": page.context["key"], "verdict": "distinct", "note": "another sum"}

    first = as_ana.post(address, answer, follow=True)
    as_ana.post(address, {**answer, "verdict": "duplicate"})

    label = Label.objects.get()
    assert (label.verdict, label.origin, label.note) == ("distinct", "cluster", "another sum")
    assert label.pair.left.ordinal < label.pair.right.ordinal
    assert "The next decision keeps them apart" in first.content.decode()
    assert "The next decision will respect it" in page.content.decode()
    assert corpus_verdicts(copies.corpus) == {label.pair_id: "distinct"}


def test_keys_of_others_or_of_nobody_save_nothing(copies, as_ana, as_ben):
    address = pair_address(cluster_of(copies, "a"))
    foreign = as_ben.get(address).context["key"]

    for key in (foreign, "forged", ""):
        response = as_ana.post(address, {"key": key, "verdict": "distinct"})
        assert response.status_code == 422
        assert "nothing was saved" in response.content.decode()
    response = as_ana.post(address, {"key": as_ana.get(address).context["key"], "verdict": "withdrawn"})

    assert response.status_code == 422
    assert not Label.objects.exists()


def test_only_two_texts_of_one_cluster_can_be_judged_there(copies, as_ana):
    cluster = cluster_of(copies, "a")
    own = cluster.representative.text_id
    foreign = add(rows.make_corpus("Other"), "foreign", STORY).text_id

    assert as_ana.get(f"/clusters/{cluster.pk}/pairs/{own}/{own}/").status_code == 404
    assert as_ana.get(f"/clusters/{cluster.pk}/pairs/{own}/{foreign}/").status_code == 404


def test_a_giant_chain_is_announced_with_the_link_that_makes_it(copies, as_ana):
    cluster = cluster_of(copies, "a")
    Cluster.objects.filter(pk=cluster.pk).update(documents=21, is_chain=True, lowest_similarity=0.1)

    html = as_ana.get(f"/decisions/{copies.pk}/").content.decode()

    assert "One cluster looks too large." in html
    assert "holds 21 documents" in html
    assert "It comes apart first between" in html
    assert f'href="/clusters/{cluster.pk}/pairs/' in html


def test_a_large_cluster_without_a_chain_is_no_alarm(copies, as_ana):
    Cluster.objects.filter(decision=copies).update(documents=21, is_chain=False)

    assert "looks too large" not in as_ana.get(f"/decisions/{copies.pk}/").content.decode()
