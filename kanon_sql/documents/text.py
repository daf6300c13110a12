"""Numbers of things, and texts, as they are read."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """Give a number of things, named in the singular.

    >>> counted(1, "check"), counted(1420, "check"), counted(2, "class")
    ('1 check', '1420 checks', '2 classes')
    """
    if number == 1:
        return f"1 {what}"
    return f"{number} {what}{'es' if what.endswith(('s', 'x')) else 's'}"


def printable(text: str) -> str:
    r"""Give a text on one line, with every character escaped that does not show as itself.

    Names of columns and files may hold any: escape sequences, line ends, marks that turn the text
    around.

    >>> print(printable("a\x1b]0;x\nb"))
    a\x1b]0;x\nb
    """
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")
