"""Latent Dirichlet allocation: every document is a mixture of topics, every topic a distribution over words."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from assay.core import Card, PassLearner
from assay.core.fitting import observed
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import as_generator, random_state_of
from assay.core.stored import FloatArray, Integer, Object
from assay.core.sum_learner import WithoutTarget
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError, ParameterError
from assay.reduce.topics.assignments import TopicAssignments
from assay.reduce.topics.chains import run_chains
from assay.reduce.topics.topic_model import PRIOR, TopicModel
from assay.reduce.topics.variational import (
    Inferred,
    dirichlet_bound,
    dirichlet_expectation,
    exp_dirichlet_expectation,
    infer,
    log_bound,
    word_sums,
)
from assay.stats.bayesian.draws import Draws
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["LatentDirichletAllocation"]

INITIAL_SHAPE = 100.0  # of the gamma distribution that starts are drawn from, of mean 1, as in scikit-learn


class LatentDirichletAllocation(WithoutTarget, PassLearner, TopicModel):
    r"""Find topics in documents: each document mixes a few topics, each topic prefers a few words.

    Document d has the mixture :math:`\pi_d \sim \mathrm{Dir}(\alpha)` of K topics, topic k the words
    :math:`w_k \sim \mathrm{Dir}(\beta)`; each token first draws its topic from :math:`\pi_d`, then its word from that
    topic. Word order does not count. Two ways to the posterior:

    - **Variational Bayes** ("batch", "online"): factors :math:`\mathrm{Dir}(\gamma_d)`, :math:`\mathrm{Dir}(\lambda_k)`
      and responsibilities

      .. math:: \phi_{dwk} \propto \exp[\psi(\gamma_{dk}) + \psi(\lambda_{kw}) - \psi(\textstyle\sum_w\lambda_{kw})],
                \quad \gamma_{dk} = \alpha + \sum_w n_{dw}\phi_{dwk},
                \quad \lambda_{kw} = \beta + \sum_d n_{dw}\phi_{dwk}. \quad (1)

      "batch" takes all documents in every iteration (a sum over documents: memory, blocks from disk, Dask); "online"
      and ``partial_fit`` take some at a time and move :math:`\lambda` by a step :math:`(\tau + t)^{-\kappa}`.
    - **Collapsed Gibbs sampling** ("gibbs"): the topic of each token is drawn given all others,

      .. math:: P(z_i = k \mid \cdot) \propto (n_{dk} + \alpha_k)\,\frac{n_{kw} + \beta}{n_k + M\beta}, \quad (2)

      ``n_sweeps`` times over. It needs whole counts and all documents in memory, and usually ends in better topics.

    Variational intervals, those of the Dirichlet factors ``components_`` and ``transform(X, normalize=False)``, are too
    narrow, for the factors leave out that topics, mixtures and tokens depend on each other: of 95 % intervals some 70 %
    hold the truth (30 documents of 40 words, two topics that overlap). Means suffer little. Sampling is calibrated.

    A fit always exists, also where there are no topics: look at ``top_words``, :func:`topic_coherence` and
    :func:`document_completion`.

    Cost: fit O(nnz K) an update of all documents, or O(T K) a sweep over T tokens; transform O(K) a word and update;
    memory O(nnz + (n + M) K), of sampling O(T + M K).

    Parameters
    ----------
    n_components : int, default 10
        K.
    doc_topic_prior, topic_word_prior : float (or (K,) for the first), default None
        alpha and beta; None is 1 / K.
    learning_method : "batch", "online" or "gibbs", default "batch"
    learning_decay, learning_offset : float, default 0.7 and 10
        kappa and tau of online steps.
    max_iter : int, default 10
        Passes over the documents, of variational Bayes.
    batch_size : int, default 128
        Documents of an online step.
    evaluate_every : int, default -1
        Iterations between two computations of the perplexity, by which it may stop early; 0 or less: none.
    total_samples : float, default 1e6
        Number of documents that ``partial_fit`` is to expect in all.
    perp_tol : float, default 0.1
        Change of perplexity at which to stop.
    mean_change_tol : float, default 1e-3
    max_doc_update_iter : int, default 100
        When the updates of a document's gamma stop.
    n_jobs : int, default None
        Most threads; they are used as they are worth it, and change no result.
    verbose : int, default 0
        Above 0 prints a line for each iteration.
    random_state : int, RandomState, Generator or None, default None
        The same number starts from the same place as scikit-learn, and gives its results up to rounding.
    start : "random", "uniform" or "previous", default "random"
        Where the updates of each document begin while learning in batches: at random numbers, as in scikit-learn; at 1,
        which does not depend on how documents are cut into blocks (those of ``fit_blocks`` and Dask always do); or
        where the last iteration ended, with which the bound never falls and iterations are shorter.
    n_sweeps : int, default 500
        Sweeps of Gibbs sampling; topics are averaged over the second half.
    n_chains : int, default 1
        Chains of Gibbs sampling; topics are those of the chain of highest joint probability.
    optimize_priors : bool, default False
        Whether Gibbs sampling chooses alpha (one number for each topic) and beta, by Minka's fixed point.

    Attributes
    ----------
    components_ : (K, M) lambda, or mean counts of tokens plus beta; ``topic_words()`` are probabilities
    exp_dirichlet_component_ : (K, M) exp E[log w]
    doc_topic_prior_, topic_word_prior_ : alpha and beta
    n_batch_iter_ : int, steps so far plus 1      n_iter_ : int, passes or sweeps
    bound_ : float, ``perplexity`` of the training documents
    draws_ : Draws of Gibbs sampling: log p(w, z) and chosen priors
    history_ : list of dict, one for each iteration

    Examples
    --------
    >>> from assay.reduce import LatentDirichletAllocation
    >>> documents = ["fish boat water", "boat water water", "vote law", "law vote vote"] * 5
    >>> model = LatentDirichletAllocation(2, learning_method="gibbs", n_sweeps=100, random_state=0).fit(documents)
    >>> sorted(sorted(words) for words in model.top_words(2).words)
    [['boat', 'water'], ['law', 'vote']]
    >>> float(model.transform(["water, a boat, a fish"]).max().round(1))
    0.9

    See Also
    --------
    HierarchicalDirichletProcess, BilingualLDA, count_words, topic_coherence, document_completion, make_documents

    References
    ----------
    - Blei, D. M., Ng, A. Y. and Jordan, M. I. (2003). Latent Dirichlet allocation. Journal of Machine Learning Research
      3, 993-1022.
    - Griffiths, T. L. and Steyvers, M. (2004). Finding scientific topics. PNAS 101, 5228-5235.
      doi:10.1073/pnas.0307752101
    - Hoffman, M. D., Blei, D. M. and Bach, F. (2010). Online learning for latent Dirichlet allocation. Advances in
      Neural Information Processing Systems 23.
    """

    card = Card(
        "latent dirichlet allocation",
        "topics: documents as mixtures of distributions over words",
        also=("lda topics",),
    )
    accepts = {
        "n_components": Count(1),
        "doc_topic_prior": PRIOR,
        "topic_word_prior": Range(0, open="both") | None,
        "learning_method": Choice("batch", "online", "gibbs"),
        "learning_decay": Range(0, 1),
        "learning_offset": Range(1),
        "max_iter": Count(0),
        "batch_size": Count(1),
        "evaluate_every": Count(-(2**31)),
        "total_samples": Range(0, open="low"),
        "perp_tol": Range(0),
        "mean_change_tol": Range(0),
        "max_doc_update_iter": Count(0),
        "n_jobs": Count(-(2**31)) | None,
        "verbose": Count(0) | Flag(),
        "random_state": Seed(),
        "start": Choice("random", "uniform", "previous"),
        "n_sweeps": Count(1),
        "n_chains": Count(1),
        "optimize_priors": Flag(),
    }
    stored = {
        "n_batch_iter_": Integer(low=1),
        "draws_": Object(Draws),
        "_random": FloatArray(627, finite=True),
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        doc_topic_prior: ArrayLike | None = None,
        topic_word_prior: float | None = None,
        learning_method: str = "batch",
        learning_decay: float = 0.7,
        learning_offset: float = 10.0,
        max_iter: int = 10,
        batch_size: int = 128,
        evaluate_every: int = -1,
        total_samples: float = 1e6,
        perp_tol: float = 1e-1,
        mean_change_tol: float = 1e-3,
        max_doc_update_iter: int = 100,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: RandomState = None,
        start: str = "random",
        n_sweeps: int = 500,
        n_chains: int = 1,
        optimize_priors: bool = False,
    ):
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learning_method = learning_method
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.evaluate_every = evaluate_every
        self.total_samples = total_samples
        self.perp_tol = perp_tol
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
        self.start = start
        self.n_sweeps = n_sweeps
        self.n_chains = n_chains
        self.optimize_priors = optimize_priors

    # ------------------------------------------------------------------ learning

    def _learn_from(self, source: Source) -> None:
        if isinstance(source, Rows):
            single = source.X.dtype == np.float32
            source = Rows(self._counts(source.X, self.learning_method == "gibbs"), None, source.w)
        else:
            single = False
            if self.learning_method != "batch":
                raise ParameterError(
                    f'{self.learning_method!r} needs all documents in memory. For blocks: learning_method="batch", '
                    "or call partial_fit with each.",
                    who=type(self).__name__,
                )
        if self.learning_method == "gibbs":
            self._sample(source)
        else:
            self._iterate(source)
        if single:
            self._keep_precision(np.empty(0, np.float32))

    def _begin(self, random: np.random.RandomState) -> None:
        """Priors, and topics drawn near to equal probabilities."""
        self._set_priors()
        shape = (self.n_components, len(self._names))
        self.n_batch_iter_, self.n_iter_, self.history_ = 1, 0, []
        self._set_components(random.gamma(INITIAL_SHAPE, 1.0 / INITIAL_SHAPE, shape))

    def _set_priors(self) -> None:
        equal = 1.0 / self.n_components
        prior: Any = equal if self.doc_topic_prior is None else self.doc_topic_prior
        if np.ndim(prior):
            prior = np.asarray(prior, dtype=np.float64)
            if len(prior) != self.n_components:
                raise ParameterError(
                    f"doc_topic_prior must have a number for each of {self.n_components} topics.",
                    who=type(self).__name__,
                    got=self.doc_topic_prior,
                )
        self.doc_topic_prior_ = prior
        self.topic_word_prior_ = equal if self.topic_word_prior is None else float(self.topic_word_prior)

    def _set_components(self, components: np.ndarray) -> None:
        self.components_ = components
        self.exp_dirichlet_component_ = exp_dirichlet_expectation(components.astype(np.float64, copy=False))

    def _expected_topics(self) -> np.ndarray:
        return self.exp_dirichlet_component_.astype(np.float64, copy=False)

    def _iterate(self, source: Source) -> None:
        random, last = random_state_of(self.random_state), None
        self._begin(random)
        kept: dict[str, np.ndarray] = {}
        with progress(self.max_iter, f"{type(self).__name__}: learning") as bar:
            for iteration in range(self.max_iter):
                if self.learning_method == "online":
                    rounds = self._online(source, random)
                else:
                    rounds = self._batch(source, random, kept)
                record: dict[str, Any] = {"iteration": iteration + 1, "document_updates": rounds}
                self.history_.append(record)
                evaluated = self.evaluate_every > 0 and (iteration + 1) % self.evaluate_every == 0
                if evaluated:
                    record["perplexity"] = perplexity = self._perplexity_of(source, kept.get("gamma"))
                if self.verbose:
                    tail = f", perplexity: {perplexity:.4f}" if evaluated else ""
                    print(f"iteration: {iteration + 1} of max_iter: {self.max_iter}{tail}")
                bar.advance()
                if evaluated:
                    if last and abs(last - perplexity) < self.perp_tol:
                        break
                    last = perplexity
                self.n_iter_ += 1
        self.bound_ = self._perplexity_of(source, kept.get("gamma"))
        self._random = _packed(random)

    def _batch(self, source: Source, random: np.random.RandomState, kept: dict[str, np.ndarray]) -> int:
        """One pass over all documents (1); gives the number of updates of gamma."""
        K = self.n_components

        def summarize(block: Block) -> _Sums:
            X = self._counts(block.X)
            start = kept.get("gamma")
            if start is None:
                drawn = isinstance(source, Rows) and self.start != "uniform"
                start = (
                    random.gamma(INITIAL_SHAPE, 1.0 / INITIAL_SHAPE, (X.shape[0], K))
                    if drawn
                    else np.ones((X.shape[0], K))
                )
            inferred = self._e_step(X, start)
            if self.start == "previous" and isinstance(source, Rows):
                kept["gamma"] = inferred.gamma
            return _Sums(word_sums(X, inferred, block.w), inferred.rounds)

        sums = (
            summarize(Block(source.X, None, source.w))
            if isinstance(source, Rows)
            else source.add_up(summarize)
        )
        self._set_components(self.topic_word_prior_ + sums.words * self._expected_topics())
        self.n_batch_iter_ += 1
        return sums.rounds

    def _online(self, source: Any, random: np.random.RandomState) -> int:
        n = source.X.shape[0]
        return sum(
            self._online_step(
                source.X[a : a + self.batch_size],
                None if source.w is None else source.w[a : a + self.batch_size],
                n,
                random,
            )
            for a in range(0, n, self.batch_size)
        )

    def _online_step(self, X: Any, w: np.ndarray | None, total: float, random: np.random.RandomState) -> int:
        start = random.gamma(INITIAL_SHAPE, 1.0 / INITIAL_SHAPE, (X.shape[0], self.n_components))
        inferred = self._e_step(X, start)
        sums = word_sums(X, inferred, w) * self._expected_topics()
        step = (self.learning_offset + self.n_batch_iter_) ** -self.learning_decay
        target = self.topic_word_prior_ + float(total) / X.shape[0] * sums
        self._set_components((1 - step) * self.components_ + step * target)
        self.n_batch_iter_ += 1
        return inferred.rounds

    def _e_step(self, X: Any, start: np.ndarray) -> Inferred:
        limits = (self.max_doc_update_iter, self.mean_change_tol)
        return infer(X, self._expected_topics(), self._alpha(), start, *limits, sums=True, n_jobs=self.n_jobs)

    @observed
    def partial_fit(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """Take one online step for each ``batch_size`` documents, of ``total_samples`` that are to come in all."""
        self._check_parameters()
        if self.learning_method == "gibbs":
            raise ParameterError("partial_fit is an online step of variational Bayes.", who=type(self).__name__,
                                 remedy='Use learning_method="online".')  # fmt: skip
        first = "components_" not in vars(self)
        if first:
            self._remember(self._read(X, fitting=True).schema)
            random = random_state_of(self.random_state)
            self._begin(random)
        else:
            random = _unpacked(self._random)
        values = self._admit(X)
        counts = self._counts(values)
        for a in range(0, counts.shape[0], self.batch_size):
            self._online_step(counts[a : a + self.batch_size], None, self.total_samples, random)
        self._random = _packed(random)
        self._keep_precision(values)
        return self

    @property
    def random_state_(self) -> np.random.RandomState:
        """The generator as variational Bayes left it, from which ``partial_fit`` goes on."""
        return _unpacked(self._random)

    # ------------------------------------------------------------------ sampling

    def _sample(self, source: Any) -> None:
        if source.w is not None:
            raise ParameterError("sampling gives each token a topic, so documents cannot have weights.",
                                 who=type(self).__name__, remedy='Use learning_method="batch".')  # fmt: skip
        self._set_priors()
        generators = as_generator(self.random_state, type(self).__name__).spawn(self.n_chains)
        alpha = self._alpha_of(self.doc_topic_prior_)
        states = [
            TopicAssignments(source.X, alpha, self.topic_word_prior_, random_state=g) for g in generators
        ]
        best, self.draws_ = run_chains(
            states, self.n_sweeps, self.optimize_priors, type(self).__name__, self.n_jobs
        )
        if self.optimize_priors:
            self.doc_topic_prior_, self.topic_word_prior_ = best.alpha, float(best.beta[0])
        self.n_iter_, self.n_batch_iter_, self.history_ = self.n_sweeps, 1, best.history()
        self._set_components(best.words.T + self.topic_word_prior_)
        self.bound_ = self._perplexity_of(source, None)

    def _alpha_of(self, prior: Any) -> np.ndarray:
        return np.broadcast_to(np.asarray(prior, dtype=np.float64), self.n_components).copy()

    def _alpha(self) -> np.ndarray:
        return self._alpha_of(self.doc_topic_prior_)

    # ------------------------------------------------------------------ how probable documents are

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The variational bound of the log probability of the documents and the topics."""
        check_is_fitted(self)
        counts = self._counts(self._admit(X))
        return self._documents_bound(counts, None, None) + self._topics_bound()

    def perplexity(self, X: TableLike, sub_sampling: bool = False, *, method: str = "bound") -> float:
        r"""exp of minus the log probability of a token; lower is better.

        Parameters
        ----------
        X : documents
        sub_sampling : bool, default False
            Whether X stands for ``total_samples`` documents.
        method : "bound" or "plug-in", default "bound"
            "bound" is scikit-learn's: ``score`` divided by the tokens. It charges the price of the topics,
            E[log p(w) - log q(w)], to the documents it is given, whatever their number: on few test documents it is
            far too high and grows with K. "plug-in" is the textbook's, see ``plug_in_perplexity``.
        """
        check_is_fitted(self)
        if method not in ("bound", "plug-in"):
            raise ParameterError(
                'method must be "bound" or "plug-in"', who=f"{type(self).__name__}.perplexity", got=method
            )
        if method == "plug-in":
            return self.plug_in_perplexity(X)
        return self._perplexity_precomp_distr(self._admit(X), None, sub_sampling)

    def _perplexity_precomp_distr(
        self, X: Any, doc_topic_distr: Any = None, sub_sampling: bool = False
    ) -> float:
        """As scikit-learn calls it: with the documents' gamma, if that is known."""
        counts = self._counts(X)
        gamma = None if doc_topic_distr is None else np.array(doc_topic_distr, dtype=np.float64)
        if gamma is not None and len(gamma) != counts.shape[0]:
            raise DataError("Number of samples in X and doc_topic_distr do not match.")
        if gamma is not None and gamma.shape[1] != self.n_components:
            raise DataError("Number of topics does not match.")
        scale = float(self.total_samples) / counts.shape[0] if sub_sampling else 1.0
        tokens = scale * self._tokens(counts)
        bound = scale * self._documents_bound(counts, None, gamma) + self._topics_bound()
        return float(np.exp(-bound / tokens))

    def _perplexity_of(self, source: Source, gamma: np.ndarray | None) -> float:
        """The perplexity of the training documents."""

        def summarize(block: Block) -> _Bound:
            X = self._counts(block.X)
            tokens = X.sum() if block.w is None else float(np.asarray(X.sum(axis=1)).ravel() @ block.w)
            return _Bound(self._documents_bound(X, block.w, gamma), float(tokens))

        total = (
            summarize(Block(source.X, None, source.w))
            if isinstance(source, Rows)
            else source.add_up(summarize)
        )
        if total.tokens <= 0:
            return float("inf")
        return float(np.exp(-(total.value + self._topics_bound()) / total.tokens))

    def _documents_bound(self, X: Any, w: np.ndarray | None, gamma: np.ndarray | None) -> float:
        if gamma is None:
            inferred = self._infer(X)
        else:
            inferred = Inferred(gamma, exp_dirichlet_expectation(gamma), np.empty(0), 0)
        return log_bound(X, inferred, self.components_.astype(np.float64), self._alpha(), w)

    def _topics_bound(self) -> float:
        """E[log p(w) - log q(w)] of the topics."""
        components = self.components_.astype(np.float64, copy=False)
        prior = np.full(components.shape[1], self.topic_word_prior_)
        return float(dirichlet_bound(prior, components, dirichlet_expectation(components)).sum())


class _Sums:
    """Sums of a pass over some documents."""

    def __init__(self, words: np.ndarray, rounds: int):
        self.words, self.rounds = words, rounds

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(self.words + other.words, self.rounds + other.rounds)


class _Bound:
    """The documents' bound and their tokens."""

    def __init__(self, value: float, tokens: float):
        self.value, self.tokens = value, tokens

    def __add__(self, other: _Bound) -> _Bound:
        return _Bound(self.value + other.value, self.tokens + other.tokens)


def _packed(random: np.random.RandomState) -> np.ndarray:
    """The state of a generator as numbers, so that a model file can hold it."""
    _, key, position, has_gauss, cached = random.get_state(legacy=True)
    return np.concatenate([np.asarray(key, dtype=np.float64), [position, has_gauss, cached]])


def _unpacked(numbers: np.ndarray) -> np.random.RandomState:
    random = np.random.RandomState(0)
    key, (position, has_gauss, cached) = numbers[:624].astype(np.uint32), numbers[624:]
    random.set_state(("MT19937", key, int(np.clip(position, 0, 624)), int(has_gauss), float(cached)))
    return random
