"""Statements with variables: literals and Horn clauses, their text, and how they are read back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.core.stored import Each, Object, Plain, Text
from assay.errors import DataError

__all__ = ["EQUAL", "Clause", "Literal", "Variable", "parse_clause", "parse_literals", "variable_names"]

EQUAL = "="  # the predicate of literals like x = y
_PLAIN = re.compile(r"[A-Z][A-Za-z0-9_]*\Z")  # a constant that reads as one without quotes
_NAME = re.compile(r"[^\W\d]\w*\Z")  # a predicate that does
_WORDS = ("IF", "AND", "NOT", "THEN")
_WHOLE = re.compile(r"-?\d+\Z")
_OTHERS = r"""[^\s(),.;=&¬'"!\\%\#]"""  # what words are made of
_TOKEN = re.compile(
    r"""\s+|[%\#][^\n]*|(?P<quoted>'(?:[^'\n]|'')*'|"(?:[^"\n]|"")*")"""
    rf"""|(?P<number>-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)(?!{_OTHERS}))"""
    rf"""|(?P<mark>:-|!=|\\=|\\\+|[(),.=&¬])|(?P<word>{_OTHERS}+)"""
)


@dataclass(frozen=True, order=True)
class Variable:
    """A variable: it stands for any constant, the same one wherever it occurs in a clause."""

    name: str
    stored = {"name": Text()}

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Literal:
    """A predicate of variables and constants, or its negation.

    Parameters
    ----------
    predicate : str
        Its name; ``"="`` means that two terms are the same.
    args : tuple of Variable or constants (text, numbers)
    negated : bool

    Examples
    --------
    >>> from assay.rules.first_order.clauses import Literal, Variable
    >>> x, y = Variable("x"), Variable("y")
    >>> print(Literal("Father", (y, x)), Literal("Female", ("mary ann",), negated=True), Literal("=", (x, y)), sep="; ")
    Father(y, x); NOT Female('mary ann'); x = y
    """

    predicate: str
    args: tuple[Any, ...]
    negated: bool = False
    stored = {
        "predicate": Text(),
        "args": Each(Object(Variable) | Plain()),
    }

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Its variables, each once, in order."""
        return tuple(dict.fromkeys(a for a in self.args if isinstance(a, Variable)))

    def __str__(self) -> str:
        terms = [str(a) if isinstance(a, Variable) else _constant(a) for a in self.args]
        if self.predicate == EQUAL:
            return f" {'!=' if self.negated else '='} ".join(terms)
        return f"{'NOT ' if self.negated else ''}{_predicate(self.predicate)}({', '.join(terms)})"

    def to_prolog(self) -> str:
        """In Prolog's way: predicates and constants in small letters or quotes, variables in capitals.

        >>> from assay.rules.first_order.clauses import Literal, Variable
        >>> Literal("Father", (Variable("y"), "Bob"), negated=True).to_prolog()
        "\\\\+ father(Y, 'Bob')"
        """
        terms = [a.name[:1].upper() + a.name[1:] if isinstance(a, Variable) else _atom(a) for a in self.args]
        if self.predicate == EQUAL:
            return f" {chr(92) + '=' if self.negated else '='} ".join(terms)
        name = _atom(self.predicate[:1].lower() + self.predicate[1:])
        return f"{chr(92) + '+ ' if self.negated else ''}{name}({', '.join(terms)})"


@dataclass(frozen=True)
class Clause:
    """IF all literals of the body hold for some values of the variables THEN the head holds.

    Examples
    --------
    >>> from assay.rules.first_order.clauses import parse_clause
    >>> clause = parse_clause("IF Father(y, x) AND Female(y) THEN Daughter(x, y)")
    >>> clause.head.predicate, [str(literal) for literal in clause.body]
    ('Daughter', ['Father(y, x)', 'Female(y)'])
    >>> print(clause)
    IF Father(y, x) AND Female(y) THEN Daughter(x, y)
    >>> print(clause.to_prolog())
    daughter(X, Y) :- father(Y, X), female(Y).
    """

    head: Literal
    body: tuple[Literal, ...] = ()
    stored = {
        "head": Object(Literal),
        "body": Each(Object(Literal)),
    }

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Its variables, those of the head first."""
        return tuple(dict.fromkeys(v for literal in (self.head, *self.body) for v in literal.variables))

    def __str__(self) -> str:
        return f"IF {' AND '.join(map(str, self.body)) or 'anything'} THEN {self.head}"

    def to_prolog(self) -> str:
        """The clause as Prolog reads it."""
        body = ", ".join(literal.to_prolog() for literal in self.body)
        return self.head.to_prolog() + (f" :- {body}." if body else ".")


def variable_names(first: int = 0) -> Iterator[str]:
    """x, y, z, u, v, w, t, s, r, then x1, y1, ..., from number ``first``.

    >>> from itertools import islice
    >>> from assay.rules.first_order.clauses import variable_names
    >>> list(islice(variable_names(), 3)), next(variable_names(9))
    (['x', 'y', 'z'], 'x1')
    """
    letters = "xyzuvwtsr"
    i = first
    while True:
        yield letters[i % len(letters)] + (str(i // len(letters)) if i >= len(letters) else "")
        i += 1


def parse_clause(text: str) -> Clause:
    r"""The clause of a text: "IF A(x) AND NOT B(x) THEN C(x)", or Prolog's "c(X) :- a(X), \\+ b(X).".

    After IF, words that begin with a small letter are variables; in Prolog those with a capital or ``_``. Quoted words
    and numbers are constants.

    >>> from assay.rules.first_order.clauses import parse_clause
    >>> parse_clause("uncle(X, Y) :- brother(X, Z), parent(Z, Y), X \\= Z.").body[2]
    Literal(predicate='=', args=(Variable(name='x'), Variable(name='z')), negated=True)
    """
    stripped = text.strip()
    prolog = not re.match(r"if\b", stripped, re.IGNORECASE)
    if prolog:
        head, body = _parted(stripped, ":-")
    else:
        body, head = _parted(stripped[2:], "THEN")
    if not head.strip():
        raise DataError(f"A clause reads IF ... THEN ..., got {stripped[:80]!r}.")
    heads = list(parse_literals(head, variables=True, prolog=prolog))
    if len(heads) != 1 or heads[0].negated:
        raise DataError(f"A clause has one literal that follows, got {head.strip()[:80]!r}.")
    empty = body.strip().rstrip(".") in ("", "anything")
    return Clause(heads[0], () if empty else tuple(parse_literals(body, variables=True, prolog=prolog)))


def parse_literals(text: str, variables: bool = False, prolog: bool = False) -> Iterator[Literal]:
    """The literals of a text, one after the other, separated by a full stop, a comma, AND, or nothing at all.

    Without ``variables`` every word is a constant, as in facts. ``%`` and ``#`` begin a comment; names with spaces or
    marks stand between quotes.

    >>> from assay.rules.first_order.clauses import parse_literals
    >>> [str(literal) for literal in parse_literals("Father(Sharon, Bob). not Daughter(Bob, Tom).")]
    ['Father(Sharon, Bob)', 'NOT Daughter(Bob, Tom)']
    """
    tokens = list(_tokens(text))
    i = 0
    while i < len(tokens):
        kind, word, line = tokens[i]
        if word in (".", ",", "&") or (kind == "word" and word.upper() == "AND"):
            i += 1
            continue
        negated = word in ("\\+", "¬") or (kind == "word" and word.upper() == "NOT")
        i += negated
        following = tokens[i + 1][1] if i + 1 < len(tokens) else ""
        if i < len(tokens) and following == "(":
            name = tokens[i][1] if tokens[i][0] == "word" else _value(tokens[i], False, False)
            i, args = _arguments(tokens, i + 2, variables, prolog)
            if prolog:
                name = str(name)[:1].upper() + str(name)[1:]
            yield Literal(str(name), args, negated)
        elif following in ("=", "!=", "\\=") and i + 2 < len(tokens):
            sides = tuple(_value(tokens[j], variables, prolog) for j in (i, i + 2))
            yield Literal(EQUAL, sides, negated != (following != "="))
            i += 3
        else:
            came = " ".join(token[1] for token in tokens[i : i + 4])
            raise DataError(f"Line {line}: expected a literal such as Father(Sharon, Bob), got {came!r}.")


def _arguments(
    tokens: list[tuple[str, str, int]], i: int, variables: bool, prolog: bool
) -> tuple[int, tuple[Any, ...]]:
    """The terms up to the closing bracket, and the place behind it; words without a comma between are one name."""
    args: list[Any] = []
    words: list[tuple[str, str, int]] = []
    while i < len(tokens):
        kind, word, line = tokens[i]
        i += 1
        if kind != "mark":
            words.append(tokens[i - 1])
        elif word in (",", ")"):
            if not words:
                raise DataError(f"Line {line}: an argument is empty before {word!r}.")
            token = words[0] if len(words) == 1 else ("word", " ".join(w[1] for w in words), line)
            args.append(_value(token, variables, prolog))
            words = []
            if word == ")":
                return i, tuple(args)
        else:
            raise DataError(f"Line {line}: {word!r} cannot stand between brackets.")
    raise DataError(f"Line {tokens[-1][2]}: a closing bracket is missing.")


def _parted(text: str, mark: str) -> tuple[str, str]:
    """The text before and after a mark that does not stand between quotes."""
    at = 0
    while at < len(text) and (match := _TOKEN.match(text, at)):
        if match.lastgroup in ("word", "mark") and match.group().upper() == mark:
            return text[:at], text[match.end() :]
        at = match.end()
    return text, ""


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise DataError(f"Line {line}: cannot read {text[at : at + 20].splitlines()[0]!r}.")
        if match.lastgroup:
            yield match.lastgroup, match.group(), line
        line += match.group().count("\n")
        at = match.end()


def _value(token: tuple[str, str, int], variables: bool, prolog: bool) -> Any:
    kind, word, line = token
    if kind == "quoted":
        return word[1:-1].replace(2 * word[0], word[0])
    if kind == "number":
        return float(word)
    if kind != "word":
        raise DataError(f"Line {line}: expected a name, got {word!r}.")
    if _WHOLE.match(word):
        return int(word)
    if variables and (word[0].isupper() or word[0] == "_" if prolog else word[0].islower()):
        return Variable(word[:1].lower() + word[1:] if prolog else word)
    return word


def _constant(value: Any) -> str:
    """A constant so that it cannot be taken for a variable."""
    text = str(int(value) if isinstance(value, bool) else value)  # True is the number 1
    if not isinstance(value, str) or (_PLAIN.match(text) and text.upper() not in _WORDS):
        return text
    return "'" + text.replace("'", "''") + "'"


def _predicate(name: str) -> str:
    return name if _NAME.match(name) and name.upper() not in _WORDS else "'" + name.replace("'", "''") + "'"


def _atom(value: Any) -> str:
    text = str(value)
    plain = re.match(r"[a-z][A-Za-z0-9_]*\Z", text) and text.upper() not in _WORDS
    if not isinstance(value, str) or plain:
        return text
    return "'" + text.replace("'", "''") + "'"
