"""Reads a project file of ARX (`.deid`): a zip archive whose definition and configuration are XML.

The file may come from anybody. No name in it becomes a path here, its XML may declare no document type and so no
entities, the size of each entry is bounded, and serialized Java objects in it are not read.
"""

from __future__ import annotations

import codecs
import csv
import os
import re
import stat
import zipfile
import zlib
from dataclasses import field
from io import StringIO
from typing import TYPE_CHECKING, Self
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_ENTRIES = 10_000
MOST_OF_DOCUMENT = 8 * 1024**2
MOST_OF_HIERARCHY = 64 * 1024**2
MOST_OF_HIERARCHIES = 512 * 1024**2
MOST_OF_INPUT = 16 * 1024**3
RATIO = 200
"""The most times its compressed size that an entry may be unpacked to, if it is larger than a document may be."""
DEPTH = 16
CHUNK = 1024**2
ENCODINGS = ("utf-8", "cp1252")
"""The encodings of texts in projects; before ARX 3.8 they were in the encoding of the machine."""
VOCABULARIES = frozenset({"1.0", "2.0"})
ROLES = {
    "IDENTIFYING_ATTRIBUTE": "identifying",
    "QUASI_IDENTIFYING_ATTRIBUTE": "quasi",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "INSENSITIVE_ATTRIBUTE": "insensitive",
}
INPUT = "data/input.csv"
UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ArxAttribute:
    """A column of the project. `hierarchy` is an entry of the archive, `levels` the number of columns of its lines."""

    name: str
    role: str
    data_type: str
    format: str | None
    hierarchy: str | None
    levels: int
    least: int | None
    most: int | None
    is_response: bool
    is_averaged: bool


@dataclass(frozen=True, slots=True)
class ArxProject:
    """The settings of a project for its input, as in its XML; only roles are in the words of a policy."""

    version: str
    separator: str
    attributes: tuple[ArxAttribute, ...]
    criteria: tuple[str, ...]
    metric: str
    suppression_limit: str
    suppressed_roles: tuple[str, ...]
    weights: dict[str, str] = field(default_factory=dict)


