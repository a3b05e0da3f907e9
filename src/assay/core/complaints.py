"""What all learners say of a table that they cannot use, or use in part, as it is."""

from __future__ import annotations

import numpy as np

from assay.errors import SchemaWarning, warn_user
from assay.tables import Table
from assay.tables.table import UNSEEN

__all__ = ["missing_message", "missing_remedy", "warn_unseen"]


def warn_unseen(table: Table, who: str, fate: str) -> None:
    """One warning a column: which categories ``fit`` did not see, in how many rows, and what was done with them."""
    for name, values in table.unseen.items():
        rows = int((table.values[:, table.schema.index(name)] == UNSEEN).sum())
        shown = ", ".join(repr(v) for v in values[:3]) + (", ..." if len(values) > 3 else "")
        warn_user(
            f"{who}: column {name!r} has {len(values)} unseen categor{'y' if len(values) == 1 else 'ies'} ({shown}) "
            f"in {rows} row{'' if rows == 1 else 's'}; {fate}.",
            SchemaWarning,
        )


def missing_remedy(who: str, wrapper: str, alternative: str = "") -> str:
    """What to do about missing values that a learner cannot use; an alternative of its own comes first.

    Parameters
    ----------
    wrapper : the class of assay.prepare that prepares such learners; "" if there is none

    >>> from assay.core.complaints import missing_remedy
    >>> print(missing_remedy("GaussianNB", "Prepared"))
    Prepared(GaussianNB()) of assay.prepare fills them in with what it learns from the training rows, and compare does \
so by itself; or drop the rows.
    """
    if wrapper:
        filled = (
            f"{wrapper}({who}()) of assay.prepare fills them in with what it learns from the training rows, and "
            "compare does so by itself; or drop the rows."
        )
    else:
        filled = (
            f"make_pipeline(SimpleImputer(), {who}()) with assay.prepare.SimpleImputer fills them in with what it "
            "learns from the training rows; or drop the rows."
        )
    return f"{alternative} {filled}".strip()


def missing_message(who: str, table: Table, remedy: str) -> str:
    """The column with the most missing values, how many there are, and what to do.

    >>> import numpy as np
    >>> from assay.core.complaints import missing_message
    >>> from assay.tables import Table
    >>> missing_message("Learner", Table.of([[1.0, None], [None, None]]), "Impute first.")
    'Learner: column x1 has 2 missing values (NaN) (and 1 more column). Impute first.'
    """
    X = table.values
    n_missing = np.asarray(
        np.isnan(X).sum(axis=0) if isinstance(X, np.ndarray) else (X != X).sum(axis=0)
    ).ravel()
    worst = int(np.argmax(n_missing))
    others = int((n_missing > 0).sum()) - 1
    more = f" (and {others} more column{'' if others == 1 else 's'})" if others else ""
    count = f"{n_missing[worst]} missing value{'' if n_missing[worst] == 1 else 's'}"
    return f"{who}: column {table.schema[worst].name} has {count} (NaN){more}. {remedy}"
