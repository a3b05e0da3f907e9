"""Literals and clauses: what they print reads back as themselves."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError
from assay.rules.first_order.clauses import Clause, Literal, Variable, parse_clause, parse_literals

x, y, z = map(Variable, "xyz")


def test_the_clause_of_the_book_in_words_and_in_prolog():
    clause = Clause(Literal("Daughter", (x, y)), (Literal("Father", (y, x)), Literal("Female", (y,))))
    assert str(clause) == "IF Father(y, x) AND Female(y) THEN Daughter(x, y)"
    assert clause.to_prolog() == "daughter(X, Y) :- father(Y, X), female(Y)."
    assert clause.variables == (x, y)


terms = st.one_of(
    st.sampled_from([x, y, z, Variable("v12")]),
    st.sampled_from(
        [
            "Bob",
            "mary ann",
            "it's",
            "NOT",
            "THEN",
            "and",
            "a :- b THEN c",
            "a,b",
            "",
            "Ünal",
            "x",
            "%",
            "42",
            ") AND Q(x",
        ]
    ),
    st.integers(-50, 50),
)
literals = st.one_of(
    st.builds(
        Literal,
        st.sampled_from(["Father", "Female", "Linked"]),
        st.lists(terms, min_size=1, max_size=3).map(tuple),
        st.booleans(),
    ),
    st.builds(Literal, st.just("="), st.tuples(terms, terms), st.booleans()),
)
heads = st.builds(Literal, st.just("Daughter"), st.lists(terms, min_size=1, max_size=3).map(tuple))


@settings(max_examples=150, deadline=None)
@given(heads, st.lists(literals, max_size=4))
def test_what_is_printed_reads_back(head, body):
    clause = Clause(head, tuple(body))
    assert parse_clause(str(clause)) == clause
    assert parse_clause(clause.to_prolog()) == clause


def test_comments_and_line_ends_do_not_matter():
    text = "Father(Sharon, Bob)  % their father\nnot Daughter(Bob,Tom).  # a son\n\n¬Female('Tom')"
    assert [str(literal) for literal in parse_literals(text)] == [
        "Father(Sharon, Bob)",
        "NOT Daughter(Bob, Tom)",
        "NOT Female(Tom)",
    ]


def test_names_of_several_words_and_numbers_are_constants():
    (literal,) = parse_literals("Age(Mary Ann, 42, 1.5, 'x,y')")
    assert literal.args == ("Mary Ann", 42, 1.5, "x,y")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Father(Sharon, Bob", "Line 1: a closing bracket is missing"),
        ("\nFather(Sharon,, Bob)", "Line 2: an argument is empty"),
        ("Father", "Line 1: expected a literal such as"),
        ("Father(Sharon, (Bob))", "cannot stand between brackets"),
        ("Father(Sharon, 'Bob)", "Line 1: cannot read"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text, said):
    with pytest.raises(DataError, match=said):
        list(parse_literals(text))


@pytest.mark.parametrize("text", ["IF A(x)", "IF A(x) THEN B(x) AND C(x)", "IF A(x) THEN NOT B(x)"])
def test_a_clause_has_one_head(text):
    with pytest.raises(DataError, match="clause"):
        parse_clause(text)


@pytest.mark.parametrize("name", ["lives in", "THEN", "and", "it's", "", "007", "-3", "a.b", "%", "é"])
@pytest.mark.parametrize("value", [1e300, -2.5e-7, 10**20, 1.5, "1e5", "a;b", 'say "a"'])
def test_predicates_and_numbers_of_any_kind_are_read_back(name, value):
    clause = Clause(Literal("T", (x,)), (Literal(name, (x, value)), Literal(name, (x, y), True)))
    assert parse_clause(str(clause)) == clause


def test_quotes_of_either_kind_and_no_other_mark():
    assert next(parse_literals("""P("mary ann", 'it''s', "1")""")).args == ("mary ann", "it's", "1")
    with pytest.raises(DataError, match="cannot read ';Q"):
        list(parse_literals("P(a);Q(b)"))
