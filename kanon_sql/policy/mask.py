"""The interface of all masking actions, and the made-up values of `action: fake`.

Each action is one class. Code that uses actions asks the object and never compares actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

from kanon_sql.base.documents.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.model import Column, Policy

    Piece = dict[str, object]
    """One part of a made-up value: a list to choose from, a text as it is, a number, or an account."""
    Steps = Sequence[Sequence[Mapping[str, object]]]
    """What a mask computes before its cells: the columns of a first query, those of a query over it, and so on."""


class NameLists(NamedTuple):
    """The lists of one language, without letters that an e-mail address may not have."""

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    streets: tuple[str, ...]
    cities: tuple[str, ...]
    companies: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(each.strip().replace("_", " ") for each in text.split())


SEEDS = {
    "en": NameLists(
        _words("""
            Ada Alice Amber Amy Anna Arthur Ben Beth Caleb Cara Clara Colin Daisy Dan Della Dora Edgar Edith Ella Emma
            Eric Ethan Faith Felix Flora Fred Gemma George Grace Hanna Harry Hazel Helen Henry Hugo Ida Iris Isaac Ivy
            Jack Jane Jasper Joan Joel June Karl Kate Keith Laura Leo Lily Lucy Luke Mabel Mark Mary Maud Miles Mona
            Nancy Neil Nina Noah Nora Olga Oliver Oscar Owen Paul Peggy Peter Philip Polly Rachel Ralph Rita Robin Rosa
            Ruth Sally Sam Sarah Simon Sofia Stella Tara Ted Theo Tilda Tom Tony Una Vera Victor Violet Walter Wanda
            Wendy Will Zara
        """),
        _words("""
            Abbot Adams Archer Ashby Bailey Baker Barlow Barnes Bell Bishop Booth Bowen Briggs Brook Burton Carter
            Chambers Clark Coleman Cooper Cross Dalton Davis Dawson Dixon Doyle Ellis Emery Farmer Fisher Fleming Foster
            Fowler Gibson Glover Gordon Grant Graves Griffin Hale Harper Hayes Hobbs Holland Hooper Howard Hudson Hunter
            Irving Jarvis Jenkins Joyce Keller Kemp Knight Lambert Lane Lawson Marsh Mason Mercer Miller Moore Morgan
            Nash Newton Norris Osborn Page Palmer Parker Pearce Porter Potter Quinn Reed Rhodes Rowe Sawyer Shaw Shepherd
            Skinner Slater Spencer Stone Tanner Taylor Thorne Tucker Turner Underwood Vance Wade Walsh Warner Weaver
            Webb Wheeler Wood Yates
        """),
        _words("""
            Acorn_Road Alder_Street Ash_Lane Baker_Row Beech_Avenue Birch_Close Bridge_Street Castle_Road Cedar_Drive
            Chapel_Lane Cherry_Street Church_Road Clover_Way Dale_Street Elm_Grove Fern_Close Field_Lane Forge_Road
            Garden_Street Glebe_Way Green_Lane Grove_Road Harbour_Street Hazel_Avenue Heath_Road High_Street Hill_Lane
            Holly_Close Ivy_Road Juniper_Way King_Street Lake_View Larch_Drive Laurel_Road Lime_Avenue Linden_Street
            Long_Lane Maple_Road Market_Street Meadow_Way Mill_Lane Moor_Road New_Street North_Road Oak_Avenue
            Orchard_Close Park_Street Pear_Tree_Lane Pine_Road Poplar_Drive Quarry_Lane Queen_Street River_Road
            Rose_Street Rowan_Close School_Lane South_Road Spring_Street Station_Road Stone_Lane Thorn_Avenue
            Tower_Street Union_Road Vale_Street Vine_Close Walnut_Way Water_Lane Well_Street West_Road Willow_Drive
            Wood_Lane Yew_Close
        """),
        _words("""
            Alderbrook Ashcombe Barrowfield Beckford Birchwell Blackmere Bramfield Brookhaven Burnside Calderton
            Cedarholm Clearwater Coldbrook Crossfell Dalebury Deepford Eastmoor Elmstead Fairhaven Fernley Foxholt
            Glenfield Greenbury Harrowgate_Green Hazelford Highmere Hollowbrook Ivybridge_Cross Kingsmere Lakeside
            Larkfield Longmoor Maplewood Marlford Millhaven Newbrook Northcombe Oakmere Orchardleigh Pinehurst
            Ravenford Redbrook Rosebury Silverdale_Cross Southmere Stonehaven_Green Thornbury_Cross Westbrook Whitford
            Willowdale
        """),
        _words("and_Partners and_Sons Consulting Foods Group Holdings Industries Logistics Services Systems Trading Works"),
    ),
    "de": NameLists(
        _words("""
            Achim Agnes Alma Andrea Anja Anton Beate Bernd Birgit Britta Bruno Carla Clemens Cora Dagmar Detlef Dieter
            Dora Edith Elke Elsa Emil Erik Erna Eva Felix Fiona Frank Frida Georg Gerda Gisela Greta Gustav Hanna Hans
            Heidi Heike Helga Hugo Ida Ilse Inge Ingo Irma Jan Jochen Jonas Judith Karin Karl Katja Klaus Konrad Lea Lena
            Lina Lorenz Lotte Ludwig Magda Maik Margit Marlene Martin Mathilde Max Merle Mia Moritz Nele Nico Nora Olaf
            Otto Paul Petra Pia Ralf Reinhard Renate Rita Rolf Ruth Sabine Silke Simon Sonja Stefan Susanne Sven Tanja
            Theo Thomas Tilo Ulla Ulrich Ute Vera Volker Walter Wilma Wolf
        """),
        _words("""
            Adler Albrecht Arndt Bach Bauer Baumann Beck Berger Binder Blum Brandt Braun Busch Decker Dietrich Dorn
            Ebert Eckert Engel Ernst Fink Fischer Frank Freitag Fuchs Funk Gabler Graf Gruber Haas Hahn Hartmann Heine
            Heller Herzog Hirsch Hofmann Horn Huber Jung Kaiser Keller Kern Kirsch Klein Koch Kramer Krause Kuhn Kunze
            Lang Lehmann Lenz Lindner Lorenz Ludwig Maier Marx Mayer Mertens Metzger Moser Nagel Naumann Neumann Noll
            Ott Peters Pohl Rapp Reich Reuter Richter Ritter Roth Sauer Schenk Schmidt Schubert Schulz Schuster Schwarz
            Seidel Sommer Stark Stein Sturm Thiel Ulrich Vogel Voigt Wagner Walter Weber Weiss Wendt Winkler Winter Wolf
            Zander Ziegler Zimmer
        """),
        _words("""
            Ahornweg Akazienweg Am_Anger Am_Bach Am_Berg Am_Feld Am_Hang Am_Markt Am_Teich Am_Wald Amselweg Bachgasse
            Bahnhofstrasse Bergstrasse Birkenweg Blumenweg Brunnengasse Buchenweg Burgweg Dorfplatz Drosselweg
            Eichenweg Erlenweg Eschenweg Falkenweg Feldstrasse Fichtenweg Finkenweg Fliederweg Forstweg Gartenstrasse
            Hauptstrasse Heideweg Hofgasse Im_Grund Im_Winkel Kapellenweg Kastanienallee Kiefernweg Kirchgasse
            Kirschweg Klosterhof Lerchenweg Lindenallee Marktplatz Meisenweg Mittelweg Neue_Gasse Nordring Ostwall
            Parkallee Pappelweg Quellenweg Ringstrasse Rosenweg Schillerplatz Schlossgasse Schulstrasse Seestrasse
            Sonnenweg Steinweg Tannenweg Torgasse Ulmenweg Uferweg Veilchenweg Wallgasse Weidenweg Weinbergweg
            Wiesenweg Ziegelei
        """),
        _words("""
            Ahornbach Altfelden Auental Bachheim Bergau Birkenfurt Blumental Brunnfeld Buchenau Dornheim Eichenbach
            Ellerfeld Erlental Eschenau Feldheim Fichtenau Finkenbach Forstheim Friedental Gartenau Grundfeld Hainbach
            Heidefurt Hirschau Hohenfeld Kaltenbach Kirschau Klarental Langenfurt Lindenbach Marktfeld Meisental
            Mittelau Moosheim Neuental Nordfelden Oberlinden Quellheim Rosenau Sandfurt Schlossau Seebach Sonnental
            Steinfelden Tannheim Talbach Uferau Waldfurt Weidenfeld Wiesenbach
        """),
        _words("AG GmbH Gruppe Handel KG Logistik Technik und_Partner und_Sohn und_Tochter Vertrieb Werke"),
    ),
}  # fmt: skip
LANGUAGES = tuple(SEEDS)
PHONES: dict[str, tuple[tuple[str | tuple[str, ...], int, int, int], ...]] = {
    # Numbers that the regulators of both countries keep for films and books.
    "en": (("+1 ", 200, 800, 3), ("-555-01", 0, 100, 2)),
    "de": ((("+49 30 23125", "+49 40 66969", "+49 69 90009", "+49 89 99998"), 0, 1000, 3),),
}
ACCOUNTS = {
    # German bank codes begin with 1 to 8; no British bank has the letters ZZZZ.
    "de": ("DE", "99999999", "99999999", "131400", 10),
    "en": ("GB", "ZZZZ000000", "35353535000000", "161100", 8),
}
"""The country, the bank's code in an account and in digits, the country in digits with 00, and an account's digits."""


def _picked(values: Sequence[str], at: int) -> Piece:
    from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

    return _piece(texts=[literal(each) for each in values], at=at)


def _said(text: str) -> Piece:
    from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

    return _piece(said=literal(text))


def _number(least: int, many: int, digits: int, at: int) -> Piece:
    return _piece(least=least, many=many, digits=digits, at=at)


def _piece(**of: object) -> Piece:
    return {"texts": [], "said": None, "bank": None, **of}


def _email(seeds: NameLists) -> list[Piece]:
    first, last = ([each.lower() for each in names] for names in seeds[:2])
    own = [_picked(first, 0), _said("."), _picked(last, 1), _number(0, 10**6, 6, 2)]
    return [*own, _said("@example.org")]  # a domain that RFC 2606 keeps for examples


def _phone(language: str) -> list[Piece]:
    pieces = []
    for at, (before, least, many, digits) in enumerate(PHONES[language]):
        pieces.append(_said(before) if isinstance(before, str) else _picked(before, 3))
        pieces.append(_number(least, many, digits, at))
    return pieces


def _iban(language: str) -> list[Piece]:
    from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

    country, bank, coded, code, digits = ACCOUNTS[language]
    rest = int(coded) * 10 ** (digits + len(code)) % 97
    return [
        _piece(
            country=literal(country), bank=literal(bank), rest=rest, code=int(code), at=0, least=0,
            many=10**digits, digits=digits,
        )
    ]  # fmt: skip


def _of_list(field: str) -> Callable[[str, tuple[str, ...]], list[Piece]]:
    """Return a kind that chooses from the policy's own values, or a list of the package."""
    return lambda language, values: [_picked(values or getattr(SEEDS[language], field), 0)]


