"use strict";
(() => {
  const box = document.getElementById("assay-desk"), desk = document.getElementById("desk");
  const find = (id) => document.getElementById("desk-" + id);
  const openTarget = () => {  // a link to a folded part unfolds it; what follows a semicolon is no part's name
    const [name, ...more] = location.hash.slice(1).split(";"), at = document.getElementById(name);
    for (let e = at; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (at && (more.length || at.tagName === "DETAILS")) at.scrollIntoView();
  };
  addEventListener("hashchange", openTarget);
  addEventListener("beforeprint", () => {
    for (const d of document.querySelectorAll("details.learner")) d.open = true;
  });
  openTarget();
  if (!box || !desk) return;

  const data = JSON.parse(box.textContent), K = data.classes.length, TIE = 1e-12;
  const legible = (name) => name.replace(/[\0-\x08\x0b\f\x0e-\x1f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");  // no name turns the text around it
  data.classes = data.classes.map(legible);
  for (const learner of data.learners) learner.name = legible(learner.name);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const shares = (text) => data.bits === 64 ? new Float64Array(bytes(text))
    : Float64Array.from(new Uint16Array(bytes(text)), (v) => v / 65535);

  // A learner's rows: probabilities p (n x K), truth, and how many rows each line stands for.
  const learners = data.learners.map((given) => {
    if (data.how === "top") {
      const p = shares(given.p);
      return { name: given.name, n: p.length, p, answer: new Uint16Array(bytes(given.answer)),
        truth: new Uint16Array(bytes(data.truth)), weight: null };
    }
    if (data.how === "binned") {
      const counts = new Uint32Array(bytes(given.counts)), B = counts.length / 2 - 1, p = [], truth = [], weight = [];
      counts.forEach((w, j) => {
        if (w) { const q = (j % (B + 1)) / B; p.push(1 - q, q); truth.push(j > B ? 1 : 0); weight.push(w); }
      });
      return { name: given.name, n: truth.length, p, truth, weight };
    }
    const truth = new Uint16Array(bytes(data.truth));
    return { name: given.name, n: truth.length, p: shares(given.p), truth, weight: null };
  });

  const two = K === 2, costly = data.how !== "top";
  const slackOf = (loss) => TIE * (costly ? Math.max(...loss.flat()) : 1);  // costs closer than this are equal

  // R(a|x) = sum_k loss[a][k] p_k; the first action of least risk, or none if R >= reject.
  function account(learner, loss, reject) {
    const confusion = Array.from({ length: K }, () => new Array(K + 1).fill(0));
    const slack = slackOf(loss);
    let total = 0, squares = 0, rows = 0;
    for (let i = 0; i < learner.n; i++) {
      let least = Infinity, chosen = 0;
      if (learner.answer) {
        least = 1 - learner.p[i]; chosen = learner.answer[i];
      } else {
        const risk = loss.map((row) => {
          let sum = 0;
          for (let k = 0; k < K; k++) sum += row[k] * learner.p[i * K + k];
          return sum;
        });
        least = Math.min(...risk);
        chosen = risk.findIndex((r) => r <= least + slack);
      }
      if (reject !== null && !(least < reject - slack)) chosen = K;
      const k = learner.truth[i], w = learner.weight ? learner.weight[i] : 1;
      const paid = chosen === K ? reject : learner.answer ? +(chosen !== k) : loss[chosen][k];
      confusion[k][chosen] += w; total += w * paid; squares += w * paid * paid; rows += w;
    }
    let right = 0, open = 0;
    confusion.forEach((row, k) => { right += row[k]; open += row[K]; });
    const mean = total / rows, decided = rows - open;
    return { confusion, rows, cost: mean, rejected: open / rows,
      half: data.z * Math.sqrt(Math.max(squares / rows - mean * mean, 0) / rows),
      error: decided ? (decided - right) / decided : null };
  }

  // Of two classes: rows from the most to the least probably positive, to try every threshold in one sweep.
  function bestThreshold(learner, positive, miss, alarm) {
    const order = [...Array(learner.n).keys()].sort((i, j) => learner.p[2 * j + positive] - learner.p[2 * i + positive]);
    let rows = 0, missed = 0, alarms = 0;
    const weight = (i) => (learner.weight ? learner.weight[i] : 1);
    for (const i of order) { rows += weight(i); if (learner.truth[i] === positive) missed += weight(i); }
    let best = { cost: miss * missed / rows, threshold: 1 };
    order.forEach((i, at) => {
      if (learner.truth[i] === positive) missed -= weight(i); else alarms += weight(i);
      const p = learner.p[2 * i + positive];
      const next = at + 1 < order.length ? learner.p[2 * order[at + 1] + positive] : 0;
      if (next === p) return;
      const cost = (miss * missed + alarm * alarms) / rows;
      if (cost < best.cost - slackOf([[miss, alarm]])) best = { cost, threshold: (p + next) / 2 };
    });
    return best;
  }

  const state = { loss: data.loss.map((row) => [...row]), reject: data.reject, positive: data.positive, learner: 0, threshold: 0.5 };
  const number = (v) => (v === null || !isFinite(v) ? "none" : v.toFixed(4));
  const money = (v) => (costly && Math.max(...state.loss.flat()) < 0.01 ? String(+v.toPrecision(4)) : number(v));
  const percent = (v) => (v === null ? "none" : (100 * v).toFixed(1) + "%");
  const exact = (v) => String(+v.toPrecision(12));  // without the dust of binary fractions
  const miss = () => state.loss[1 - state.positive][state.positive];
  const alarm = () => state.loss[state.positive][1 - state.positive];
  const bayes = () => (miss() + alarm() > 0 ? alarm() / (miss() + alarm()) : 0.5);
  function cap() {  // what the least risk can be at most: rejecting at this cost or above never pays
    if (two) return miss() + alarm() > 0 ? miss() * alarm() / (miss() + alarm()) : 1;
    return Math.min(...state.loss.map((row) => Math.max(...row))) || 1;
  }

  function cell(row, text, kind = "", tag = "td") {
    const made = document.createElement(tag);
    made.textContent = text; if (kind) made.className = kind;
    row.appendChild(made); return made;
  }
  function named(row, name) { cell(row, "", "name").appendChild(document.createElement("b")).textContent = name; }
  function fill(place, rows) {  // a whole table has its first line of heads apart
    if (place.tagName !== "TABLE") return place.replaceChildren(...rows);
    const parts = [document.createElement("thead"), document.createElement("tbody")];
    for (const row of rows) parts[[...row.children].every((c) => c.tagName === "TH") ? 0 : 1].appendChild(row);
    place.replaceChildren(...parts);
  }
  function line(kind = "") { const made = document.createElement("tr"); if (kind) made.className = kind; return made; }

  function matrix(table, confusion, withOpen) {
    const rows = [line()], names = withOpen ? [...data.classes, "undecided"] : data.classes;
    cell(rows[0], "true \\ answer", "corner", "th");
    names.forEach((name) => { cell(rows[0], name, "num", "th").title = name; });
    confusion.forEach((counts, k) => {
      const row = line(), whole = counts.reduce((a, b) => a + b, 0);
      cell(row, data.classes[k], "", "th").title = data.classes[k];
      names.forEach((_, j) => {
        const share = whole ? counts[j] / whole : 0;
        const made = cell(row, counts[j].toLocaleString("en"), "num");
        const small = document.createElement("small");
        small.textContent = counts[j] ? percent(share) : "";
        made.appendChild(small);
        made.style.background = `rgba(var(--${j === k ? "right" : "wrong"}), ${(share * (j === k ? 0.45 : 0.8)).toFixed(2)})`;
      });
      rows.push(row);
    });
    fill(table, rows);
  }

  function show() {
    const found = learners.map((learner, i) => ({ i, learner, ...account(learner, state.loss, state.reject) }));
    found.sort((a, b) => a.cost - b.cost || a.i - b.i);
    const any = found[0], priors = any.confusion.map((row) => row.reduce((a, b) => a + b, 0) / any.rows);
    const always = costly ? state.loss.map((row) => row.reduce((sum, c, k) => sum + c * priors[k], 0)) : priors.map((p) => 1 - p);
    let blind = Math.min(...always), blindly = "always " + data.classes[always.indexOf(blind)];
    if (state.reject !== null && state.reject < blind) { blind = state.reject; blindly = "leave every row undecided"; }

    const least = slackOf(state.loss);
    const rows = found.map((f, place) => {
      const row = line(place === 0 ? "best" : f.cost >= blind - least ? "worse" : "level");
      cell(row, String(place + 1), "num"); named(row, f.learner.name);
      cell(row, money(f.cost), "num"); cell(row, "± " + money(f.half), "num faint");
      cell(row, percent(f.error), "num"); cell(row, percent(f.rejected), "num");
      if (two) {
        const best = bestThreshold(f.learner, state.positive, miss(), alarm());
        cell(row, `${best.threshold.toFixed(3)} (${money(best.cost)})`, "num faint");
      }
      return row;
    });
    const last = line("blind");
    cell(last, ""); named(last, "no learner: " + blindly); cell(last, money(blind), "num");
    for (let j = 0; j < (two ? 4 : 3); j++) cell(last, "");
    fill(find("ranking"), [...rows, last]);

    const rule = two && state.reject === null
      ? ` Say ${data.classes[state.positive]} when its probability is above ${bayes().toFixed(3)}.` : "";
    find("sentence").textContent = any.cost < blind - least
      ? `Cheapest at these costs: ${any.learner.name}, ${money(any.cost)} per row; without any learner (${blindly}) ${money(blind)}.${rule}`
      : `At these costs no learner is cheaper than none: ${blindly} costs ${money(blind)} per row.${rule}`;

    const chosen = found.find((f) => f.i === state.learner);
    find("closer").textContent = `Cost ${money(chosen.cost)} per row, error of decided rows ${percent(chosen.error)}, undecided ${percent(chosen.rejected)}.`;
    if (find("confusion")) matrix(find("confusion"), chosen.confusion, state.reject !== null);
    if (two) cut();
    if (!two && costly) losses();
    desk.dataset.order = found.map((f) => f.learner.name).join("\n");
  }

  function cut() {  // one threshold, no row undecided
    const learner = learners[state.learner], positive = state.positive, counts = [[0, 0], [0, 0]];
    for (let i = 0; i < learner.n; i++) {
      const said = learner.p[2 * i + positive] > state.threshold ? positive : 1 - positive;
      counts[learner.truth[i]][said] += learner.weight ? learner.weight[i] : 1;
    }
    const tp = counts[positive][positive], fn = counts[positive][1 - positive];
    const fp = counts[1 - positive][positive], tn = counts[1 - positive][1 - positive], n = tp + fn + fp + tn;
    matrix(find("cut"), counts, false);
    const ratio = (a, b) => (b ? a / b : null);
    const values = [["precision", percent(ratio(tp, tp + fp))], ["recall", percent(ratio(tp, tp + fn))],
      ["false positive rate", percent(ratio(fp, fp + tn))], ["F1", number(ratio(2 * tp, 2 * tp + fp + fn))],
      ["error", percent((fp + fn) / n)], ["cost per row", money((miss() * fn + alarm() * fp) / n)]];
    fill(find("rates"), values.map(([name, value]) => {
      const row = line(); cell(row, name, "", "th"); cell(row, value, "num"); return row;
    }));
  }

  function losses() {
    const rows = [line()];
    cell(rows[0], "true \\ answer", "corner", "th");
    data.classes.forEach((name) => { cell(rows[0], name, "num", "th").title = name; });
    data.classes.forEach((name, k) => {
      const row = line();
      cell(row, name, "", "th").title = name;
      data.classes.forEach((_, a) => { cell(row, exact(state.loss[a][k]), a === k ? "num faint" : "num"); });
      rows.push(row);
    });
    fill(find("losses"), rows);
  }

  function controls(typed = null) {  // the knobs show the state, all but the one that is being typed into
    const set = (id, value) => { if (find(id) !== typed) find(id).value = value; };
    if (two) {
      for (const e of desk.querySelectorAll(".positive")) e.textContent = data.classes[state.positive];
      set("positive", state.positive); set("miss", exact(miss())); set("alarm", exact(alarm()));
      set("ratio", Math.log10(Math.min(Math.max(miss() / alarm(), 0.01), 100)) || 0);
      find("ratio").setAttribute("aria-valuetext", `a miss costs ${exact(miss())}, a false alarm ${exact(alarm())}`);
      set("threshold", state.threshold); find("threshold-out").textContent = state.threshold.toFixed(3);
    } else if (costly) {
      const cost = state.loss[+find("said").value][+find("truth").value];
      set("cost", exact(cost)); set("ratio", Math.log10(Math.min(Math.max(cost, 0.01), 100)));
      find("ratio").setAttribute("aria-valuetext", `this error costs ${exact(cost)}`);
    }
    find("may-reject").checked = state.reject !== null;
    find("reject").disabled = find("reject-cost").disabled = state.reject === null;
    if (state.reject !== null) {
      set("reject-cost", exact(state.reject)); set("reject", Math.min(state.reject / cap(), 1));
      find("reject").setAttribute("aria-valuetext", `an undecided row costs ${exact(state.reject)}`);
    }
    set("learner", state.learner);
  }
  function changed(cost, typed = null) {
    if (cost && two) state.threshold = bayes();
    controls(typed); show();
  }

  // The address of the page keeps the setting: #costs;miss=5;alarm=1;reject=0.2
  function fromAddress() {
    const parts = location.hash.slice(1).split(";");
    if (parts[0] !== "costs") return;
    for (const part of parts.slice(1)) {
      const [key, text] = part.split("="), value = Number(text);
      if (text === "" || !isFinite(value) || value < 0) continue;
      const inside = (most) => Number.isInteger(value) && value < most;
      if (key === "positive" && two && inside(2)) state.positive = value;
      else if (key === "miss" && two) state.loss[1 - state.positive][state.positive] = value;
      else if (key === "alarm" && two) state.loss[state.positive][1 - state.positive] = value;
      else if (key === "reject") state.reject = value;
      else if (key === "learner" && inside(learners.length)) state.learner = value;
      else if (key.startsWith("cost.") && costly) {
        const [, said, truth] = key.split(".").map(Number);
        if (said !== truth && said in state.loss && truth in state.loss) state.loss[said][truth] = value;
      }
    }
    if (two) state.threshold = bayes();
    for (const part of parts.slice(1)) if (part.startsWith("threshold=") && two) state.threshold = Math.min(1, Math.max(0, Number(part.slice(10)) || 0));
  }
  function toAddress() {
    const kept = ["costs"];
    if (two) kept.push(`positive=${state.positive}`, `miss=${exact(miss())}`, `alarm=${exact(alarm())}`, `threshold=${exact(state.threshold)}`);
    else if (costly) state.loss.forEach((row, a) => row.forEach((c, k) => { if (c !== +(a !== k)) kept.push(`cost.${a}.${k}=${exact(c)}`); }));
    if (state.reject !== null) kept.push(`reject=${exact(state.reject)}`);
    kept.push(`learner=${state.learner}`);
    try { history.replaceState(null, "", "#" + kept.join(";")); } catch (refused) { /* some viewers have no address */ }
  }

  const positiveNumber = (e) => (e.value !== "" && isFinite(+e.value) && +e.value >= 0 ? +e.value : null);
  const on = (id, act) => {
    const e = find(id);
    if (!e) return;
    e.addEventListener("input", () => act(e));
    e.addEventListener("change", () => { controls(); toAddress(); });  // what is no number gives way to what counts
  };
  on("positive", (e) => { state.positive = +e.value; changed(true); });
  on("miss", (e) => { const v = positiveNumber(e); if (v !== null) { state.loss[1 - state.positive][state.positive] = v; changed(true, e); } });
  on("alarm", (e) => { const v = positiveNumber(e); if (v !== null) { state.loss[state.positive][1 - state.positive] = v; changed(true, e); } });
  on("ratio", (e) => {
    const r = +e.value;
    if (two) {
      state.loss[1 - state.positive][state.positive] = +Math.pow(10, Math.max(r, 0)).toPrecision(3);
      state.loss[state.positive][1 - state.positive] = +Math.pow(10, Math.max(-r, 0)).toPrecision(3);
    } else state.loss[+find("said").value][+find("truth").value] = +Math.pow(10, r).toPrecision(3);
    changed(true);
  });
  on("cost", (e) => { const v = positiveNumber(e); if (v !== null) { state.loss[+find("said").value][+find("truth").value] = v; changed(true, e); } });
  for (const id of ["said", "truth"]) on(id, () => {
    const other = find(id === "said" ? "truth" : "said");
    if (find("said").value === find("truth").value) other.value = (+other.value + 1) % K;
    controls();
  });
  on("may-reject", (e) => { state.reject = e.checked ? +(cap() / 2).toPrecision(3) : null; changed(false); });
  on("reject", (e) => { state.reject = +(+e.value * cap()).toPrecision(3); changed(false); });
  on("reject-cost", (e) => { const v = positiveNumber(e); if (v !== null) { state.reject = v; changed(false, e); } });
  on("learner", (e) => { state.learner = +e.value; show(); });
  on("threshold", (e) => { state.threshold = +e.value; controls(); cut(); });
  find("again").addEventListener("click", () => {
    state.loss = data.loss.map((row) => [...row]); state.reject = data.reject; changed(true); toAddress();
  });
  addEventListener("hashchange", () => { fromAddress(); controls(); show(); });

  if (two) state.threshold = bayes();
  fromAddress();
  desk.hidden = false;
  controls();
  show();
})();
