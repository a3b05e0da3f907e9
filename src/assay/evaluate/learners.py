"""The learners that can be called by a short name, and which of them suit a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from assay.errors import ParameterError
from assay.tables import Table

__all__ = [
    "LEARNERS",
    "Entry",
    "find_learner",
    "make_learner",
    "multiclass_of",
    "not_tried",
    "register",
    "suitable",
    "why_not_tried",
]


@dataclass(frozen=True)
class Entry:
    """A learner's line in the table of short names.

    Parameters
    ----------
    name : str
        The short name, as people say it: "naive bayes".
    where : str
        Module and class, "assay.bayes:NaiveBayes"; imported when it is first used.
    description : str
        What it assumes, in a few words.
    settings : dict
        Parameters that differ from the class's defaults.
    scale : bool
        Whether its numbers should be made comparable (z-scores) first.
    suits : "any", "numeric" (some column is), "all numeric", "all nominal" or "on request"
        The tables for which it is tried when nobody named learners.
    other : tuple of str
        Further names.
    most : int, default None
        The number of rows beyond which it is tried only if named, because its time grows with their square.
    """

    name: str
    where: str
    description: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    scale: bool = False
    suits: str = "any"
    other: tuple[str, ...] = ()
    most: int | None = None

    def make(self, **settings: Any) -> Any:
        """A new learner, not fitted; ``settings`` overrule the entry's own."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)(**{**self.settings, **settings})

    @property
    def class_name(self) -> str:
        return self.where.partition(":")[2]


def multiclass_of(entry: Entry) -> str:
    """How a learner tells more than two classes apart; "" for one that predicts numbers.

    >>> from assay.evaluate.learners import find_learner, multiclass_of
    >>> multiclass_of(find_learner("naive bayes")), multiclass_of(find_learner("ripper"))
    ('native', 'one-vs-rest')
    """
    module, _, name = entry.where.partition(":")
    return str(getattr(getattr(import_module(module), name), "multiclass", ""))


ON_REQUEST = "on request"
LEARNERS: dict[str, Entry] = {}


def register(entry: Entry) -> None:
    """Add a learner to the table of short names; a name that is taken is an error.

    >>> from assay.evaluate.learners import LEARNERS, Entry, register
    >>> register(Entry("majority", "assay.baselines:MajorityClassifier"))
    Traceback (most recent call last):
    assay.errors.ParameterError: register: the name 'majority' is taken by MajorityClassifier.
    """
    for name in (entry.name, *entry.other):
        taken = _find(name)
        if taken is not None:
            raise ParameterError(f"register: the name {name!r} is taken by {taken.class_name}.")
    LEARNERS[entry.name] = entry


