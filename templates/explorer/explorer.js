// The explorer's page: it shows a state, sends what is changed, and draws the answer. Every text is a text node.

import { CUTS, intervals, written } from "/assets/cut_points.js";

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const page = { start: null, steps: [], at: -1, shown: null, draft: null, columns: [], feasible: null, busy: 0, asked: 0, drawn: 0, id: crypto.randomUUID(), known: new Map(), compared: null, ranking: false };

function make(tag, options = {}, ...children) {
  const { dataset = {}, on = {}, ...rest } = options;
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined || value === null || value === false) continue;
    if (name in made && !name.startsWith("aria") && name !== "list") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  Object.assign(made.dataset, dataset);
  for (const [name, action] of Object.entries(on)) made.addEventListener(name, action);
  made.append(...children.filter((each) => each !== null && each !== undefined));
  return made;
}

const shownLabel = (text) => make("span", { className: "label", dir: "auto" }, text);

// A long text scrolls in its own box: by the keyboard as well, where it does.
function reachScrolled() {
  for (const each of document.querySelectorAll(".label, .column h3")) {
    if (each.scrollHeight > each.clientHeight + 1) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
  }
}

const share = (part, whole) => (whole ? percent(part / whole) : "0%");
const percent = (value) => (value > 0 && value < 0.0005 ? "<0.1%" : `${(100 * value).toFixed(value < 0.1 ? 2 : 1).replace(/\.?0+$/, "")}%`);
const probability = (value) => (value >= 0.1 ? value.toFixed(2) : value >= 0.0001 ? value.toFixed(4) : value.toExponential(1));
const rowsText = (count) => `${number.format(count)} ${count === 1 ? "row" : "rows"}`;
const classesText = (count) => `${number.format(count)} ${count === 1 ? "class" : "classes"}`;
const ofNodes = () => page.shown?.of_nodes ?? true;
// What is known of a set of bounds and hierarchies: checked nodes, labels of columns, the node that the search found.
function known(state) {
  const key = JSON.stringify([state.entries, state.all_rows]);
  if (!page.known.has(key)) page.known.set(key, { nodes: new Map(), labels: [], best: {} });
  return page.known.get(key);
}
// The node that a search found is kept for each set of held levels.
const heldLevels = (state) => JSON.stringify(page.start.names.map((name, at) => (state.held.includes(name) ? state.levels[at] : null)));
const bestOf = (state, held = true) => known(state).best[heldLevels(held ? state : { ...state, held: [] })];
const copy = (state) => JSON.parse(JSON.stringify(state));
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error((await answer.text()).trim() || `the explorer answered ${answer.status}`);
  return answer.json();
}

const FIRST = "the policy as it is";

// --- What is asked: the last question alone is answered; the server ends its work on an older one.

const numbered = (body) => ({ ...body, asked: { page: page.id, state: page.asked } });

async function question(path, body, what) {
  const mine = ++page.asked;
  page.busy += 1;
  if (page.busy === 1) follow();
  byId("page").setAttribute("aria-busy", "true");
  byId("stop").hidden = path !== "/api/best" && ofNodes();
  byId("best").disabled = true;
  try {
    const answer = await ask(path, numbered(body));
    if (mine === page.asked) answered(path === "/api/best" ? { ...answer, found: !answer.error } : answer, what);
  } catch (error) {
    if (mine === page.asked) message(`The explorer does not answer: ${error.message}`, true);
  }
  page.busy -= 1;
  if (page.busy) return;
  byId("stop").hidden = true;
  byId("best").disabled = !ofNodes();
  byId("progress").hidden = true;
  byId("page").setAttribute("aria-busy", "false");
}

// --- What the server does while an answer is awaited.

function follow() {
  const began = Date.now();
  const box = byId("progress");
  const look = async () => {
    if (!page.busy) { box.hidden = true; return; }
    if (Date.now() - began > 400) {
      const found = await ask("/api/progress").catch(() => null);
      if (found && page.busy) {
        box.hidden = false;
        box.textContent = `${[found.step, found.done].filter(Boolean).join(", ")}… ${Math.round((Date.now() - began) / 1000)} s`;
      }
    }
    setTimeout(look, 500);
  };
  look();
}

function change(alter, what) {
  const state = copy(page.draft ?? page.shown?.state ?? page.start.state);
  alter(state);
  page.draft = state;
  message("");
  question("/api/figures", { state }, what);
}

function answered(answer, what) {
  if (answer.error) {
    faults(answer);
    return;
  }
  page.shown = answer;
  page.columns = answer.columns;
  const searched = what === FIRST ? !page.start.refused : answer.found && !answer.refused;
  if (searched && answer.of_nodes && answer.state.held.length < page.start.names.length) known(answer.state).best[heldLevels(answer.state)] = String(answer.state.levels);
  note(answer.state, answer.state.levels, answer.figures);
  if (answer.refused) message(answer.refused, true);
  page.draft = copy(answer.state);
  page.feasible = null;
  const now = page.steps[page.at];
  if (now && same({ ...now.state, held: [] }, { ...answer.state, held: [] })) now.state = copy(answer.state); // held levels alone release the same
  else {
    page.steps.splice(page.at + 1);
    page.steps.push({ state: copy(answer.state), what, figures: answer.figures });
    page.at = page.steps.length - 1;
  }
  draw();
}

function note(state, levels, { feasible, suppressed, classes, loss, cost }) {
  known(state).nodes.set(String(levels), { feasible, suppressed, classes, loss: loss ?? cost?.[0] });
}

function go(at) {
  if (at < 0 || at >= page.steps.length) return;
  page.at = at;
  page.draft = copy(page.steps[at].state);
  message("");
  question("/api/figures", { state: page.draft }, page.steps[at].what);
}

function message(text, bad = false) {
  const box = byId("message");
  box.textContent = text;
  box.hidden = !text;
  box.classList.toggle("bad", bad);
  if (text) box.scrollIntoView({ block: "center" }); // it may be above what is in sight
}

