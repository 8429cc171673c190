"""The ``tokens`` hash: each word hashed once, a shingle's hash a polynomial over its words' hashes.

A word hash is shared by every shingle and every k that the word is part of, which is what makes this hash faster
than SHA-1. It is not cryptographic: nobody who can choose the texts is kept from making two shingles collide.
Everything is arithmetic modulo 2**64 over the UTF-8 bytes of words that are joined by one blank.
"""

WORD_START = 0x9E3779B97F4A7C15
WORD_FACTOR = 0x9FB21C651E98DF25
SHINGLE_FACTOR = 0xD6E8FEB86659FD93
_MASK = (1 << 64) - 1


def word_hash(word: bytes) -> int:
    """Hash one word to 64 bits: eight bytes at a time, little-endian, multiplied and folded."""
    value = (WORD_START ^ len(word)) & _MASK
    for start in range(0, len(word), 8):
        value = ((value ^ int.from_bytes(word[start : start + 8], "little")) * WORD_FACTOR) & _MASK
        value ^= value >> 32
    return (value * WORD_FACTOR) & _MASK


def shingle_hash64(shingle: bytes) -> int:
    """Hash one shingle, words joined by one blank, to 64 bits."""
    value = 0
    for word in shingle.split(b" "):
        value = (value * SHINGLE_FACTOR + word_hash(word)) & _MASK
    return value


def shingle_hash32(shingle: bytes) -> int:
    """Hash one shingle to 32 bits, as ``datasketch.MinHash(hashfunc=...)`` wants it.

    >>> shingle_hash32(b"to be or") == shingle_hash64(b"to be or") >> 32
    True
    """
    return shingle_hash64(shingle) >> 32
