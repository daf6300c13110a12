"""Rows of Adult for training and for testing, and what both are released as: SQL and features.

A cell is what a quasi-identifier may be released as: an interval of its values, a set of them, or a node
of its hierarchy. Every row has a cell in each column; a release gives the training rows theirs, and the
nearest ones are those of the others, unless these stay raw.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from benchmarks.adult import QUASI
from benchmarks.quality import CLASS
from benchmarks.recount import NUMBER, ROW, Columns, quoted, released_as, valued

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Matrix = np.ndarray[Any, np.dtype[Any]]

TRAINING = 2 / 3

ROOT = "*"
"""The root of every hierarchy of Adult."""

EVERY = range(len(QUASI))
PLACES = ", ".join(f"place_{n}" for n in EVERY)


@dataclass
class People:
    """The rows, of which `training` holds those that are anonymized.

    Its tables: `people` (the rows, with the places of their values: age in years, or a rank among
    texts in the order of their hierarchy), `above_N` (the nodes above each value of a column, itself among them), `over_N` (those
    above each node), `cell_N` (what a column was released as), `apart_N` (how far that is from each
    place), `shown` (the cells of training rows) and `others` (of each place, for the others).
    """

    connection: duckdb.DuckDBPyConnection
    folder: Path
    training: Path
    scratch: Path
    columns: Columns = Columns.MIXED
    sets: bool = False
    """Whether texts are released as the sets of their values."""

    @classmethod
    @contextmanager
    def split(cls, folder: Path, source: Path, scratch: Path, *, seed: int) -> Iterator[People]:
        """Draw the training rows, and write them by themselves."""
        with duckdb.connect() as connection:
            connection.read_parquet(str(source)).create_view("numbered")
            places, joins = [], []
            for n, name in enumerate(QUASI):
                if name == NUMBER:
                    places.append(f"{valued(name)} AS place_{n}")
                    continue
                _rank(connection, folder, n, name)
                places.append(f"placed_{n}.place AS place_{n}")
                joins.append(f"JOIN placed_{n} ON placed_{n}.value = {quoted(name)}")
            connection.execute(
                f"""CREATE TABLE people AS SELECT numbered.*, {", ".join(places)},
                      PERCENT_RANK() OVER (ORDER BY MD5('{seed}:' || {ROW}), {ROW}) < {TRAINING} AS training
                    FROM numbered {" ".join(joins)}"""
            )
            training = scratch / "training.parquet"
            connection.table("people").filter("training").project(
                ", ".join(map(quoted, (ROW, *QUASI, CLASS)))
            ).write_parquet(str(training))
            people = cls(connection, folder, training, scratch)
            for n, name in enumerate(QUASI):
                people._hang(n, name)
            yield people

    @property
    def sizes(self) -> tuple[int, int]:
        """Count the rows for training and for testing."""
        counted = "SELECT COUNT(*) FILTER (training), COUNT(*) FILTER (NOT training) FROM people"
        ((trained, tested),) = self.connection.execute(counted).fetchall()
        return int(trained), int(tested)

    def _hang(self, n: int, name: str) -> None:
        """List the nodes above each value, and the share of the column that each covers."""
        rows = _hierarchy(self.connection, self.folder, name)
        rows.create_view("hierarchy", replace=True)
        labels = ", ".join(map(quoted, rows.columns))
        self.connection.execute(
            f"""CREATE TABLE above_{n} AS
                  SELECT value, label, COUNT(*) OVER (PARTITION BY label) * 1.0
                    / COUNT(DISTINCT value) OVER () AS share
                  FROM (SELECT DISTINCT {quoted(rows.columns[0])} AS value, UNNEST([{labels}]) AS label
                        FROM hierarchy)"""
        )
        # A node is over another if it is above all values of it.
        self.connection.execute(
            f"""CREATE TABLE over_{n} AS
                  SELECT l.label, a.label AS over, ANY_VALUE(l.share) AS share
                  FROM above_{n} AS l JOIN above_{n} AS a USING (value)
                  GROUP BY l.label, a.label
                  HAVING COUNT(*) = (SELECT COUNT(*) FROM above_{n} AS e WHERE e.label = l.label)"""
        )

    def show_raw(self) -> None:
        """Release every value as itself."""
        self._release(quoted, valued(NUMBER), valued(NUMBER))

    def show_roots(self) -> None:
        """Release every column as all of its values."""
        least, most = (f"{of}({valued(NUMBER)}) OVER ()" for of in ("MIN", "MAX"))
        self._release(lambda _: f"'{ROOT}'", least, most)

    def _release(self, label: Callable[[str], str], low: str, high: str) -> None:
        """Show training rows by expressions: a label a column, and the ends of the number."""
        told = [f"{low} AS {NUMBER}_low", f"{high} AS {NUMBER}_high"]
        told += [f"{label(name)} AS {quoted(name)}" for name in QUASI if name != NUMBER]
        self.connection.execute(
            f"CREATE OR REPLACE VIEW release AS SELECT {ROW}, {', '.join(told)} FROM people WHERE training"
        )
        self._show(Columns.MIXED, together=False)

    def show(self, release: Path, columns: Columns, *, together: bool) -> None:
        """Show what was released; the other rows go to boxes, or column by column to parts."""
        self.connection.read_parquet(str(release)).create_view("release", replace=True)
        self._show(columns, together=together)

    def show_trained(self, release: Path, columns: Columns, *, sets: bool) -> None:
        """Show what was released of the training rows alone; the others stay raw."""
        self.connection.read_parquet(str(release)).create_view("release", replace=True)
        self._show_cells(columns, sets=sets)

    def show_raw_as(self, columns: Columns, *, sets: bool) -> None:
        """Release every value as itself, read as a release of such columns is."""
        low, high = f"{valued(NUMBER)} AS {NUMBER}_low", f"{valued(NUMBER)} AS {NUMBER}_high"
        listed = ", ".join(quoted(name) for name in QUASI if name != NUMBER)
        self.connection.execute(
            f"CREATE OR REPLACE VIEW release AS SELECT {ROW}, {low}, {high}, {listed} FROM people WHERE training"
        )
        self._show_cells(columns, sets=sets)

    def _show(self, columns: Columns, *, together: bool) -> None:
        self._show_cells(columns, sets=False)
        for n in EVERY:
            self._distances(n)
        if together:
            self._nearest_of("others", EVERY)
            return
        for n in EVERY:
            self._nearest_of(f"nearest_{n}", [n])
        found = ", ".join(f"n{n}.cell_{n}" for n in EVERY)
        joins = " ".join(f"JOIN nearest_{n} AS n{n} USING (place_{n})" for n in EVERY)
        self.connection.execute(
            f"CREATE OR REPLACE TABLE others AS SELECT DISTINCT {PLACES}, {found} FROM people {joins}"
        )

    def _show_cells(self, columns: Columns, *, sets: bool) -> None:
        self.columns, self.sets = columns, sets
        for n, name in enumerate(QUASI):
            self._cells(n, name)
        cells = ", ".join(f"c{n}.cell AS cell_{n}" for n in EVERY)
        joins = " ".join(self._own_cell(n, name) for n, name in enumerate(QUASI))
        self.connection.execute(
            f"CREATE OR REPLACE TABLE shown AS SELECT r.{ROW}, {cells} FROM release AS r {joins}"
        )

    def _cells(self, n: int, name: str) -> None:
        """List what a column was released as: ends, or a label; a text's interval is known by its label."""
        shown = ", ".join(f"r.{quoted(each)} AS side_{i}"
                          for i, each in enumerate(released_as(name, self.columns)))  # fmt: skip
        order = ", ".join(f"side_{i}" for i, _ in enumerate(released_as(name, self.columns)))
        if self.columns.is_line(name):
            sides = released_as(name, self.columns) if name == NUMBER else ()
            low, high = ([f"CAST(r.{quoted(each)} AS INTEGER)" for each in sides]
                         or [f"p.place_{n}"] * 2)  # fmt: skip
            ends = f", MIN({low}) AS low, MAX({high}) AS high"
        else:
            ends = ""
        self.connection.execute(
            f"""CREATE OR REPLACE TABLE cell_{n} AS
                  SELECT CAST(ROW_NUMBER() OVER (ORDER BY {order}) - 1 AS INTEGER) AS cell, *
                  FROM (SELECT {shown}{ends} FROM release AS r JOIN people AS p USING ({ROW})
                        GROUP BY ALL)"""
        )

    def _own_cell(self, n: int, name: str) -> str:
        sides = enumerate(released_as(name, self.columns))
        on = " AND ".join(f"c{n}.side_{i} = r.{quoted(each)}" for i, each in sides)
        return f"JOIN cell_{n} AS c{n} ON {on}"

    def _distances(self, n: int) -> None:
        """Say how far each cell is from each value, and how wide it is, as shares of the column."""
        if self.columns.is_line(QUASI[n]):
            self.connection.execute(
                f"""CREATE OR REPLACE TABLE apart_{n} AS
                      SELECT c.cell, p.place, (c.high - c.low) / w.width AS extent,
                        GREATEST(c.low - p.place, p.place - c.high, 0) / w.width AS distance
                      FROM cell_{n} AS c CROSS JOIN (SELECT DISTINCT place_{n} AS place FROM people) AS p
                      CROSS JOIN (SELECT (MAX(place_{n}) - MIN(place_{n})) * 1.0 AS width FROM people) AS w"""
            )
            return
        self.connection.execute(
            f"""CREATE OR REPLACE TABLE apart_{n} AS
                  SELECT c.cell, p.place, ANY_VALUE(o.share) AS extent,
                    MIN(CASE WHEN a.label = o.label THEN 0 ELSE a.share END) AS distance
                  FROM cell_{n} AS c JOIN over_{n} AS o ON o.label = c.side_0
                  JOIN above_{n} AS a ON a.label = o.over
                  JOIN (SELECT DISTINCT place_{n} AS place, {quoted(QUASI[n])} AS value FROM people) AS p
                    ON p.value = a.value
                  GROUP BY c.cell, p.place"""
        )

    def _nearest_of(self, made: str, columns: Sequence[int]) -> None:
        """Lead the places of all rows to the cells of training rows that are nearest over the columns.

        Of boxes that are as near it is the least, and then the first.
        """
        places, cells = ([f"{what}_{n}" for n in columns] for what in ("place", "cell"))
        joins = " ".join(
            f"JOIN apart_{n} AS a{n} ON a{n}.place = place_{n} AND a{n}.cell = cell_{n}"
            for n in columns
        )
        distance = " + ".join(f"a{n}.distance" for n in columns)
        extent = " + ".join(f"a{n}.extent" for n in columns)
        self.connection.execute(
            f"""CREATE OR REPLACE TABLE {made} AS
                  SELECT {", ".join(places)}, UNNEST(nearest)
                  FROM (SELECT {", ".join(places)},
                          ARG_MIN(b, ({distance}, {extent}, {", ".join(cells)})) AS nearest
                        FROM (SELECT DISTINCT {", ".join(places)} FROM people WHERE NOT training) AS p
                        CROSS JOIN (SELECT DISTINCT {", ".join(cells)} FROM shown) AS b
                        {joins}
                        GROUP BY {", ".join(places)})"""
        )

    def matrices(self) -> list[tuple[Matrix, Matrix]]:
        """Give features and classes of the training rows that were released, and of all others."""
        return [
            self._matrix("cell", self._features, f"shown USING ({ROW})"),
            self._matrix("cell", self._features, f"others USING ({PLACES}) WHERE NOT training"),
        ]

    def matrices_beside_raw(self) -> list[tuple[Matrix, Matrix]]:
        """Give features and classes of the training rows that were released, and of all others as they are."""
        return [
            self._matrix("cell", self._features, f"shown USING ({ROW})"),
            self._matrix(
                "place", self._raw_features, "(SELECT 1) AS every ON true WHERE NOT training"
            ),
        ]

    def _matrix(
        self, by: str, features: Callable[[int], Matrix], joined: str
    ) -> tuple[Matrix, Matrix]:
        """Look the features of each row up, by its cells or by its places."""
        listed = ", ".join(f"{by}_{n}" for n in EVERY)
        found = self.connection.execute(
            f"SELECT {listed}, {quoted(CLASS)} AS class FROM people JOIN {joined} ORDER BY {ROW}"
        ).fetchnumpy()
        rows = np.hstack([features(n)[found[f"{by}_{n}"]] for n in EVERY])
        return rows, np.asarray(found["class"])

    def _is_set(self, n: int) -> bool:
        return self.sets and QUASI[n] != NUMBER

    def _features(self, n: int) -> Matrix:
        """Give the features of each cell: its ends, the share that each value has of it, or which nodes are above it, itself among them."""
        if self._is_set(n):
            shown = quoted(QUASI[n])
            values = self._marks(
                f"""SELECT DISTINCT c.cell AS at, p.place_{n} AS mark FROM cell_{n} AS c
                    JOIN release AS r ON r.{shown} = c.side_0 JOIN people AS p USING ({ROW})"""
            )
            shares: Matrix = values / values.sum(axis=1, keepdims=True)
            return shares
        if self.columns.is_line(QUASI[n]):
            ends = self.connection.execute(
                f"SELECT low, high FROM cell_{n} ORDER BY cell"
            ).fetchnumpy()
            return np.column_stack([ends["low"], ends["high"]]).astype(np.float32)
        return self._marks(
            f"""SELECT c.cell AS at, DENSE_RANK() OVER (ORDER BY o.over) - 1 AS mark
                FROM cell_{n} AS c JOIN over_{n} AS o ON o.label = c.side_0"""
        )

    def _raw_features(self, n: int) -> Matrix:
        """Give the features of each place, as if it were a cell."""
        if self._is_set(n):
            every = self._features(n)
            found = np.zeros((self._places(n), every.shape[1]), dtype=np.float32)
            both = min(found.shape)
            found[np.arange(both), np.arange(both)] = 1
            return found
        if self.columns.is_line(QUASI[n]):
            places = np.arange(self._places(n), dtype=np.float32)
            return np.column_stack([places, places])
        value = quoted(QUASI[n])
        found = self._marks(
            f"""SELECT p.place AS at, m.mark FROM
                  (SELECT DISTINCT place_{n} AS place, {value} AS value FROM people) AS p
                JOIN above_{n} AS a ON a.value = p.value
                JOIN (SELECT o.over AS label, DENSE_RANK() OVER (ORDER BY o.over) - 1 AS mark
                      FROM (SELECT DISTINCT o.over FROM cell_{n} AS c JOIN over_{n} AS o ON o.label = c.side_0) AS o)
                  AS m USING (label)"""
        )
        return _widened(found, self._features(n).shape[1])

    def _places(self, n: int) -> int:
        ((most,),) = self.connection.execute(f"SELECT MAX(place_{n}) FROM people").fetchall()
        return int(most) + 1

    def _marks(self, query: str) -> Matrix:
        """Give a row for each number, with 1 at each of its marks."""
        marked = self.connection.execute(query).fetchnumpy()
        found = np.zeros((marked["at"].max() + 1, marked["mark"].max() + 1), dtype=np.float32)
        found[marked["at"], marked["mark"]] = 1
        return found


def _widened(rows: Matrix, width: int) -> Matrix:
    """Give rows of so many features: those that none of them has are 0."""
    missing = np.zeros((rows.shape[0], width - rows.shape[1]), dtype=np.float32)
    return np.hstack([rows, missing])


def _hierarchy(
    connection: duckdb.DuckDBPyConnection, folder: Path, name: str
) -> duckdb.DuckDBPyRelation:
    """Read the hierarchy of a column."""
    file = str(folder / f"hierarchy_{name}.csv")
    return connection.read_csv(file, sep=";", header=False, all_varchar=True)


def _rank(connection: duckdb.DuckDBPyConnection, folder: Path, n: int, name: str) -> None:
    """Number the values of a column in the order of its hierarchy, in which they are cut."""
    paths = _hierarchy(connection, folder, name)
    value = quoted(paths.columns[0])
    order = ", ".join(map(quoted, reversed(paths.columns)))
    connection.execute(
        f"""CREATE TABLE placed_{n} AS SELECT {value} AS value, ROW_NUMBER() OVER (ORDER BY {order}) AS place
            FROM paths WHERE {value} IN (SELECT {quoted(name)} FROM numbered)"""
    )
