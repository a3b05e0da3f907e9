"""Rules for other programs: an SQL expression, the source of a Python function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.words import date_ceil, date_floor, number
from assay.rulebase.conditions import Condition, LinearCondition, RowTest
from assay.rulebase.data import native, plain
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.posterior import EQUAL, best_order, tie_order, voting_order
from assay.tables import Column, Schema

if TYPE_CHECKING:
    from assay.rulebase.rules import Rule, RuleBase

__all__ = ["rules_python", "rules_sql"]

MOST_VOTERS = 900  # databases refuse longer sums and wider tables


def rules_sql(base: RuleBase) -> str:
    """One expression of a table's columns that answers as the rules do; NULL where no rule holds and no default is.

    A decision list is a CASE expression. Rules that vote are counted in a subquery: a mark for each rule that holds,
    the sums of the marks' weights, and the class of the largest sum. A missing value is NULL; a category that no
    training row had is missing, too.
    """
    default = "NULL" if base.default is None else _sql_answer(base.default, base.schema)
    if not base.rules:
        return default
    if base.policy not in ("first", "best"):
        return _sql_votes(base, default)
    lines = ["CASE"]
    for rule in _in_turn(base):
        lines.append(f"  WHEN {_sql_premise(rule, base.schema)} THEN {_sql_answer(rule.answer, base.schema)}")
    return "\n".join([*lines, f"  ELSE {default}", "END"])


def rules_python(base: RuleBase, name: str = "predict") -> str:
    """The source of a function of one row (a dict of column name to value) that answers as the rules do.

    The row's values are as they stand in the table: labels, numbers, and for dates the days since 1970-01-01;
    None, NaN or an absent column is missing.
    """
    if not name.isidentifier():
        raise ValueError(f"rules_python: the function's name must be a Python identifier, got {name!r}.")
    asked = {j for rule in base.rules for c in rule.conditions for j in c.columns()}
    answers = [base.default, *(rule.answer for rule in base.rules)]
    used = sorted(
        asked | {j for answer in answers if isinstance(answer, LinearAnswer) for j in answer.columns()}
    )
    variables = {j: f"v{j}" for j in used}
    lines = [f"def {name}(row):", '    nan = float("nan")']
    for j in used:
        lines.append(f"    v{j} = row.get({base.schema[j].name!r})")
        lines.append(f"    v{j} = nan if v{j} is None else v{j}")
    if base.policy in ("first", "best"):
        for rule in _in_turn(base):
            answer = _python_answer(rule.answer, base.schema, variables)
            premise = _python_premise(rule, base.schema, variables)
            lines += [f"    if {premise}:", *(f"        {line}" for line in answer)]
    else:
        lines += [f"    {line}" for line in _python_votes(base, variables)]
    lines += [f"    {line}" for line in _python_answer(base.default, base.schema, variables)]
    return "\n".join([*lines, ""])


def _in_turn(base: RuleBase) -> list[Rule]:
    """The rules of a list in the order in which they are tried."""
    return list(base.rules) if base.policy == "first" else [base.rules[r] for r in best_order(base)]


def _weights(base: RuleBase) -> list[dict[int, float]]:
    """What each voting rule adds to which sum: to the classes, or for numbers one weight."""
    if base.classes is None:
        return [{0: max(rule.n, 1e-12) if base.policy == "support" else 1.0} for rule in base.rules]
    return [{k: w for k, w in enumerate(row) if w} for row in base._ballots[voting_order(base)].tolist()]


def _sql_votes(base: RuleBase, default: str) -> str:
    if len(base.rules) > MOST_VOTERS:
        raise ValueError(
            f"to_sql: {len(base.rules):,} rules that vote make an expression that databases refuse, which take up to "
            f"{MOST_VOTERS}. Keep the best rules, or use to_python()."
        )
    rules, weights = [base.rules[r] for r in voting_order(base)], _weights(base)
    marks = [
        f"CASE WHEN {_sql_premise(rule, base.schema)} THEN 1 ELSE 0 END AS assay_r{r}"
        for r, rule in enumerate(rules)
    ]
    table = "(SELECT " + ",\n    ".join(marks) + ") AS assay_fired"
    names = [f"assay_r{r}" for r in range(len(base.rules))]
    means = base.policy == "laplace"
    if base.top is not None and base.top < len(names):  # a rule votes while fewer than top hold before it
        heard = []
        for r, name in enumerate(names):
            before = [names[i] for i in range(r) if not means or weights[i].keys() == weights[r].keys()]
            late = f"CASE WHEN {_sum(before)} < {base.top} THEN {name} ELSE 0 END AS {name}"
            heard.append(name if len(before) < base.top else late)
        table = f"(SELECT {', '.join(heard)} FROM {table}) AS assay_heard"
    if base.classes is None:
        answers = [_sql_answer(rule.answer, base.schema) for rule in base.rules]
        above = " + ".join(
            f"{number(w[0])} * {r} * {answer}" for r, w, answer in zip(names, weights, answers)
        )
        below = " + ".join(f"{number(w[0])} * {r}" for r, w in zip(names, weights))
        mean = f"1.0 * ({above}) / ({below})"
        return f"(SELECT CASE WHEN {_sum(names)} = 0 THEN {default} ELSE {mean} END\n  FROM {table})"
    K = len(base.classes)
    sums = []
    for k in range(K):
        voters = [(r, w[k]) for r, w in zip(names, weights) if k in w]
        total = _sum([f"{number(w)} * {r}" for r, w in voters])
        if means and voters:
            n = _sum([r for r, _ in voters])
            total = f"CASE WHEN {n} = 0 THEN 0 ELSE 1.0 * ({total}) / ({n}) END"
        sums.append(f"{total} AS assay_s{k}")
    votes = (
        f"(SELECT {_sum(names)} AS assay_n,\n    "
        + ",\n    ".join(sums)
        + f"\n  FROM {table}) AS assay_votes"
    )
    cases = [f"WHEN assay_n = 0 THEN {default}"]
    order, nearly = tie_order(base), f"{1 - EQUAL!r} * " if base.policy in ("chi_square", "laplace") else ""
    for i, k in enumerate(order[:-1], 1):
        ahead = " AND ".join(f"assay_s{k} >= {nearly}assay_s{other}" for other in order[i:])
        cases.append(f"WHEN {ahead} THEN {_sql_value(base.classes[k])}")
    cases.append(f"ELSE {_sql_value(base.classes[order[-1]])}")
    return "(SELECT CASE\n    " + "\n    ".join(cases) + f"\n  END FROM {votes})"


def _sum(parts: list[str]) -> str:
    """A sum, in groups so that no expression is nested too deeply; whole multiples of one unit add up exactly."""
    if len(parts) <= 50:
        return " + ".join(parts) or "0"
    return " + ".join(f"({_sum(parts[a : a + 50])})" for a in range(0, len(parts), 50))


def _sql_premise(rule: Rule, schema: Schema) -> str:
    return " AND ".join(_sql(c, schema) for c in rule.conditions) or "1 = 1"


def _python_premise(rule: Rule, schema: Schema, variables: dict[int, str]) -> str:
    return " and ".join(_python(c, schema, variables) for c in rule.conditions) or "True"


def _python_votes(base: RuleBase, variables: dict[int, str]) -> list[str]:
    """The lines that count the votes, and return the answer if any rule holds."""
    K = 1 if base.classes is None else len(base.classes)
    means = base.policy == "laplace"
    lines = [f"votes, fired = [0.0] * {K}, {f'[0] * {K}' if means else 0}"]
    if base.classes is None:
        lines.append("total = 0.0")
    for r, weights in zip(voting_order(base), _weights(base)):
        rule, count = base.rules[r], f"fired[{next(iter(weights))}]" if means else "fired"
        asked = "" if base.top is None else f"{count} < {base.top} and "
        lines += [f"if {asked}{_python_premise(rule, base.schema, variables)}:", f"    {count} += 1"]
        if base.classes is not None:
            lines += [f"    votes[{k}] += {w!r}" for k, w in weights.items()]
            continue
        *before, last = _python_answer(rule.answer, base.schema, variables)
        lines += [f"    {line}" for line in before]
        lines.append(f"    votes[0] += {weights[0]!r} * ({last.removeprefix('return ')})")
        lines.append(f"    total += {weights[0]!r}")
    lines.append("if any(fired):" if means else "if fired:")
    if base.classes is None:
        return [*lines, "    return votes[0] / total"]
    labels = "[" + ", ".join(_python_value(c) for c in base.classes) + "]"
    if base.policy not in ("chi_square", "laplace"):
        return [*lines, f"    return {labels}[votes.index(max(votes))]"]
    if means:
        lines.append("    votes = [v / max(n, 1) for v, n in zip(votes, fired)]")
    lines.append(f"    most = max(votes) * {1 - EQUAL!r}")
    return [*lines, f"    return {labels}[next(k for k in {tie_order(base)} if votes[k] >= most)]"]


def _sql(condition: RowTest, schema: Schema) -> str:
    if isinstance(condition, LinearCondition):
        expression = " + ".join(f"{number(w)} * {_sql_number(schema[j])}" for j, w in condition.terms) or "0"
        return _sql_interval(expression, condition.low, condition.high, False, True, _sql_end(False))
    if not isinstance(condition, Condition):
        raise TypeError(f"rules_sql: a {type(condition).__name__} has no SQL form.")
    column = schema[condition.column]
    name, gone = _sql_name(column.name), f"{_sql_name(column.name)} IS NULL"
    if column.coded:
        kept, excluded = condition.as_codes(column).sides(column)
        if not condition.missing:
            return f"{name} IN ({_sql_list(kept)})" if kept else "1 = 0"
        return f"({name} NOT IN ({_sql_list(excluded)}) OR {gone})" if excluded else "1 = 1"
    if condition.codes is not None:
        return gone if condition.missing else "1 = 0"
    expression = _sql_interval(
        name, condition.low, condition.high, condition.low_in, condition.high_in, _sql_end(column.date)
    )
    return f"({expression} OR {gone})" if condition.missing else expression


def _sql_answer(answer: Any, schema: Schema) -> str:
    if not isinstance(answer, LinearAnswer):
        return _sql_value(answer)
    parts = [number(answer.intercept)]
    for j, code, weight in answer.terms:
        name, values = _sql_name(schema[j].name), schema[j].categories
        if code is None:
            parts.append(f"{number(weight)} * {_sql_number(schema[j])}")
        else:
            value, any_ = _sql_value(values[code]), _sql_list(values)
            parts.append(
                f"CASE WHEN {name} = {value} THEN {number(weight)} WHEN {name} IN ({any_}) THEN 0 END"
            )
    return f"COALESCE({' + '.join(parts)}, {number(answer.otherwise)})"


def _sql_interval(expression: str, low: float, high: float, low_in: bool, high_in: bool, show: Any) -> str:
    if low == math.inf or high == -math.inf:  # no number of a table
        return "1 = 0"
    ends = [f"{expression} {'>=' if low_in else '>'} {show(low, low_in)}"] if low != -math.inf else []
    ends += [f"{expression} {'<=' if high_in else '<'} {show(high, not high_in)}"] if high != math.inf else []
    return " AND ".join(ends) or f"{expression} IS NOT NULL"


def _sql_number(column: Column) -> str:
    """A column as the number that a sum adds: ordered categories by their ranks."""
    if column.date:
        raise TypeError(f"to_sql: a sum with the date {column.name!r} has no SQL form. Use to_python().")
    if not column.coded:
        return _sql_name(column.name)
    ranks = "".join(f" WHEN {_sql_value(c)} THEN {code}" for code, c in enumerate(column.categories))
    return f"CASE {_sql_name(column.name)}{ranks} END" if ranks else "NULL"


def _sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sql_value(value: Any) -> str:
    value = native(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return number(value)
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def _sql_list(values: Sequence[Any]) -> str:
    return ", ".join(_sql_value(v) for v in values)


def _sql_end(date: bool) -> Callable[[float, bool], str]:
    """How the end of an interval is written; a date between two microseconds as the one that parts the same rows."""
    if not date:
        return lambda x, later: number(x)
    return lambda x, later: f"TIMESTAMP '{(date_ceil(x) if later else date_floor(x)).replace('T', ' ')}'"


def _python(condition: RowTest, schema: Schema, variables: dict[int, str]) -> str:
    if isinstance(condition, LinearCondition):
        parts = [f"{float(w)!r} * {_python_number(schema[j], variables[j])}" for j, w in condition.terms]
        expression = " + ".join(parts) or "0.0"
        return _python_interval(f"{expression}", condition.low, condition.high, False, True)
    if not isinstance(condition, Condition):
        raise TypeError(f"rules_python: a {type(condition).__name__} has no Python form.")
    column, v = schema[condition.column], variables[condition.column]
    if column.coded:
        kept, excluded = condition.as_codes(column).sides(column)
        values = excluded if condition.missing else kept
        inside = "[" + ", ".join(_python_value(value) for value in values) + "]"
        return f"{v} {'not in' if condition.missing else 'in'} {inside}"
    if condition.codes is not None:
        return f"{v} != {v}" if condition.missing else "False"
    expression = _python_interval(v, condition.low, condition.high, condition.low_in, condition.high_in)
    return f"({expression} or {v} != {v})" if condition.missing else expression


def _python_answer(answer: Any, schema: Schema, variables: dict[int, str]) -> list[str]:
    """The lines that return the answer."""
    if not isinstance(answer, LinearAnswer):
        return [f"return {_python_value(answer)}"]
    expression = repr(float(answer.intercept))
    for j, code, weight in answer.terms:
        v = variables[j]
        if code is None:
            expression += f" + {float(weight)!r} * {_python_number(schema[j], v)}"
        else:
            values = [_python_value(value) for value in schema[j].categories]
            known = "[" + ", ".join(values) + "]"
            expression += (
                f" + ({float(weight)!r} if {v} == {values[code]} else 0.0 if {v} in {known} else nan)"
            )
    return [f"y = {expression}", f"return y if y == y else {float(answer.otherwise)!r}"]


def _python_interval(expression: str, low: float, high: float, low_in: bool, high_in: bool) -> str:
    if low == math.inf or high == -math.inf:  # no number of a table
        return "False"
    before = f"{float(low)!r} {'<=' if low_in else '<'} " if low != -math.inf else ""
    after = f" {'<=' if high_in else '<'} {float(high)!r}" if high != math.inf else ""
    return f"{before}{expression}{after}" if before or after else f"({expression}) == ({expression})"


def _python_number(column: Column, variable: str) -> str:
    """A column as the number that a sum adds: ordered categories by their ranks."""
    if not column.coded:
        return variable
    ranks = ", ".join(f"{_python_value(c)}: {code}" for code, c in enumerate(column.categories))
    return f"{{{ranks}}}.get({variable}, nan)"


def _python_value(value: Any) -> str:
    """The source of a label or number; labels of other kinds as the text they print."""
    return repr(plain(value))
