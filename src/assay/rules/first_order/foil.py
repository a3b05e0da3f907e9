"""FOIL: Horn clauses with variables, learned from facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from assay.core import Card
from assay.core.explanation import Explanation, Section
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_, Count, Flag, Range, Seed, check
from assay.core.stored import Each, IntArray, Object, Plain, Text
from assay.errors import DataError, ParameterError
from assay.rules.first_order.clause_proof import Bindings, answers, consequences, prove
from assay.rules.first_order.clauses import Clause, Literal, Variable, parse_literals, variable_names
from assay.rules.first_order.facts import Facts
from assay.rules.first_order.foil_covering import covered_by, learn_clauses
from assay.rules.first_order.foil_examples import closed_world, domains
from assay.rules.first_order.foil_search import Candidate, Language, scored, types_of
from assay.types import RandomState

__all__ = ["FOIL"]


class FOIL:
    r"""Learn when a relation holds, as clauses over other relations: IF Father(y, x) AND Female(y) THEN Daughter(x, y).

    Clauses are added until every positive tuple is covered. A clause begins empty; then the literal is added that
    gains most, until it covers no negative tuple:

    .. math:: \text{gain} = s \left(\log_2 \frac{p_1}{p_1 + n_1} - \log_2 \frac{p_0}{p_0 + n_0}\right)      \quad (1)

    where p and n count positive and negative bindings of all variables of the clause, before (0) and after (1), and s
    the positive bindings that go on in at least one way. Literals may bring new variables; where none gains, those
    that give every positive binding exactly one new value are added. A finished clause loses the literals that it
    does not need. With ``mdl`` a clause may not take more bits than it saves, so that noise is not explained:

    .. math:: \sum_i \log_2 M_i - \log_2 k! \;\le\; \log_2 |T| + \log_2 \binom{|T|}{p}                       \quad (2)

    for k literals, each one of M candidates, and a clause that covers p of the tuples T.

    Cost: fit O(M b) for each literal that is added, with b bindings of the clause's variables and M candidates, of
    which v variables and a relation of a arguments make v^a; predict O(l b log b) for the l literals of all clauses;
    memory O(b).

    Parameters
    ----------
    max_literals, max_clauses, max_variables : int
        Limits of one clause, of all clauses, and of the variables of a clause.
    max_backtracks : int
        A clause that ends up too imprecise is given up; so many times its growth goes on from a place where another
        literal had gained nearly as much.
    min_precision : float
        The least share of positive tuples among those that a clause covers.
    negation, equality : bool
        Whether NOT P(x, y), x = y and x != y may be used.
    constants : sequence of constants, default ()
        Those c for which x = c and x != c may be used.
    recursive : bool
        Whether the target itself may stand in a body, with a new variable: IF Edge(x, z) AND Path(z, y) THEN
        Path(x, y). While learning, its given facts are taken for true; afterwards everything is derived anew from the
        other facts.
    mdl : bool
        Whether clauses must pay for themselves, (2).
    max_negatives : int
        Where the closed world has more negative tuples than this, so many are drawn.
    random_state : int, RandomState or None
        For that draw.

    Attributes
    ----------
    clauses_ : tuple of Clause
    facts_ : Facts, what the clauses were learned from
    target_ : str, the predicate that follows
    types_ : dict from predicate to the types of its arguments
    counts_ : (clauses, 2) int, positive and negative training tuples that each clause covers
    uncovered_ : list of positive tuples that no clause covers
    history_ : list of dict, one for each literal that was added: clause, literal, gain, p, n, s

    Examples
    --------
    >>> from assay.rules import FOIL
    >>> facts = "Father(Sharon, Bob). Father(Tom, Bob). Father(Bob, Victor). Female(Sharon). Daughter(Bob, Sharon)."
    >>> model = FOIL().fit(facts, "Daughter")
    >>> print(model)
    IF Father(y, x) AND Female(y) THEN Daughter(x, y)
    >>> [round(step["gain"], 6) for step in model.history_]
    [2.415037, 1.584963]
    >>> model.query("Daughter(Bob, y)")
    [{'y': 'Sharon'}]
    >>> family = "Father(Ann, Carl). Father(Dan, Carl). Female(Ann)."
    >>> model.predict([("Carl", "Ann"), ("Carl", "Dan")], family)
    array([ True, False])

    See Also
    --------
    parse_clause, CPARClassifier

    References
    ----------
    - Quinlan, J. R. (1990). Learning logical definitions from relations. Machine Learning 5, 239-266.
      doi:10.1007/BF00117105
    """

    card = Card("foil", "clauses with variables, from facts about relations")
    storable = True
    stored = {
        "clauses_": Each(Object(Clause), "m"),
        "counts_": IntArray("m", 2, low=0),
        "facts_": Object(Facts),
        "history_": Plain(list),
        "target_": Text(),
        "types_": Plain(dict),
        "uncovered_": Plain(list),
    }
    accepts = {
        "max_literals": Count(1, 30),
        "max_clauses": Count(1),
        "max_variables": Count(1, 30),
        "max_backtracks": Count(0),
        "min_precision": Range(0, 1),
        "negation": Flag(),
        "equality": Flag(),
        "constants": Any_("a sequence of constants", lambda v: isinstance(v, (tuple, list))),
        "recursive": Flag(),
        "mdl": Flag(),
        "max_negatives": Count(1),
        "random_state": Seed(),
    }

    clauses_: tuple[Clause, ...]
    facts_: Facts

    def __init__(
        self,
        *,
        max_literals: int = 8,
        max_clauses: int = 100,
        max_variables: int = 6,
        max_backtracks: int = 10,
        min_precision: float = 0.8,
        negation: bool = True,
        equality: bool = True,
        constants: Sequence[Any] = (),
        recursive: bool = False,
        mdl: bool = True,
        max_negatives: int = 1_000_000,
        random_state: RandomState = None,
    ):
        self.max_literals = max_literals
        self.max_clauses = max_clauses
        self.max_variables = max_variables
        self.max_backtracks = max_backtracks
        self.min_precision = min_precision
        self.negation = negation
        self.equality = equality
        self.constants = constants
        self.recursive = recursive
        self.mdl = mdl
        self.max_negatives = max_negatives
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """scikit-learn's tags: the input are facts, not arrays, and fit needs a target."""
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(two_d_array=False, dict=True, string=True)
        return Tags(estimator_type=None, target_tags=TargetTags(required=True), input_tags=inputs)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name, so that scikit-learn's ``clone`` copies them.

        >>> from assay.rules import FOIL
        >>> FOIL(mdl=False).get_params()["mdl"]
        False
        """
        return {name: getattr(self, name) for name in self.accepts}

    def set_params(self, **params: Any) -> Self:
        """Change settings by name."""
        for name, value in params.items():
            if name not in self.accepts:
                raise ParameterError(
                    f"FOIL: there is no setting {name!r}. Settings: {', '.join(self.accepts)}."
                )
            setattr(self, name, value)
        return self

    @all_or_nothing
    def fit(
        self,
        facts: Any,
        target: str,
        *,
        negatives: Iterable[Sequence[Any]] | None = None,
        types: Mapping[str, Sequence[str]] | str | None = None,
    ) -> Self:
        """Learn clauses for a predicate.

        Parameters
        ----------
        facts : Facts, text, or a dict from predicate to tuples (or a data frame)
        target : str
            The predicate to explain; its facts are the positive tuples.
        negatives : tuples that it does not hold for, default None
            None takes the facts that begin with "not"; if there are none, every tuple of constants that is not a
            fact (the closed world).
        types : dict from predicate to the types of its arguments, "shared" or None
            A variable stands only for one type. "shared" takes arguments that share a constant, directly or by way
            of others, to be of one type; None takes all to be alike.
        """
        check("FOIL", self.accepts, vars(self))
        facts = Facts.of(facts)
        clause, language, positive, negative = self._task(facts, target, negatives, types)
        self.facts_, self.target_, self.types_ = facts, target, dict(language.types)
        self.history_: list[dict[str, Any]] = []
        clauses, left = learn_clauses(facts, clause.head, positive, negative, language, self, self.history_)
        self.clauses_ = tuple(clauses)
        both = np.concatenate([positive, negative])
        counts = []
        for learned in clauses:
            covered = covered_by(facts, learned, both)
            counts.append([covered[: len(positive)].sum(), covered[len(positive) :].sum()])
        self.counts_ = np.array(counts, np.int64).reshape(len(clauses), 2)
        if self._recursion:  # what was taken for true must follow from the other facts
            derived = consequences(facts, self.clauses_)
            proved = [covered_by(derived, learned, positive) for learned in clauses]
            left = positive[~np.logical_or.reduce(proved)]
        self.uncovered_ = [tuple(facts.constants[c] for c in row) for row in left.tolist()]
        return self

    @property
    def _recursion(self) -> bool:
        return any(literal.predicate == self.target_ for clause in self.clauses_ for literal in clause.body)

    def candidates(
        self, facts: Any, target: str, body: Sequence[Literal] | str = (), **options: Any
    ) -> list[Candidate]:
        """The literals that could be added to a clause, with their gains, the best first.

        Parameters
        ----------
        facts, target, **options : as for ``fit``
        body : literals of the clause so far, or their text

        >>> from assay.rules import FOIL
        >>> facts = "Father(Sharon, Bob). Father(Tom, Bob). Father(Bob, Victor). Female(Sharon). Daughter(Bob, Sharon)."
        >>> for candidate in FOIL().candidates(facts, "Daughter")[:3]:
        ...     print(candidate)
         2.415037  Father(y, x)  (1 positive, 2 negative bindings)
         2.000000  Female(y)  (1 positive, 3 negative bindings)
         1.415037  Father(z, x)  (2 positive, 10 negative bindings)
        """
        check("FOIL", self.accepts, vars(self))
        facts = Facts.of(facts)
        clause, language, positive, negative = self._task(
            facts, target, **{"negatives": None, "types": None, **options}
        )
        literals = tuple(parse_literals(body, variables=True) if isinstance(body, str) else body)
        clause = Clause(clause.head, literals)
        start = Bindings(
            dict(zip(clause.head.args, np.concatenate([positive, negative]).T)),
            np.arange(len(positive) + len(negative)),
        )
        bound = prove(facts, literals, start, clause.variables)
        order = np.argsort(bound.origin >= len(positive), kind="stable")
        bound = bound.keep(order)
        candidates = scored(facts, list(language.literals(clause)), bound, bound.origin < len(positive))
        return sorted(candidates, key=lambda c: -c.gain)

    def _task(
        self, facts: Facts, target: str, negatives: Any, types: Any
    ) -> tuple[Clause, Language, np.ndarray, np.ndarray]:
        """The empty clause, what it may be made of, and the positive and negative tuples."""
        if target not in facts.relations or not len(facts.relations[target]):
            raise DataError(f"FOIL: there is no fact of {target!r} to learn from. {facts!r}.")
        declared = types_of(facts, types, target)
        places = domains(facts, declared)
        language = Language(
            target,
            declared,
            self.negation,
            self.equality,
            tuple(self.constants),
            self.max_variables,
            None if types is None else places.types_of_constants(facts),
            self.recursive,
        )
        positive = facts.relations[target]
        names = variable_names()
        head = Literal(target, tuple(Variable(next(names)) for _ in range(positive.shape[1])))
        if negatives is None and target in facts.denied:
            negative = facts.denied[target]
        elif negatives is None:
            negative = closed_world(positive, places.of(target), self.max_negatives, self.random_state)
        else:
            negative = facts.codes(negatives, positive.shape[1])
        return Clause(head), language, positive, negative

    # ------------------------------------------------------------------ applied

    def predict(self, tuples: Iterable[Sequence[Any]], facts: Any = None) -> np.ndarray:
        """(m,) bool: whether some clause proves the target for each tuple.

        Parameters
        ----------
        tuples : tuples of constants; one in no fact has no properties
        facts : other facts to prove it from, default None for those of ``fit``
        """
        known = self._facts(facts)
        rows = known.codes(tuples, len(self.types_[self.target_]))
        answer = np.zeros(len(rows), bool)
        for clause in self.clauses_:
            answer |= covered_by(known, clause, rows)
        return answer

    def query(self, question: str, facts: Any = None) -> list[dict[str, Any]]:
        """The values of variables for which the target is proved; small letters begin variables.

        Parameters
        ----------
        question : such as "Daughter(Bob, y)"
        facts : as for ``predict``

        Returns
        -------
        list of dict from variable to constant; one empty dict means that a question without variables is true
        """
        known = self._facts(facts)
        asked = list(parse_literals(question, variables=True))
        arity = len(self.types_[self.target_])
        if len(asked) != 1 or asked[0].predicate != self.target_ or len(asked[0].args) != arity:
            raise DataError(
                f"FOIL: expected a question about {self.target_} with {arity} arguments, got {question!r}."
            )
        bindings: dict[tuple[int, ...], None] = {}
        for clause in self.clauses_:
            for row in answers(known, clause, asked[0]):
                bindings[row] = None
        names = [v.name for v in asked[0].variables]
        return [dict(zip(names, (known.constants[c] for c in row))) for row in sorted(bindings)]

    def explain(self, *constants: Any, facts: Any = None) -> Explanation:
        """Why the target holds for these constants, or that no clause proves it.

        >>> from assay.rules import FOIL
        >>> facts = "Father(Sharon, Bob). Father(Tom, Bob). Father(Bob, Victor). Female(Sharon). Daughter(Bob, Sharon)."
        >>> print(FOIL().fit(facts, "Daughter").explain("Bob", "Sharon"))
        FOIL answers yes: Daughter(Bob, Sharon)
        <BLANKLINE>
        IF Father(y, x) AND Female(y) THEN Daughter(x, y)
          literal       with these constants
          Father(y, x)  Father(Sharon, Bob)
          Female(y)     Female(Sharon)
        """
        known = self._facts(facts)
        rows = known.codes([constants], len(self.types_[self.target_]))
        sections, proved = [], False
        for clause in self.clauses_:
            start = Bindings(dict(zip(clause.head.args, rows.T)), np.zeros(1, np.int64))
            bound = prove(known, clause.body, start, clause.variables)
            if not len(bound):
                continue
            proved = True
            values = {
                v: known.constants[c[0]] for v, c in bound.columns.items() if c[0] < len(known.constants)
            }
            shown = [
                [
                    str(literal),
                    str(
                        Literal(
                            literal.predicate, tuple(values.get(a, a) for a in literal.args), literal.negated
                        )
                    ),
                ]
                for literal in clause.body
            ]
            sections.append(Section(str(clause), ["literal", "with these constants"], shown))
        if not proved:
            tried = [[str(clause)] for clause in self.clauses_]
            sections = [Section("No clause proves it", ["clause"], tried)]
        goal = Literal(self.target_, tuple(constants))
        return Explanation("FOIL", f"{'yes' if proved else 'no'}: {goal}", sections=sections)

    def to_prolog(self) -> str:
        """The clauses as a Prolog program."""
        self._facts(None)
        return "\n".join(clause.to_prolog() for clause in self.clauses_)

    def __str__(self) -> str:
        if "clauses_" not in vars(self):
            return repr(self)
        return "\n".join(map(str, self.clauses_)) or f"No clause for {self.target_}"

    def __repr__(self) -> str:
        return (
            f"FOIL({len(self.clauses_)} clauses for {self.target_})" if "clauses_" in vars(self) else "FOIL()"
        )

    def _facts(self, facts: Any) -> Facts:
        if "clauses_" not in vars(self):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("FOIL: call fit with facts and a target first.")
        known = self.facts_ if facts is None else Facts.of(facts)
        return consequences(known, self.clauses_) if self._recursion else known
