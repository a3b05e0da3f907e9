"""The parameters of a naive Bayes model as data and as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import text_table


def naive_tables(model: Any) -> dict[str, dict[Any, Any]]:
    """Of each column and class: probabilities of values, mean and variance, or the density."""
    labels = model.classes_.tolist()
    place = {j: g for g, j in enumerate(model.gaussian_columns_.tolist())}
    tables: dict[str, dict[Any, Any]] = {}
    for j, column in enumerate(model.schema_):
        logs = model.feature_log_prob_[j]
        if column.name in model.densities_:
            tables[column.name] = dict(zip(labels, model.densities_[column.name]))
        elif j in place:
            pairs = zip(model.theta_[:, place[j]].tolist(), model.var_[:, place[j]].tolist())
            tables[column.name] = {k: {"mean": m, "var": v} for k, (m, v) in zip(labels, pairs)}
        elif logs.shape[1]:
            values = column.categories if column.coded else range(logs.shape[1])
            tables[column.name] = {k: dict(zip(values, row)) for k, row in zip(labels, np.exp(logs).tolist())}
    return tables


def naive_text(model: Any) -> str:
    """The model as people read it: its parameters, the priors, one table for each column."""
    labels = model.classes_.tolist()
    parts = [repr(model), "Prior\n" + text_table([str(k) for k in labels], [model.class_prior_.tolist()])]
    for name, table in naive_tables(model).items():
        if name in model.densities_:
            heads, rows = ["class", "density"], [[str(k), repr(table[k])] for k in labels]
        else:
            heads = ["class", *map(str, table[labels[0]])]
            rows = [[str(k), *table[k].values()] for k in labels]
        parts.append(f"{name} ({model.families_[name]})\n{text_table(heads, rows)}")
    silent = [name for name, family in model.families_.items() if family == "none"]
    if silent:
        parts.append(f"Left out (all missing, or constant): {', '.join(silent)}")
    return "\n\n".join(parts)
