"""Slow and obvious definitions for what reads files."""


def repeats(pairs):
    """For each (id, text): None at first sight, else the number of the first one and whether its text is the same."""
    first = {}
    found = []
    for number, (name, text) in enumerate(pairs, start=1):
        if name in first:
            found.append((first[name][0], first[name][1] == text))
        else:
            first[name] = (number, text)
            found.append(None)
    return found


def check_digit(digits):
    """GS1: from the right, digits weigh 3 and 1 in turn; the check digit fills up to the next ten."""
    total, weight = 0, 3
    for digit in digits[::-1]:
        total += weight * int(digit)
        weight = 4 - weight
    return (10 - total % 10) % 10


def chunked(pieces):
    """A body in chunks (RFC 9112, 7.1)."""
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces if piece) + b"0\r\n\r\n"


def columns_of(rows):
    """Rows as records, the first row giving the names."""
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
