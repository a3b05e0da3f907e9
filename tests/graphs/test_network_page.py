"""The page of a network: clicks are evidence, and the bars are the marginals of the network."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.graphs import BayesianNetwork, Node, load_network
from assay.graphs.network_page import network_page

NODE = shutil.which("node")

# A document of plain objects: enough for the script of the page.
STAGE = """
const made = [];
function element(tag) {
  const e = { tag, children: [], dataset: {}, style: {}, listeners: {}, className: "", textContent: "",
    append(...more) { this.children.push(...more); }, setAttribute() {},
    addEventListener(kind, f) { this.listeners[kind] = f; },
    querySelector(what) { return find(this, what); } };
  if (tag === "button") made.push(e);
  return e;
}
function find(e, tag) {
  for (const c of e.children) { if (c.tag === tag) return c; const f = find(c, tag); if (f) return f; }
}
const named = { nodes: element("div"), note: element("p"), clear: element("p"), network: { textContent: DATA } };
const document = { createElement: element, getElementById: (id) => named[id],
  querySelectorAll: (what) => (what.includes("button") ? made : []) };
"""
CLICKS = """
for (const [v, s] of EVIDENCE) made.find((b) => b.dataset.node === v && b.dataset.state === s).listeners.click();
console.log(JSON.stringify({ note: named.note.textContent,
  values: made.map((b) => [b.dataset.node, b.dataset.state, find(b, "b").textContent]) }));
"""


def clicked(network, evidence):
    """What the page shows after these clicks."""
    page = network_page(network)
    data = re.search(r'id="network">(.*?)</script>', page, re.DOTALL)[1]
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    places = [[network.index(n), list(network[n].states).index(s)] for n, s in evidence.items()]
    code = STAGE.replace("DATA", json.dumps(data)) + script + CLICKS.replace("EVIDENCE", json.dumps(places))
    done = subprocess.run([NODE, "-"], input=code, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


@pytest.mark.skipif(NODE is None, reason="needs a JavaScript engine")
@pytest.mark.parametrize(
    ("name", "evidence"),
    [("asia", {"smoke": "yes", "xray": "yes"}), ("student", {"letter": "weak"}), ("survey", {})],
)
def test_the_bars_are_the_marginals(name, evidence):
    network = load_network(name)
    seen = clicked(network, evidence)
    marginals = network.marginals(evidence)
    for v, s, text in seen["values"]:
        node = network.nodes[v]
        assert_allclose(float(text), marginals[node.name][node.states[s]], atol=6e-5)
    if evidence:
        assert f"{network.probability(evidence):.4g}"[:5] in seen["note"]


@pytest.mark.skipif(NODE is None, reason="needs a JavaScript engine")
def test_impossible_clicks_are_said():
    note = clicked(load_network("asia"), {"smoke": "yes", "either": "yes", "lung": "no", "tub": "no"})["note"]
    assert note.startswith("Impossible: either = yes, lung = no, tub = no")


@pytest.mark.skipif(NODE is None, reason="needs a JavaScript engine")
def test_hundreds_of_columns_of_one_class_stay_in_range():
    """Six hundred messages to a node of ten states: their product is 10^-600."""
    rng = np.random.default_rng(0)
    tables = rng.dirichlet(np.ones(2), (600, 10))
    columns = [Node(f"x{j}", [0, 1], 0.99 * tables[j, :1] + 0.01 * tables[j], ["c"]) for j in range(600)]
    network = BayesianNetwork([Node("c", range(10), np.full(10, 0.1)), *columns])
    for evidence in ({}, {f"x{j}": j % 2 for j in range(5, 600)}):
        seen, marginals = clicked(network, evidence), network.marginals(evidence)
        for v, s, text in seen["values"]:
            node = network.nodes[v]
            assert_allclose(float(text), marginals[node.name][node.states[s]], atol=6e-5)
    whole = clicked(network, {f"x{j}": int(np.argmin(tables[j, 0])) for j in range(600)})
    assert "The probability of this evidence is 10^-" in whole["note"]


def test_names_cannot_break_out_of_the_page():
    page = network_page(BayesianNetwork([Node("</script><script>alert(1)", ["<b>", "x"], [0.5, 0.5])]), "<i>")
    assert "<script>alert" not in page and "<i>" not in page.partition("<style>")[0]


def test_a_network_too_large_for_a_browser_is_refused():
    nodes = [Node(f"n{i}", list(range(30)), None) for i in range(4)]
    last = Node("m", [0, 1], None, [n.name for n in nodes])
    with pytest.raises(DataError, match="browser"):
        network_page(BayesianNetwork([*nodes, last]))
