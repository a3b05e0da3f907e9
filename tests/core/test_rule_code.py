"""Rules as SQL and as Python: both answer as the rules themselves do, run by SQLite and by Python."""

import math
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.conditions import Condition, LinearCondition, known, missing
from assay.core.rules import Rule, RuleBase
from assay.tables import Column, Schema

LABELS = ("A", "it's", 'say "x"')
SCHEMA = Schema(
    [
        Column("the age"),
        Column('jo"b', "nominal", LABELS),
        Column("size", "ordinal", ("s", "m", "l")),
        Column("x"),
    ]
)
EDGES = [0.0, 0.1, 0.1 + 0.2, 1.0, 2.5]
VALUES = [*EDGES, *(np.nextafter(v, 9) for v in EDGES), *(np.nextafter(v, -9) for v in EDGES), None]

numeric = st.builds(
    lambda j, a, b, closed, gone: Condition(j, min(a, b), max(a, b), closed, None, gone),
    st.sampled_from([0, 3]),
    st.sampled_from([-math.inf, *EDGES]),
    st.sampled_from([*EDGES, math.inf]),
    st.sampled_from(["right", "left", "both", "neither"]),
    st.booleans(),
)
nominal = st.builds(
    lambda codes, gone: Condition(1, codes=tuple(sorted(codes)), missing=gone),
    st.sets(st.integers(0, 2)),
    st.booleans(),
)
ordinal = st.builds(
    lambda t, up: Condition(2, **{"low" if up else "high": t}), st.sampled_from([0.5, 1.5]), st.booleans()
)
linear = st.builds(
    lambda a, b, t, up: LinearCondition(((0, a), (3, b)), **{"low" if up else "high": t}),
    *(st.sampled_from([-1.0, 0.5, 2.0]),) * 2,
    st.sampled_from(EDGES),
    st.booleans(),
)
special = st.sampled_from([missing(0), missing(1), known(0), known(3)])
conditions = st.one_of(numeric, nominal, ordinal, linear, special)
premises = st.lists(conditions, max_size=3).map(tuple)
cells = st.tuples(
    st.sampled_from(VALUES),
    st.sampled_from([*LABELS, "unseen", None]),
    st.sampled_from(["s", "m", "l", None]),
    st.sampled_from(VALUES),
)


def table_of(rows):
    names = SCHEMA.names
    kinds = [np.float64, object, object, np.float64]
    return {name: np.array([row[j] for row in rows], kinds[j]) for j, name in enumerate(names)}


@settings(max_examples=60, deadline=None)
@given(st.lists(premises, min_size=1, max_size=4), st.lists(cells, min_size=1, max_size=30))
def test_sql_and_python_answer_as_the_rules_do(premises, rows):
    labels = ("no", "yes", "it's", "none")
    rules = tuple(Rule(premise, labels[i % 3]) for i, premise in enumerate(premises))
    base = RuleBase(rules, SCHEMA, labels, "none")
    expected = base.predict(table_of(rows)).tolist()

    with sqlite3.connect(":memory:") as database:
        database.execute('CREATE TABLE t (i, "the age", "jo""b", size, x)')
        database.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?)", [(i, *row) for i, row in enumerate(rows)]
        )
        answers = database.execute(f"SELECT {base.to_sql()} FROM t ORDER BY i").fetchall()
    database.close()
    assert [answer for (answer,) in answers] == expected

    space: dict = {}
    exec(base.to_python("answer"), space)
    assert [space["answer"](dict(zip(SCHEMA.names, row))) for row in rows] == expected


def test_sql_of_a_small_base():
    base = RuleBase(
        (Rule((Condition(0, low=38.5), Condition(1, codes=(0, 1))), 0.8), Rule((), 0.5)), SCHEMA, default=None
    )
    assert base.to_sql() == (
        "CASE\n  WHEN \"the age\" > 38.5 AND \"jo\"\"b\" IN ('A', 'it''s') THEN 0.8\n"
        "  WHEN 1 = 1 THEN 0.5\n  ELSE NULL\nEND"
    )


def test_python_of_a_small_base():
    base = RuleBase((Rule((Condition(0, high=38.5),), 0.8),), SCHEMA)
    assert base.to_python() == (
        "def predict(row):\n"
        '    nan = float("nan")\n'
        "    v0 = row.get('the age')\n"
        "    v0 = nan if v0 is None else v0\n"
        "    if v0 <= 38.5:\n"
        "        return 0.8\n"
        "    return None\n"
    )
    with pytest.raises(ValueError, match="identifier"):
        base.to_python("two words")


def test_dates_and_truth_values_in_sql():
    schema = Schema([Column("day", date=True), Column("ok", "nominal", (False, True))])
    base = RuleBase(
        (Rule((Condition(0, high=18262.5), Condition(1, codes=(1,))), True),), schema, (False, True)
    )
    sql = base.to_sql()
    assert "\"day\" <= TIMESTAMP '2020-01-01 12:00:00'" in sql and '"ok" IN (TRUE) THEN TRUE' in sql


def test_a_condition_of_another_kind_has_no_code():
    class Odd:
        def columns(self):
            return ()

    base = RuleBase((Rule((Odd(),), 1.0),), SCHEMA)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Odd has no SQL form"):
        base.to_sql()
    with pytest.raises(TypeError, match="Odd has no Python form"):
        base.to_python()


def test_names_and_labels_cannot_break_out_of_the_code():
    """A column or label with quotes and line breaks stays one name or label."""
    nasty = 'x\'); DROP TABLE t; --\n"""'
    schema = Schema([Column(nasty, "nominal", (nasty, "b"))])
    base = RuleBase((Rule((Condition(0, codes=(0,)),), nasty),), schema, (nasty, "b"), "b")
    space: dict = {}
    exec(base.to_python(), space)
    assert space["predict"]({nasty: nasty}) == nasty and space["predict"]({nasty: "b"}) == "b"
    with sqlite3.connect(":memory:") as database:
        name = '"' + nasty.replace('"', '""') + '"'
        database.execute(f"CREATE TABLE t ({name})")
        database.executemany("INSERT INTO t VALUES (?)", [(nasty,), ("b",)])
        assert database.execute(f"SELECT {base.to_sql()} FROM t").fetchall() == [(nasty,), ("b",)]
    database.close()
