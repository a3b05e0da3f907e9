"""A comparison as the seven steps of an experiment, A to G (Alpaydin 2014, 19.5)."""

from __future__ import annotations

from assay.evaluate import Comparison
from assay.evaluate.show import conclusion
from assay.report.methods import usual_test
from assay.stats.significance.test_result import shown_confidence

__all__ = ["steps"]


def steps(result: Comparison) -> list[tuple[str, str, list[str]]]:
    """(letter, step, sentences): aim, response, factors, design, run, analysis, conclusions.

    >>> from assay import compare
    >>> from assay.report.steps import steps
    >>> result = compare(["majority"], [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "b"] * 10, design="5-fold")
    >>> [f"{letter} {step}" for letter, step, _ in steps(result)]
    ['A aim', 'B response', 'C factors and levels', 'D design', 'E run', 'F analysis', 'G conclusions']
    """
    m, d, J = result.metrics[0], result.data, len(result.places)
    L = len(result.learners)
    seed = result.settings["seed"]
    further = [x.name for x in result.metrics[1:]]
    prepared = {name: words for name, words in result.prepared.items() if words}
    aim = (
        f"To find out which of {L} learners has the best {m.name} on {d.name}, and which differences are real."
        if L > 1
        else f"To estimate the {m.name} of {result.learners[0]} on {d.name}."
    )
    response = [f"{m.name}: {m.words or 'a measure of the user'}; {m.better} is better."]
    if further:
        response.append(f"Also measured: {', '.join(further)}.")
    factors = [f"Learner, {L} level{'s' if L != 1 else ''}: {', '.join(result.learners)}."]
    if prepared:
        factors.append(
            "Preparation goes with the learner: " + "; ".join(f"{k}: {v}" for k, v in prepared.items()) + "."
        )
    factors.append("Not varied: the parameters of each learner, which are in the settings of this page.")
    design = [
        f"{str(result.design).capitalize()}: {J} split{'s' if J != 1 else ''}"
        + (
            "."
            if L == 1
            else f", the same for every learner, so {'each split is a block and ' if J > 1 else ''}"
            "differences are paired."
        )
    ]
    if result.settings.get("grouped"):
        design.append("Rows of one group stay on one side of every split.")
    run = [
        f"Random seed {seed}; {result.settings['seconds']:.1f} seconds; "
        + ", ".join(f"{k} {v}" for k, v in result.settings["versions"].items())
        + "."
    ]
    run += [f"{name} {why}" for name, why in result.failures.items()]
    if not result.failures:
        run.append("Every learner finished every split.")
    return [
        ("A", "aim", [aim]),
        ("B", "response", response),
        ("C", "factors and levels", factors),
        ("D", "design", design),
        ("E", "run", run),
        ("F", "analysis", [_analysis(result)]),
        ("G", "conclusions", [conclusion(result)]),
    ]


def _analysis(result: Comparison) -> str:
    finished = [s for s in result.ranking() if not s.failure]
    if not finished:
        return "No learner finished, so there is nothing to analyse."
    if len(finished) < 2:
        return "One learner: an interval, and no test."
    test = usual_test(result)
    if test is None:
        return f"The {result.metrics[0].name} is defined on too few splits for a test."
    level = shown_confidence(result.alpha)
    holm = ", adjusted by Holm's method" if len(finished) > 2 else ""
    return f"{test.test[0].upper() + test.test[1:]}{holm}, level {result.alpha:g}; intervals at {level}."
