"""``assay network FILE``: learn, draw and query Bayesian networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli.data import built_in_with, data_argument
from assay.cli.reading import Reading, is_file, table_options
from assay.cli.words import counted
from assay.errors import DataError, ReadError, did_you_mean

WRITTEN = (".bif", ".xml", ".xmlbif", ".bifxml", ".uai", ".dsc", ".json", ".svg", ".dot", ".html", ".assay")
NETWORK_FILES = (".bif", ".xml", ".xmlbif", ".bifxml", ".uai", ".dsc")
MOST_PRINTED = 40  # nodes whose marginals are printed without --of


@click.command("network", short_help="Bayesian networks: learn one, draw it, ask it.")
@data_argument
@click.option(
    "--learn",
    "method",
    type=click.Choice(["hill climbing", "tabu", "chow-liu", "pc"]),
    default="tabu",
    show_default=True,
    help="Of a table: how the structure is learned.",
)
@click.option(
    "--score",
    type=click.Choice(["bic", "aic", "bdeu", "k2", "log-likelihood"]),
    default="bic",
    show_default=True,
    help="Of a table: what the search maximises.",
)
@click.option(
    "--require", multiple=True, metavar="A:B", help="An arc from A to B that must be there; repeatable."
)
@click.option(
    "--forbid", multiple=True, metavar="A:B", help="An arc from A to B that must not be; repeatable."
)
@click.option(
    "--tier", multiple=True, metavar="A,B,...", help="Columns of one tier, causes first; repeatable."
)
@click.option(
    "--cuts", type=click.IntRange(min=2), help="Number of intervals into which numeric columns are cut."
)
@click.option(
    "--smoothing", type=click.FloatRange(min=0), default=1.0, show_default=True, help="Pseudo-count."
)
@click.option(
    "--missing",
    type=click.Choice(["state", "em"]),
    default="state",
    show_default=True,
    help="Missing values: a state of their own, or summed out by EM.",
)
@click.option(
    "--strength",
    type=click.IntRange(min=1),
    metavar="N",
    help="Strength of each arc in N samples of the rows.",
)
@click.option(
    "--given", "evidence", multiple=True, metavar="A=B", help="Evidence: node A is in state B; repeatable."
)
@click.option(
    "--of", multiple=True, metavar="NODE", help="The node whose distribution is asked for; repeatable."
)
@click.option("--explain", "why", is_flag=True, help="With --of: what each piece of evidence weighs.")
@click.option(
    "--most-probable", is_flag=True, help="The most probable states of all nodes given the evidence."
)
@click.option(
    "--independent", nargs=2, metavar="A B", help="Whether the graph says that A and B are independent."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help=f"Write the network: {', '.join(WRITTEN)}. A page (.html) takes evidence by clicks.",
)
@table_options
def command(
    data: str,
    method: str,
    score: str,
    require: tuple[str, ...],
    forbid: tuple[str, ...],
    tier: tuple[str, ...],
    cuts: int | None,
    smoothing: float,
    missing: str,
    strength: int | None,
    evidence: tuple[str, ...],
    of: tuple[str, ...],
    why: bool,
    most_probable: bool,
    independent: tuple[str, str] | None,
    output: str | None,
    reading: Reading,
) -> None:
    """Learn a Bayesian network from a table, or open one, and ask it.

    FILE is a network (BIF, XMLBIF, UAI, DSC, JSON, or a model file that holds one), the name of a built-in network
    (asia, cancer, sprinkler ...), or a table, as for the other commands, from which a network is learned. Without
    --of the distributions of all nodes are printed.
    """
    observed = _evidence(evidence)
    if output is not None:
        from assay.cli.output import check_output

        if Path(output).suffix.lower() not in WRITTEN:
            raise click.BadParameter(f"{output} should end in {', '.join(WRITTEN)}", param_hint="--output")
        check_output(output, "--output", data)
    network, table = _network_or_table(data, reading)
    if network is None:
        from assay.graphs import arc_strength, learn_network

        known: dict[str, Any] = {
            "required": [_arc(a, "--require") for a in require],
            "forbidden": [_arc(a, "--forbid") for a in forbid],
            "tiers": [t.split(",") for t in tier] or None,
            "cuts": cuts,
            "missing": missing,
            "score": score,
        }
        try:
            network = learn_network(table, method, smoothing=smoothing, **known)
        except DataError as error:
            if error.code != "uncut-numbers":
                raise
            raise DataError(
                error.what,
                remedy="Cut numbers into intervals: --cuts 4. A column that only names rows: --drop COLUMN.",
                code=error.code,
            ) from None
        if strength:
            click.echo(f"Strength of the arcs in {strength} bootstrap samples\n")
            click.echo(f"{arc_strength(table, method, n_boot=strength, **known)}\n")
    elif strength or require or forbid or tier:
        raise click.UsageError(
            f"{data} is a network; --strength, --require, --forbid and --tier are about learning."
        )
    click.echo(
        f"{counted(len(network), 'node')}, {counted(len(network.arcs), 'arc')} ({network.kind}), "
        f"{counted(network.n_parameters, 'parameter')}"
    )
    click.echo(f"{network}\n")
    if independent:
        click.echo(f"{network.independent(*independent, list(observed))}\n")
    _answer(network, observed, of, why, most_probable)
    if output is not None:
        _write(network, output, Path(data).stem)
        click.echo(f"The network is in {output}.")


def _answer(
    network: Any, observed: dict[str, str], of: tuple[str, ...], why: bool, most_probable: bool
) -> None:
    """Print what was asked for."""
    words = f" given {', '.join(f'{n}={v}' for n, v in observed.items())}" if observed else ""
    if most_probable:
        states, p = network.most_probable(observed)
        click.echo(f"Most probable states{words} (probability {p:.4g})")
        click.echo("\n".join(f"  {name} = {state}" for name, state in states.items()) + "\n")
    for name in of:
        if why:
            click.echo(f"{network.explain(name, observed)}\n")
        else:
            click.echo(f"{name}{words}\n{network.query(name, observed)}\n")
    if not of and not most_probable:
        marginals = network.marginals(observed)
        lines = str(marginals).split("\n")
        click.echo(f"All nodes{words}\n" + "\n".join(lines[: 4 * MOST_PRINTED]))
        if len(lines) > 4 * MOST_PRINTED:
            click.echo("  ... and more; --of NODE asks for one.")


def _network_or_table(data: str, reading: Reading) -> tuple[Any, Any]:
    """The network of a file or of that name, or else a table with all its columns."""
    from assay.graphs import load_network, read_network
    from assay.graphs.classic import NETWORKS

    name = Path(data).name.removesuffix(".gz").lower()
    if not is_file(data):
        if data.lower().replace("_", " ") in NETWORKS:
            return load_network(data.lower().replace("_", " ")), None
        try:
            return None, built_in_with(data, reading).frame("pyarrow")
        except click.ClickException:
            near = did_you_mean(data, NETWORKS, listed=False)
            if not near:
                raise
            raise click.ClickException(f"There is no file and no built-in network {data}.{near}") from None
    if name.endswith(".assay"):
        return _of_model(data), None
    if name.endswith(NETWORK_FILES):
        return read_network(data), None
    if name.endswith(".json"):
        try:
            return read_network(data), None
        except ReadError as error:
            if error.code != "malformed-network":
                raise
            text = Path(data).read_text(errors="replace")[:200]
            if '"assay network' in text:
                raise
    from assay.tables.readers import read_table

    return None, read_table(data, **reading.options()).table


def _of_model(path: str) -> Any:
    """The network of a model file, also that of a classifier that is one."""
    from assay.core.persistence import load
    from assay.graphs import BayesianNetwork

    model = load(path)
    network = vars(model).get("network_", model)
    if not isinstance(network, BayesianNetwork):
        raise click.ClickException(
            f"{path} holds a {type(model).__name__}, which is no Bayesian network. For other models: assay show."
        )
    return network


def _evidence(options: tuple[str, ...]) -> dict[str, str]:
    observed: dict[str, str] = {}
    for name, state in map(_state, options):
        if observed.get(name, state) != state:
            raise click.BadParameter(
                f"{name} cannot be {observed[name]} and {state} at once", param_hint="--given"
            )
        observed[name] = state
    return observed


def _state(text: str) -> tuple[str, str]:
    name, equals, state = text.partition("=")
    if not equals or not name or not state:
        raise click.BadParameter(f"{text!r} should look like smoke=yes", param_hint="--given")
    return name.strip(), state.strip()


def _arc(text: str, option: str) -> tuple[str, str]:
    a, colon, b = text.partition(":")
    if not colon or not a or not b:
        raise click.BadParameter(
            f"{text!r} should look like rain:wet, from cause to effect", param_hint=option
        )
    return a.strip(), b.strip()


def _write(network: Any, output: str, title: str) -> None:
    from assay.tables.whole_files import write_whole

    kind = Path(output).suffix.lower()
    if kind == ".svg":
        write_whole(output, network.diagram().to_svg())
    elif kind == ".dot":
        write_whole(output, network.diagram().to_dot() + "\n")
    elif kind == ".html":
        from assay.graphs.network_page import network_page

        write_whole(output, network_page(network, title))
    elif kind == ".assay":
        from assay.core.persistence import save

        save(network, output)
    else:
        network.write(output)
