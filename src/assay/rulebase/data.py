"""Rules as plain data (text, numbers, lists, dicts) that JSON can hold, and back."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import DataError
from assay.rulebase.conditions import Condition, LinearCondition, RowTest
from assay.rulebase.linear_answer import LinearAnswer
from assay.tables import Column, Schema

if TYPE_CHECKING:
    from assay.rulebase.rules import RuleBase

_MAX_FLOAT = sys.float_info.max
__all__ = ["native", "plain", "rules_data", "rules_from_data"]


def rules_data(base: RuleBase) -> dict[str, Any]:
    """The rules as text, numbers, lists and dicts; what a condition does not limit is left out."""
    return {
        "target": base.target,
        "classes": None if base.classes is None else [plain(c) for c in base.classes],
        "policy": base.policy,
        "top": None if base.top is None else int(base.top),
        "columns": [_column_data(column) for column in base.schema],
        "named": base.schema.named,
        "rules": [
            {
                "if": [_condition_data(c, base.schema) for c in rule.conditions],
                "then": _answer_data(rule.answer, base.schema),
                "support": rule.support,
                "accuracy": rule.accuracy,
                "rows": rule.n,
                "of": rule.total,
                "counts": list(rule.counts),
                "correct": rule.correct,
                "error": rule.error,
            }
            for rule in base.rules
        ],
        "default": _answer_data(base.default, base.schema),
        "default counts": list(base.default_counts),
        "totals": list(base.totals),
        "smoothing": base.smoothing,
    }


def rules_from_data(data: Mapping[str, Any]) -> RuleBase:
    """The rule base that such data describe; labels are text, numbers or truth values."""
    from assay.rulebase.rules import Rule, RuleBase

    try:
        schema = Schema([_column(entry) for entry in data["columns"]], data.get("named", True))
        place = {column.name: j for j, column in enumerate(schema)}
        if len(place) < len(schema):
            raise ValueError("two columns have the same name")
        if isinstance(data.get("classes"), str):
            raise ValueError("the classes must be a list")
        rules = tuple(
            Rule(
                tuple(_condition(c, schema, place) for c in entry["if"]),
                _answer(entry["then"], schema, place),
                float(entry.get("rows", 0.0)),
                float(entry.get("of", 0.0)),
                tuple(map(float, entry.get("counts", ()))),
                _number(entry.get("correct")),
                _number(entry.get("error")),
            )
            for entry in data["rules"]
        )
        base = RuleBase(
            rules,
            schema,
            None if data.get("classes") is None else tuple(data["classes"]),
            _answer(data.get("default"), schema, place),
            str(data.get("target", "")),
            data.get("policy", "first"),
            tuple(map(float, data.get("totals", ()))),
            tuple(map(float, data.get("default counts", ()))),
            float(data.get("smoothing", 1.0)),
            data.get("top"),
        )
        base._check_stored()
    except DataError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        reason = f"there is no {error.args[0]!r}" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise DataError(f"RuleBase.from_dict: this is not what to_dict() makes: {reason}.") from error
    return base


def plain(value: Any) -> Any:
    """A label or number that JSON can hold; labels of other kinds as the text they print."""
    value = native(value)
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def native(value: Any) -> Any:
    """A NumPy number as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def _column_data(column: Column) -> dict[str, Any]:
    data: dict[str, Any] = {"name": column.name, "kind": "date" if column.date else column.kind}
    return data | ({"categories": [plain(c) for c in column.categories]} if column.coded else {})


def _column(data: Mapping[str, Any]) -> Column:
    kind, date = data["kind"], data["kind"] == "date"
    if kind not in ("numeric", "nominal", "ordinal", "date"):
        raise ValueError(f"a column of kind {kind!r}")
    categories = tuple(data.get("categories", ()))
    if len(set(categories)) < len(categories):
        raise ValueError(f"two categories of {data['name']!r} are the same")
    return Column(str(data["name"]), "numeric" if date else kind, categories, date)


def _condition_data(condition: RowTest, schema: Schema) -> dict[str, Any]:
    """A condition as plain data; what is not limited is left out."""
    if isinstance(condition, LinearCondition):
        data: dict[str, Any] = {"weights": {schema[j].name: w for j, w in condition.terms}}
        return data | _ends(condition.low, condition.high)
    if not isinstance(condition, Condition):
        return {"words": condition.words(schema)}
    column = schema[condition.column]
    data = {"column": column.name}
    if column.coded or condition.codes is not None:
        data["in"] = [plain(v) for v in condition.as_codes(column).sides(column)[0]]
    elif condition.low == math.inf or condition.high == -math.inf:  # no number of a table, and none of JSON
        data["in"] = []
    else:
        data |= _ends(condition.low, condition.high)
        if condition.closed != "right":
            data["closed"] = condition.closed
    return data | ({"missing": True} if condition.missing else {})


def _condition(data: Mapping[str, Any], schema: Schema, place: Mapping[str, int]) -> RowTest:
    low, high = float(data.get("above", -math.inf)), float(data.get("up to", math.inf))
    if "weights" in data:
        return LinearCondition(
            tuple((place[name], float(w)) for name, w in data["weights"].items()), low, high
        )
    j, missing = place[data["column"]], bool(data.get("missing", False))
    if "in" not in data:
        return Condition(j, low, high, data.get("closed", "right"), None, missing)
    code = {plain(c): k for k, c in enumerate(schema[j].categories)}
    return Condition(j, codes=tuple(code[label] for label in data["in"]), missing=missing)


def _answer_data(answer: Any, schema: Schema) -> Any:
    if not isinstance(answer, LinearAnswer):
        return plain(answer)
    terms = [
        {"column": schema[j].name, "weight": weight}
        | ({} if code is None else {"category": plain(schema[j].categories[code])})
        for j, code, weight in answer.terms
    ]
    return {"intercept": answer.intercept, "terms": terms, "missing": answer.otherwise}


def _answer(data: Any, schema: Schema, place: Mapping[str, int]) -> Any:
    if not isinstance(data, Mapping):
        return data
    terms = []
    for term in data["terms"]:
        j = place[term["column"]]
        labels = [plain(c) for c in schema[j].categories]
        terms.append(
            (j, labels.index(term["category"]) if "category" in term else None, float(term["weight"]))
        )
    return LinearAnswer(float(data["intercept"]), tuple(terms), float(data["missing"]))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _ends(low: float, high: float) -> dict[str, float]:
    low, high = min(float(low), _MAX_FLOAT), max(float(high), -_MAX_FLOAT)
    return ({"above": low} if low > -math.inf else {}) | ({"up to": high} if high < math.inf else {})