FAKES: dict[str, Callable[[str, tuple[str, ...]], list[Piece]]] = {
    "first_name": _of_list("first_names"),
    "last_name": _of_list("last_names"),
    "name": lambda language, _: [
        _picked(SEEDS[language].first_names, 0), _said(" "), _picked(SEEDS[language].last_names, 1),
    ],
    "street": lambda language, values: [
        _picked(values or SEEDS[language].streets, 0), _said(" "), _number(100, 900, 3, 1)
    ],
    "city": _of_list("cities"),
    "company": lambda language, values: [
        _picked(values or SEEDS[language].last_names, 0), _said(" "), _picked(SEEDS[language].companies, 1),
    ],
    "email": lambda language, _: _email(SEEDS[language]),
    "phone": lambda language, _: _phone(language),
    "iban": lambda language, _: _iban(language),
}  # fmt: skip
"""The parts of a made-up value, by its kind."""


OWN_WORDS = "each database writes such a text, number or date in its own way, and no test compares them there"
DRAWN = "the view would draw other values each time it is read, and their mean tells the true one"
AFTER = "it works on rows that are staged already"
NO_MACRO = "its macros do not write it; mask the column in a model before"


CELLS = -1
"""The turn of which the table has the cells of a mask, one for each value, and no keyed numbers."""


