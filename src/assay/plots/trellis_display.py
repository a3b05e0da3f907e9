"""The trellis of a hidden Markov model: states over time, the best path and the runner-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, PALE, draw_literally
from assay.types import Axes, Estimator, SequencesLike

if TYPE_CHECKING:
    from assay.sequences.explain import Trellis

__all__ = ["TrellisDisplay"]

MOST_COLUMNS = 60  # rows of a sequence that can be distinguished in a picture


class TrellisDisplay:
    """States as lines of nodes over time; thin arcs are possible steps, the bold path is the best.

    Parameters
    ----------
    scores : (T, K) log probability of the best way to each state; -inf where there is none
    origins : (T, K) the state whence it came
    path : (T,) the best path
    rival : (T,) the runner-up, or None
    possible : (K, K) steps that are drawn; None draws those of back-pointers alone
    state_names, observations : what states are called, and what stands below each column

    Attributes
    ----------
    path_, rival_ : drawn lines      ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.plots import TrellisDisplay
    >>> from assay.sequences import CategoricalHMM
    >>> urns = CategoricalHMM(2)
    >>> urns.startprob_, urns.transmat_ = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> urns.emissionprob_ = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> TrellisDisplay.from_model(urns, [[0, 1, 1]]).path.tolist()
    [1, 1, 1]
    """

    def __init__(
        self,
        scores: ArrayLike,
        origins: ArrayLike,
        path: ArrayLike,
        *,
        rival: ArrayLike | None = None,
        possible: ArrayLike | None = None,
        state_names: Sequence[str] | None = None,
        observations: Sequence[str] | None = None,
    ):
        self.scores, self.origins = np.asarray(scores, dtype=np.float64), np.asarray(origins, dtype=np.int64)
        self.path = np.asarray(path, dtype=np.int64)
        self.rival = None if rival is None else np.asarray(rival, dtype=np.int64)
        self.possible = None if possible is None else np.asarray(possible, dtype=bool)
        T, K = self.scores.shape
        if self.origins.shape != (T, K) or self.path.shape != (T,):
            raise DataError(
                f"TrellisDisplay: {T} rows and {K} states need as many origins, and a path of {T} rows."
            )
        if T > MOST_COLUMNS:
            raise DataError(
                f"TrellisDisplay: {T} rows are too many to be distinguished (at most {MOST_COLUMNS}). Draw a part of "
                "the sequence, or StateRibbonDisplay."
            )
        self.state_names = [f"state {k}" for k in range(K)] if state_names is None else list(state_names)
        self.observations = None if observations is None else [str(v) for v in observations]

    @classmethod
    def from_model(
        cls,
        model: Estimator,
        X: SequencesLike,
        *,
        state_names: Sequence[str] | None = None,
        observations: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> TrellisDisplay:
        """Draw how a hidden Markov model finds the best path of one sequence.

        Parameters
        ----------
        model : fitted hidden Markov model
        X : one sequence
        state_names, observations : what states are called, and what stands below each column
        """
        fitted: Any = model
        trellis: Trellis = fitted.trellis(X)
        moves = np.asarray(fitted.transmat_) > 0
        display = cls(
            trellis.scores, trellis.origins, trellis.path, rival=trellis.rival, possible=moves,
            state_names=state_names, observations=observations,
        )  # fmt: skip
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> TrellisDisplay:
        """Draw nodes, arcs, the best path and the runner-up.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        T, K = self.scores.shape
        self.ax_ = ax = axes_for(ax, (min(2.0 + 0.9 * T, 14.0), 1.2 + 0.7 * K))
        self.figure_ = ax.figure
        for t in range(1, T):
            for i in range(K):
                for j in range(K):
                    if self.possible is not None and not self.possible[i, j]:
                        continue
                    chosen = self.origins[t, j] == i and np.isfinite(self.scores[t, j])
                    if self.possible is None and not chosen:
                        continue
                    colour, width = (FAINT, 1.0) if chosen else (PALE, 0.7)
                    ax.plot([t - 1, t], [i, j], color=colour, lw=width, zorder=1)
        at = np.arange(T)
        self.rival_: Any = None
        if self.rival is not None:
            (self.rival_,) = ax.plot(
                at, self.rival, color=class_colour(1), ls="--", lw=2, zorder=2, label="runner-up"
            )
        (self.path_,) = ax.plot(at, self.path, color=class_colour(0), lw=3, zorder=3, label="best path")
        best = np.zeros((T, K), dtype=bool)
        best[at, self.path] = True
        reached = np.isfinite(self.scores)
        for chosen, face, edge in (
            (best, class_colour(0), INK),
            (~best & reached, "white", INK),
            (~best & ~reached, "white", PALE),
        ):
            columns, lines = np.nonzero(chosen)
            ax.scatter(columns, lines, s=110, color=face, edgecolors=edge, zorder=4)
        ax.set(xlim=(-0.6, T - 0.4), ylim=(K - 0.5, -0.5), yticks=range(K), yticklabels=self.state_names)
        ax.set_xticks(at, self.observations if self.observations is not None else [str(t) for t in at])
        ax.set_xlabel("observations" if self.observations is not None else "row")
        for side in ("top", "right", "left", "bottom"):
            ax.spines[side].set_visible(False)
        ax.tick_params(length=0)
        ax.legend(loc="upper left", bbox_to_anchor=(0.0, 1.18), ncols=2, frameon=False)
        draw_literally(ax)
        return self
