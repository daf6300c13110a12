"""How texts stand in files: their encoding, and the words that stand for a missing value.

An entry of blanks alone stands for every text that is empty or consists of spaces. All other entries are compared
exactly, without trimming or folding of case. A column of numbers is compared with the entries that are numbers.

A copy is streamed, never held in memory, and lies in a folder of the run. Messages count lines and quote none.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zipfile
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, cast

import yaml

from kanon_sql.base.documents.shapes import Parsed, Schema, Several, Shape, Text, check, refuse
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kanon_sql.base.documents.keys import Item


STAND_FOR_MISSING = (
    "", "na", "n/a", "#n/a", "n.a.", "<na>", "nan", "null", "none", "nil", "unknown", "unk", "not known", "missing",
    "not available", "not stated", "not applicable", "unspecified", "?", "-", "--", ".",
    "0000-00-00", "0000-00-00 00:00:00", "00.00.0000", "00/00/0000", "9999-99-99", "99.99.9999", "99/99/9999",
    "#nv", "#div/0!", "#num!", "#null!", "#ref!", "#value!", "#name?",
    "n. a.", "no data", "no answer", "no value", "not given", "not provided", "not recorded", "not reported", "not specified",
    "undefined", "(null)", "(blank)", "\\n",
    "k.a.", "k. a.", "keine angabe", "keine angaben", "ohne angabe", "nicht angegeben", "unbekannt", "nicht bekannt",
    "nicht verfügbar", "nicht erfasst", "nicht erhoben", "fehlt", "fehlend", "unbek.", "(leer)",
    "inconnu", "inconnue", "non connu", "non renseigné", "non renseignée", "non renseigne", "non précisé", "non précisée",
    "non disponible", "non communiqué", "manquant",
    "desconocido", "desconocida", "sin dato", "sin datos", "sin información", "sin informacion", "sin especificar", "no consta",
    "no disponible", "no especificado", "s/d", "ns/nc",
    "sconosciuto", "sconosciuta", "non noto", "non nota", "non specificato", "non rilevato", "ignoto", "mancante",
    "desconhecido", "desconhecida", "não informado", "nao informado", "não disponível", "sem informação", "sem dados",
    "onbekend", "niet bekend", "geen opgave", "n.v.t.", "brak danych", "nieznany", "nieznane", "b.d.",
    "okänd", "okänt", "uppgift saknas", "saknas", "ukendt", "uoplyst", "ukjent", "ei tietoa", "neznámý", "neuvedeno",
)  # fmt: skip
"""Texts that stand for a missing value, in lower case and trimmed; '' stands for blanks alone. English first, then as
German, French, Spanish, Italian, Portuguese, Dutch, Polish, Nordic and Czech tables write it. Abbreviations that name a
place as well are none of them: N.C., N.D. and N.B. are states and a province."""
CODES_OF_MISSING = (-9999, -999, -99, -9, -1, 9, 99, 999, 9999)
"""Numbers that may stand for a missing value, where they stand apart from the other values of a column."""
WHOLE = re.compile(r"-?[1-9]\d{0,8}", re.ASCII)
"""Entries that are the same written as a number."""
NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})", re.ASCII)


def stands_for_missing(text: str) -> bool:
    """Return whether a text is one of the list, whatever its case and the blanks at its ends.

    >>> [stands_for_missing(each) for each in ("NA", " unknown ", "", "flu", "999")]
    [True, True, True, False, False]
    """
    return text.strip().lower() in STAND_FOR_MISSING


def number_of(text: str) -> Decimal | None:
    """Parse an entry as a number; None if it is not a number.

    >>> number_of("999"), number_of("-1.50"), number_of("NA")
    (Decimal('999'), Decimal('-1.50'), None)
    """
    return Decimal(text) if NUMBER.fullmatch(text) else None


def written(texts: Iterable[str]) -> str:
    """Write the `missing` key of a policy, which makes it read these texts as NULL.

    >>> written(["NA", "n/a", "", "null", "999"])
    "missing: [NA, n/a, '', 'null', 999]"
    """
    plain = [int(each) if WHOLE.fullmatch(each) else each for each in texts]
    return f"missing: {yaml.safe_dump(plain, default_flow_style=True, width=10**6, allow_unicode=True).strip()}"


class _Entry(Shape[str]):
    """A text; a number is read as its text, and blanks alone as ''."""

    written = "TEXT"

    def read(self, item: Item) -> str:
        value = item.value
        if isinstance(value, str) and "\x00" not in value:
            return value if value.strip(" ") else ""
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return str(value)
        raise refuse(
            item,
            "must be a text or a number; quote null, true, false, yes and no, which YAML does not read as texts",
        )

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "string"}, {"type": "number"}]}


MISSING: Shape[tuple[str, ...]] = Several(_Entry(), empty="must name at least one text")
Missing = Annotated[tuple[str, ...], MISSING]


UTF16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NO_TEXTS = frozenset(
    {"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_7"}
)
"""Names of Python's list of encodings that are none of files."""
ASCII = bytes(range(128))
NO_LETTERS = bytes(each for each in range(256) if not (each < 128 and chr(each).isalpha()))
OF_DOS = re.compile(rb"[A-Za-z][\x80-\x87\x89\x8b\x91\x93-\x95\x98\x99\x9b][A-Za-z]")
"""Signs of cp1252 that stand in no word, where older encodings have letters."""
PART = 1 << 20
ENDINGS = (".csv", ".tsv", ".tab", ".txt")
SEVERAL = "write them again in one encoding"
SAY_WHICH = "name the encoding that the program which wrote it has, such as cp1250, cp1251 or shift_jis: {path: FILE, encoding: NAME}"


