"""The checklist of an experiment, steps A to G, registered before the run, with its later changes."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import DataError, ParameterError
from assay.experiments.fingerprint import digest
from assay.experiments.journal import read_json, write_whole

if TYPE_CHECKING:
    from assay.experiments.folder import Manifest

__all__ = ["STEPS", "Change", "Checklist"]

STEPS = {
    "aim": "Aim of the study",
    "response": "Response variable",
    "factors": "Factors and levels",
    "design": "Design of the experiment",
    "run": "Performing the experiment",
    "analysis": "Statistical analysis",
    "conclusions": "Conclusions",
}  # in the order of their letters, A to G


@dataclass(frozen=True)
class Change:
    """One step that was rewritten after it had been registered."""

    step: str
    at: float
    before: str
    after: str


@dataclass(frozen=True)
class Checklist:
    """Seven steps of an experiment, six of them stated before it is run.

    Steps that are left empty are filled in from the experiment itself. ``register`` writes steps A to F into the
    experiment's folder with the time and a hash of their text. If they change later, the first wording stays,
    and every change is shown with its time.

    Parameters
    ----------
    aim : what the study is to find out (A)
    response : what is measured (B)
    factors : what is varied, and over which levels (C)
    design : which runs, splits, blocks, replications (D)
    run : trial runs, seeds, versions, where the code is (E)
    analysis : which tests at which level, decided beforehand (F)
    conclusions : what follows (G); written after the run

    Examples
    --------
    >>> from assay.experiments import Checklist
    >>> print(Checklist(aim="Is naive Bayes good enough for small tables?").to_text().splitlines()[2])
    A. Aim of the study: Is naive Bayes good enough for small tables?
    """

    aim: str = ""
    response: str = ""
    factors: str = ""
    design: str = ""
    run: str = ""
    analysis: str = ""
    conclusions: str = ""
    registered: float | None = None
    ran: int = 0
    hash: str = ""
    changes: tuple[Change, ...] = field(default=())

    def __post_init__(self) -> None:
        for step in STEPS:
            if not isinstance(getattr(self, step), str):
                raise ParameterError(f"Checklist: {step} must be a text, got {getattr(self, step)!r}.")

    # registration

    @property
    def fingerprint(self) -> str:
        """The hash of steps A to F as they stand now."""
        return digest(*(getattr(self, step) for step in list(STEPS)[:-1]))

    @property
    def first(self) -> Checklist:
        """The first registered version."""
        wording = {step: getattr(self, step) for step in STEPS}
        for change in reversed(self.changes):
            wording[change.step] = change.before
        return Checklist(**wording, registered=self.registered, ran=self.ran, hash=self.hash)

    @property
    def intact(self) -> bool:
        """Whether the first wording is the one whose hash was registered."""
        return self.registered is not None and self.first.fingerprint == self.hash

    def register(self, folder: Path, ran: int = 0) -> Checklist:
        """Write steps A to F into a folder; a wording that is there already stays, and differences become changes.

        Parameters
        ----------
        ran : how many cells had been run by now
        """
        now = time.time()
        old = _registered(folder)
        if old is not None:
            fresh = [
                Change(step, now, getattr(old, step), getattr(self, step))
                for step in list(STEPS)[:-1]
                if getattr(old, step) != getattr(self, step)
            ]
            conclusions = self.conclusions or old.conclusions
            registered = replace(self, conclusions=conclusions, registered=old.registered, ran=old.ran, hash=old.hash,
                           changes=(*old.changes, *fresh))  # fmt: skip
        else:
            registered = replace(self, registered=now, ran=ran, hash=self.fingerprint, changes=())
        registered.save(folder)
        return registered

    def save(self, folder: Path) -> None:
        """Write it as JSON and as Markdown."""
        held = {
            "what": "assay checklist",
            "steps": {step: getattr(self, step) for step in STEPS},
            "registered": self.registered,
            "ran": self.ran,
            "hash": self.hash,
            "changes": [vars(c) for c in self.changes],
        }
        write_whole(folder / "checklist.json", json.dumps(held, indent=1, ensure_ascii=False))
        write_whole(folder / "checklist.md", self.to_markdown())

    @classmethod
    def load(cls, folder: Path) -> Checklist:
        """The checklist of a folder."""
        held = read_json(folder / "checklist.json", "checklist")
        try:
            return cls(
                **{step: held["steps"][step] for step in STEPS},
                registered=held["registered"],
                ran=held["ran"],
                hash=held["hash"],
                changes=tuple(Change(**c) for c in held["changes"]),
            )
        except (KeyError, TypeError) as error:
            raise ParameterError(f"Checklist: {folder / 'checklist.json'} is damaged: {error}.") from None

    def filled(self, manifest: Manifest) -> Checklist:
        """With empty steps generated from the experiment."""
        defaults: dict[str, Any] = words_of(manifest)
        return replace(
            self, **{step: text for step, text in defaults.items() if not getattr(self, step).strip()}
        )

    # faces

    @property
    def steps(self) -> list[tuple[str, str, str]]:
        """(letter, title, text) of each step."""
        return [
            (letter, title, getattr(self, step).strip() or "(not stated)")
            for letter, (step, title) in zip("ABCDEFG", STEPS.items())
        ]

    @property
    def status(self) -> str:
        """When it was registered, whether it was changed since, in a sentence or two."""
        if self.registered is None:
            return "Not registered before the run."
        late = f", after {self.ran:,} cells had been run" if self.ran else " before the run"
        sentence = f"Registered {_moment(self.registered)}{late}, hash {self.hash[:12]}."
        if not self.intact:
            return sentence + " The wording on disk is not the one that was registered: its hash differs."
        if not self.changes:
            return sentence + " Unchanged since."
        count = len(self.changes)
        return sentence + f" {count} change{'' if count == 1 else 's'} afterwards, shown below."

    def to_text(self) -> str:
        """Plain lines."""
        lines = [self.status, "", *(f"{letter}. {title}: {text}" for letter, title, text in self.steps)]
        if self.changes:
            lines += ["", *(_sentence(c) for c in self.changes)]
        return "\n".join(lines)

    __str__ = to_text

    def to_markdown(self) -> str:
        """With a heading per step."""
        parts = ["# Experiment checklist", _marked(self.status)]
        for letter, title, text in self.steps:
            parts += [f"## {letter}. {title}", _marked(text)]
        if self.changes:
            parts += [
                "## Changes after registration",
                "\n".join(f"- {_marked(_sentence(c))}" for c in self.changes),
            ]
        return "\n\n".join(parts) + "\n"

    def to_html(self) -> str:
        """A list of definitions; everything is escaped."""
        steps = "".join(
            f"<dt>{letter}. {escape(title)}</dt><dd>{escape(text)}</dd>" for letter, title, text in self.steps
        )
        changes = "".join(f"<li>{escape(_sentence(c))}</li>" for c in self.changes)
        return (
            f'<div class="assay-checklist"><p>{escape(self.status)}</p><dl>{steps}</dl>'
            + (f"<ul>{changes}</ul>" if changes else "")
            + "</div>"
        )

    _repr_html_ = to_html


def _registered(folder: Path) -> Checklist | None:
    """The checklist of a folder; None if there is none. An unreadable one is moved aside."""
    path = folder / "checklist.json"
    if not path.exists():
        return None
    try:
        return Checklist.load(folder)
    except (DataError, ParameterError):
        path.replace(folder / "checklist.damaged")
        return None


def words_of(manifest: Manifest) -> dict[str, str]:
    """Steps A to F, generated from the experiment."""
    first, *others = manifest.metrics
    also = f" Also measured: {', '.join(m.name for m in others)}." if others else ""
    data = ", ".join(f"{b.name} ({b.about.rows} rows)" for b in manifest.blocks)
    learners = ", ".join(e["name"] for e in manifest.learners)
    N, L = len(manifest.blocks), len(manifest.learners)
    tests = "the corrected resampled t test between learners, adjusted by Holm's method"
    if N > 1 and L == 2:
        tests = "the Wilcoxon signed-rank test over data sets, with the sign test beside it"
    elif N > 1 and L > 2:
        tests = "Friedman's test over data sets in Iman and Davenport's form, then Nemenyi's test between learners"
    return {
        "aim": (
            f"To find out which of {L} learners has the best {first.name}"
            if L > 1
            else f"To measure the {first.name} of {learners}"
        )
        + f" on {N} data set{'' if N == 1 else 's'}.",
        "response": f"{first.name}: {first.words or 'as defined by its name'}; {first.better} is better.{also}",
        "factors": f"Learner and settings: {learners}. Data set: {data}.",
        "design": f"{manifest.design_words[0].upper()}{manifest.design_words[1:]}; the same splits for every learner, "
        "so that data set and split are blocks.",
        "run": f"Seed {manifest.seed} for splits, run order and learners. The order of runs is random within blocks. "
        "Trial runs measure time alone. Every finished cell is in the journal of the folder, with the versions used.",
        "analysis": f"At level {manifest.alpha:g}: {tests}. Intervals of single results by Student's t, corrected for "
        "splits that share rows.",
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _sentence(change: Change) -> str:
    letter = "ABCDEFG"[list(STEPS).index(change.step)]
    return f"{_moment(change.at)}: step {letter} was changed from {change.before!r} to {change.after!r}."


def _marked(text: Any) -> str:
    """Text escaped for Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in str(text))
