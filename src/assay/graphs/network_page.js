// Beliefs of a network in the page: messages along its junction tree, anew at every click.
(function () {
  const data = JSON.parse(document.getElementById("network").textContent);
  const cards = data.nodes.map((n) => n.states.length);
  const evidence = new Map();

  const sizes = data.cliques.map((c) => c.reduce((s, v) => s * cards[v], 1));
  // For each entry of a clique its place in a table over some of its variables, the last of which runs quickest.
  function places(clique, scope) {
    const step = new Map();
    let s = 1;
    for (let i = scope.length - 1; i >= 0; i--) { step.set(scope[i], s); s *= cards[scope[i]]; }
    const n = clique.reduce((m, v) => m * cards[v], 1), map = new Int32Array(n);
    for (let e = 0; e < n; e++) {
      let left = e, at = 0;
      for (let i = clique.length - 1; i >= 0; i--) {
        const c = cards[clique[i]];
        at += (left % c) * (step.get(clique[i]) || 0);
        left = Math.floor(left / c);
      }
      map[e] = at;
    }
    return map;
  }
  const factorMaps = data.factors.map((f) => places(data.cliques[f.home], f.scope));
  const parentMaps = data.cliques.map((c, i) => (i ? places(data.cliques[data.parent[i]], c.slice(0, data.shared[i])) : null));
  const home = cards.map((_, v) => {
    let best = -1;
    data.cliques.forEach((c, i) => { if (c.includes(v) && (best < 0 || sizes[i] < sizes[best])) best = i; });
    return best;
  });
  const stateMaps = cards.map((_, v) => places(data.cliques[home[v]], [v]));

  function beliefs(evidence) {
    const phi = sizes.map((n) => new Float64Array(n).fill(1));
    data.factors.forEach((f, k) => {
      const x = phi[f.home], map = factorMaps[k];
      for (let e = 0; e < x.length; e++) x[e] *= f.table[map[e]];
    });
    evidence.forEach((state, v) => {
      const x = phi[home[v]], map = stateMaps[v];
      for (let e = 0; e < x.length; e++) if (map[e] !== state) x[e] = 0;
    });
    const messages = [];
    let log = 0;
    for (let c = data.cliques.length - 1; c >= 0; c--) {
      const s = data.cliques[c].slice(0, data.shared[c]).reduce((m, v) => m * cards[v], 1), m = sizes[c] / s;
      const message = new Float64Array(s);
      let sum = 0, top = 0;
      for (let i = 0; i < s; i++) { for (let j = 0; j < m; j++) message[i] += phi[c][i * m + j]; sum += message[i]; }
      if (!(sum > 0)) return null;
      log += Math.log(sum);
      for (let i = 0; i < s; i++) message[i] /= sum;
      messages[c] = message;
      if (c === 0) continue;
      const y = phi[data.parent[c]], map = parentMaps[c];
      for (let e = 0; e < y.length; e++) { y[e] *= message[map[e]]; if (y[e] > top) top = y[e]; }
      if (top > 0) {  // hundreds of messages to one clique stay in the range of numbers
        log += Math.log(top);
        for (let e = 0; e < y.length; e++) y[e] /= top;
      }
    }
    for (let c = 1; c < data.cliques.length; c++) {
      const s = messages[c].length, m = sizes[c] / s, after = new Float64Array(s), y = phi[data.parent[c]], map = parentMaps[c];
      let sum = 0;
      for (let e = 0; e < y.length; e++) { after[map[e]] += y[e]; sum += y[e]; }
      for (let i = 0; i < s; i++) {
        const by = messages[c][i] > 0 ? after[i] / sum / messages[c][i] : 0;
        for (let j = 0; j < m; j++) phi[c][i * m + j] *= by;
      }
    }
    const answers = cards.map((n, v) => {
      const p = new Float64Array(n), x = phi[home[v]], map = stateMaps[v];
      let sum = 0;
      for (let e = 0; e < x.length; e++) { p[map[e]] += x[e]; sum += x[e]; }
      return p.map((value) => value / sum);
    });
    return { answers, log };
  }

  const list = document.getElementById("nodes"), note = document.getElementById("note");
  data.nodes.forEach((node, v) => {
    const box = document.createElement("section");
    box.id = "node-" + v;
    const head = document.createElement("h2");
    head.textContent = node.name;
    box.append(head);
    node.states.forEach((state, s) => {
      const row = document.createElement("button");
      row.type = "button";
      row.dataset.node = v;
      row.dataset.state = s;
      const name = document.createElement("span"), bar = document.createElement("i"), number = document.createElement("b");
      name.textContent = name.title = state;
      bar.append(document.createElement("u"));
      row.append(name, bar, number);
      row.addEventListener("click", () => {
        if (evidence.get(v) === s) evidence.delete(v); else evidence.set(v, s);
        show();
      });
      box.append(row);
    });
    list.append(box);
  });
  document.getElementById("clear").addEventListener("click", () => { evidence.clear(); show(); });

  // The smallest part of impossible evidence that is impossible by itself.
  function conflict() {
    let core = [...evidence];
    for (const piece of evidence) {
      const fewer = core.filter(([v]) => v !== piece[0]);
      if (fewer.length && !beliefs(new Map(fewer))) core = fewer;
    }
    return core;
  }

  function written(log) {
    return log > -700 ? Math.exp(log).toPrecision(4) : "10^" + (log / Math.LN10).toFixed(1);
  }

  function show() {
    const now = beliefs(evidence);
    const words = (now ? [...evidence] : conflict()).map(([v, s]) => data.nodes[v].name + " = " + data.nodes[v].states[s]).join(", ");
    if (!now) { note.textContent = "Impossible: " + words + (evidence.size > 1 ? " together" : "") + ". Click one of them again to take it back."; note.className = "wrong"; }
    else {
      note.className = "";
      note.textContent = evidence.size
        ? "Given " + words + ". The probability of this evidence is " + written(now.log) + "."
        : "No evidence. Click a state to observe it.";
    }
    document.querySelectorAll("#nodes button").forEach((row) => {
      const v = +row.dataset.node, s = +row.dataset.state, p = now ? now.answers[v][s] : NaN;
      row.className = evidence.get(v) === s ? "seen" : "";
      row.setAttribute("aria-pressed", evidence.get(v) === s);
      row.querySelector("u").style.width = now ? 100 * p + "%" : "0";
      row.querySelector("b").textContent = now ? p.toFixed(4) : "";
    });
    document.querySelectorAll("svg ellipse").forEach((shape, v) => shape.setAttribute("fill", evidence.has(v) ? "#d9dee5" : "#ffffff"));
  }
  show();
})();
