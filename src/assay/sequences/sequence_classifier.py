"""A model of sequences for each class, and Bayes' rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from assay.core import Card, Explanation
from assay.core.explanation import Section
from assay.core.fitting import all_or_nothing
from assay.core.model_view import ModelView, Part, model_facts
from assay.core.parameters import Choice, Count, Instance, Range, Simplex, check
from assay.core.scores import softmax
from assay.core.stored import AnyArray, Each, FloatArray, Mapped, Object, Plain, Text
from assay.core.targets import check_weights, encode_labels
from assay.errors import DataError, DegenerateError, ParameterError
from assay.sequences.gaussian_hmm import GaussianHMM
from assay.sequences.mixed_hmm import MixedHMM
from assay.sequences.sequences import Sequences
from assay.tables import Schema
from assay.types import Labels, SequencesLike, Target, Weights

__all__ = ["SequenceClassifier"]

ROWS_SHOWN = 50  # of a sequence in an explanation


class SequenceClassifier(ClassifierMixin, BaseEstimator):
    r"""Classify whole sequences: one model for each class, and Bayes' posterior.

    .. math:: P(k \mid O) = \frac{P(O \mid \lambda_k)\, \pi_k}{\sum_j P(O \mid \lambda_j)\, \pi_j} \quad (1)

    ``estimator`` is any model with ``fit`` and ``log_likelihoods`` of sequences: a hidden Markov model, a linear
    dynamical system, a Markov chain. It takes part in ``compare``: with `Sequences` as X, whole sequences are in a
    fold, and learners of plain tables see a line for each (`Sequences.summary`).

    Cost: fit that of the estimator; predict O(c) times a score of the estimator for c classes; memory O(c) models.

    Parameters
    ----------
    estimator : default None
        The model, not fitted; None is ``GaussianHMM(3, n_iter=20, n_init=5, random_state=0)``, and ``MixedHMM`` with
        smoothed symbols (``emissionprob_prior=2``) where a column holds categories.
    priors : (c,) probabilities, default None
        Of the classes, in the order of ``classes_``; None takes their shares.
    training : "generative" or "discriminative", default "generative"
        Each model to its own class by EM; or from there on all models together, so that the posteriors (1) of the right
        classes grow (maximum mutual information), for CategoricalHMM and GaussianHMM with diagonal covariances.
    alpha : float, default 0.1
        Discriminative training: how strongly parameters are held where EM left them.
    max_iter : int, default 50
        Steps of discriminative training at most.

    Attributes
    ----------
    classes_ : (c,)      estimators_ : list of the models      class_prior_ : (c,)
    history_ : list of dict, of discriminative training: iteration, objective

    Examples
    --------
    >>> from assay.sequences import CategoricalHMM, SequenceClassifier
    >>> words = [list("abab"), list("baba"), list("aabb"), list("bbaa")]
    >>> model = SequenceClassifier(CategoricalHMM(2, random_state=0, n_iter=50, emissionprob_prior=1.1))
    >>> model.fit(words, ["mixed", "mixed", "sorted", "sorted"]).predict([list("ababab"), list("aaabbb")])
    array(['mixed', 'sorted'], dtype='<U6')

    See Also
    --------
    GaussianHMM, CategoricalHMM, Sequences

    References
    ----------
    - Rabiner, L. R. (1989). A tutorial on hidden Markov models and selected applications in speech recognition.
      Proceedings of the IEEE 77(2), 257-286. doi:10.1109/5.18626
    - Bahl, L. R., Brown, P. F., de Souza, P. V. and Mercer, R. L. (1986). Maximum mutual information estimation of
      hidden Markov model parameters for speech recognition. ICASSP, 49-52. doi:10.1109/ICASSP.1986.1169179
    """

    card = Card("sequence classifier", "a model of sequences for each class, and Bayes' rule")
    accepts = {
        "estimator": Instance(having="log_likelihoods", words="a model of sequences with log_likelihoods()")
        | None,
        "priors": Simplex() | None,
        "training": Choice("generative", "discriminative"),
        "alpha": Range(0),
        "max_iter": Count(1),
    }
    stored = {
        "history_": Each(Plain()),
        "target_name_": Text() | None,
        "reading_": Mapped(Each(Text())),
        "classes_": AnyArray("K"),
        "class_prior_": FloatArray("K", low=0, high=1),
        "estimators_": Each(Object(BaseEstimator)),
        "schema_": Object(Schema),
    }
    takes_sequences = True
    multiclass = "native"

    def __init__(
        self,
        estimator: Any = None,
        *,
        priors: Any = None,
        training: str = "generative",
        alpha: float = 0.1,
        max_iter: int = 50,
    ):
        self.estimator = estimator
        self.priors = priors
        self.training = training
        self.alpha = alpha
        self.max_iter = max_iter

    def show(self, limit: int | None = 50) -> ModelView:
        """The shares of the classes, and the model of each: chain and emissions.

        Parameters
        ----------
        limit : int or None, default 50
            The most rows of a table that are shown; None shows all.
        """
        check_is_fitted(self)
        check(type(self).__name__, {"limit": Count(1) | None}, {"limit": limit})
        shares = [[str(label), float(p)] for label, p in zip(self.classes_, self.class_prior_)]
        parts: list[Part] = [Section("Class priors", ["class", "probability"], shares)]
        for label, model in zip(self.classes_, self.estimators_):
            if hasattr(model, "show"):
                parts += [replace(part, title=f"{label}: {part.title}") for part in model.show().parts]
        return ModelView(type(self).__name__, model_facts(self), parts, limit)

    @all_or_nothing
    def fit(
        self,
        X: SequencesLike,
        y: Target,
        lengths: ArrayLike | None = None,
        *,
        sample_weight: Weights | None = None,
    ) -> Self:
        """Fit a model to the sequences of each class.

        Parameters
        ----------
        X : whatever `Sequences.of` takes      y : (S,) the class of each sequence
        lengths : (S,) rows of each sequence, if X is one array
        sample_weight : (S,) how much each sequence counts, for its model and for the share of its class
        """
        who = type(self).__name__
        check(who, self.accepts, vars(self))
        data = Sequences.of(X, lengths, who=who)
        labels: Any = np.asarray(y)
        if labels.ndim == 1 and len(labels) != len(data):
            raise DataError(
                f"X has {len(data)} sequence{'s' if len(data) != 1 else ''} ({len(data.values)} rows in all) and y "
                f"{len(labels)} labels, expected a label for each sequence. Make X a list of sequences.",
                who=who,
            )
        classes, codes = encode_labels(y, len(data), who)
        if self.priors is not None and len(self.priors) != len(classes):
            raise DataError(f"there are {len(classes)} classes and {len(self.priors)} priors.", who=who)
        self.schema_, self.classes_ = data.schema, classes
        w = check_weights(sample_weight, len(data), who)
        if w is not None and self.training == "discriminative":
            raise ParameterError(
                "discriminative training counts all sequences alike. Leave sample_weight out, or train generatively.",
                who=who,
            )
        totals = np.bincount(codes, w, minlength=len(classes))
        if not totals.all():
            raise DataError(f"all sequences of class {classes[int(totals.argmin())]} have weight 0.", who=who)
        self.class_prior_ = (
            totals / totals.sum() if self.priors is None else np.asarray(self.priors, dtype=np.float64)
        )
        base = _default_model(data) if self.estimator is None else self.estimator
        if w is not None and not has_fit_parameter(base, "sample_weight"):
            raise ParameterError(f"{type(base).__name__} takes no sample_weight.", who=who)
        self.estimators_ = []
        for k in range(len(classes)):
            of_class = np.flatnonzero(codes == k)
            weights = {} if w is None else {"sample_weight": w[of_class]}
            self.estimators_.append(clone(base).fit(data.take(of_class), **weights))
        if self.training == "discriminative":
            from assay.sequences.discriminative import train_discriminatively

            with np.errstate(divide="ignore"):
                log_priors = np.log(self.class_prior_)
            best = train_discriminatively(
                self.estimators_, data, codes, log_priors, self.alpha, self.max_iter
            )
            self.history_ = [{"iteration": r.iteration, "objective": float(r.value)} for r in best.history]
        return self

    @classmethod
    def of(cls, models: Any, classes: Labels, priors: ArrayLike | None = None) -> SequenceClassifier:
        """A classifier of models that are already there."""
        made = cls(models[0], priors=priors)
        made.estimators_, made.classes_ = list(models), np.asarray(classes)
        made.class_prior_ = (
            np.full(len(models), 1 / len(models)) if priors is None else np.asarray(priors, dtype=np.float64)
        )
        return made

    def _log_joint(self, X: Any, lengths: Any = None) -> np.ndarray:
        check_is_fitted(self, "estimators_")
        data = Sequences.of(X, lengths, schema=vars(self).get("schema_"), who=type(self).__name__)
        logs = np.column_stack([model.log_likelihoods(data) for model in self.estimators_])
        with np.errstate(divide="ignore"):
            joint = logs + np.log(self.class_prior_)
        lost = np.isneginf(joint).all(axis=1)
        if lost.any():
            raise DegenerateError(
                f"sequence {data.ids[int(np.argmax(lost))]} is impossible in every class.",
                who=type(self).__name__,
            )
        return joint

    def predict_proba(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(S, c) the posterior of the classes of each sequence."""
        return softmax(self._log_joint(X, lengths))

    def predict_log_proba(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(S, c) its logarithm."""
        joint = self._log_joint(X, lengths)
        return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)

    def predict(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(S,) the most probable class of each sequence; ties go to the first."""
        return self.classes_[self._log_joint(X, lengths).argmax(axis=1)]

    def score(self, X: SequencesLike, y: Target, lengths: ArrayLike | None = None) -> float:
        """The share of sequences whose class is right."""
        return float(np.mean(self.predict(X, lengths) == np.asarray(y)))

    def explain(self, X: SequencesLike) -> Explanation:
        """Why one sequence has its class: how the log likelihood of every class grows row by row."""
        data = Sequences.of(X, schema=vars(self).get("schema_"), who=type(self).__name__)
        if len(data) != 1 or not len(data.values):
            raise DataError(
                f"explain takes one sequence at a time, got {len(data)}.", who=type(self).__name__
            )
        posterior = self.predict_proba(data)[0]
        rows = len(data.values)
        shown = np.unique(np.linspace(1, rows, min(rows, ROWS_SHOWN)).astype(int))
        growth = [
            [
                model.log_likelihoods(Sequences(data.values[:t], [0, t], data.schema))[0]
                for model in self.estimators_
            ]
            for t in shown
        ]
        lines = [[int(t) - 1, *(float(v) for v in logs)] for t, logs in zip(shown, growth)]
        labels = [str(c) for c in self.classes_]
        parts = [
            [label, float(p), float(final), float(q)]
            for label, p, final, q in zip(labels, self.class_prior_, growth[-1], posterior)
        ]
        sections = [
            Section("Bayes' rule", ["class", "prior", "log likelihood", "posterior"], parts),
            Section("Log likelihood of the rows so far", ["row", *labels], lines),
        ]
        answer = self.classes_[int(posterior.argmax())]
        return Explanation(
            type(self).__name__, answer, dict(zip(labels, posterior.tolist())), {"rows": rows}, sections
        )


def _default_model(data: Sequences) -> Any:
    """Normal densities; with categories, a family for each column, in which no symbol is impossible."""
    settings: dict[str, Any] = {"n_iter": 20, "n_init": 5, "random_state": 0}
    if data.schema.coded.any():
        return MixedHMM(3, emissionprob_prior=2.0, **settings)
    return GaussianHMM(3, **settings)