class ArxArchive:
    """The entries of a project, each read within bounds; every failure is an InputError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except UNREADABLE as error:
            what = "is not a zip archive, as a project of ARX is"
            if isinstance(error, OSError):
                what = f"cannot be read ({os.strerror(error.errno or 0)})"
            raise self.fault("", what) from None
        found = self._zip.infolist()
        if len(found) > MOST_ENTRIES:
            raise self.fault("", f"has {len(found):,} entries; at most {MOST_ENTRIES:,} are read")
        self._entries = {info.filename: info for info in found}
        self._encodings: dict[str, str | None] = {}
        self._repeated = {i.filename for i in found if self._entries[i.filename] is not i}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def fault(self, where: str, what: str) -> InputError:
        return InputError(str(self._path), [Fault(printable(where), what)])

    def has(self, name: str) -> bool:
        return name in self._entries

    def size(self, name: str, most: int) -> int:
        """Return the size of an entry in bytes; raises InputError if the entry is missing or may not be read."""
        info = self._entries.get(name)
        if info is None:
            raise self.fault(name, "is missing in the project")
        what = None
        if name in self._repeated:
            what = "is twice in the archive"
        elif info.flag_bits & 1:
            what = "is encrypted"
        elif info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            what = "is compressed by a method that ARX does not use"
        elif stat.S_ISLNK(info.external_attr >> 16):
            what = "is a link"
        elif info.file_size > most:
            what = f"has {info.file_size:,} bytes; at most {most:,} are read"
        elif info.file_size > max(MOST_OF_DOCUMENT, RATIO * info.compress_size):
            what = f"would be unpacked to more than {RATIO} times its size"
        if what is not None:
            raise self.fault(name, what)
        return info.file_size

    def chunks(self, name: str, most: int) -> Iterator[bytes]:
        """Unpack an entry piece by piece; zipfile returns no more than the size that was checked."""
        self.size(name, most)
        try:
            with self._zip.open(self._entries[name]) as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk
        except UNREADABLE as error:
            raise self.fault(name, f"cannot be unpacked ({type(error).__name__})") from None

    def texts(self, name: str, most: int) -> Iterator[str]:
        """Read an entry as text, in the first encoding that decodes all of it."""
        if name not in self._encodings:
            found = (each for each in ENCODINGS if self._is(each, name, most))
            self._encodings[name] = next(found, None)
        encoding = self._encodings[name]
        if encoding is None:
            raise self.fault(name, "is neither UTF-8 nor Windows-1252; save it by ARX 3.9 or later")
        decode = codecs.getincrementaldecoder(encoding)().decode
        for chunk in self.chunks(name, most):
            yield decode(chunk)
        yield decode(b"", final=True)

    def _is(self, encoding: str, name: str, most: int) -> bool:
        decode = codecs.getincrementaldecoder(encoding)().decode
        try:
            for chunk in self.chunks(name, most):
                decode(chunk)
            decode(b"", final=True)
        except UnicodeDecodeError:
            return False
        return True

    def document(self, name: str) -> Element:
        """Parse an XML entry; raises InputError if it is not well-formed or declares a document type."""
        try:
            return _parsed("".join(self.texts(name, MOST_OF_DOCUMENT)))
        except (expat.ExpatError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            what = str(error) if type(error) is ValueError else "is not well-formed XML"
            raise self.fault(name, what) from None

    def first_line(self, name: str, most: int, separator: str) -> list[str]:
        """Read the fields of the first line of an entry, which may be in quotes."""
        start = next(iter(self.texts(name, most)), "")
        try:
            return next(csv.reader(StringIO(start, newline=""), delimiter=separator), [])
        except (csv.Error, TypeError, ValueError):
            raise self.fault(name, "has a first line that cannot be read") from None


def read_project(archive: ArxArchive) -> ArxProject:
    """Read the settings of a project for its input. Raises InputError."""
    metadata = archive.document("metadata.xml")
    vocabulary = _text(metadata, "vocabulary") or "1.0"
    if vocabulary not in VOCABULARIES:
        what = f"has vocabulary {printable(vocabulary[:20])}; 1.0 and 2.0 are known here"
        raise archive.fault("metadata.xml", what)
    separator = _text(archive.document("project.xml"), "separator") or ";"
    if len(separator) != 1 or separator in '"\r\n\0':
        raise archive.fault("project.xml", "has a separator of columns that is no single character")
    config = archive.document("input/config.xml")
    definition = archive.document("input/definition.xml")
    attributes = tuple(
        _attribute(archive, each, separator) for each in definition.iter("assigment")
    )
    _check_attributes(archive, attributes, separator)
    return ArxProject(
        version=_text(metadata, "version"),
        separator=separator,
        attributes=attributes,
        criteria=tuple(_own(each) for each in config.iter("criterion")),
        metric=_text(config, "metric"),
        suppression_limit=_text(config, "relativeMaxOutliers") or "0",
        suppressed_roles=tuple(
            ROLES.get(_own(each), "") for each in config.iterfind("suppressedAttributeTypes/type")
        ),
        weights={
            _text(each, "attribute"): _text(each, "weight")
            for each in config.iter("attributeWeight")
        },
    )


def _attribute(archive: ArxArchive, item: Element, separator: str) -> ArxAttribute:
    name, role = _text(item, "name"), ROLES.get(_text(item, "type"))
    if not name or role is None:
        raise archive.fault("input/definition.xml", "has an attribute without a name or a role")
    ref = _text(item, "ref")
    hierarchy = f"input/{ref}" if ref else None
    levels = 0
    if hierarchy is not None:
        levels = len(archive.first_line(hierarchy, MOST_OF_HIERARCHY, separator))
    return ArxAttribute(
        name=name,
        role=role,
        data_type=_text(item, "datatype"),
        format=_text(item, "format") or None,
        hierarchy=hierarchy,
        levels=levels,
        least=_level(_text(item, "min")),
        most=_level(_text(item, "max")),
        is_response=_text(item, "response") == "true",
        is_averaged=item.find("microaggregationFunction") is not None,
    )


def _check_attributes(
    archive: ArxArchive, attributes: tuple[ArxAttribute, ...], separator: str
) -> None:
    names = [each.name for each in attributes]
    header = archive.first_line(INPUT, MOST_OF_INPUT, separator)
    if not names or sorted(names) != sorted(header) or len(set(names)) != len(names):
        what = f"has {len(header)} columns, which are not the {len(names)} of input/definition.xml"
        raise archive.fault(INPUT, what)
    entries = {each.hierarchy for each in attributes if each.hierarchy is not None}
    total = sum(archive.size(each, MOST_OF_HIERARCHY) for each in entries)
    if total > MOST_OF_HIERARCHIES:
        what = f"have {total:,} bytes together; at most {MOST_OF_HIERARCHIES:,} are read"
        raise archive.fault("input/hierarchies", what)


def _level(text: str) -> int | None:
    """Read a bound of levels; None where there is none, which ARX writes as `All`."""
    return int(text) if re.fullmatch("[0-9]{1,4}", text) else None


def _text(item: Element, name: str) -> str:
    found = item.find(name)
    return "" if found is None else _own(found)


def _own(item: Element) -> str:
    return item.text or ""


def _parsed(text: str) -> Element:
    """Parse XML; raises ValueError where it declares a document type, by which entities could be expanded."""
    builder, depth = TreeBuilder(), 0
    parser = expat.ParserCreate("utf-8")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH:
            raise ValueError("is nested too deeply")
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refuse(*_: object) -> None:
        raise ValueError("declares a document type, which a project of ARX does not")

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(text.encode(), True)  # noqa: FBT003
    return builder.close()
