"""CSV, JSON and plain text, as they are and as they shouldn't be."""

import json

import pytest

from dedup.ingest import RECORD_LIMIT, IngestError, ReadOptions, open_corpus, read_pages
from tests.ingested import ingested, written


def described(path, **options):
    with open_corpus(path, ReadOptions(**options)) as reader:
        return reader.describe()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_delimiter_is_found(tmp_path, delimiter):
    rows = [["id", "text"], ["1", "a, b; c | d"], ["2", "e"]]
    content = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)

    path = written(tmp_path, "table", content)

    assert described(path).delimiter == delimiter
    assert ingested(path).texts == {"1": "a, b; c | d", "2": "e"}


def test_a_chosen_delimiter_is_used_and_nonsense_is_refused(tmp_path):
    path = written(tmp_path, "d.csv", "id~text\n1~a\n")

    assert ingested(path, delimiter="~").texts == {"1": "a"}
    with pytest.raises(IngestError, match="“comma-ish” is no delimiter"):
        list(read_pages(path, ReadOptions(delimiter="comma-ish")))


def test_a_single_column_is_a_table_too(tmp_path):
    assert list(ingested(written(tmp_path, "d.csv", "text\none thing\nanother\n")).texts.values()) == [
        "one thing",
        "another",
    ]


def test_a_row_of_another_width_is_rejected_and_empty_surplus_is_not(tmp_path):
    found = ingested(written(tmp_path, "d.csv", "id,text\n1,a,b\n2,c,\n3\n4,d\n"))

    assert found.texts == {"2": "c", "4": "d"}
    assert [(problem.line, problem.reason) for problem in found.rejections] == [
        (2, "the row has 3 columns where the first row names 2"),
        (4, "the row has 1 column where the first row names 2"),
    ]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [('2,"never closed', "quotes are not in order"), ('2,"closed" badly', "quotes are not in order")],
)
def test_broken_quotes_cost_one_row_only(tmp_path, broken, reason):
    found = ingested(written(tmp_path, "d.csv", f'id,text\n1,a\n{broken}\n3,"c ""d"""\n4,e\n'))

    assert found.texts == {"1": "a", "3": 'c "d"', "4": "e"}
    assert [problem.line for problem in found.rejections] == [3]
    assert reason in found.rejections[0].reason


def test_a_quote_that_is_never_closed_costs_one_row_only(tmp_path):
    found = ingested(written(tmp_path, "d.csv", 'id,text\n1,a\n2,"never closed\n3,c\n4,d\n'))

    assert found.texts == {"1": "a", "3": "c", "4": "d"}
    assert "begins on this line is never closed" in found.rejections[0].reason


def test_lines_are_physical_lines_behind_fields_with_line_ends(tmp_path):
    found = ingested(written(tmp_path, "d.csv", 'id,text\n\n1,"a\n\nb"\n2,"c\rd\r\ne"\n3,x,y\n'))

    assert [page.line for page in found.pages] == [3, 6]
    assert found.rejections[0].line == 9


def test_a_wrong_byte_in_utf_8_costs_its_row_and_names_the_byte(tmp_path):
    content = "id,text\n1,Größe\n2,naïve façade\n3,".encode() + b"caf\xe9" + "\n4,Maß\n".encode()

    found = ingested(written(tmp_path, "d.csv", content))

    assert list(found.texts) == ["1", "2", "4"]
    assert [(problem.line, problem.reason) for problem in found.rejections] == [
        (4, "the byte 0xE9 is not valid utf-8; is the file in another encoding?")
    ]


def test_whole_words_above_ascii_are_of_no_latin_script(tmp_path):
    path = written(tmp_path, "d.csv", "id,text\n1,Привет мир это проверка кодировки\n".encode("cp1251"))

    assert ingested(path).texts == {"1": "Привет мир это проверка кодировки"}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("“Ça va ?” – l’été à Besançon coûte 30 €", "cp1252"),
        ("Größe, Maß und übermäßiger Ärger über Öl", "cp1252"),
        ("Дорогие друзья, завтра в городе откроется новая библиотека", "cp1251"),
        ("Καλημέρα κόσμε, αυτό είναι κείμενο", "cp1253"),
        ("Чайник стальной со скидкой", "cp1251"),
        ("今日は朝から雨が降っていますので傘を持って出かけてください", "shift_jis"),
        ("Zażółć gęślą jaźń, powiedział żółw do źrebięcia", "cp1250"),
    ],
)
def test_legacy_encodings_are_guessed_and_the_guess_is_reported(tmp_path, text, encoding):
    path = written(tmp_path, "d.csv", f'id,text\n1,"{text}"\n2,"{text} {text}"\n'.encode(encoding))

    found = ingested(path)

    assert found.texts["1"] == text
    assert "was guessed" in found.reasons


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
def test_unicode_encodings_are_recognised(tmp_path, encoding):
    text = '{"id": "1", "text": "Größe 汉字 😀"}\r\n{"id": "2", "text": "zwei"}\r\n'

    assert ingested(written(tmp_path, "d.jsonl", text.encode(encoding))).texts == {
        "1": "Größe 汉字 😀",
        "2": "zwei",
    }