def find_learner(name: str) -> Entry:
    """The entry behind a short name, another name, or a class name; capitals, hyphens and spaces do not count.

    >>> from assay.evaluate.learners import find_learner
    >>> find_learner("Naive-Bayes").where
    'assay.bayes:NaiveBayes'
    """
    found = _find(name)
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(str(name).lower(), LEARNERS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(f"There is no learner {name!r}.{hint} Known: {', '.join(LEARNERS)}.")
    return found


def make_learner(name: str, **settings: Any) -> Any:
    """A new learner by its short name.

    >>> from assay.evaluate import make_learner
    >>> make_learner("majority")
    MajorityClassifier()
    """
    return find_learner(name).make(**settings)


def suitable(table: Table) -> list[Entry]:
    """The learners that are tried on a table when nobody named any."""
    return [entry for entry in LEARNERS.values() if not why_not_tried(entry, table)]


def why_not_tried(entry: Entry, table: Table) -> str:
    """Why a learner is tried on a table only if it is named; "" for one that is tried.

    >>> from assay.evaluate.learners import LEARNERS, why_not_tried
    >>> from assay.tables import Table
    >>> why_not_tried(LEARNERS["lda"], Table.of({"taste": ["sweet", "sour"]}))
    'it needs numeric columns'
    """
    coded = table.schema.coded
    if entry.suits == "on request":
        return ON_REQUEST
    if entry.suits == "numeric" and coded.all():
        return "it needs numeric columns"
    if entry.suits == "all numeric" and coded.any():
        return "it needs numeric columns alone"
    if entry.suits == "all nominal" and not coded.all():
        return "it needs nominal columns alone"
    if entry.most is not None and len(table) > entry.most:
        return f"its time grows with the square of the rows, and there are more than {entry.most:,}"
    return ""


def not_tried(table: Table) -> str:
    """The sentence about the learners that are tried only if named, and why.

    >>> from assay.evaluate.learners import not_tried
    >>> from assay.tables import Table
    >>> not_tried(Table.of([[1.0], [2.0]]))
    'Not tried unless named: ... more that are tried on request alone; assay learners lists them.'
    """
    reasons = {entry.name: why_not_tried(entry, table) for entry in LEARNERS.values()}
    by_reason: dict[str, list[str]] = {}
    for name, why in reasons.items():
        if why and why != ON_REQUEST:
            by_reason.setdefault(why, []).append(name)
    parts = [f"{', '.join(names)} ({why})" for why, names in by_reason.items()]
    asked = sum(why == ON_REQUEST for why in reasons.values())
    parts += [f"{asked} more that are tried on request alone; assay learners lists them"] if asked else []
    return f"Not tried unless named: {', '.join(parts)}." if parts else ""


def _find(name: str) -> Entry | None:
    wanted = _plain(name)
    return next(
        (e for e in LEARNERS.values() if wanted in map(_plain, (e.name, e.class_name, *e.other))), None
    )


def _plain(name: str) -> str:
    return "".join(c for c in str(name).lower() if c.isalnum())


for _entry in (
    Entry("majority", "assay.baselines:MajorityClassifier", "the most frequent class; the baseline",
          other=("baseline", "dummy", "prior")),
    Entry("naive bayes", "assay.bayes:NaiveBayes",
          "columns independent within a class: Gaussian numbers, counted categories", other=("nb",)),
    Entry("lda", "assay.bayes:LinearDiscriminantAnalysis", "one Gaussian per class, one covariance for all",
          suits="numeric", other=("linear discriminant",)),
    Entry("qda", "assay.bayes:QuadraticDiscriminantAnalysis", "one Gaussian per class, each its own covariance",
          suits="all numeric", other=("quadratic discriminant",)),
    Entry("rda", "assay.bayes:RegularizedDiscriminantAnalysis", "between lda and qda, shrunk",
          scale=True,
          suits="numeric", other=("regularized discriminant",)),
    Entry("nearest mean", "assay.bayes:NearestMean", "the class whose mean is closest", scale=True,
          suits="numeric"),
    Entry("nearest centroid", "assay.neighbors:NearestCentroid",
          "the class whose centre is closest, by one of several distances", scale=True, suits="on request"),
    Entry("knn", "assay.neighbors:KNeighborsClassifier", "the five nearest rows vote", scale=True,
          other=("nearest neighbours", "nearest neighbors", "ibk"), most=50_000),
    Entry("parzen", "assay.neighbors:ParzenClassifier", "all rows vote, the nearer the more",
          settings={"bandwidth": "leave_one_out", "metric": "euclidean"}, scale=True, suits="on request"),
    Entry("logistic", "assay.linear:LogisticRegression", "a weighted sum of the columns gives the log odds",
          settings={"max_iter": 1000}, scale=True, other=("logistic regression", "softmax", "logit")),
    Entry("lasso logistic", "assay.linear:LogisticRegressionCV",
          "the same with few columns, how few by cross-validation",
          settings={"l1_ratios": (1.0,), "use_legacy_attributes": False, "scoring": "neg_log_loss", "max_iter": 1000},
          scale=True, suits="on request", other=("l1 logistic",)),
    Entry("ridge", "assay.linear:RidgeClassifier", "least squares on coded classes, shrunk", scale=True,
          suits="on request", other=("ridge classifier",)),
    Entry("perceptron", "assay.linear:Perceptron", "corrects one mistake after the other", scale=True,
          suits="on request"),
    Entry("sgd", "assay.linear:SGDClassifier", "a linear machine with margin, one row at a time",
          settings={"random_state": 0}, scale=True, suits="on request", other=("linear svm",)),
    Entry("c45", "assay.trees:C45Classifier", "one tree that can be read, n-way splits, pruned",
          other=("c4.5", "j48", "tree")),
    Entry("cart", "assay.trees:CARTClassifier", "one binary tree, pruned by cross-validation",
          settings={"random_state": 0}, suits="on request"),
    Entry("decision tree", "assay.trees:DecisionTreeClassifier", "one binary tree, grown to the end",
          settings={"random_state": 0}, suits="on request"),
    Entry("id3", "assay.trees:ID3Classifier", "the first of the trees, plain gain, never pruned", suits="on request"),
    Entry("oblique tree", "assay.trees:FisherTreeClassifier", "a tree of linear discriminants", suits="on request"),
    Entry("ripper", "assay.rules:RipperClassifier", "a short list of rules, grown, pruned and polished",
          settings={"random_state": 0}, other=("jrip", "rules")),
    Entry("part", "assay.rules:PartClassifier", "rules out of half-grown trees", suits="on request"),
    Entry("c45 rules", "assay.rules:C45RulesClassifier", "the rules of a pruned tree, shortened and chosen",
          settings={"random_state": 0}, suits="on request", other=("c4.5 rules",)),
    Entry("cn2", "assay.rules:CN2Classifier", "rules found by beam search that pass a test of significance",
          suits="on request"),
    Entry("irep", "assay.rules:IrepClassifier", "rules grown on some rows and pruned on others",
          settings={"random_state": 0}, suits="on request"),
    Entry("covering", "assay.rules:SequentialCoveringClassifier", "one rule after the other, each choice open",
          suits="on request", other=("sequential covering",)),
    Entry("aq", "assay.rules:AQClassifier", "rules around single rows, none wrong where rows do not contradict",
          suits="on request"),
    Entry("prism", "assay.rules:PrismClassifier", "rules that are always right, class by class", suits="on request"),
    Entry("oner", "assay.rules:OneRClassifier", "the best single column", suits="on request", other=("one rule",)),
    Entry("decision table", "assay.rules:DecisionTableClassifier", "a look-up table over a few columns",
          suits="on request"),
    Entry("cba", "assay.rules:CBAClassifier", "the surest rules among frequent sets of values", suits="on request"),
    Entry("cmar", "assay.rules:CMARClassifier", "rules among frequent sets of values, several vote",
          suits="on request"),
    Entry("cpar", "assay.rules:CPARClassifier", "rules grown together, the best five of each class vote",
          suits="on request"),
    Entry("boxes", "assay.rules:BoxUnionClassifier", "each class a union of boxes", suits="on request"),
    Entry("forest", "assay.ensembles:RandomForestClassifier", "a hundred random trees vote",
          settings={"random_state": 0}, other=("random forest",)),
    Entry("extra trees", "assay.ensembles:ExtraTreesClassifier", "a hundred trees with random thresholds vote",
          settings={"random_state": 0}, suits="on request"),
    Entry("bagging", "assay.ensembles:BaggingClassifier", "ten trees on samples of the rows vote",
          settings={"random_state": 0}, suits="on request"),
    Entry("boosting", "assay.ensembles:HistGradientBoostingClassifier",
          "small trees, each mending what the others miss", settings={"random_state": 0},
          other=("gradient boosting",)),
    Entry("adaboost", "assay.ensembles:AdaBoostClassifier", "stumps that look at the rows the others got wrong",
          settings={"random_state": 0}, suits="on request"),
    Entry("logitboost", "assay.ensembles:LogitBoostClassifier", "additive logistic regression by small trees",
          settings={"random_state": 0}, suits="on request"),
):  # fmt: skip
    register(_entry)