class Mask:
    """One action by which a column is masked. It says how, in which channels, and what it does not protect."""

    key: ClassVar[str]
    """The word by which a policy states it, as in `action: hash`."""
    treatment: ClassVar[str]
    """What the release does to the column, in a report and a certificate."""
    shown: ClassVar[str]
    """What the cells of the column are, in a plan."""
    unprotected: ClassVar[str]
    """What a reader may still learn from the cells."""
    keeps: ClassVar[tuple[str, ...]] = ()
    """What the cells keep of the values: `equality` (joins by equal values), `order`, `sums`, `frequencies`."""

    is_dropped: ClassVar[bool] = False
    """Whether the release has no such column."""
    keyed: ClassVar[bool] = False
    """Whether the cells are made with the secret key of `key_env`."""
    links: ClassVar[bool] = False
    """Whether each value has a cell of its own, as a pseudonym has: a reader knows the rows of one value."""
    in_domains: ClassVar[bool] = False
    """Whether a column may name the domain with which its values are hashed."""
    told_apart: ClassVar[bool] = False
    """Whether cells tell values apart, in part or all: they may still stand in for a person."""
    made_up: ClassVar[bool] = False
    """Whether no cell shows a value that somebody could know of its row, so that nobody finds the row by it."""
    keeps_differences: ClassVar[bool] = False
    """Whether two cells of a row differ by as much as their values."""
    staged_as: ClassVar[str | None] = None
    """What the staging template makes of the column: `hash` or `null`; None if a `fragment` does or it is dropped."""
    fragment: ClassVar[str | None] = None
    """The template of the cell's expression, of one row; None if there is none."""
    drawn_by: ClassVar[str | None] = None
    """The template of the cell's expression over all staged rows, where its cells are drawn at random; None for others."""
    in_lists: ClassVar[bool] = False
    """Whether cells are lists of items that are generalized or removed when their rows are staged."""
    tabulates: ClassVar[bool] = False
    """Whether it computes numbers of few texts, which are best computed once each for many rows."""
    repeats: ClassVar[bool] = False
    """Whether its cell takes longer than to look up one that another row has, of the same value."""
    families: ClassVar[frozenset[str] | None] = None
    """The families of types that it takes; None for every type."""

    no_view: ClassVar[str] = ""
    """Why a view does not show it; empty if it does, or where the key of `keyed` actions is the reason."""
    no_script: ClassVar[str] = ""
    """Why a script does not write it, where the key of `keyed` actions is not the reason."""
    no_new_rows: ClassVar[str] = ""
    """Why partitions are not added to a release with it."""
    no_warehouse: ClassVar[str] = OWN_WORDS
    """Why a script for a database that kanon-sql does not run in, or a model of SQLMesh, does not write it."""
    no_dbt: ClassVar[str] = NO_MACRO
    """Why a model of dbt does not write it."""
    in_dbt: ClassVar[str] = "value"
    """What the macros of dbt make of the column, where they can."""

    def __str__(self) -> str:
        return self.key

    @property
    def is_after_staging(self) -> bool:
        """Whether it works on all rows that are staged, and not on one row of the source."""
        return self.drawn_by is not None or self.in_lists

    def why_no_type(self, kind: str, family: str) -> str | None:
        """Return the types that it takes, if it does not take a column of this type; None if it does."""
        del kind
        takes = self.families is None or family in self.families
        return None if takes else listed(sorted(self.families or ()))

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of other columns that it reads."""
        return ()

    def problems(self, policy: Policy, column: Column) -> Iterator[str]:
        """Yield the reasons why a policy cannot mask this column so."""
        del policy, column
        yield from ()

    @property
    def purpose(self) -> str | None:
        """The purpose that is hashed with each value, so that kinds of masks under one key have unrelated hashes; None for HMAC."""
        return self.key

    def leaves(self, family: str) -> dict[str, object]:
        """Return the leaves of its fragment, besides those of its `steps`, for a column of a family of types."""
        del family
        return {}

    def turn(self, number: int) -> exp.Expr:
        """Return the text that makes the hashes of one round differ from those of the others, where it `tabulates`."""
        raise NotImplementedError

    def worth(self, lengths: Mapping[int, float]) -> list[tuple[int, int, int]]:
        """Return the rounds that are worth a table, by the rows of each number of digits: turn, digits, and places of a half."""
        del lengths
        return []

    def steps(
        self, own: str, column: Column, keys: Mapping[str, object]
    ) -> tuple[Steps, dict[str, object]]:
        """Return the columns that it computes before its cells, with names from `own`, and the leaves that read them.

        A keyed mask hashes its value, or that of the column it reads, under the session's `keys`.
        """
        if not self.keyed:
            return (), {}
        from kanon_sql.base.sql import quoting  # noqa: PLC0415  a policy is read without sqlglot

        hash_ = f"{own}_hash"
        leaves = dict(keys)
        tabulated = cast("Mapping[int, exp.Table]", leaves.pop("tabulated", {})).get(0)
        step = {
            "step": "sql/source/masks/part/hash_step.sql.j2",
            "as": quoting.name(hash_),
            "from": quoting.column(next(iter(self.reads), column.name), of="s"),
            "purpose": None if self.purpose is None else quoting.literal(self.purpose),
            "tabulated": tabulated and {"table": tabulated, "alias": quoting.name(f"{own}_t")},
            **leaves,
        }
        return ((step,),), {"hash": quoting.column(hash_, of="s")}


def tag_of(domain: str | None) -> str | None:
    """Return what stands before the values of a key domain where they are hashed; none begins with that of another.

    >>> tag_of("visit")
    '5:visit:'
    """
    return None if domain is None else f"{len(domain)}:{domain}:"


def looked_up_by(masked: ColumnType) -> exp.Column:
    """Return a column as its values are looked up: by the bytes of their texts, or as whole numbers."""
    from kanon_sql.base.sql import quoting  # noqa: PLC0415  a policy is read without sqlglot

    return (quoting.code if masked.family == "integer" else quoting.column)(masked.name, of="s")


def looked_up(own: str, masked: ColumnType, cells: exp.Table) -> tuple[Steps, exp.Column]:
    """Return the step that looks up a column's cells in a table of them, with names from `own`, and the cell."""
    from kanon_sql.base.sql import quoting  # noqa: PLC0415  a policy is read without sqlglot

    alias = f"{own}_t"
    step = {
        "step": "sql/source/duckdb/masks/part/cell_step.sql.j2",
        "as": quoting.name(f"{own}_cell"),
        "from": looked_up_by(masked),
        "value": quoting.column("value", of=alias),
        "cell": quoting.column("cell", of=alias),
        "tabulated": {"table": cells, "alias": quoting.name(alias)},
    }
    return ((step,),), quoting.column(f"{own}_cell", of="s")