function faults(answer, first = "") {
  for (const each of document.querySelectorAll(".fault")) each.remove();
  for (const each of document.querySelectorAll("[aria-invalid]")) {
    each.removeAttribute("aria-invalid");
    each.removeAttribute("aria-describedby");
  }
  const placed = new Set();
  for (const fault of answer.faults ?? []) {
    const field = fault.key && document.querySelector(`[data-key="${CSS.escape(fault.key)}"]`);
    if (!field) continue;
    const id = `fault-${placed.size}`;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", id);
    field.closest(".bound, .words-box").append(make("p", { id, className: "fault" }, fault.what));
    const words = field.closest("details");
    if (words) words.open = true;
    placed.add(fault);
  }
  const others = (answer.faults ?? []).filter((each) => !placed.has(each));
  const told = answer.faults?.length ? others.map(({ where, what }) => [where, what].filter(Boolean).join(": ")).join("\n") : answer.error;
  if (!page.shown) {
    byId("verdict").className = "verdict bad";
    byId("verdict-title").textContent = answer.status === "infeasible" ? "Not feasible" : "No figures";
    byId("verdict-why").textContent = "Change what the policy asks for, or its hierarchies.";
    drawControls();
  }
  message([first, placed.size ? "An entry is not valid: see the marked field. The figures are those before it was changed." : "", told].filter(Boolean).join("\n"), true);
  drawButtons();
}

// --- The controls.

