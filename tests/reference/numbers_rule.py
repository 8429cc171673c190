"""When a link must be seen by a person, word by word, as one would explain it."""

import unicodedata


def is_letter(sign):
    return sign == "_" or unicodedata.category(sign)[0] in "LM"


def wording(words):
    """What the words say with letters."""
    return [letters for word in words if (letters := "".join(sign for sign in word if is_letter(sign)))]


def marks(words):
    """What the words say with digits and signs."""
    return [signs for word in words if (signs := "".join(sign for sign in word if not is_letter(sign)))]


def reason(left, right):
    """1 where numbers or signs differ, 2 where a text is very short, else 0; the arguments are lists of words."""
    shorter = min(len(left), len(right))
    if marks(left) != marks(right) and (wording(left) == wording(right) or shorter < 32):
        return 1
    return 2 if (wording(left), marks(left)) != (wording(right), marks(right)) and shorter < 6 else 0
