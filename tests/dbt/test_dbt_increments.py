"""An incremental release over ten days: a class's new rows come when they are k people, or not at all."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from contextlib import closing
from datetime import date, timedelta

import duckdb
import pytest

K, L = 5, 2
CLASS = ("sex", "born", "zip", "job")


def incremental(project):
    """A project whose release is incremental; its raw rows come day by day."""
    project.meta(loaded_at="loaded_on")
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("seed")
    return project


def labels(project):
    """What each raw row is released as, by the hierarchies' own tables; and its person and disease."""
    text = """
        SELECT s.patient_id, s.disease, s.loaded_on, r.sex, r.born, r.zip, r.job
        FROM stg_patients AS s, LATERAL (SELECT {}) AS r"""
    macro = (project.folder / "macros/kanon/kanon_plan__patients_anon.sql").read_text()
    shown = []
    for name in CLASS:
        part = macro.split(f'"name": "{name}"')[1].split('"name"')[0]
        if '"becomes": "value"' in part:
            shown.append(f"s.{name} AS {name}")
        elif '"becomes": "label"' in part:
            label = part.split('"label": "')[1].split('"')[0]
            shown.append(f"'{label}' AS {name}")
        else:
            level = part.split('"level": ')[1].split(",")[0]
            table = part.split("ref('")[1].split("'")[0]
            shown.append(
                f"(SELECT level_{level} FROM {table} AS h"
                f" WHERE h.value IS NOT DISTINCT FROM s.{name}) AS {name}"
            )
    return project.execute(text.format(", ".join(shown)))


class Oracle:
    """What may be released, kept in Python: of each class the rows that wait."""

    def __init__(self):
        self.waiting = defaultdict(list)
        self.released = Counter()

    def day(self, rows):
        for person, disease, _, *shown in rows:
            self.waiting[tuple(shown)].append((person, disease))
        for shown, waiting in self.waiting.items():
            people = {person for person, _ in waiting}
            if len(people) >= K and len({disease for _, disease in waiting}) >= L:
                self.released.update((*shown, disease) for _, disease in waiting)
                waiting.clear()


@pytest.mark.rare
def test_ten_days_publish_no_increment_of_fewer_than_k(project):
    rows = project.folder / "seeds/raw_patients.csv"
    text = rows.read_text().splitlines()
    chosen = random.Random(7)
    first = date(2026, 3, 1)
    days = [*range(10)]
    lines = []
    for line in text[1:]:
        day = min(days, key=lambda n, c=chosen: c.random() * (1 if n == 0 else 4))
        lines.append(line.rsplit(",", 1)[0] + f",{first + timedelta(days=day)}")
    rows.write_text("\n".join([text[0], *lines]) + "\n")
    incremental(project)
    oracle, before, held = Oracle(), Counter(), []
    for day in days:
        until = first + timedelta(days=day)
        project.dbt("run", "--vars", f"{{until: '{until}'}}")
        now = Counter(project.execute("SELECT sex, born, zip, job, disease FROM patients_anon"))
        came = now - before
        assert not before - now  # nothing that was released goes
        oracle.day([row for row in labels(project) if row[2] == until])
        assert now == oracle.released, day
        for size in Counter(row[:4] for row in came.elements()).values():
            assert size >= K
        ((source, released, back),) = project.execute("FROM patients_anon_held_back")
        assert (released, back) == (now.total(), source - now.total())
        held.append(back)
        before = now
    assert max(held) > 0  # there was something to hold back
    assert len(set(held)) > 1
    project.dbt("test", "--select", "patients_anon", "--vars", f"{{until: '{until}'}}")


def test_another_plan_does_not_go_on_with_a_release(project):
    incremental(project)
    project.dbt("run")
    before = project.execute("SELECT COUNT(*), COUNT(DISTINCT kanon_plan) FROM patients_anon")
    project.meta(privacy=[{"k": 9}])
    project.dbt("parse")
    project.kanon("dbt", "plan", ".")
    told = project.dbt("run", fails=True)
    assert "the release has rows by another plan" in told
    assert (
        project.execute("SELECT COUNT(*), COUNT(DISTINCT kanon_plan) FROM patients_anon") == before
    )


