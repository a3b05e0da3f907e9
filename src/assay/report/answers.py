"""What the learners answered on rows they had not seen, with the probabilities that can be drawn and paid by."""

from __future__ import annotations

from assay.decide.decision import check_posterior
from assay.errors import DataError
from assay.evaluate import Comparison, OutOfFold

__all__ = ["answers_of"]


def answers_of(result: Comparison) -> tuple[dict[str, OutOfFold], list[str]]:
    """Of each learner that finished, best first, its answers; and a sentence for each whose numbers are no
    probabilities: those are left out, since neither a curve nor a cost can be made of them.

    >>> from assay import compare
    >>> from assay.report.answers import answers_of
    >>> result = compare(["majority"], [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "b"] * 10, design="5-fold")
    >>> answers_of(result)[0]["majority"].posterior.shape
    (20, 2)
    """
    answers, notes = {}, []
    for s in result.ranking():
        if s.failure:
            continue
        found = result.out_of_fold(s.learner)
        if found.posterior is not None:
            try:
                check_posterior(found.posterior, s.learner)
            except DataError as error:
                said = str(error).removeprefix(f"{s.learner}: ").split(". ")[0].rstrip(".")
                notes.append(f"{s.learner} has no curves and no costs here: {said}.")
                found = found._replace(posterior=None)
        answers[s.learner] = found
    return answers, notes
