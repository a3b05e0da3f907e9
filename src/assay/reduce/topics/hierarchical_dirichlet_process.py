"""Topics whose number is found: the hierarchical Dirichlet process."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parallel import in_threads
from assay.core.parameters import Count, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, Integer, Object, Scalar
from assay.errors import DataError
from assay.reduce.topics.assignments import TopicAssignments
from assay.reduce.topics.topic_model import SampledTopicModel
from assay.stats.bayesian.draws import Draws
from assay.types import RandomState

__all__ = ["HierarchicalDirichletProcess"]

TINY = np.finfo(float).tiny  # a pseudo-count of 0 has no density
CONCENTRATION_PRIOR = (1.0, 1.0)  # shape and rate of the gamma prior of concentrations that are sampled


class HierarchicalDirichletProcess(SampledTopicModel):
    r"""Find topics in documents, and how many there are.

    As in :class:`LatentDirichletAllocation`, each document mixes topics that all documents share; here their number has
    no limit. Topics have weights :math:`b_1, b_2, \dots` by breaking a stick with concentration :math:`\gamma`, and
    the mixture of each document is a Dirichlet process around them with concentration :math:`\alpha_0`. By direct
    assignment each token is drawn given all others,

    .. math:: P(z_i = k) \propto (n_{dk} + \alpha_0 b_k)\,\frac{n_{kw} + \beta}{n_k + M\beta}, \qquad
              P(z_i = \text{new}) \propto \alpha_0 b_\text{new}\,\frac1M, \quad (1)

    then the tables of the Chinese restaurant franchise, the weights b given them, and both concentrations (gamma priors
    of shape and rate 1). The topics kept are those of the sweep of highest joint probability among those of the second
    half that have the most frequent number of topics.

    Cost: fit O(T K) a sweep over T tokens; transform O(K) a word and update; memory O(T + M K).

    Parameters
    ----------
    topic_word_prior : float, default 0.1
        beta. Smaller numbers find more, and narrower, topics.
    concentration : float, default None
        alpha_0; None samples it.
    topic_concentration : float, default None
        gamma; None samples it.
    n_sweeps : int, default 500
    n_chains : int, default 1
        The chain of highest joint probability is kept.
    n_jobs : int, default None
        Most threads; one for each chain.
    random_state : int, RandomState, Generator or None, default None

    Attributes
    ----------
    n_topics_ : int, K      components_ : (K, M) counts of tokens plus beta; ``topic_words()`` are probabilities
    weights_ : (K,) weights b of the topics      doc_topic_prior_ : (K,) alpha_0 b
    draws_ : Draws of the number of topics, log p(w, z), concentrations; second half of each chain
    history_ : list of dict, one for each sweep

    Examples
    --------
    >>> from assay.reduce import HierarchicalDirichletProcess, make_documents
    >>> truth = make_documents(100, 5, 50, length=60, doc_topic_prior=0.2, topic_word_prior=0.05, random_state=0)
    >>> model = HierarchicalDirichletProcess(n_sweeps=400, random_state=0).fit(truth.counts)
    >>> model.n_topics_
    5

    See Also
    --------
    LatentDirichletAllocation, BilingualLDA, make_documents

    References
    ----------
    - Teh, Y. W., Jordan, M. I., Beal, M. J. and Blei, D. M. (2006). Hierarchical Dirichlet processes. Journal of the
      American Statistical Association 101, 1566-1581. doi:10.1198/016214506000000302
    """

    card = Card(
        "hierarchical dirichlet process", "topics of documents, and how many there are", also=("hdp",)
    )
    accepts = {
        "topic_word_prior": Range(0, open="both"),
        "concentration": Range(0, open="both") | None,
        "topic_concentration": Range(0, open="both") | None,
        "n_sweeps": Count(1),
        "n_chains": Count(1),
        "n_jobs": Count(-(2**31)) | None,
        "random_state": Seed(),
    }
    stored = {
        "n_topics_": Integer("k"),
        "weights_": FloatArray("k", low=0, high=1),
        "concentration_": Scalar(low=0),
        "topic_concentration_": Scalar(low=0),
        "draws_": Object(Draws),
    }

    def __init__(
        self,
        topic_word_prior: float = 0.1,
        *,
        concentration: float | None = None,
        topic_concentration: float | None = None,
        n_sweeps: int = 500,
        n_chains: int = 1,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ):
        self.topic_word_prior = topic_word_prior
        self.concentration = concentration
        self.topic_concentration = topic_concentration
        self.n_sweeps = n_sweeps
        self.n_chains = n_chains
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        who = type(self).__name__
        counts = self._counts(X, whole=True)
        if not counts.data.any():
            raise DataError("the documents have no words, so there is no topic to find.", who=who)
        generators = as_generator(self.random_state, who).spawn(self.n_chains)
        samplers = [
            FranchiseSampler(counts, self.topic_word_prior, self.concentration, self.topic_concentration, g)
            for g in generators
        ]
        with progress(self.n_sweeps * self.n_chains, f"{who}: sampling") as bar:
            in_threads(lambda sampler: sampler.run(self.n_sweeps, bar.advance), samplers, self.n_jobs)
        sampler = max(samplers, key=lambda sampler: sampler.best["log_joint"])
        best = sampler.best
        half = self.n_sweeps // 2
        names = ("n_topics", "log_joint", "concentration", "topic_concentration")
        self.draws_ = Draws({name: [[r[name] for r in s.records[half:]] for s in samplers] for name in names})
        self.history_, self.n_iter_ = sampler.records, self.n_sweeps
        self.topic_word_prior_ = float(self.topic_word_prior)
        self.components_ = best["words"].T + self.topic_word_prior_
        self.n_topics_, self.weights_ = len(self.components_), best["weights"]
        self.concentration_ = best["concentration"]
        self.topic_concentration_ = best["topic_concentration"]
        self.doc_topic_prior_ = self.concentration_ * self.weights_
        self._keep_precision(X)


class FranchiseSampler:
    """The direct-assignment sampler of a hierarchical Dirichlet process.

    Parameters
    ----------
    X : CSR matrix of whole counts
    beta : float, prior of the topics
    concentration, topic_concentration : alpha_0 and gamma; None samples them
    random_state : Generator
    """

    def __init__(
        self,
        X: Any,
        beta: float,
        concentration: float | None,
        topic_concentration: float | None,
        random_state: np.random.Generator,
    ):
        self.sampled = (concentration is None, topic_concentration is None)
        self.concentration = 1.0 if concentration is None else float(concentration)
        self.topic_concentration = 1.0 if topic_concentration is None else float(topic_concentration)
        self.random = random_state
        self.state = TopicAssignments(X, [self.concentration], beta, random_state=random_state, grows=True)
        self.lengths = self.state.lengths[self.state.lengths > 0].astype(np.float64)
        self.records: list[dict[str, Any]] = []
        self.best_of: dict[int, dict[str, Any]] = {}  # by number of topics: the most probable state

    def run(self, sweeps: int, advance: Any = None) -> None:
        """Sweep, and keep a record of each sweep and the most probable states of the second half."""
        for s in range(sweeps):
            self.sweep()
            record = {
                "sweep": s + 1,
                "n_topics": self.state.K,
                "log_joint": self.state.log_joint(),
                "concentration": self.concentration,
                "topic_concentration": self.topic_concentration,
            }
            self.records.append(record)
            known = self.best_of.get(self.state.K, {"log_joint": -np.inf})
            if s >= sweeps // 2 and record["log_joint"] > known["log_joint"]:
                words = self.state.word_topic[:, : self.state.K].copy()
                self.best_of[self.state.K] = {**record, "words": words, "weights": self.weights[:-1].copy()}
            if advance is not None:
                advance(1)

    @property
    def best(self) -> dict[str, Any]:
        """The most probable state among those with the most frequent number of topics, in the second half."""
        numbers = [record["n_topics"] for record in self.records[len(self.records) // 2 :]]
        return self.best_of[int(np.bincount(numbers).argmax())]

    def sweep(self) -> None:
        """Topics of all tokens (1), then tables, concentrations and weights given them."""
        state, draw = self.state, self.random
        state.sweep(1, gamma=self.topic_concentration)
        state.drop_empty()
        tables = state.tables()
        if self.sampled[0]:
            self.concentration = _document_concentration(draw, self.concentration, tables.sum(), self.lengths)
        if self.sampled[1]:
            self.topic_concentration = _top_concentration(
                draw, self.topic_concentration, tables.sum(), state.K
            )
        self.weights = draw.dirichlet(np.append(tables, self.topic_concentration))
        self.weights = np.maximum(self.weights, TINY)
        state.alpha[: state.K + 1] = np.maximum(self.concentration * self.weights, TINY)


def _document_concentration(draw: np.random.Generator, a: float, tables: int, lengths: np.ndarray) -> float:
    """alpha_0 given the numbers of tables and tokens, by auxiliary variables for each document."""
    shape, rate = CONCENTRATION_PRIOR
    logs = np.log(draw.beta(a + 1, lengths)).sum()
    extra = (draw.random(len(lengths)) * (lengths + a) < lengths).sum()
    return float(draw.gamma(shape + tables - extra, 1 / (rate - logs)))


def _top_concentration(draw: np.random.Generator, gamma: float, tables: int, topics: int) -> float:
    """gamma given the numbers of topics and tables (Escobar and West, 1995)."""
    shape, rate = CONCENTRATION_PRIOR
    rate -= np.log(draw.beta(gamma + 1, tables))
    odds = (shape + topics - 1) / (tables * rate)
    return float(draw.gamma(shape + topics - (draw.random() * (1 + odds) >= odds), 1 / rate))