function drawControls() {
  const { entries } = page.start;
  const state = page.draft ?? page.shown?.state ?? page.start.state;
  const focused = document.activeElement?.dataset?.focus;
  const open = new Set([...document.querySelectorAll("details[open][data-words]")].map((each) => each.dataset.words));
  const words = (entry) => state.entries[entry.key] ?? entry.words;
  const asked = (entry) => entry.kind === "bound" || (entry.kind === "model" && words(entry));
  byId("bounds").replaceChildren(...entries.filter((e) => asked(e) || e.kind === "suppression").map((e) => bound(e, words(e))));
  byId("offers").replaceChildren(...entries.filter((e) => e.kind === "model" && !words(e)).map(offer));
  drawUses(state);
  byId("columns").replaceChildren(...page.start.state.levels.map((_, at) => column(at, state, open)));
  byId("mode-note").textContent = ofNodes()
    ? "Below each level: how many labels it has. A column that you set is held: the search and the saved policy keep its level."
    : `${page.shown.algorithm} forms groups of at least k rows, each with its own labels: a column has no single level that could be chosen or held.`;
  byId("free").hidden = !ofNodes() || !state.held.length;
  if (focused) document.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

const USES = [
  ["counts", "Counts", "Plain values whose counts are right; a row is not true of its person."],
  ["records", "Records", "Each row is true: groups of at least k rows have labels that nest."],
  ["levels", "One level a column", "Full-domain generalization: a lattice of levels, one label set a column."],
];

function drawUses(state) {
  const entry = page.start.entries.find((each) => each.kind === "use");
  const now = state.entries.use ?? entry.words;
  byId("uses").replaceChildren(...USES.map(([use, name, about]) => {
    const input = make("input", { type: "radio", name: "use", value: use, checked: use === now, dataset: { focus: `use-${use}` }, on: { change: () => choose(use, entry) } });
    return make("label", { className: "use" }, input, make("b", {}, name), make("span", {}, about));
  }));
}

function choose(use, entry) {
  const state = copy(page.draft ?? page.shown?.state ?? page.start.state);
  setWords(state, entry, use);
  state.held = [];
  state.levels = state.levels.map(() => 0);
  page.draft = state;
  message("");
  question("/api/best", { state }, `for ${USES.find(([each]) => each === use)[1].toLowerCase()}`);
}

function titleOf(entry) {
  if (entry.kind === "suppression") return ["Suppression limit", "rows, or a share such as 4%"];
  const models = { distinct_l: "distinct l-diversity", t_closeness: "t-closeness" };
  return [entry.name, [models[entry.model] ?? entry.model, entry.of].filter(Boolean).join(" of ").replace(" of over ", " over ")];
}

function stepped(entry, text, by) {
  const shares = text.trim().endsWith("%");
  const value = parseFloat(text) || 0;
  if (entry.kind === "suppression") return shares ? `${Math.min(100, Math.max(0, round(value + by * (value < 1 || (value === 1 && by < 0) ? 0.1 : 1))))}%` : `${Math.max(0, value + by)}`;
  if (entry.whole) return `${Math.max(1, Math.round(value + by))}`;
  return `${Math.max(0, round(value + by * (value > 2 ? 1 : 0.05)))}`;
}

const round = (value) => Number(value.toFixed(4));

function bound(entry, text) {
  const [name, about] = titleOf(entry);
  const id = `in-${entry.key}`;
  const put = (value) => change((state) => { setWords(state, entry, value); }, `${name}${entry.of ? ` of ${entry.of}` : ""} ${value || "left out"}`);
  const field = make("input", { id, value: text, inputMode: "decimal", spellcheck: false, dataset: { key: entry.key, focus: entry.key }, on: {
    change: () => put(field.value.trim()),
    keydown: (event) => {
      const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (by) { event.preventDefault(); field.value = stepped(entry, field.value, by); put(field.value); }
    },
  } });
  const step = (sign, by) => make("button", { type: "button", "aria-label": `${name} ${by > 0 ? "up" : "down"}${entry.of ? `, of ${entry.of}` : ""}`, dataset: { focus: `${entry.key}${sign}` }, on: { click: () => put(stepped(entry, field.value, by)) } }, sign);
  const remove = entry.kind === "model" ? make("button", { type: "button", className: "link", "aria-label": `Leave out ${about}`, on: { click: () => put("") } }, "Leave out") : null;
  return make("div", { className: "bound" }, make("label", { htmlFor: id }, name), make("span", { className: "about" }, about), make("div", { className: "stepper" }, step("−", -1), field, step("+", 1)), remove);
}

function setWords(state, entry, value) {
  if (value === entry.words || (!value && entry.kind === "model")) delete state.entries[entry.key];
  else state.entries[entry.key] = value;
}

function offer(entry) {
  const [name, about] = titleOf(entry);
  const first = { l: "2", t: "0.3" }[entry.name];
  return make("button", { type: "button", dataset: { focus: entry.key }, on: { click: () => change((state) => { state.entries[entry.key] = first; }, `${name} of ${entry.of} ${first}`) } }, `Add ${about}`);
}

function column(at, state, open) {
  const known = page.columns[at];
  const name = (known ?? {}).name ?? page.start.names[at];
  const entry = page.start.entries.find((each) => each.kind === "hierarchy" && each.of === name);
  const held = state.held.includes(name);
  const group = make("fieldset", { className: "column" });
  const labels = known?.labels ?? [];
  const level = state.levels[at];
  const now = labels.length ? `level ${level} of ${labels.length - 1}` : "";
  group.append(make("legend", { className: "visually-hidden" }, `${name}: level of generalization`));
  group.append(make("div", { className: "column-head" }, make("h3", { dir: "auto" }, name), make("span", { className: "column-now" }, now)));
  if (labels.length) {
    group.append(make("div", { className: "levels", dataset: { column: at } }, ...labels.map((count, each) => levelChoice(at, name, each, count, level, known))));
  }
  const hold = make("input", { type: "checkbox", checked: held, dataset: { focus: `hold-${at}` }, on: { change: () => change((s) => { s.held = hold.checked ? [...s.held, name] : s.held.filter((each) => each !== name); }, `${name} ${hold.checked ? "held" : "free"}`) } });
  const foot = make("div", { className: "column-foot" });
  if (labels.length) {
    group.append(make("p", { className: "column-labels", dataset: { labels: at } }, labelsText(state, at)));
    group.append(make("p", { className: "finer", dataset: { finer: at } }, whyNotFiner(at)));
    foot.append(make("label", { className: "hold" }, hold, "hold this level"));
  }
  if (entry?.words) foot.append(hierarchy(entry, state, open));
  group.append(foot);
  return group;
}

const NOT_READ = "…";

// The most frequent labels of a level; labels of fewer than k rows or people are only counted.
function labelsText(state, at, level = state.levels[at], most = 3) {
  const total = page.columns[at]?.labels[level] ?? 0;
  const read = known(state).labels[at]?.[level];
  if (!read) return NOT_READ;
  const shown = read.slice(0, most).map((each) => each.label ?? "NULL");
  const more = total - shown.length;
  if (!shown.length) return `${number.format(total)} labels, each of few`;
  return `${shown.join(", ")}${more > 0 ? ` and ${number.format(more)} more` : ""}`;
}

function whyNotFiner(at) {
  const { state, figures } = page.shown ?? {};
  const column = page.columns[at];
  if (!column || !state) return "";
  if (!ofNodes()) {
    const [one, , widest] = figures.shown[column.name] ?? [];
    if (widest === undefined) return "";
    if (one === 1) return "It is as fine as the source.";
    if (!widest) return "Each group is wider in another column.";
    return `It is the widest column of ${number.format(widest)} groups, which are too small or too alike for one more cut.`;
  }
  const level = state.levels[at];
  if (level === 0) return "These are the source's own values.";
  if (level <= column.least) return "The policy allows no finer level.";
  const finer = [...state.levels];
  finer[at] = level - 1;
  const found = known(state).nodes.get(String(finer));
  if (!found) return NOT_READ;
  if (found.feasible) return `Level ${level - 1} is feasible too: it suppresses ${rowsText(found.suppressed)}, this state ${number.format(figures.suppressed)}.`;
  if (found.suppressed > figures.limit) return `Level ${level - 1} would suppress ${rowsText(found.suppressed)}; at most ${number.format(figures.limit)} may be.`;
  return `Level ${level - 1} would not satisfy the privacy models.`;
}

function levelChoice(at, name, level, count, current, known) {
  const input = make("input", {
    type: "radio", name: `level-${at}`, value: level, checked: level === current, disabled: level < known.least || level > known.most,
    "aria-label": `level ${level}, ${number.format(count)} ${count === 1 ? "label" : "labels"}`, dataset: { focus: `level-${at}-${level}` },
    on: { click: () => change((s) => { s.levels[at] = level; if (!s.held.includes(name)) s.held.push(name); }, `${name} at level ${level}`) }, // also the level that it has: to hold it
  });
  const short = count >= 10000 ? `${Math.round(count / 1000)}k` : number.format(count);
  return make("label", { className: "level", dataset: { level } }, input, make("span", { className: "number", "aria-hidden": "true" }, `${level}`), make("span", { className: "count", "aria-hidden": "true", title: `${number.format(count)} labels` }, short));
}

function hierarchy(entry, state, open) {
  const text = state.entries[entry.key] ?? entry.words;
  const box = make("div", { className: "words-box" });
  const put = (value) => change((s) => { setWords(s, entry, value); }, `hierarchy of ${entry.of}`);
  if (entry.fixed) {
    box.append(make("p", { className: "quiet" }, `${text}: change it in the file, table or query itself.`));
  } else {
    const area = make("textarea", { value: text, rows: text.length > 90 ? 4 : 2, spellcheck: false, dataset: { ...(intervals(text) ? {} : { key: entry.key }), focus: entry.key }, on: { change: () => put(area.value.trim()) } });
    const cuts = intervals(text);
    if (cuts) {
      const fields = Object.entries(CUTS).map(([name, title]) => [name, make("input", { value: cuts[name] ?? "", inputMode: "decimal", spellcheck: false, dataset: { focus: `${entry.key}-${name}`, ...(name === "widths" ? { key: entry.key } : {}) }, on: { change: () => put(written(Object.fromEntries(fields.map(([n, f]) => [n, f.value.trim()])))) } }), title]);
      box.append(make("div", { className: "cuts" }, ...fields.map(([, field, title]) => make("label", {}, title, field))));
    }
    box.append(make("label", {}, "Hierarchy, in the policy's words", area));
    if (text !== entry.words) box.append(make("button", { type: "button", className: "plain", on: { click: () => put(entry.words) } }, "As in the policy"));
  }
  const at = page.start.names.indexOf(entry.of);
  if (ofNodes() && page.columns[at]) box.append(make("div", { className: "scroll", dataset: { hierarchy: at } }, hierarchyTable(at, state)));
  const details = make("details", { className: "words", dataset: { words: entry.key }, open: open.has(entry.key) }, make("summary", {}, "Hierarchy"), box);
  return details;
}

function hierarchyTable(at, state) {
  const row = (count, level) => make("tr", {}, make("td", { className: "number" }, `${level}`), make("td", { className: "number" }, number.format(count)), make("td", { dir: "auto" }, labelsText(state, at, level, 6)));
  const heading = (text, className = "") => make("th", { scope: "col", className }, text);
  return make("table", { className: "of-levels" }, make("thead", {}, make("tr", {}, heading("level", "number"), heading("labels", "number"), heading("the most frequent"))), make("tbody", {}, ...page.columns[at].labels.map(row)));
}

// --- The lattice: nodes by their height, the coarsest first.

const ALL_DRAWN = 400; // the most nodes of a lattice that is drawn whole
const ALL_NAMED = 40; // the most nodes that all have a text and edges
const idOf = (levels) => `node-${levels.join("-")}`;
const heightOf = (levels) => levels.reduce((sum, each) => sum + each, 0);

function* product(ranges, start = []) {
  if (start.length === ranges.length) { yield start; return; }
  const [low, high] = ranges[start.length];
  for (let level = low; level <= high; level += 1) yield* product(ranges, [...start, level]);
}

const within = (levels, ranges) => levels.every((level, at) => level >= ranges[at][0] && level <= ranges[at][1]);

function neighbours(levels, ranges) {
  return levels.flatMap((_, at) => [-1, 1].map((by) => levels.map((level, n) => (n === at ? level + by : level)))).filter((each) => within(each, ranges));
}

function drawnNodes() {
  const { state } = page.shown;
  const ranges = page.columns.map((each) => [each.least, each.most]);
  const size = ranges.reduce((all, [low, high]) => all * (high - low + 1), 1);
  if (size <= ALL_DRAWN) return { size, ranges, nodes: [...product(ranges)] };
  const best = [bestOf(state), bestOf(state, false)].filter(Boolean).map((each) => each.split(",").map(Number));
  const tried = page.steps.filter((each) => same(each.state.entries, state.entries) && each.state.all_rows === state.all_rows).map((each) => each.state.levels);
  const found = [state.levels, ...neighbours(state.levels, ranges), ...best, ...tried.slice(-20)];
  const nodes = [...new Map(found.filter((each) => within(each, ranges)).map((each) => [String(each), each])).values()];
  return { size, ranges, nodes };
}

function drawLattice() {
  byId("lattice-box").hidden = !ofNodes();
  if (!ofNodes()) return;
  const { state } = page.shown;
  const { size, ranges, nodes } = drawnNodes();
  const { nodes: verdicts } = known(state);
  const [best, bestHeld] = [bestOf(state, false), bestOf(state)];
  const heights = [...new Set(nodes.map(heightOf))].sort((one, other) => other - one);
  byId("lattice-note").textContent = `${number.format(size)} nodes, the coarsest on top${nodes.length < size ? "; drawn are this state, the nodes one level from it, and those that you tried" : ""}. A node shows a label of each column that differs from this state. Choose one to see what it releases.`;
  const button = (levels) => {
    const found = verdicts.get(String(levels));
    const current = same(levels, state.levels);
    const minimal = found?.feasible && levels.every((level, at) => level === ranges[at][0] || verdicts.get(String(levels.map((each, n) => (n === at ? each - 1 : each))))?.feasible === false);
    const isBest = String(levels) === best;
    const isBestHeld = !isBest && String(levels) === bestHeld;
    const text = nodeText(levels, nodes.length);
    const shown = [isBest ? "★" : isBestHeld && "☆", minimal && "◆", text].filter(Boolean).join(" ");
    const described = [shown, `levels ${levels.join(", ")}`, found ? (found.feasible ? "feasible" : "not feasible") : "not counted yet", found && `${rowsText(found.suppressed)} suppressed`, found?.feasible && found.loss != null && `loss ${loss(found.loss)}`, minimal && "minimal", isBest && "found by the search", isBestHeld && "found with held levels"].filter(Boolean).join(", ");
    return make("button", {
      type: "button", id: idOf(levels), className: `node ${text ? "" : "small"} ${found ? (found.feasible ? "good" : "bad") : ""}`, "aria-label": described, "aria-current": current ? "true" : null, tabIndex: current ? 0 : -1,
      dataset: { levels: levels.join(","), focus: idOf(levels) },
      on: { click: () => take(levels), focus: () => describe(levels), mouseenter: () => describe(levels), mouseleave: () => describe(state.levels) },
    }, shown);
  };
  const focused = document.activeElement?.dataset?.focus;
  const layers = heights.map((height) => make("div", { className: "layer" }, make("span", { className: "height" }, `height ${height}`), make("div", { className: "nodes" }, ...nodes.filter((each) => heightOf(each) === height).map(button))));
  const lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  lines.setAttribute("aria-hidden", "true");
  byId("lattice").replaceChildren(lines, ...layers);
  drawEdges(lines, nodes, state.levels);
  if (focused?.startsWith("node-")) byId(focused)?.focus({ preventScroll: true });
  describe(state.levels);
  drawRanking();
}

function labelOf(at, level) {
  const read = known(page.shown.state).labels[at]?.[level]?.[0];
  return read ? shortened(read.label ?? "NULL") : level === 0 ? "as it is" : `level ${level}`;
}

const shortened = (text) => (text.length > 14 ? `${text.slice(0, 13)}…` : text);

// A node shows how its labels differ from those of the state that is shown; of many nodes, the nearest alone.
function nodeText(levels, many) {
  const { state } = page.shown;
  const other = levels.map((level, at) => [level, at]).filter(([level, at]) => level !== state.levels[at]);
  if (!other.length) return "shown now";
  const near = other.length === 1 && Math.abs(other[0][0] - state.levels[other[0][1]]) === 1;
  if (many > ALL_NAMED && !near) return "";
  const more = other.length > 2 ? ` and ${other.length - 2} more` : "";
  return `${other.slice(0, 2).map(([level, at]) => `${page.start.names[at]} ${labelOf(at, level)}`).join(", ")}${more}`;
}

function drawEdges(lines, nodes, current) {
  const origin = byId("lattice").getBoundingClientRect();
  const box = new Map(nodes.map((each) => [String(each), byId(idOf(each)).getBoundingClientRect()]));
  for (const levels of nodes) {
    for (let at = 0; at < levels.length; at += 1) {
      const coarser = levels.map((each, n) => (n === at ? each + 1 : each));
      const near = same(levels, current) || same(coarser, current);
      if (!box.has(String(coarser)) || (nodes.length > ALL_NAMED && !near)) continue;
      const [low, high] = [box.get(String(levels)), box.get(String(coarser))];
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      const put = { x1: low.x + low.width / 2 - origin.x, y1: low.y - origin.y, x2: high.x + high.width / 2 - origin.x, y2: high.y + high.height - origin.y };
      for (const [name, value] of Object.entries(put)) line.setAttribute(name, value.toFixed(1));
      if (near) line.setAttribute("class", "near");
      lines.append(line);
    }
  }
}

function take(levels) {
  const { state } = page.shown;
  if (same(levels, state.levels)) return;
  change((s) => {
    s.held = [...page.start.names]; // the saved policy keeps the whole node that was chosen
    s.levels = levels;
  }, `levels ${levels.join(" · ")}`);
}

// A node by the labels of its levels; what differs from the state that is shown stands out.
function describe(levels) {
  const { state } = page.shown;
  const found = known(state).nodes.get(String(levels));
  const lost = found?.feasible && found.loss != null ? `, loss ${loss(found.loss)}, ${classesText(found.classes)}` : "";
  const verdict = `Levels (${levels.join(", ")})${found ? `: ${found.feasible ? "feasible" : "not feasible"}, ${rowsText(found.suppressed)} suppressed${lost}` : ""}. `;
  const parts = levels.flatMap((level, at) => {
    const className = level === state.levels[at] ? "" : "changed";
    return [at ? "; " : "", make("span", { className, dir: "auto" }, `${page.start.names[at]} ${labelOf(at, level)}`)];
  });
  byId("lattice-detail").replaceChildren(verdict, ...parts);
}

// --- The nodes by their loss: those that were counted, and all of them on request.

const MOST_RANKED = 20; // the most nodes that are listed
const MOST_COUNTED = 20000; // the most nodes of a lattice that are all counted

function drawRanking() {
  const { state } = page.shown;
  const { nodes: verdicts } = known(state);
  const { size, ranges } = drawnNodes();
  const held = page.start.names.flatMap((name, at) => (state.held.includes(name) ? [at] : []));
  const asHeld = byId("ranked-held").checked;
  const counted = [...verdicts].map(([key, verdict]) => ({ levels: key.split(",").map(Number), ...verdict })).filter(({ levels }) => within(levels, ranges));
  const found = counted.filter((each) => each.feasible && each.loss != null && (!asHeld || held.every((at) => each.levels[at] === state.levels[at]))).sort((one, other) => one.loss - other.loss);
  byId("ranked-note").textContent = `${number.format(counted.length)} of ${number.format(size)} nodes are counted. ${found.length > MOST_RANKED ? `The ${MOST_RANKED} of least loss of ${number.format(found.length)} feasible ones` : `${number.format(found.length)} feasible ones`}${asHeld ? " with the held levels" : ""}:`;
  byId("count-all").hidden = counted.length >= size || size > MOST_COUNTED;
  byId("count-all").textContent = page.ranking ? "Stop counting" : `Count all ${number.format(size)} nodes`;
  const heading = (text, className = "") => make("th", { scope: "col", className }, text);
  const amount = (value) => make("td", { className: "number" }, value);
  const row = ({ levels, ...each }) => make("tr", { "aria-current": same(levels, state.levels) ? "true" : null },
    amount(loss(each.loss)), amount(number.format(each.suppressed)), amount(number.format(each.classes)),
    make("td", {}, make("button", { type: "button", className: "plain", title: `Show levels ${levels.join(", ")}`, dataset: { focus: `ranked-${levels.join("-")}` }, on: { click: () => take(levels) } }, levels.join(", "))));
  const focused = document.activeElement?.dataset?.focus;
  byId("ranked").replaceChildren(make("caption", {}, `Levels of ${page.start.names.join(", ")}`), make("thead", {}, make("tr", {}, heading("loss", "number"), heading("rows suppressed", "number"), heading("classes", "number"), heading("levels"))), make("tbody", {}, ...found.slice(0, MOST_RANKED).map(row)));
  if (focused?.startsWith("ranked-")) document.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

async function countAll() {
  if (page.ranking) { page.ranking = false; return; }
  page.ranking = true;
  const { state } = page.shown;
  const of = known(state);
  const open = [...product(drawnNodes().ranges)].filter((each) => !of.nodes.has(String(each)));
  for (let start = 0; start < open.length && page.ranking && ofNodes() && known(page.shown.state) === of;) {
    const nodes = open.slice(start, start + (page.start.large && state.all_rows ? 2 : 64));
    const answer = page.busy ? null : await ask("/api/nodes", numbered({ state, nodes })).catch(() => null);
    if (answer?.nodes) {
      for (const each of answer.nodes) note(state, each.levels, each);
      start += nodes.length;
      if (known(page.shown.state) === of) drawRanking();
    } else if (answer?.error) break;
    else await new Promise((next) => { setTimeout(next, 200); });
  }
  page.ranking = false;
  if (ofNodes()) drawLattice();
}

byId("lattice").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const node = event.target.closest(".node");
  if (!by || !node) return;
  event.preventDefault();
  const rows = [...document.querySelectorAll(".layer")].map((each) => [...each.querySelectorAll(".node")]);
  const row = rows.findIndex((each) => each.includes(node));
  const to = rows[row + by[0]];
  if (!to) return;
  const at = by[0] ? Math.round((rows[row].indexOf(node) + 0.5) * to.length / rows[row].length - 0.5) : rows[row].indexOf(node) + by[1];
  to[Math.max(0, Math.min(to.length - 1, at))]?.focus();
});