def test_rows_without_a_day_or_too_late_stay_held_back(project):
    incremental(project)
    project.dbt("run")
    ((before,),) = project.execute("SELECT COUNT(*) FROM patients_anon")
    late = "INSERT INTO raw_patients SELECT 9000 + i, 'Z', 'm', DATE '1965-01-01', '02138', 'cook', 'd' || i, {}"
    project.execute(late.format("NULL FROM range(20) AS r (i)"))
    project.execute(late.format("DATE '2026-03-01' FROM range(20) AS r (i)"))
    project.dbt("run", "--select", "patients_anon", "patients_anon_held_back")
    assert project.execute("SELECT COUNT(*) FROM patients_anon") == [(before,)]
    project.execute(late.format("DATE '2026-03-20' FROM range(20) AS r (i)"))
    project.dbt("run", "--select", "+patients_anon", "patients_anon_held_back")  # with their values
    assert project.execute("SELECT COUNT(*) FROM patients_anon") == [(before + 20,)]


def test_late_rows_of_a_class_that_was_not_released_since_wait_with_the_others(project):
    incremental(project)
    project.dbt("run")
    ((before, day),) = project.execute("SELECT COUNT(*), MAX(kanon_released_at) FROM patients_anon")
    row = f"INSERT INTO raw_patients SELECT {{}} + i, 'Z', 'x', DATE '1965-01-01', '02138', 'cook', 'd' || i, DATE '{day}' + {{}} FROM range({{}}) AS r (i)"
    project.execute(row.format(9000, 1, 4))
    project.dbt("run", "--select", "+patients_anon")
    project.execute(row.format(9100, 1, 5))  # late: a run has seen that day
    project.dbt("run", "--select", "+patients_anon")
    assert project.execute("SELECT COUNT(*) FROM patients_anon") == [(before + 9,)]
    project.execute(row.format(9200, 1, 20))  # late, and their class was released up to that day
    project.dbt("run", "--select", "+patients_anon")
    assert project.execute("SELECT COUNT(*) FROM patients_anon") == [(before + 9,)]


def test_rows_that_were_deleted_after_their_release_make_a_test_fail(project):
    incremental(project)
    project.dbt("build")
    project.execute(
        "DELETE FROM raw_patients WHERE patient_id NOT IN (SELECT MIN(patient_id) FROM raw_patients)"
    )
    told = project.dbt("build", "--exclude", "resource_type:seed", fails=True)
    assert "patients_anon_held_back" in told
    ((back,),) = project.execute("SELECT held_back_rows FROM patients_anon_held_back")
    assert back < 0


def test_a_model_that_would_be_made_anew_is_refused_where_increments_were_asked(project):
    """The model is the user's own, and stays as it is when the properties begin to ask for increments."""
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    before = sorted(project.execute("FROM patients_anon"))
    project.meta(loaded_at="loaded_on")
    project.dbt("parse")
    project.kanon("dbt", "plan", ".")
    model = project.folder / "models/kanon/patients_anon.sql"
    assert "loaded_at" not in model.read_text()
    project.execute(
        "INSERT INTO raw_patients SELECT 9000, 'Z', sex, born, zip, job, disease, loaded_on"
        " FROM raw_patients LIMIT 1"
    )
    as_it_was = model.read_text()
    asked = as_it_was.replace("plan=", "loaded_at='loaded_on', plan=")
    append = "'incremental', incremental_strategy='append'"
    adds = f"{append}, full_refresh=false"
    for text in (
        as_it_was,
        as_it_was.replace("'table'", adds),
        asked,
        asked.replace("'table'", append),
        asked.replace("'table'", adds.replace("append", "delete+insert")),
    ):
        model.write_text(text)
        told = project.dbt("run", "--select", "patients_anon", fails=True)
        assert "the release is incremental by loaded_on, and its model is not" in told
        assert sorted(project.execute("FROM patients_anon")) == before
    model.write_text(asked.replace("'table'", adds))
    told = project.dbt("run", "--select", "patients_anon", fails=True)
    assert "what is there was not released by increments" in told
    assert sorted(project.execute("FROM patients_anon")) == before


def test_a_column_of_another_type_is_told_and_no_row_comes_twice(project):
    """A time cut to a day would be before rows of that day that are released already."""
    incremental(project)
    project.dbt("run")
    count = "SELECT COUNT(*) FROM patients_anon"
    before = project.execute(count)
    model = project.folder / "models/stg_patients.sql"
    text = model.read_text()
    model.write_text(
        text.replace("loaded_on\n", "loaded_on + interval 5 hour as loaded_on\n", 1).replace(
            " sex,", " case sex when 'm' then 1 else 2 end as sex,"
        )
    )
    told = project.dbt("run", fails=True)
    assert "loaded_on is timestamp, and was date" in told
    assert "sex is integer, and was text" in told
    assert project.execute(count) == before
    model.write_text(text)
    project.dbt("run")
    assert project.execute(count) == before


