"""A study as text, and in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from assay.experiments.conclusion import nothing_yet

if TYPE_CHECKING:
    from assay.experiments.study import Study

__all__ = ["as_html", "as_text", "headline", "notes", "rows_of"]

WIDTH = 118  # of a line of text; data sets beyond it are left to table() and the report


def headline(study: Study) -> str:
    """What was run, in one line."""
    N, L = len(study.data), len(study.learners)
    words = study.manifest.design_words
    return (
        f"{study.name}: {L} learner{'' if L == 1 else 's'} on {N} data set{'' if N == 1 else 's'}. "
        f"{words[0].upper()}{words[1:]}, seed {study.manifest.seed}."
    )


def rows_of(
    study: Study, metric: str | None = None, control: str | None = None
) -> tuple[list[str], list[list[str]]]:
    """Heads and one row per learner, best average rank first: rank, group letters, the mean on each data set.

    The best mean on a data set has a star.
    """
    m = study._metric(metric)
    means = study.table(m.name)
    conclusion = study.conclusion(m.name, control=control)
    rank = conclusion.ranks
    centre = np.array([np.nan if np.isnan(c).all() else np.nanmean(c) for c in m.sign * means.T])
    order = np.lexsort((centre, np.nan_to_num(rank, nan=np.inf)))
    best = [np.nan if np.isnan(row).all() else np.nanmin(row) for row in np.round(m.sign * means, 12)]
    heads = ["learner", "rank", "groups", *study.data]
    rows = []
    for k in order:
        values = []
        for i, value in enumerate(means[:, k]):
            if np.isnan(value):
                values.append("failed" if (study.data[i], study.learners[k]) in study.failures else "-")
            else:
                values.append(f"{value:.4f}" + ("*" if round(m.sign * value, 12) == best[i] else " "))
        shown_rank = "" if np.isnan(rank[k]) else f"{rank[k]:.2f}"
        rows.append([study.learners[k], shown_rank, conclusion.letters[k], *values])
    return heads, rows


def notes(study: Study) -> list[str]:
    """What is missing, failed or odd, in sentences."""
    sentences = []
    total = sum(len(c) for by_learner in study.cells.values() for c in by_learner.values())
    if study.missing:
        sentences.append(
            f"{study.missing:,} of {total:,} cells have not been run yet; the result rests on the others."
        )
    if study.damaged:
        many = "line was" if study.damaged == 1 else "lines were"
        sentences.append(
            f"{study.damaged} damaged {many} left out of the journal; run again to fill the gap."
        )
    sentences += [f"{learner} on {data} {why}" for (data, learner), why in study.failures.items()]
    used = {
        study.manifest.key(block, learner, j)
        for block in study.manifest.blocks
        for learner in study.learners
        for j in range(len(block.tests))
    }
    others = sum(key not in used for key in study.journal)
    if others:
        sentences.append(f"{others:,} cells of other settings are in the folder too and are not used here.")
    sentences += [note for block in study.manifest.blocks for note in block.notes]
    ran = {study.journal[key]["session"] for key in used if key in study.journal}
    sessions = study.manifest.sessions
    version_sets = {tuple(sorted(sessions[i]["versions"].items())) for i in ran if i < len(sessions)}
    if len(version_sets) > 1:
        sentences.append("The cells were run with different versions of packages: see manifest.sessions.")
    return sentences


def as_text(study: Study, metric: str | None = None, control: str | None = None) -> str:
    """A table, the conclusion, notes."""
    m = study._metric(metric)
    lines = [headline(study), "", f"Mean {m.name} ({m.better} is better):"]
    if not np.isfinite(study.table(m.name)).any():
        sentence = nothing_yet(study, m).removeprefix("study: ")
        return "\n".join(
            [lines[0], "", sentence[0].upper() + sentence[1:], *(f"note: {note}" for note in notes(study))]
        )
    heads, rows = rows_of(study, m.name, control)
    heads = [h if len(h) <= 16 else h[:15] + "…" for h in heads]
    width = [max(len(r[j]) for r in [heads, *rows]) for j in range(len(heads))]
    columns = [j for j in range(len(heads)) if sum(w + 2 for w in width[: j + 1]) <= WIDTH or j < 3]
    for row in [heads, *rows]:
        cut = (row[j].ljust(width[j]) if j in (0, 2) else row[j].rjust(width[j]) for j in columns)
        lines.append("  ".join(cut).rstrip())
    if len(columns) < len(heads):
        lines.append(f"... and {len(heads) - len(columns)} more data sets: study.table(), or the report.")
    lines += ["", *study.conclusion(m.name, control=control).sentences]
    return "\n".join(lines + [f"note: {note}" for note in notes(study)])


def as_html(study: Study) -> str:
    """A small table for notebooks; everything from the data is escaped."""
    heads, rows, sentences = [], [], [nothing_yet(study, study.metrics[0])]
    if np.isfinite(study.table()).any():
        heads, rows = rows_of(study)
        sentences = study.conclusion().sentences
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(v)}</td>" for v in row) + "</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    paragraphs = "".join(f"<p>{escape(s)}</p>" for s in sentences)
    listed = "".join(f"<li>{escape(note)}</li>" for note in notes(study))
    return (
        f'<div class="assay-study"><p>{escape(headline(study))}</p>{table}{paragraphs}'
        + (f"<ul>{listed}</ul>" if listed else "")
        + "</div>"
    )