// --- The figures.

function draw() {
  const { figures } = page.shown;
  for (const each of document.querySelectorAll(".fault")) each.remove();
  drawControls();
  drawSource(figures);
  drawVerdict(figures);
  drawTiles(figures);
  drawLattice();
  drawSides(figures);
  drawRows(figures);
  drawQuality(figures);
  drawSteps();
  drawButtons();
  reachScrolled();
  drawCharts();
  drawFeasible();
}

function drawSource(figures) {
  const counted = figures.entity === null ? "classes count rows" : `classes count ${figures.entity}`;
  byId("source-line").textContent = [figures.sample || rowsText(figures.rows), counted, page.shown.algorithm].join(" · ");
  const [least, most] = figures.alike || [];
  const alike = most ? ` Here k from ${number.format(least)} to ${number.format(most)} start from the same cuts, so figures can jump beyond; a plan makes its own.` : "";
  byId("scope").hidden = !page.start.large;
  byId("scope-words").textContent = figures.sample
    ? `Figures are of ${figures.sample}. The same k is a larger share of fewer rows: the whole table keeps more detail. A saved plan searches all rows.${alike}`
    : `Figures are of all ${number.format(page.start.rows)} rows.`;
  byId("all-rows").textContent = figures.sample ? `Count all ${number.format(page.start.rows)} rows` : "Count a sample";
}

