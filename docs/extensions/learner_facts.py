"""What the page of a learner says before its documentation: what it is for, at a glance, and a picture.

All of it is gathered from what the project knows anyway: the learner's card, its entry in the list of learners, its
signature beside that of scikit-learn's class of the same name, and the figures of the gallery that use it.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

GALLERY = Path(__file__).resolve().parents[2] / "gallery"
OF_DECISIONS = (
    "plot_calibration",
    "plot_costs_and_thresholds",
    "plot_error_and_reject",
    "plot_losses_and_reject",
)
UNWANTED = ("deprecated", "warn")
TRIED = {
    "any": "on any table",
    "numeric": "on tables with a numeric column",
    "all numeric": "on tables of numbers alone",
    "on request": "when it is named",
}


def glance(learner: Any, cls: type, theirs: type | None) -> list[str]:
    """The lines of a table: what the learner does, which tables it takes, how it learns, in what it differs."""
    facts = [("what it does", learner.summary), ("kind", kind_of(learner))]
    learns = cls.card.learns  # type: ignore[attr-defined]
    if learns is not None:
        facts += [("model", learns.model), ("loss", learns.loss)]
        facts += [("optimiser", f"{learns.optimizer}; optimum: {learns.optimum}")]
    facts += [("takes as it is", learner.takes_words)]
    facts += [("learns from", ways_to_learn(cls)), ("tried by `compare`", tried(learner))]
    if learner.scale:
        facts.append(("units", "matter: z-scores first, as `compare` makes them"))
    if theirs is not None:
        facts.append(("scikit-learn's class", differences(cls, theirs)))
    cells = [(name, text.replace("|", "\\|")) for name, text in facts if text]
    return ["| at a glance | |", "|---|---|", *(f"| {name} | {text} |" for name, text in cells), ""]


def kind_of(learner: Any) -> str:
    """Classifier, regressor ... and how a classifier tells many classes apart."""
    return f"{learner.kind}; many classes: {learner.multiclass}" if learner.multiclass else str(learner.kind)


def ways_to_learn(cls: type) -> str:
    """What else than a table in one piece a learner learns from."""
    fit = getattr(cls, "fit", None)
    ways = {
        "weighted rows (`sample_weight`)": fit is not None
        and "sample_weight" in inspect.signature(fit).parameters,
        "tables larger than memory (`fit_blocks`)": hasattr(cls, "fit_blocks"),
        "parts that come one after the other (`partial_fit`)": hasattr(cls, "partial_fit"),
    }
    return ", ".join(["a table", *(word for word, can in ways.items() if can)])


def tried(learner: Any) -> str:
    """When ``compare`` tries the learner, and how far it scales."""
    limits = [
        f"up to {most:,} {what}"
        for most, what in ((learner.most_rows, "rows"), (learner.most_columns, "columns"))
        if most
    ]
    return ", ".join([TRIED[learner.suits], *limits])


def differences(cls: type, theirs: type) -> str:
    """Which parameters and defaults are not those of another class.

    Parameters that scikit-learn no longer wants, and defaults that only warn of others, are not counted.
    """
    ours, known = (inspect.signature(one).parameters for one in (cls, theirs))
    more = [f"`{name}`" for name in ours if name not in known]
    less = [
        f"`{name}`"
        for name, parameter in known.items()
        if name not in ours and parameter.default not in UNWANTED
    ]
    other = [
        f"`{name}` is {default_of(ours[name])} (there {default_of(known[name])})"
        for name in ours
        if name in known
        and known[name].default not in UNWANTED
        and repr(ours[name].default) != repr(known[name].default)
    ]
    parts = [f"{word} {', '.join(names)}" for word, names in
             (("also has", more), ("does without", less), ("other defaults:", other)) if names]  # fmt: skip
    return "; ".join(parts) if parts else "the same parameters and defaults"


def default_of(parameter: inspect.Parameter) -> str:
    """The default of a parameter in words."""
    if parameter.default is parameter.empty:
        return "required"
    named = inspect.isfunction(parameter.default)
    return f"`{parameter.default.__name__ if named else repr(parameter.default)}`"


def picture(
    room: str,
    name: str,
    examples: set[str],
    uses: dict[str, int],
    figures: dict[str, tuple[str, str]],
    portraits: dict[tuple[str, str], tuple[str, str]],
) -> list[str]:
    """The figure of the gallery that is most about a learner: it names it most often, and few others. Or a portrait."""
    known = [one for one in sorted(examples) if Path(one).stem in figures and is_about(room, one)]
    if known:
        word = re.compile(rf"\b{name}\b")
        often = {one: len(word.findall((GALLERY / one).read_text())) for one in known}
        best = max(known, key=lambda one: (often[one], -uses[one]))
        page, title = figures[Path(best).stem]
        section, stem = Path(best).parent.name, Path(best).stem
        shown, words = (
            f"/gallery/{section}/images/thumb/sphx_glr_{stem}_thumb.png",
            f"[{title}](/gallery/{page})",
        )
    elif (room, name) in portraits:
        shown, title = portraits[room, name]
        words = f"{title}."
    else:
        return []
    return [f"```{{figure}} {shown}", f":alt: {title}", "", words, "```", ""]


def is_about(room: str, example: str) -> bool:
    """Figures of committees, of decisions and of evidence are about many learners and none of them."""
    section, stem = Path(example).parent.name, Path(example).stem
    if stem in OF_DECISIONS:
        return room == "decide"
    return section not in ("committees", "evidence") or (section, room) == ("committees", "ensembles")
