"""``assay compare FILE --target COLUMN``: which learners are worth having."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from assay.cli.costs import cost_option, loss_from, reject_option
from assay.cli.data import data_argument, open_data, target_option


@click.command("compare", short_help="Which learners are worth having, and which differences are real.")
@data_argument
@target_option
@click.option(
    "--learners", "-l", help="Names separated by commas (assay learners); default: all that fit the table."
)
@click.option(
    "--design",
    default="3x10",
    show_default=True,
    help="Resampling: 3x10 (repetitions x folds), 10-fold, 5x2, holdout ...",
)
@click.option(
    "--metric", "-m", "metrics", multiple=True, help="error (default), auc, log-loss ...; repeatable."
)
@cost_option
@reject_option
@click.option(
    "--alpha", default=0.05, show_default=True, type=click.FloatRange(0, 1, min_open=True, max_open=True)
)
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same splits.")
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes.")
@click.option("--report", type=click.Path(dir_okay=False, writable=True), help="Write an HTML report.")
def command(
    data: str,
    target: str | None,
    learners: str | None,
    design: str,
    metrics: tuple[str, ...],
    cost: tuple[str, ...],
    reject: float | None,
    alpha: float,
    seed: int,
    jobs: int,
    report: str | None,
) -> None:
    """Compare learners on a table: error with interval, times, and what is not significantly worse than the best.

    FILE is a CSV, Parquet, ARFF or LIBSVM file, or the name of a built-in data set. Strings, categories, dates and
    holes need no preparation; what a learner needs is done inside each fold.
    """
    from rich.console import Console

    from assay.evaluate import compare

    if report and not Path(report).absolute().parent.is_dir():  # said before the work, not after it
        raise click.BadParameter(f"there is no folder {Path(report).parent}", param_hint="--report")
    if jobs == 0:
        raise click.BadParameter("0 processes can do nothing; -1 takes all cores", param_hint="--jobs")
    found = open_data(data, target)
    if found.weights is not None:
        click.echo(f"The weights of the rows of {found.name} are left out: every row counts once.", err=True)
    loss = loss_from(cost, set(found.labels))
    chosen = list(metrics) or (["cost", "error"] if loss or reject is not None else ["error"])
    result = compare(
        [name.strip() for name in learners.split(",")] if learners else None,
        found.X,
        found.y,
        design=design,
        metrics=chosen,
        loss=loss,
        reject=reject,
        alpha=alpha,
        random_state=seed,
        n_jobs=jobs,
        name=found.name,
        target=found.target,
    )
    result.settings["command"] = shlex.join(["assay", *sys.argv[1:]])
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    console.print(result)
    if report:
        result.report(report)
        click.echo(f"The report is in {report}.")