JOBS = {"nurse": "health", "cook": "food", "baker": "food", "clerk": None, None: "none"}
ENTRIES = """
CREATE TABLE kanon_patients_anon_job AS SELECT * FROM (VALUES
  ('nurse', 'health', '*'), ('cook', 'food', '*'), ('baker', 'food', '*'), ('clerk', NULL, '*'),
  (NULL, 'none', '*'), ('twice', 'food', '*'), ('twice', 'health', '*'), ('rootless', 'food', NULL)
) AS t (value, level_1, level_2)"""
GONE = "DELETE FROM stg_patients WHERE CAST(disease AS INT) % 9 = ?"
PEOPLE, VALUES = 3, 2


class Days:
    """Random days of a source, and what two statements of dbt release of it. Keys are of our own rows."""

    def __init__(self, seed, first, later):
        self.random = random.Random(seed)
        self.statements = {False: first, True: later}
        self.rows, self.released, self.day, self.made = {}, set(), date(2026, 1, 1), False

    def come(self, connection):
        """Rows come: some with a person, a job or a day that is none, some too late; and some go."""
        chosen = self.random
        self.day += timedelta(days=chosen.randint(1, 3))
        for _ in range(chosen.randint(0, 12)):
            person = chosen.choice([None, *range(12)])
            job = chosen.choice([*JOBS, "twice", "rootless", "unheard of"])
            late = self.day - timedelta(days=chosen.randint(0, 9))
            day = chosen.choice([self.day] * 8 + [late, None])
            row = (person, chosen.choice(["f", "m", None]), job, day)
            key = len(self.rows)
            # The disease is the row's own key, so that a row is known when it is released.
            self.rows[key] = row
            connection.execute("INSERT INTO stg_patients VALUES (?, ?, ?, ?, ?)", [*row, str(key)])
        if chosen.random() < 0.2:
            connection.execute(GONE, [self.random.randint(0, 8)])

    def run(self, connection):
        """Run the model, maybe in vain; gives what came into each class."""
        before = "INSERT INTO patients_anon" if self.made else "CREATE TABLE patients_anon AS"
        connection.execute("BEGIN")
        connection.execute(f"{before} {self.statements[self.made]}")
        if self.random.random() < 0.15:
            connection.execute("ROLLBACK")
            return {}
        connection.execute("COMMIT")
        self.made, came = True, defaultdict(list)
        for sex, job, key in connection.execute(
            "SELECT sex, job, disease FROM patients_anon"
        ).fetchall():
            if int(key) not in self.released:
                came[sex, job].append(int(key))
        return came


def test_random_days_show_k_people_or_nothing_and_no_row_twice(project):
    """Failed runs, replays, deletions, late rows, people in several classes, NULL anywhere."""
    project.meta(
        loaded_at="loaded_on", privacy=[{"k": 40}, {"distinct_l": {"column": "disease", "l": VALUES}}],
        columns={name: {"role": "identifying", "action": "drop"} for name in ("born", "zip")},
    )  # fmt: skip
    project.ready()
    project.kanon("dbt", "plan", ".")
    macro = project.folder / "macros/kanon/kanon_plan__patients_anon.sql"
    text = macro.read_text()
    assert '"level": 1' in text  # jobs have labels
    macro.write_text(text.replace('"k": 40', f'"k": {PEOPLE}'))  # small days will do
    project.dbt("build", "--exclude", "resource_type:test")
    first = project.compiled("patients_anon")
    project.dbt("compile", "--select", "patients_anon")
    later = project.compiled("patients_anon")
    assert "kanon_class_released_at" in later
    assert "kanon_class_released_at" not in first
    increments = 0
    for seed in range(40):
        days = Days(seed, first, later)
        with closing(duckdb.connect(config={"threads": 1})) as connection:
            connection.execute("ATTACH ':memory:' AS patients")
            connection.execute("USE patients")
            connection.execute(ENTRIES)
            connection.execute(
                "CREATE TABLE stg_patients (patient_id INT, sex TEXT, job TEXT, loaded_on DATE, disease TEXT)"
            )
            for _ in range(15):
                days.come(connection)
                for _ in range(days.random.choice([1, 1, 2])):
                    for shown, keys in days.run(connection).items():
                        rows = [days.rows[key] for key in keys]
                        assert len(keys) == len(set(keys))
                        assert {(sex, JOBS[job]) for _, sex, job, _ in rows} == {shown}
                        assert len({person for person, *_ in rows} - {None}) >= PEOPLE
                        days.released.update(keys)
                        increments += 1
            count = connection.execute("SELECT COUNT(*) FROM patients_anon").fetchone()
            assert count == (len(days.released),)
    assert increments > 300
