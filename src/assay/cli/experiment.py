"""``assay experiment run FILE``: learners x settings x data sets, resumable; show, report, resume, new."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click

from assay.cli.jobs import check_jobs, dask_option
from assay.cli.seconds import Seconds

_jobs = click.option("--jobs", "-j", default=1, show_default=True, help="Processes; -1 for all cores.")
_budget = click.option(
    "--budget",
    type=Seconds(),
    help="Start nothing that would go beyond: 90, 90s, 10m, 2h. Run again to go on.",
)
_retry = click.option("--retry-failed", is_flag=True, help="Try cells again that failed before.")


@click.group("experiment")
def command() -> None:
    """Run an experiment over learners, settings and data sets; stop it, resume it, draw conclusions.

    To begin: assay experiment new, then edit the file, then assay experiment run FILE.
    """


@command.command("new")
@click.argument("file", default="experiment.toml")
def new(file: str) -> None:
    """Write an example, with comments, to start from."""
    from assay.experiments.spec import EXAMPLE
    from assay.tables.whole_files import write_whole

    path = Path(file)
    if path.suffix != ".toml":
        raise click.BadParameter(f"{file} should end in .toml", param_hint="FILE")
    if path.exists():
        raise click.BadParameter(f"{file} is there already; choose another name", param_hint="FILE")
    write_whole(path, EXAMPLE.format(file=path.name, folder=f"{path.stem}-results"))
    click.echo(f"An example is in {path}. Edit it, then: assay experiment run {path}")


@command.command("run")
@click.argument("file")
@click.option(
    "--folder", type=click.Path(file_okay=False), help="Where results are kept, if not as FILE says."
)
@click.option(
    "--plan", "only_plan", is_flag=True, help="Show the cells and about how long they take, and stop."
)
@_jobs
@dask_option
@_budget
@_retry
def run(
    file: str,
    folder: str | None,
    only_plan: bool,
    jobs: int,
    dask: str | None,
    budget: float | None,
    retry_failed: bool,
) -> None:
    """Run the experiment that FILE describes, or what is still missing of it."""
    from assay.experiments.spec import read_experiment

    experiment = read_experiment(file, folder)
    if experiment.folder is None:
        raise click.UsageError(
            f'Where are the results to be kept? Write folder = "..." into {file}, or give --folder.'
        )
    _carry_on(experiment, only_plan, jobs, dask, budget, retry_failed)


@command.command("resume")
@click.argument("folder", type=click.Path(file_okay=False))
@_jobs
@dask_option
@_budget
@_retry
def resume(folder: str, jobs: int, dask: str | None, budget: float | None, retry_failed: bool) -> None:
    """Go on with the experiment in FOLDER."""
    from assay.experiments.spec import resumed

    _carry_on(resumed(folder), False, jobs, dask, budget, retry_failed)


@command.command("show")
@click.argument("folder", type=click.Path(file_okay=False))
@click.option("--metric", "-m", help="Which of the measured ones; default: the first.")
@click.option("--data", "-d", help="One data set in full instead of all.")
@click.option("--control", "-c", help="Compare all others with this learner instead of all pairs.")
@click.option("--checklist", is_flag=True, help="Steps A to G instead of the result.")
@click.option("--save", type=click.Path(dir_okay=False), help="Write all records: .parquet or .csv.")
def show(
    folder: str, metric: str | None, data: str | None, control: str | None, checklist: bool, save: str | None
) -> None:
    """Show what is in FOLDER, also while the experiment runs."""
    from assay.experiments.study import Study
    from assay.experiments.study_show import as_text

    if save is not None and Path(save).suffix not in (".parquet", ".csv"):
        raise click.BadParameter(f"{save} should end in .parquet or .csv", param_hint="--save")
    study = Study.load(folder)
    if checklist:
        click.echo(study.checklist.to_text())
    elif data is not None:
        click.echo(str(study.comparison(data)))
    else:
        click.echo(as_text(study, metric, control))
    if save is not None:
        (study.to_csv if save.endswith(".csv") else study.to_parquet)(save)
        click.echo(f"The records are in {save}.")


@command.command("report")
@click.argument("folder", type=click.Path(file_okay=False))
@click.argument("page", type=click.Path(dir_okay=False))
def report(folder: str, page: str) -> None:
    """Write what is in FOLDER as one HTML page."""
    from assay.experiments.study import Study

    if not Path(page).absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {Path(page).parent}", param_hint="PAGE")
    study = Study.load(folder)
    study.report(page)
    click.echo(f"The report is in {page}.")


def _carry_on(
    experiment: Any, only_plan: bool, jobs: int, dask: str | None, budget: float | None, retry_failed: bool
) -> None:
    check_jobs(jobs, dask)
    start = time.monotonic()
    plan = experiment.plan(pilot=5.0 if budget is None else min(5.0, budget))
    click.echo(f"{plan}\n")
    if only_plan:
        return
    if budget is not None:
        budget = max(0.0, budget - (time.monotonic() - start))
    study = experiment.run(n_jobs=jobs, budget=budget, retry_failed=retry_failed, client=dask)
    click.echo(str(study))
    if study.missing:
        ended = study.manifest.sessions[-1]["ended"] or "Not finished"
        remaining = f"{study.missing:,} cells are left. To go on: assay experiment resume {experiment.folder}"
        click.echo(f"\n{ended}: {remaining}")
        if ended == "Interrupted":
            sys.exit(130)
