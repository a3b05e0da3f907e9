"""A page on which evidence can be clicked, and the beliefs of all nodes move."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

from assay.errors import DataError

__all__ = ["network_page"]

MOST_ENTRIES = 500_000  # of all clique tables: a browser goes through them at every click
STYLE = """
:root { color-scheme: light dark; }
body { max-width: 76em; margin: 2em auto; padding: 0 1.5em; font: 15px/1.45 system-ui, sans-serif; }
figure { margin: 1em 0; overflow-x: auto; background: #fff; border-radius: 6px; width: fit-content; max-width: 100%; }
#nodes { display: grid; grid-template-columns: repeat(auto-fill, minmax(17em, 1fr)); gap: 1.2em; }
section { border: 1px solid #8886; border-radius: 6px; padding: .6em .8em; }
h1 { font-size: 1.5em; } h2 { font-size: 1em; margin: 0 0 .4em; }
button { display: grid; grid-template-columns: 7em 1fr 4em; gap: .6em; align-items: center; width: 100%; border: 0;
  background: none; font: inherit; color: inherit; padding: .15em 0; text-align: left; cursor: pointer; }
button:hover, button:focus-visible { background: #8882; }
button span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
button i { background: #8883; height: .8em; border-radius: 3px; overflow: hidden; }
button u { display: block; height: 100%; background: #2f6fb0; }
button b { font-weight: normal; text-align: right; font-variant-numeric: tabular-nums; }
button.seen { font-weight: 600; } button.seen u { background: #d5760a; }
#clear { width: auto; border: 1px solid #8886; border-radius: 4px; padding: .2em .8em; display: inline-block; }
#note.wrong { color: #c02626; font-weight: 600; }
@media (prefers-color-scheme: dark) { #note.wrong { color: #ff8a8a; } }
"""


def network_page(network: Any, title: str = "Bayesian network") -> str:
    """A whole HTML page of a network with states: a click on a state is evidence, and the bars of all nodes move.

    The page holds the junction tree and passes the messages itself; it needs no network connection.

    Parameters
    ----------
    network : BayesianNetwork      title : str

    Examples
    --------
    >>> from assay.graphs import load_network
    >>> from assay.graphs.network_page import network_page
    >>> "<svg" in network_page(load_network("asia"), "Asia")
    True
    """
    network._states_only("network_page")
    tree = network.junction_tree()
    if tree.entries > MOST_ENTRIES:
        raise DataError(
            f"network_page: the clique tables have {tree.entries:,} entries, at most {MOST_ENTRIES:,} are answered in "
            "a browser. Query the network instead.",
            code="too-large",
        )
    content = {
        "nodes": [{"name": n.name, "states": [str(s) for s in n.states]} for n in network.nodes],
        "cliques": tree.members,
        "parent": tree.parent,
        "shared": tree.shared,
        "factors": [
            {"scope": list(scope), "home": home, "table": table.ravel().tolist()}
            for scope, home, table in zip(tree.scopes, tree.factor_homes, network._tables)
        ],
    }
    data = json.dumps(content).replace("<", "\\u003c")
    script = files("assay.graphs").joinpath("network_page.js").read_text("utf-8")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style><h1>{escape(title)}</h1>"
        '<p id="note" role="status"></p><p><button id="clear" type="button">Take all evidence back</button></p>'
        f'<div id="nodes"></div><figure>{network.diagram().to_svg()}</figure>'
        f'<script type="application/json" id="network">{data}</script><script>{script}</script></html>\n'
    )