function drawVerdict(figures) {
  const box = byId("verdict");
  box.className = `verdict ${figures.feasible ? "good" : "bad"}`;
  const title = figures.feasible ? "Feasible" : "Not feasible";
  const why = figures.why || `${rowsText(figures.suppressed)} of ${number.format(figures.rows)} are suppressed; at most ${number.format(figures.limit)} may be.`;
  byId("verdict-title").textContent = title;
  byId("verdict-why").textContent = why;
  byId("timing").textContent = `counted in ${figures.seconds < 1 ? `${Math.max(1, Math.round(1000 * figures.seconds))} ms` : `${figures.seconds.toFixed(1)} s`}${figures.note ? `; ${figures.note}` : ""}`;
  byId("status").textContent = `${title}. ${why} ${classesText(figures.classes)}, the smallest has ${number.format(figures.smallest)}.`;
}

function drawTiles(figures) {
  const other = page.compared ?? page.steps[0];
  const before = other.figures.feasible ? other.figures : null;
  const { after, before: source } = figures;
  const counted = figures.entity === null ? "rows" : "persons";
  const change = (now, then, text, lessIsBetter = true) => {
    if (then === undefined || then === null || now === null || now === then) return null;
    const better = now < then === lessIsBetter;
    return make("span", { className: `change ${better ? "better" : "worse"}` }, `${now > then ? "▲" : "▼"} ${text(then)} in ${other.what}`);
  };
  const suppressed = make("meter", { min: 0, max: Math.max(figures.limit, figures.suppressed, 1), high: figures.limit, optimum: 0, value: figures.suppressed, "aria-label": `${figures.suppressed} of at most ${figures.limit} rows suppressed` });
  const tile = (name, value, ...more) => make("div", { className: "tile" }, make("dt", {}, name), make("dd", {}, make("div", { className: "value" }, value), ...more));
  const line = (text) => make("div", { className: "more" }, text);
  byId("tiles").replaceChildren(
    tile("Suppressed rows", number.format(figures.suppressed), suppressed, line(`${share(figures.suppressed, figures.rows)} of ${number.format(figures.rows)}; limit ${number.format(figures.limit)}`), change(figures.suppressed, before?.suppressed, number.format)),
    tile("Classes released", number.format(figures.classes), line(figures.classes ? `smallest ${number.format(figures.smallest)} ${counted}` : "none fits"), change(figures.classes, before?.classes, number.format, false)),
    tile("Highest risk", after ? probability(after.highest) : "none", line(source ? `${probability(source.highest)} in the source` : ""), change(after?.highest ?? null, before?.after?.highest, probability)),
    tile("Average risk", after ? probability(after.average) : "none", line(source ? `${probability(source.average)} in the source` : ""), change(after?.average ?? null, before?.after?.average, probability)),
    tile("Unique rows", number.format(after?.unique_rows ?? 0), line(source ? `${number.format(source.unique_rows)} in the source` : "")),
    tile("Error of simple counts", !figures.feasible ? "not measured" : figures.off === undefined ? "…" : figures.off === null ? "not measured" : percent(figures.off), line(figures.feasible ? "of two columns, median" : "not feasible")),
    tile("Information loss", figures.cost.length ? loss(figures.cost[0]) : "", line(METRICS[figures.metric] ?? figures.metric), change(figures.cost[0], before?.metric === figures.metric ? before.cost[0] : null, loss)),
  );
}

