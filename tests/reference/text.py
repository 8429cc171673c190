"""The rules of docs/text-semantics.md, one character after the other, slowly."""

import re
import unicodedata

import regex

INVISIBLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")


def lesson_words(text):
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def folded(text):
    text = numbers_apart(INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return text.replace("−", "-").replace("–", "-")


def numbers_apart(text):
    """A blank between a digit and what becomes a digit only by NFKC."""
    found = []
    for before, character in zip(" " + text, text, strict=False):
        is_small = not is_digit(character) and is_digit(unicodedata.normalize("NFKC", character)[:1] or " ")
        found.append(f" {character}" if is_small and is_digit(before) else character)
    return "".join(found)


def is_word_character(character):
    return character.isalnum() or character == "_"


def is_digit(character):
    return unicodedata.category(character) == "Nd"


def is_mark(character):
    return unicodedata.category(character) in ("Mn", "Mc")


def is_currency(character):
    return unicodedata.category(character) == "Sc"


def is_amount(text):
    return (is_currency(text[:1] or " ") and is_digit(text[1:2] or " ")) or is_digit(text[:1] or " ")


def words(text, *, stands_alone):
    """``stands_alone(character)`` tells the letters of scripts without blanks."""
    rest = folded(text)
    found, before = [], " "
    while rest:
        word, rest, before = next_word(rest, before, stands_alone)
        if word:
            found.append(word)
    return found


def next_word(rest, before, stands_alone):
    """Take a word, or what is none, from the front; ``before`` is what a sign would follow: w, o, + or another."""
    character = rest[0]
    if character in "<>=≤≥≠±":
        run = re.match("[<>=≤≥≠±]+", rest)[0]
        after = rest[len(run) :].lstrip()
        after = after[1:] if after[:1] in ("+", "-") else after
        return (run if is_amount(after) else ""), rest[len(run) :], " "
    sign = ""
    if character in "+-" and is_amount(rest[1:]) and before != "w" and not (character == before == "+"):
        sign, rest = character, rest[1:]
    if is_currency(rest[0]):
        return sign + rest[0], rest[1:], " "
    if rest[0] in "%‰‱٪°✗✘☒❌":
        return rest[0], rest[1:], " "
    if not is_word_character(rest[0]):
        return "", rest[1:], "+" if rest[0] in "+#" else " "
    return letters_and_signs(sign, rest, stands_alone)


def letters_and_signs(sign, rest, stands_alone):
    alone = stands_alone(rest[0])
    end = 1
    while end < len(rest) and (
        is_mark(rest[end]) or (not alone and is_word_character(rest[end]) and not stands_alone(rest[end]))
    ):
        end += 1
    word, rest = sign + rest[:end], rest[end:]
    if alone and rest[:1] == "+" and is_amount(rest[1:]):
        return word, rest, "o"
    stuck = re.match(r"[+#]*", rest)[0]
    return word + stuck, rest[len(stuck) :], "+" if stuck else "o" if alone else "w"
