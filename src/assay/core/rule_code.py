"""Rules for other programs: an SQL expression, the source of a Python function, plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.conditions import Condition, LinearCondition, RowTest
from assay.core.linear_answer import LinearAnswer
from assay.core.words import date_floor, number
from assay.tables import Schema

if TYPE_CHECKING:
    from assay.core.rules import RuleBase

__all__ = ["rules_data", "rules_python", "rules_sql"]


def rules_sql(base: RuleBase) -> str:
    """One CASE expression: the answer of the first rule that holds, else the default (NULL if there is none).

    A missing value is NULL; a category that no training row had is missing, too.
    """
    lines = ["CASE"]
    for rule in base.rules:
        said = " AND ".join(_sql(c, base.schema) for c in rule.conditions) or "1 = 1"
        lines.append(f"  WHEN {said} THEN {_sql_answer(rule.answer, base.schema)}")
    lines.append(f"  ELSE {'NULL' if base.default is None else _sql_answer(base.default, base.schema)}")
    return "\n".join([*lines, "END"])


def rules_python(base: RuleBase, name: str = "predict") -> str:
    """The source of a function of one row (a dict of column name to value) that answers as the rules do.

    The row's values are as they stand in the table: labels, numbers, and for dates the days since 1970-01-01;
    None, NaN or an absent column is missing.
    """
    if not name.isidentifier():
        raise ValueError(f"rules_python: the function's name must be a Python identifier, got {name!r}.")
    asked = {j for rule in base.rules for c in rule.conditions for j in c.columns()}
    told = [base.default, *(rule.answer for rule in base.rules)]
    used = sorted(asked | {j for one in told if isinstance(one, LinearAnswer) for j in one.columns()})
    variables = {j: f"v{j}" for j in used}
    lines = [f"def {name}(row):", '    nan = float("nan")']
    for j in used:
        lines.append(f"    v{j} = row.get({base.schema[j].name!r})")
        lines.append(f"    v{j} = nan if v{j} is None else v{j}")
    for rule in base.rules:
        said = " and ".join(_python(c, base.schema, variables) for c in rule.conditions) or "True"
        answer = _python_answer(rule.answer, base.schema, variables)
        lines += [f"    if {said}:", *(f"        {line}" for line in answer)]
    lines += [f"    {line}" for line in _python_answer(base.default, base.schema, variables)]
    return "\n".join([*lines, ""])


def rules_data(base: RuleBase) -> dict[str, Any]:
    """The rules as text, numbers, lists and dicts; what a condition does not limit is left out."""
    return {
        "target": base.target,
        "classes": None if base.classes is None else [_plain(c) for c in base.classes],
        "rules": [
            {
                "if": [_condition_data(c, base.schema) for c in rule.conditions],
                "then": _answer_data(rule.answer, base.schema),
                "support": rule.support,
                "accuracy": rule.accuracy,
                "rows": rule.n,
                "counts": list(rule.counts),
            }
            for rule in base.rules
        ],
        "default": _answer_data(base.default, base.schema),
    }


def _sql(condition: RowTest, schema: Schema) -> str:
    if isinstance(condition, LinearCondition):
        said = " + ".join(f"{number(w)} * {_sql_name(schema[j].name)}" for j, w in condition.terms) or "0"
        return _sql_interval(said, condition.low, condition.high, False, True, number)
    if not isinstance(condition, Condition):
        raise TypeError(f"rules_sql: a {type(condition).__name__} has no SQL form.")
    column = schema[condition.column]
    name, gone = _sql_name(column.name), f"{_sql_name(column.name)} IS NULL"
    if column.coded:
        kept, rest = condition.as_codes(column).sides(column)
        if not condition.missing:
            return f"{name} IN ({_sql_list(kept)})" if kept else "1 = 0"
        return f"({name} NOT IN ({_sql_list(rest)}) OR {gone})" if rest else "1 = 1"
    if condition.codes is not None:
        return gone if condition.missing else "1 = 0"
    show = _sql_moment if column.date else number
    said = _sql_interval(name, condition.low, condition.high, condition.low_in, condition.high_in, show)
    return f"({said} OR {gone})" if condition.missing else said


def _sql_answer(answer: Any, schema: Schema) -> str:
    if not isinstance(answer, LinearAnswer):
        return _sql_value(answer)
    parts = [number(answer.intercept)]
    for j, code, weight in answer.terms:
        name, values = _sql_name(schema[j].name), schema[j].categories
        if code is None:
            parts.append(f"{number(weight)} * {name}")
        else:
            one, any_ = _sql_value(values[code]), _sql_list(values)
            parts.append(f"CASE WHEN {name} = {one} THEN {number(weight)} WHEN {name} IN ({any_}) THEN 0 END")
    return f"COALESCE({' + '.join(parts)}, {number(answer.otherwise)})"


def _sql_interval(said: str, low: float, high: float, low_in: bool, high_in: bool, show: Any) -> str:
    ends = [f"{said} {'>=' if low_in else '>'} {show(low)}"] if low != -math.inf else []
    ends += [f"{said} {'<=' if high_in else '<'} {show(high)}"] if high != math.inf else []
    return " AND ".join(ends) or f"{said} IS NOT NULL"


def _sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sql_value(value: Any) -> str:
    value = _native(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return number(value)
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def _sql_list(values: Sequence[Any]) -> str:
    return ", ".join(_sql_value(v) for v in values)


def _sql_moment(days: float) -> str:
    return f"TIMESTAMP '{date_floor(days).replace('T', ' ')}'"


def _python(condition: RowTest, schema: Schema, variables: dict[int, str]) -> str:
    if isinstance(condition, LinearCondition):
        said = " + ".join(f"{w!r} * {variables[j]}" for j, w in condition.terms) or "0.0"
        return _python_interval(f"{said}", condition.low, condition.high, False, True)
    if not isinstance(condition, Condition):
        raise TypeError(f"rules_python: a {type(condition).__name__} has no Python form.")
    column, v = schema[condition.column], variables[condition.column]
    if column.coded:
        kept, rest = condition.as_codes(column).sides(column)
        values = rest if condition.missing else kept
        inside = "[" + ", ".join(_python_value(value) for value in values) + "]"
        return f"{v} {'not in' if condition.missing else 'in'} {inside}"
    if condition.codes is not None:
        return f"{v} != {v}" if condition.missing else "False"
    said = _python_interval(v, condition.low, condition.high, condition.low_in, condition.high_in)
    return f"({said} or {v} != {v})" if condition.missing else said


def _python_answer(answer: Any, schema: Schema, variables: dict[int, str]) -> list[str]:
    """The lines that return the answer."""
    if not isinstance(answer, LinearAnswer):
        return [f"return {_python_value(answer)}"]
    said = repr(float(answer.intercept))
    for j, code, weight in answer.terms:
        v = variables[j]
        if code is None:
            said += f" + {float(weight)!r} * {v}"
        else:
            values = [_python_value(value) for value in schema[j].categories]
            rest = "[" + ", ".join(values) + "]"
            said += f" + ({float(weight)!r} if {v} == {values[code]} else 0.0 if {v} in {rest} else nan)"
    return [f"y = {said}", f"return y if y == y else {float(answer.otherwise)!r}"]


def _python_interval(said: str, low: float, high: float, low_in: bool, high_in: bool) -> str:
    before = f"{low!r} {'<=' if low_in else '<'} " if low != -math.inf else ""
    after = f" {'<=' if high_in else '<'} {high!r}" if high != math.inf else ""
    return f"{before}{said}{after}" if before or after else f"({said}) == ({said})"


def _python_value(value: Any) -> str:
    """The source of a label or number; labels of other kinds as the text they print."""
    return repr(_plain(value))


def _native(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _condition_data(condition: RowTest, schema: Schema) -> dict[str, Any]:
    """A condition as plain data; what is not limited is left out."""
    if isinstance(condition, LinearCondition):
        data: dict[str, Any] = {"weights": {schema[j].name: w for j, w in condition.terms}}
        return data | _ends(condition.low, condition.high)
    if not isinstance(condition, Condition):
        return {"words": condition.words(schema)}
    column = schema[condition.column]
    data = {"column": column.name}
    if column.coded:
        data["in"] = [_plain(v) for v in condition.as_codes(column).sides(column)[0]]
    elif condition.codes is None:
        data |= _ends(condition.low, condition.high)
        if condition.closed != "right":
            data["closed"] = condition.closed
    return data | ({"missing": True} if condition.missing else {})


def _answer_data(answer: Any, schema: Schema) -> Any:
    if not isinstance(answer, LinearAnswer):
        return _plain(answer)
    terms = [
        {"column": schema[j].name, "weight": weight}
        | ({} if code is None else {"category": _plain(schema[j].categories[code])})
        for j, code, weight in answer.terms
    ]
    return {"intercept": answer.intercept, "terms": terms, "missing": answer.otherwise}


def _ends(low: float, high: float) -> dict[str, float]:
    return ({"above": low} if low > -math.inf else {}) | ({"up to": high} if high < math.inf else {})


def _plain(value: Any) -> Any:
    value = _native(value)
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