const METRICS = { gcp: "NCP, mean over cells" };
const loss = (value) => (Math.abs(value) >= 1000 ? number.format(Math.round(value)) : value.toPrecision(4));

function drawSides(figures) {
  const { state } = page.shown;
  const heading = (text, className = "") => make("th", { scope: "col", className }, text);
  const after = (each, at) => {
    if (ofNodes()) {
      const [all, released] = [each.labels[state.levels[at]] ?? 0, figures.released[each.name]];
      return `${released === undefined || released === all ? "" : `${number.format(released)} released of `}${number.format(all)}: ${labelsText(state, at)}`;
    }
    const [one, none] = figures.shown[each.name] ?? [null, null];
    return one === null ? "" : `${percent(one)} of rows are in groups with one value, ${percent(none)} in groups with all values`;
  };
  const row = (each, at) => make("tr", {},
    make("th", { scope: "row", dir: "auto" }, each.name),
    make("td", { className: "number" }, number.format(each.values)),
    make("td", { dir: "auto" }, after(each, at)),
    make("td", { className: "number" }, each.name in figures.losses ? percent(figures.losses[each.name]) : ""),
    make("td", {}, whyNotFiner(at)));
  byId("sides").replaceChildren(
    make("thead", {}, make("tr", {}, heading("column"), heading("values before", "number"), heading(ofNodes() ? "labels after" : "after"), heading("loss", "number"), heading("why not finer?"))),
    make("tbody", {}, ...page.columns.map(row)));
}

