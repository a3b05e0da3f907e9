"""Rules as SQL and as Python: both answer as the rules themselves do, run by SQLite and by Python."""

import math
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.rulebase.conditions import Condition, LinearCondition, known, missing
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import POLICIES, Rule, RuleBase
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


def in_sqlite(base, rows):
    """What a database answers for the rows."""
    with sqlite3.connect(":memory:") as database:
        database.execute('CREATE TABLE t (i, "the age", "jo""b", size, x)')
        database.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?)", [(i, *row) for i, row in enumerate(rows)]
        )
        answers = database.execute(f"SELECT {base.to_sql()} FROM t ORDER BY i").fetchall()
    database.close()
    return [answer for (answer,) in answers]


def in_python(base, rows):
    """What the exported function answers for the rows."""
    space: dict = {}
    exec(base.to_python("answer"), space)
    return [space["answer"](dict(zip(SCHEMA.names, row))) for row in rows]


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.tuples(premises, st.integers(0, 2), st.tuples(*[st.floats(0, 30)] * 4)), min_size=1, max_size=5
    ),
    st.lists(cells, min_size=1, max_size=30),
    st.sampled_from(POLICIES),
    st.sampled_from([None, 1, 2]),
)
def test_every_form_answers_as_the_rules_do(result, rows, policy, top):
    """SQL run by SQLite, Python, JSON and text, for every way to decide among rules, at all ends of intervals."""
    labels = ("no", "yes", "it's", "none")
    rules = tuple(
        Rule(premise, labels[k], sum(counts), 200.0, counts, counts[k]) for premise, k, counts in result
    )
    base = RuleBase(rules, SCHEMA, labels, "none", policy=policy, totals=(50, 60, 60, 30), top=top)
    expected = base.predict(table_of(rows)).tolist()
    assert in_sqlite(base, rows) == expected
    assert in_python(base, rows) == expected
    again = RuleBase.from_json(base.to_json())
    assert again.predict(table_of(rows)).tolist() == expected
    assert (again.posterior(table_of(rows)) == base.posterior(table_of(rows))).all()
    if policy == "first":
        read = RuleBase.parse(base.text(missing=True), SCHEMA, labels)
        assert read.predict(table_of(rows)).tolist() == expected


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(premises, st.integers(-9, 9), st.integers(1, 9)), min_size=1, max_size=4),
    st.lists(cells, min_size=1, max_size=20),
    st.sampled_from(["first", "votes", "support"]),
    st.sampled_from([None, 1, 2]),
)
def test_every_form_of_numbers_answers_as_the_rules_do(result, rows, policy, top):
    rules = tuple(Rule(premise, float(answer), n=float(n)) for premise, answer, n in result)
    base = RuleBase(rules, SCHEMA, default=99.0, policy=policy, top=top)
    expected = base.predict(table_of(rows)).tolist()
    assert in_sqlite(base, rows) == expected
    assert in_python(base, rows) == expected


def test_many_voters():
    """Sums of hundreds of terms stay within what SQLite takes; thousands are refused in words."""
    rules = tuple(Rule((Condition(0, low=i / 10),), "ab"[i % 2]) for i in range(400))
    base = RuleBase(rules, SCHEMA, ("a", "b"), "b", policy="votes")
    rows = [(float(v), "A", "s", 0.0) for v in (-1, 0.05, 7, 39)]
    assert in_sqlite(base, rows) == base.predict(table_of(rows)).tolist() == ["b", "a", "a", "a"]
    with pytest.raises(ValueError, match="1,000 rules that vote"):
        RuleBase(rules[:1] * 1000, SCHEMA, ("a", "b"), "b", policy="votes").to_sql()
    for policy in ("votes", "first", "best"):
        assert RuleBase((), SCHEMA, ("a", "b"), "b", policy=policy).to_sql() == "'b'"


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


def test_sums_with_ordered_categories():
    """Sums add their ranks, which a database and a row of values do not hold."""
    schema = Schema([Column("x"), Column("size", "ordinal", ("s", "m", "l"))])
    answer = LinearAnswer(1.0, ((0, None, 2.0), (1, None, 10.0)), -1.0)
    base = RuleBase((Rule((LinearCondition(((0, 1.0), (1, 2.0)), low=1.0),), answer),), schema, default=0.0)
    rows = [(1.0, "s"), (1.0, "m"), (-4.0, "l"), (1.0, None), (None, "l"), (2.0, "unseen")]
    exec(base.to_python(), space := {})
    told = [space["predict"]({"x": x, "size": size}) for x, size in rows]
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE TABLE t (x REAL, size TEXT)")
        db.executemany("INSERT INTO t VALUES (?, ?)", rows)
        asked = [row[0] for row in db.execute(f"SELECT {base.to_sql()} FROM t")]
    assert told == asked == [0.0, 13.0, 0.0, 0.0, 0.0, 0.0]
    assert base.predict({"x": [r[0] for r in rows], "size": [r[1] for r in rows]}).tolist() == told


def test_dates_in_sums_have_no_sql():
    base = RuleBase((Rule((), LinearAnswer(1.0, ((0, None, 2.0),))),), Schema([Column("day", date=True)]))
    with pytest.raises(TypeError, match="a sum with the date 'day' has no SQL form"):
        base.to_sql()


def test_ends_as_numpy_and_infinite_numbers():
    tests = Condition(0, high=np.float64(2.5)), Condition(3, low=np.float32(0.5))
    never = (
        Condition(0, low=math.inf),
        Condition(0, high=-math.inf),
        LinearCondition(((0, np.float64(2)),), high=-math.inf),
    )
    base = RuleBase((Rule(tests, 1.0), *(Rule((c,), 2.0) for c in never)), SCHEMA, default=0.0)
    exec(base.to_python(), space := {})
    assert [space["predict"]({"the age": x, "x": 1.0}) for x in (2.5, 2.6, None)] == [1.0, 0.0, 0.0]
    with sqlite3.connect(":memory:") as db:
        sql = f'SELECT {base.to_sql()} FROM (SELECT 2.6 AS "the age", 1.0 AS x)'
        assert db.execute(sql).fetchall() == [(0.0,)]


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