def _known(text: str) -> str:
    """Check that an encoding is one of Python's list, such as latin-1, cp1252 or utf-16. Raises Wrong."""
    try:
        found = codecs.lookup(text)
    except (LookupError, ValueError):
        found = None
    known = found is not None and found.name.replace("-", "_") not in NO_TEXTS
    known = known and getattr(found, "_is_text_encoding", True)
    check(("", known, "must be an encoding of texts, such as latin-1, cp1252, utf-16 or utf-8"))
    return text


Encoding = Annotated[str, Parsed(Text(), _known)]
"""The name of an encoding, as a policy states it."""


@dataclass(frozen=True, slots=True)
class Recognized:
    """What the bytes of a text file show: lines in all, those that are no UTF-8, and the encoding that fits."""

    lines: int
    others: int
    encoding: str | None
    why: str

    @property
    def counts(self) -> str:
        """The counts of lines, in words.

        >>> Recognized(1000, 3, "latin-1", "").counts
        '3 of 1,000 lines are not UTF-8 text'
        """
        return f"{self.others:,} of {counted(self.lines, 'line')} {'is' if self.others == 1 else 'are'} not UTF-8 text"

    def remedy(self, key: str) -> str:
        """Say what a user can do about it, beside the `key` that names the file."""
        if self.encoding is None:
            return f"{self.counts}{self.why}"
        where = (
            "in the policy's source, or in place of the file's name"
            if key == "path"
            else "in the policy"
        )
        return f"{self.counts}, and all can be read as {self.encoding}: say {{{key}: FILE, encoding: {self.encoding}}} {where}"


def recognize(path: str) -> Recognized | None:
    """Recognize the encoding of a text file; None if all of it is UTF-8. Raises ValueError and OSError.

    Latin-1 and cp1252 are proposed for texts that are mostly ASCII. Nothing tells other encodings of one byte a
    character apart, so that a user has to name these.
    """
    with opened_bytes(path) as file:
        start = file.read(4096)
    if (wide := _wide(start)) is not None:
        lines = _lines(path, wide)
        return Recognized(lines, lines, wide, "")
    if _is_all_utf8(path):
        return None
    lines = others = beyond = high = letters = 0
    used: set[int] = set()
    in_words = False
    with opened_bytes(path) as file:
        for line in file:
            lines += 1
            letters += len(line.translate(None, NO_LETTERS))
            if line.isascii():
                continue
            try:
                line.decode()
                beyond += 1
            except UnicodeDecodeError:
                others += 1
                more = line.translate(None, ASCII)
                high += len(more)
                used.update(more)
                in_words = in_words or OF_DOS.search(line) is not None
    if beyond:
        why = f", and {counted(beyond, 'other')} {'is' if beyond == 1 else 'are'} UTF-8 beyond ASCII: the file has two encodings; {SEVERAL}"
        return Recognized(lines, others, None, why)
    found = None if high > letters or in_words else _of_one_byte(used)
    return Recognized(lines, others, found, "" if found else f"; {SAY_WHICH}")