function drawRows(figures) {
  const { columns, classes } = figures.examples;
  const counted = figures.entity === null ? null : "persons";
  byId("rows-note").textContent = classes.length
    ? "One row of each of some classes, and how many rows read the same. The release has the other columns beside these."
    : "No row is shown: none would be released, or its class is counted by all rows of a person.";
  const cell = (label) => make("td", {}, label === null ? make("span", { className: "null" }, "NULL") : shownLabel(label));
  const heading = (text) => make("th", { scope: "col", className: "number" }, text);
  const amount = (value) => make("td", { className: "number" }, number.format(value));
  const names = columns.map((name) => make("th", { scope: "col" }, shownLabel(name)));
  const head = make("thead", {}, make("tr", {}, heading("rows alike"), counted && heading(counted), ...names));
  const body = make("tbody", {}, ...classes.map((each) => make("tr", {}, amount(each.rows), counted && amount(each.size), ...each.labels.map(cell))));
  byId("rows").replaceChildren(...(classes.length ? [make("caption", { className: "visually-hidden" }, "Rows as they would be released"), head, body] : []));
}

function drawQuality(figures) {
  const row = (name, value, className = "") => make("div", { className }, make("dt", {}, name), make("dd", {}, value));
  const failing = figures.failing.map((each) => row(`suppressed by the bound on ${each.name} alone`, `${rowsText(each.rows)}, ${classesText(each.classes)}`));
  const counts = figures.counts ? [row("simple counts", figures.counts, "sentence")] : [];
  byId("quality").replaceChildren(...counts, ...figures.quality.map((each) => row(each.title, each.text)), ...failing);
}

function drawSteps() {
  const focused = document.activeElement?.dataset?.focus;
  byId("steps").replaceChildren(...page.steps.map((step, at) => {
    const { figures } = step;
    const chip = make("span", { className: `chip ${figures.feasible ? "good" : "bad"}` }, figures.feasible ? "feasible" : "not feasible");
    const told = `${rowsText(figures.suppressed)} suppressed, loss ${figures.cost.length ? loss(figures.cost[0]) : ""}, ${classesText(figures.classes)}`;
    const compared = step === (page.compared ?? page.steps[0]);
    const beside = make("button", { type: "button", className: "plain compare", "aria-pressed": compared ? "true" : "false", "aria-label": `Compare with ${step.what}`, dataset: { focus: `compare-${at}` }, on: { click: () => { page.compared = step; drawSteps(); drawTiles(page.shown.figures); } } }, compared ? "compared with" : "compare");
    return make("li", {}, make("button", { type: "button", className: "step", "aria-current": at === page.at ? "step" : null, on: { click: () => go(at) } }, make("span", { className: "what", dir: "auto" }, step.what), chip, make("span", { className: "figures" }, told)), beside);
  }).reverse());
  if (focused?.startsWith("compare-")) document.querySelector(`[data-focus="${focused}"]`)?.focus({ preventScroll: true });
}

function drawButtons() {
  byId("undo").disabled = page.at <= 0;
  byId("redo").disabled = page.at >= page.steps.length - 1;
  for (const id of ["save", "save-plan"]) byId(id).disabled = !page.shown;
  byId("best").disabled = !ofNodes() || !!page.busy;
}