def test_a_chosen_encoding_wins_and_nonsense_is_refused(tmp_path):
    path = written(tmp_path, "d.csv", "id,text\n1,Größe\n".encode("cp850"))

    assert ingested(path, encoding="cp850").texts == {"1": "Größe"}
    with pytest.raises(IngestError, match="“utf-9” is no encoding"):
        list(read_pages(path, ReadOptions(encoding="utf-9")))
    with pytest.raises(IngestError, match="no encoding of text"):
        list(read_pages(path, ReadOptions(encoding="zlib")))


@pytest.mark.parametrize("make", ["{}", "[{}]"])
def test_numbers_keep_their_digits(tmp_path, make):
    record = '{"id": 12345678901234567890123, "text": 1.50, "url": true, "title": NaN, "sku": 1e5}'
    path = written(tmp_path, "d.json", make.format(record))

    page = ingested(path).pages[0]

    assert (page.id, page.text, page.url, page.title) == ("12345678901234567890123", "1.50", "true", "NaN")
    assert page.identifiers == ("sku:1e5",)


def test_lists_of_texts_are_paragraphs(tmp_path):
    path = written(tmp_path, "d.jsonl", '{"id": 1, "text": ["one", "two"], "n": [1, {"a": 2}]}\n')

    assert ingested(path).texts == {"1": "one\ntwo"}


def test_a_field_named_twice_in_one_object_is_rejected(tmp_path):
    found = ingested(
        written(tmp_path, "d.jsonl", '{"id": 1, "text": "a", "text": "b"}\n{"id": 2, "text": "c"}\n')
    )

    assert found.texts == {"2": "c"}
    assert "“text” stands twice" in found.rejections[0].reason


@pytest.mark.parametrize("line", ["[1, 2]", '"text"', "null", "true", "17"])
def test_a_record_must_be_an_object(tmp_path, line):
    found = ingested(written(tmp_path, "d.jsonl", f'{{"id": 1, "text": "a"}}\n{line}\n'))

    assert found.texts == {"1": "a"}
    assert "must be an object" in found.rejections[0].reason


def test_json_over_several_lines_is_read_value_by_value(tmp_path):
    values = [{"id": str(number), "text": "many words " * 40} for number in range(3)]
    array = written(tmp_path, "a.json", json.dumps(values, indent=2))
    loose = written(tmp_path, "b.json", "\n".join(json.dumps(value, indent=2) for value in values))

    assert list(ingested(array).texts) == list(ingested(loose).texts) == ["0", "1", "2"]
    assert [page.line for page in ingested(array).pages] == [2, 6, 10]


def test_an_array_beyond_the_window_is_read_whole(tmp_path):
    values = [{"id": str(number), "text": f"{number} " * 2000} for number in range(400)]
    path = written(tmp_path, "a.json", json.dumps(values))

    assert len(ingested(path).pages) == 400


@pytest.mark.parametrize("cut", ['{"id": "3", "te', '{"id": "3", "text": "c"', ""])
def test_a_cut_off_array_gives_what_came_before(tmp_path, cut):
    content = '[{"id": "1", "text": "a"}, {"id": "2", "text": "b"}, ' + cut

    found = ingested(written(tmp_path, "a.json", content))

    assert list(found.texts)[:2] == ["1", "2"]
    assert not cut or "what follows was not read" in found.rejections[-1].reason


def test_a_record_beyond_the_limit_is_rejected_and_the_next_is_read(tmp_path):
    long = "a" * (RECORD_LIMIT + 10)
    lines = written(tmp_path, "d.jsonl", f'{{"id": 1, "text": "{long}"}}\n{{"id": 2, "text": "b"}}\n')
    table = written(tmp_path, "d.csv", f"id,text\n1,{long}\n2,b\n")

    for path in (lines, table):
        found = ingested(path)
        assert found.texts == {"2": "b"}
        assert "longer than 16,777,216 characters" in found.rejections[0].reason


def test_a_plain_text_is_one_document_and_a_wrong_byte_names_its_line(tmp_path):
    good = written(tmp_path, "note.txt", "First line.\nSecond, line; with | marks.\n")
    bad = written(tmp_path, "bad.txt", "Größe zählt.\nÄrger überall, ".encode() + b"caf\xe9\n")

    assert ingested(good).texts == {"note": "First line.\nSecond, line; with | marks.\n"}
    assert [(problem.line, problem.field) for problem in ingested(bad).rejections] == [(2, "text")]


def test_the_format_can_be_chosen_but_not_against_the_content(tmp_path):
    path = written(tmp_path, "d.txt", "id\ttext\n1\ta, b\n")

    assert ingested(path, format="tsv").texts == {"1": "a, b"}
    with pytest.raises(IngestError, match="can't be read as parquet"):
        list(read_pages(path, ReadOptions(format="parquet")))