def _is_all_utf8(path: str) -> bool:
    """Return whether a file is UTF-8, by decoding it once, which takes a second for a gigabyte."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with opened_bytes(path) as file:
            while part := file.read(PART):
                decoder.decode(part)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _of_one_byte(used: set[int]) -> str | None:
    """Return the western encoding of one byte a character that has all of some bytes; None if none has."""
    if not any(0x80 <= byte < 0xA0 for byte in used):
        return "latin-1"
    try:
        bytes(used).decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "cp1252"


def _wide(start: bytes) -> str | None:
    """Return the encoding of two bytes a character in which a file begins; None for others."""
    if (marked := UTF16.get(start[:2])) is not None:
        return marked
    if len(start) >= 4:
        for at, name in ((1, "utf-16-le"), (0, "utf-16-be")):
            if start[at::2].count(0) > 0.4 * len(start[at::2]) and not start[1 - at :: 2].count(0):
                return name
    return None


def _lines(path: str, encoding: str) -> int:
    """Count the lines of a file in an encoding. What cannot be decoded is counted, too."""
    with opened_bytes(path) as file:
        return sum(1 for _ in codecs.getreader(encoding)(file, "replace"))


@contextmanager
def opened_bytes(path: str) -> Iterator[IO[bytes]]:
    """Open a file, or the text file in it if it is packed. Raises ValueError for what is no zip of one text file."""
    name = path.lower()
    if name.endswith(".zip"):
        member = packed_name(path)
        with zipfile.ZipFile(path) as packed, packed.open(member) as file:
            yield file
    elif name.endswith(".gz"):
        with gzip.open(path) as file:
            yield cast("IO[bytes]", file)
    elif name.endswith(".zst"):
        raise ValueError("is compressed by zstd, which hides its encoding; unpack it")
    else:
        with Path(path).open("rb") as plain:
            yield plain


def packed_name(path: str) -> str:
    """Return the name of the one text file in a zip. Raises ValueError for another content, naming no file of it."""
    try:
        with zipfile.ZipFile(path) as packed:
            files = [
                each
                for each in packed.infolist()
                if not each.is_dir()
                and not each.filename.startswith("__MACOSX/")
                and not Path(each.filename).name.startswith(".")
            ]
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise ValueError("is no zip that can be read: cut off, or of another kind") from error
    texts = [each for each in files if each.filename.lower().endswith(ENDINGS)]
    if len(files) != 1 or not texts:
        what = f"is a zip of {counted(len(files), 'file')}, of which {len(texts):,} end in {', '.join(ENDINGS)}"
        raise ValueError(
            f"{what}; one such file is read: unpack it, and name the files by a path or a glob"
        )
    if texts[0].flag_bits & 1:
        raise ValueError("is a zip with a password; unpack it")
    return texts[0].filename


def copy_as_utf8(path: str, copy: Path, encoding: str) -> None:
    """Write the text of a file, decoded, to a copy in UTF-8. Raises ValueError with the number of a line, and OSError."""
    decoder = codecs.getincrementaldecoder("utf-8-sig" if _is_utf8(encoding) else encoding)()
    lines = 0
    with opened_bytes(path) as file, copy.open("w", encoding="utf-8", newline="") as out:
        while True:
            part = file.read(PART)
            try:
                text = decoder.decode(part, final=not part)
            except UnicodeError as error:
                at = part[: getattr(error, "start", 0)].count(b"\n")
                raise ValueError(f"about line {lines + at + 1} is not {encoding} text") from error
            if "\0" in text:
                raise ValueError(
                    f"has NUL characters as {encoding}, which no text has; is it utf-16?"
                )
            lines += text.count("\n")
            out.write(text)
            if not part:
                return


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8"