async function drawCharts() {
  const asked = ++page.drawn;
  for (const box of document.querySelectorAll(".chart-box")) box.closest("section").hidden = !(box.dataset.name in page.shown.charts);
  await Promise.all(Object.entries(page.shown.charts).map(async ([name, path]) => {
    const box = document.querySelector(`.chart-box[data-name="${name}"]`);
    try {
      const chart = await ask(path);
      if (asked !== page.drawn) return;
      const parts = [];
      if (chart.svg) parts.push(document.importNode(new DOMParser().parseFromString(chart.svg, "image/svg+xml").documentElement, true));
      const open = box.querySelector("details")?.open || !chart.svg;
      const cell = (tag, value) => make(tag, { className: typeof value === "number" ? "number" : "" }, value === null ? "" : typeof value !== "number" ? value : Number.isInteger(value) ? number.format(value) : value.toPrecision(4));
      parts.push(make("details", { open }, make("summary", {}, `${chart.title}: the figures`), make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": `${chart.title}: the figures` }, make("table", {}, make("thead", {}, make("tr", {}, ...chart.headings.map((each) => make("th", { scope: "col" }, each)))), make("tbody", {}, ...chart.rows.map((row) => make("tr", {}, ...row.map((value) => cell("td", value)))))))));
      box.replaceChildren(...parts);
    } catch {
      if (asked === page.drawn) box.replaceChildren(make("p", { className: "quiet" }, "This chart could not be drawn."));
    }
  }));
}

let hinting = 0;
function drawFeasible() {
  clearTimeout(hinting);
  byId("levels-key").hidden = !ofNodes();
  hinting = setTimeout(async () => {
    const { state, figures } = page.shown;
    const more = async (path, sent) => { // one small question after another: a change comes in between
      const answer = page.busy ? null : await ask(path, numbered({ state, ...sent })).catch(() => null);
      return answer && !answer.error && !answer.stale && same(state, page.shown.state) && !page.busy ? answer : null;
    };
    const columns = ofNodes() ? state.levels.map((_, at) => at) : [];
    for (const at of columns) {
      const answer = await more("/api/levels", { column: at });
      if (!answer) return;
      for (const each of answer.levels) {
        note(state, state.levels.map((level, n) => (n === at ? each.level : level)), each);
        showFeasible(at, each);
      }
      showLearned(state, at);
    }
    for (const at of columns.filter((each) => !known(state).labels[each])) {
      const answer = await more("/api/labels", { column: at });
      if (!answer) return;
      known(state).labels[at] = answer.labels;
      showLearned(state, at);
    }
    if (ofNodes()) drawLattice();
    if (figures.feasible && figures.off === undefined) {
      const answer = await more("/api/counts", {});
      if (!answer) return;
      [figures.counts, figures.off] = [answer.counts, answer.off];
      drawQuality(figures);
      drawTiles(figures);
    }
    const unknown = ofNodes() ? drawnNodes().nodes.filter((each) => !known(state).nodes.has(String(each))) : [];
    const asked = page.start.large && state.all_rows ? 2 : 16; // a change waits for no more nodes than these
    for (let start = 0; start < unknown.length; start += asked) {
      const answer = await more("/api/nodes", { nodes: unknown.slice(start, start + asked) });
      if (!answer) return;
      for (const each of answer.nodes) note(state, each.levels, each);
      drawLattice();
    }
  }, 120);
}

function showLearned(state, at) {
  const set = (selector, text) => { const box = document.querySelector(selector); if (box) box.textContent = text; };
  set(`[data-labels="${at}"]`, labelsText(state, at));
  set(`[data-finer="${at}"]`, whyNotFiner(at));
  document.querySelector(`[data-hierarchy="${at}"]`)?.replaceChildren(hierarchyTable(at, state));
  drawSides(page.shown.figures);
}

function showFeasible(at, { level, feasible, suppressed }) {
  const box = document.querySelector(`.levels[data-column="${at}"] .level[data-level="${level}"]`);
  if (!box) return;
  const told = `${feasible ? "feasible" : "not feasible"}, ${rowsText(suppressed)} suppressed`;
  box.classList.add(feasible ? "good" : "bad");
  box.title = `level ${level}: ${told}`;
  const input = box.querySelector("input");
  input.setAttribute("aria-label", `${input.getAttribute("aria-label")}, ${told}`);
}

// --- Saving, and the first state.

async function save(plan) {
  message("Saving…");
  page.busy += 1;
  follow();
  byId("stop").hidden = !plan;
  try {
    const answer = await ask("/api/save", { state: page.draft ?? page.shown.state, plan });
    if (answer.error) faults(answer, "Nothing was saved.");
    else if (answer.plan) message(`Saved ${answer.policy} and ${answer.plan} (${answer.found}).\nTo publish: kanon-sql apply ${answer.plan}${answer.release ? ` --release ${answer.release}` : ""}`);
    else message(`Saved ${answer.policy}.\nNext: kanon-sql plan ${answer.policy}`);
    page.busy -= 1;
    byId("stop").hidden = true;
    if (answer.state) question("/api/figures", { state: answer.state }, "the saved plan");
  } catch (error) {
    page.busy -= 1;
    message(`It could not be saved: ${error.message}`, true);
  }
}

let resizing = 0;
addEventListener("resize", () => {
  reachScrolled();
  clearTimeout(resizing);
  resizing = setTimeout(() => { if (page.shown) drawLattice(); }, 100); // edges lead to where nodes lie now
});
byId("undo").addEventListener("click", () => go(page.at - 1));
byId("redo").addEventListener("click", () => go(page.at + 1));
byId("save").addEventListener("click", () => save(false));
byId("save-plan").addEventListener("click", () => save(true));
byId("stop").addEventListener("click", () => ask("/api/stop", {}));
byId("all-rows").addEventListener("click", () => {
  const state = copy(page.shown.state);
  state.all_rows = !state.all_rows;
  message("");
  question("/api/best", { state }, state.all_rows ? "all rows" : "the sample"); // what is best depends on the rows
});
byId("count-all").addEventListener("click", countAll);
byId("ranked-held").addEventListener("change", drawRanking);
byId("free").addEventListener("click", () => change((s) => { s.held = []; }, "no level held"));
byId("best").addEventListener("click", () => {
  const { held } = page.draft ?? page.shown.state;
  if (held.length === page.start.names.length) { message("The levels of all columns are held, so there is nothing to search: free a column, or all."); return; }
  message(""); question("/api/best", { state: page.draft ?? page.shown.state }, held.length ? "the best node with held levels" : "the best node");
});
byId("controls").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.target.matches("textarea, input:not([type=radio], [type=checkbox])")) return;
  const key = event.key.toLowerCase();
  if (key === "z") { event.preventDefault(); go(page.at + (event.shiftKey ? 1 : -1)); }
  if (key === "y") { event.preventDefault(); go(page.at + 1); }
});

try {
  page.busy = 1;
  follow();
  page.start = await ask("/api/start", {}); // answered when the source is counted
  page.busy = 0;
  if (page.start.error) throw new Error(page.start.error);
  byId("policy-name").textContent = page.start.policy;
  byId("save").title = `Writes ${page.start.saves.policy}`;
  byId("save-plan").title = `Writes ${page.start.saves.policy} and ${page.start.saves.plan}; another policy later goes to files of the next number`;
  document.title = `${page.start.policy}: kanon-sql explorer`;
  await question("/api/figures", { state: page.start.state }, FIRST);
  if (page.start.refused && page.shown) message(page.start.refused, true);
} catch (error) {
  page.busy = 0;
  byId("page").setAttribute("aria-busy", "false");
  if (!page.shown) {
    byId("verdict").className = "verdict bad";
    byId("verdict-title").textContent = "No figures";
  }
  message(page.start?.error ? error.message : `The explorer does not answer: ${error.message}`, true);
}
