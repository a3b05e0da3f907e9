"""Counts of words weighed by how rare a word is."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.core import Card
from assay.core.parameters import Choice, Flag, check
from assay.core.stored import AnyArray, FloatArray, Integer
from assay.errors import DataError, warn_user
from assay.types import TableLike, Target

__all__ = ["TfidfTransformer"]


class TfidfTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""Counts of terms, weighed by the rarity of the term, and each row made to length 1.

    .. math:: \text{idf}_t = \ln \frac{1 + n}{1 + n_t} + 1, \qquad x_{dt} = \text{tf}_{dt}\, \text{idf}_t     \quad (1)

    :math:`n_t` of the n documents have the term t. Names, parameters and answers are scikit-learn's. The counts of
    documents are a sum: ``partial_fit`` adds further documents, with the same result as one ``fit`` of all.

    Cost: fit O(entries); transform O(terms of a document); memory O(vocabulary).

    Parameters
    ----------
    norm : "l1", "l2" or None, default "l2"
        What is made 1 in each row.
    use_idf : bool, default True
        Without it, terms are not weighed.
    smooth_idf : bool, default True
        Whether (1) counts one document more that has every term.
    sublinear_tf : bool, default False
        1 + ln tf in place of tf.

    Attributes
    ----------
    idf_ : (terms,)      n_features_in_ : int
    document_counts_ : (terms,) documents that have each term      n_documents_ : int

    Examples
    --------
    >>> from assay.text import TfidfTransformer
    >>> TfidfTransformer(norm=None).fit_transform([[1, 1], [2, 0]]).toarray().round(4).tolist()
    [[1.0, 1.4055], [2.0, 0.0]]

    See Also
    --------
    TfidfVectorizer, CountVectorizer

    References
    ----------
    - Salton, G. and Buckley, C. (1988). Term-weighting approaches in automatic text retrieval. Information Processing
      and Management 24, 513-523.
    """

    card = Card("tf-idf of counts", "counts of words weighed by how rare they are")
    storable = True
    accepts = {
        "norm": Choice("l1", "l2") | None,
        "use_idf": Flag(),
        "smooth_idf": Flag(),
        "sublinear_tf": Flag(),
    }
    stored = {
        "idf_": FloatArray("t"),
        "document_counts_": FloatArray("t", low=0),
        "n_documents_": Integer(low=0),
        "n_features_in_": Integer("t"),
        "feature_names_in_": AnyArray("t"),
    }

    document_counts_: np.ndarray
    n_documents_: int
    idf_: np.ndarray

    def __init__(
        self,
        *,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
    ):
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: TableLike, y: Target | None = None) -> Self:
        """Learn how rare each term is from the counts X; y is ignored."""
        check(type(self).__name__, self.accepts, vars(self))
        for name in ("idf_", "document_counts_", "n_documents_"):
            self.__dict__.pop(name, None)
        return self._add(X, first=True)

    def partial_fit(self, X: TableLike, y: Target | None = None) -> Self:
        """Add the counts of further documents; y is ignored."""
        check(type(self).__name__, self.accepts, vars(self))
        return self._add(X, first="n_documents_" not in vars(self))

    def _add(self, X: Any, first: bool) -> Self:
        import scipy.sparse as sp

        X = validate_data(self, X, accept_sparse=("csr", "csc"), reset=first)
        dtype = X.dtype if X.dtype in (np.float64, np.float32) else np.float64
        rows = X if sp.issparse(X) else sp.csr_matrix(X)
        if rows.format == "csr":
            present = np.bincount(rows.indices, minlength=rows.shape[1])
        else:
            present = np.diff(rows.indptr)
        known = 0.0 if first else self.document_counts_
        self.document_counts_ = present.astype(np.float64) + known
        self.n_documents_ = rows.shape[0] + (0 if first else self.n_documents_)
        if self.use_idf:
            more = float(self.smooth_idf)
            if not more and not self.document_counts_.all():
                warn_user(
                    f"{type(self).__name__}: {int((self.document_counts_ == 0).sum())} terms are in no document, and "
                    "so infinitely rare. Use smooth_idf=True.",
                    RuntimeWarning,
                )
            with np.errstate(divide="ignore"):
                idf = np.log((self.n_documents_ + more) / (self.document_counts_ + more)) + 1.0
            self.idf_ = idf.astype(dtype)
        return self

    def transform(self, X: Any, copy: bool = True) -> Any:
        """The weighed terms of each document, a CSR matrix; ``copy=False`` may write to X, if it is one of floats."""
        import scipy.sparse as sp

        check_is_fitted(self)
        X = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], copy=copy, reset=False
        )
        if not sp.issparse(X):
            X = sp.csr_matrix(X)
        if self.sublinear_tf:
            X.eliminate_zeros()  # a count of 0 that is stored: hashed terms that cancelled
            if (X.data < 0).any():
                raise DataError(
                    f"{type(self).__name__}: sublinear_tf takes logarithms of counts, and some are below 0. Use "
                    "sublinear_tf=False, or hash with alternate_sign=False."
                )
            np.log(X.data, out=X.data)
            X.data += 1.0
        if "idf_" in vars(self):
            X.data *= self.idf_[X.indices]
        if self.norm is not None:
            _scale_rows(X, self.norm)
        return X


def _scale_rows(X: Any, norm: str) -> None:
    """Make the rows of a CSR matrix of length 1, in place; empty rows stay."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    parts = np.abs(X.data) if norm == "l1" else X.data * X.data
    lengths = np.bincount(rows, weights=parts, minlength=X.shape[0])
    if norm == "l2":
        lengths = np.sqrt(lengths)
    lengths[lengths == 0] = 1.0
    X.data /= lengths[rows].astype(X.dtype)
