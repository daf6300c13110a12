"""An incremental release over ten days: a class's new rows come when they are k people, or not at all."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from datetime import date, timedelta

K, L = 5, 2
CLASS = ("sex", "born", "zip", "job")


def incremental(project):
    """A project whose release is incremental; its raw rows come day by day."""
    project.meta(loaded_at="loaded_on")
    project.ready()
    project.kanon("plan", "--dbt", ".")
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
    return project.say(text.format(", ".join(shown)))


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
        now = Counter(project.say("SELECT sex, born, zip, job, disease FROM patients_anon"))
        came = now - before
        assert not before - now  # nothing that was released goes
        oracle.day([row for row in labels(project) if row[2] == until])
        assert now == oracle.released, day
        for size in Counter(row[:4] for row in came.elements()).values():
            assert size >= K
        ((source, released, back),) = project.say("FROM patients_anon_held_back")
        assert (released, back) == (now.total(), source - now.total())
        held.append(back)
        before = now
    assert max(held) > 0  # there was something to hold back
    assert len(set(held)) > 1
    project.dbt("test", "--select", "patients_anon", "--vars", f"{{until: '{until}'}}")


def test_another_plan_does_not_go_on_with_a_release(project):
    incremental(project)
    project.dbt("run")
    before = project.say("SELECT COUNT(*), COUNT(DISTINCT kanon_plan) FROM patients_anon")
    project.meta(privacy=[{"k": 9}])
    project.dbt("parse")
    project.kanon("plan", "--dbt", ".")
    told = project.dbt("run", fails=True)
    assert "the release has rows by another plan" in told
    assert project.say("SELECT COUNT(*), COUNT(DISTINCT kanon_plan) FROM patients_anon") == before


def test_rows_without_a_day_or_too_late_stay_held_back(project):
    incremental(project)
    project.dbt("run")
    ((before,),) = project.say("SELECT COUNT(*) FROM patients_anon")
    late = "INSERT INTO raw_patients SELECT 9000 + i, 'Z', 'm', DATE '1965-01-01', '02138', 'cook', 'd' || i, {}"
    project.say(late.format("NULL FROM range(20) AS r (i)"))
    project.say(late.format("DATE '2026-03-01' FROM range(20) AS r (i)"))
    project.dbt("run", "--select", "patients_anon", "patients_anon_held_back")
    assert project.say("SELECT COUNT(*) FROM patients_anon") == [(before,)]
    project.say(late.format("DATE '2026-03-20' FROM range(20) AS r (i)"))
    project.dbt("run", "--select", "patients_anon", "patients_anon_held_back")
    assert project.say("SELECT COUNT(*) FROM patients_anon") == [(before + 20,)]


def test_a_model_that_would_be_made_anew_is_refused_where_increments_were_asked(project):
    """The model is the user's own, and stays as it is when the properties begin to ask for increments."""
    project.ready()
    project.kanon("plan", "--dbt", ".")
    project.dbt("build")
    before = sorted(project.say("FROM patients_anon"))
    project.meta(loaded_at="loaded_on")
    project.dbt("parse")
    project.kanon("plan", "--dbt", ".")
    model = project.folder / "models/kanon/patients_anon.sql"
    assert "loaded_at" not in model.read_text()
    project.say(
        "INSERT INTO raw_patients SELECT 9000, 'Z', sex, born, zip, job, disease, loaded_on"
        " FROM raw_patients LIMIT 1"
    )
    other = "incremental_strategy='append'"
    for text in (
        model.read_text(),
        model.read_text().replace("'table'", f"'incremental', {other}"),
        model.read_text().replace("plan=", "loaded_at='loaded_on', plan="),
    ):
        model.write_text(text)
        told = project.dbt("run", "--select", "patients_anon", fails=True)
        assert "the release is incremental by loaded_on, and its model is not" in told
        assert sorted(project.say("FROM patients_anon")) == before


def test_a_column_of_another_type_is_told_and_no_row_comes_twice(project):
    """A time cut to a day would be before rows of that day that are released already."""
    incremental(project)
    project.dbt("run")
    count = "SELECT COUNT(*) FROM patients_anon"
    before = project.say(count)
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
    assert project.say(count) == before
    model.write_text(text)
    project.dbt("run")
    assert project.say(count) == before
