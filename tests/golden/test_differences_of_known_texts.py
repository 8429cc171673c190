import gzip
import json
from functools import cache
from pathlib import Path

from dedup.diffing import diff
from tests.reference import marked

DATA = Path(__file__).parents[1] / "data"
FIRST = "The city council approved a new budget on Tuesday that raises spending on public transport by 12 percent."
SECOND = "The plan adds three bus routes in the northern districts and extends evening service on the tram network."
THIRD = "The mayor said the new routes would start in the spring and promised a review after one year."
ORIGINAL = f"{FIRST} {SECOND} {THIRD}"


@cache
def pages():
    """Short pages of the tldr project (CC BY 4.0, see the README.txt beside the file)."""
    with gzip.open(DATA / "tldr_open" / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {page["id"]: page["text"] for page in map(json.loads, lines)}


def test_the_lessons_syndicated_copy_differs_by_its_footer():
    found = diff(ORIGINAL, f"{ORIGINAL} This story was first published by the Daily Ledger.")

    assert marked.lines(found) == [
        "fold | 2 equal sentences, 36 words",
        f"equal | {THIRD} | {THIRD}",
        "right_only |  | {+This story was first published by the Daily Ledger.+}",
    ]
    assert (found.coverage_left, found.changed_words, found.facts) == (1.0, 9, ())


def test_the_lessons_edited_copy_differs_in_two_sentences_and_no_fact():
    edited = ORIGINAL.replace("approved a new budget on Tuesday", "on Tuesday approved a new budget")

    found = diff(ORIGINAL, edited.replace("would start in the spring", "will begin operating in spring"))

    assert marked.lines(found) == [
        (
            "changed | The city council approved a new budget [-on Tuesday-] that raises spending on public transport by 12"
            " percent. | The city council {+on Tuesday+} approved a new budget that raises spending on public transport by"
            " 12 percent."
        ),
        f"equal | {SECOND} | {SECOND}",
        (
            "changed | The mayor said the new routes [-would start in the-] spring and promised a review after one year. |"
            " The mayor said the new routes {+will begin operating in+} spring and promised a review after one year."
        ),
    ]
    assert (found.changed_words, found.facts) == (12, ())


def test_the_lessons_other_story_shares_one_frame_of_a_sentence():
    other = (
        "The city council postponed a vote on the housing plan on Tuesday. The plan would allow taller buildings near"
        " tram stops and cut parking requirements. The mayor said a revised proposal would be presented in the spring."
    )

    found = diff(ORIGINAL, other)

    assert [row.kind for row in found.rows] == ["left_only", "right_only", "changed"]
    assert found.equal_words == 6


def test_a_chinese_page_and_its_next_version():
    found = diff(pages()["zh:linux/mac2unix@2024"], pages()["zh:linux/mac2unix@2026"])

    assert marked.lines(found) == [
        "equal | # mac2unix | # mac2unix",
        "equal | > 将 macOS 样式的行尾更改为 Unix 样式。 | > 将 macOS 样式的行尾更改为 Unix 样式。",
        "equal | > 用 LF 替换 CR. | > 用 LF 替换 CR。",
        "right_only |  | {+> 另请参阅：`unix2dos`, `unix2mac`, `dos2unix`。+}",
        (
            "changed | > 更多信息：<https://[-waterlan.home.xs4all.nl/dos2unix.html-]>. |"
            " > 更多信息：<https://{+manned.org/mac2unix+}>。"
        ),
        "equal | - 更改文件的行尾： | - 更改文件的行尾：",
        "equal | `mac2unix {{文件名}}` | `mac2unix {{文件名}}`",
        "equal | - 使用 Unix 样式的行尾创建副本： | - 使用 Unix 样式的行尾创建副本：",
        "changed | `mac2unix -n {{文件名}} {{新文件名}}` | `mac2unix {{[-n|--{+newfile+}]}} {{文件名}} {{新文件名}}`",
    ]


def test_a_hindi_page_and_its_next_version():
    found = diff(pages()["hi:linux/bluetoothctl@2024"], pages()["hi:linux/bluetoothctl@2026"])

    assert marked.lines(found) == [
        "equal | # bluetoothctl | # bluetoothctl",
        "equal | > ब्लूटूथ उपकरणों का प्रबंधन करें। | > ब्लूटूथ उपकरणों का प्रबंधन करें।",
        "right_only |  | {+> यह भी देखें: `bluetui`।+}",
        (
            "changed | > अधिक जानकारी: <https://[-bitbucket-].org/[-serkanp-]/bluetoothctl>। |"
            " > अधिक जानकारी: <https://{+manned+}.org/bluetoothctl>।"
        ),
        "equal | - `bluetoothctl` शैल में प्रवेश करें: | - `bluetoothctl` शैल में प्रवेश करें:",
        "fold | 15 equal paragraphs, 59 words",
    ]
