// The explorer's page: it shows a state, sends what is changed, and draws the answer. Every text is a text node.

import { CUTS, intervals, written } from "/assets/cut_points.js";

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const page = { start: null, steps: [], at: -1, shown: null, draft: null, columns: [], feasible: null, busy: 0, waiting: null, asked: 0 };

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
const copy = (state) => JSON.parse(JSON.stringify(state));
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error((await answer.text()).trim() || `the explorer answered ${answer.status}`);
  return answer.json();
}

// --- What is asked: one question at a time; of those that come meanwhile the last alone is asked.

async function question(path, body, what) {
  if (page.busy) {
    page.waiting = [path, body, what];
    return;
  }
  page.busy = 1;
  follow();
  byId("page").setAttribute("aria-busy", "true");
  byId("stop").hidden = path !== "/api/best" && ofNodes();
  byId("best").disabled = true;
  try {
    const answer = await ask(path, body);
    if (!page.waiting) answered(answer, what);
  } catch (error) {
    message(`The explorer does not answer: ${error.message}`, true);
  }
  page.busy = 0;
  byId("stop").hidden = true;
  byId("best").disabled = !ofNodes();
  const next = page.waiting;
  page.waiting = null;
  if (next) return question(...next);
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
  page.draft = copy(answer.state);
  page.feasible = null;
  if (page.at < 0 || !same(page.steps[page.at].state, answer.state)) {
    page.steps.splice(page.at + 1);
    page.steps.push({ state: copy(answer.state), what, figures: answer.figures });
    page.at = page.steps.length - 1;
  }
  draw();
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
  byId("columns").replaceChildren(...page.start.state.levels.map((_, at) => column(at, state, open)));
  byId("mode-note").textContent = ofNodes()
    ? "Below each level: how many labels it has. A column that you set is held: the search and the saved policy keep its level."
    : `${page.shown.algorithm} forms groups of at least k rows, each with its own labels: a column has no single level that could be chosen or held.`;
  if (focused) document.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
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
  if (labels.length) foot.append(make("label", { className: "hold" }, hold, "hold this level"));
  if (entry?.words) foot.append(hierarchy(entry, state, open));
  group.append(foot);
  return group;
}

function levelChoice(at, name, level, count, current, known) {
  const input = make("input", {
    type: "radio", name: `level-${at}`, value: level, checked: level === current, disabled: level < known.least || level > known.most,
    "aria-label": `level ${level}, ${number.format(count)} ${count === 1 ? "label" : "labels"}`, dataset: { focus: `level-${at}-${level}` },
    on: { change: () => change((s) => { s.levels[at] = level; if (!s.held.includes(name)) s.held.push(name); }, `${name} at level ${level}`) },
  });
  const short = count >= 10000 ? `${Math.round(count / 1000)}k` : number.format(count);
  return make("label", { className: "level", dataset: { level } }, input, make("span", { className: "number", "aria-hidden": "true" }, `${level}`), make("span", { className: "count", "aria-hidden": "true", title: `${number.format(count)} labels` }, short));
}

function hierarchy(entry, state, open) {
  const text = state.entries[entry.key] ?? entry.words;
  const box = make("div", { className: "words-box" });
  const put = (value) => change((s) => { setWords(s, entry, value); }, `hierarchy of ${entry.of}`);
  if (entry.fixed) {
    box.append(make("p", { className: "quiet" }, `${text}: this page does not change hierarchies of files, tables and queries.`));
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
  const details = make("details", { className: "words", dataset: { words: entry.key }, open: open.has(entry.key) }, make("summary", {}, "Hierarchy"), box);
  return details;
}

// --- The figures.

function draw() {
  const { figures } = page.shown;
  for (const each of document.querySelectorAll(".fault")) each.remove();
  drawControls();
  drawSource(figures);
  drawVerdict(figures);
  drawTiles(figures);
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
  byId("scope").hidden = !page.start.large;
  byId("scope-words").textContent = figures.sample
    ? `Figures are of ${figures.sample}. The same k is a larger share of fewer rows: the whole table keeps more detail. A saved plan searches all rows.`
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
  const before = page.steps[page.at - 1]?.figures;
  const { after, before: source } = figures;
  const counted = figures.entity === null ? "rows" : "persons";
  const change = (now, then, text, lessIsBetter = true) => {
    if (then === undefined || then === null || now === null || now === then) return null;
    const better = now < then === lessIsBetter;
    return make("span", { className: `change ${better ? "better" : "worse"}` }, `${now > then ? "▲" : "▼"} from ${text(then)}`);
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
    tile("Information loss", figures.cost.length ? loss(figures.cost[0]) : "", line(figures.metric), change(figures.cost[0], before?.cost?.[0], loss)),
  );
}

const loss = (value) => (Math.abs(value) >= 1000 ? number.format(Math.round(value)) : value.toPrecision(4));

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
  const row = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value));
  const failing = figures.failing.map((each) => row(`suppressed by the bound on ${each.name} alone`, `${rowsText(each.rows)}, ${classesText(each.classes)}`));
  const counts = figures.counts ? [row("simple counts", figures.counts)] : [];
  byId("quality").replaceChildren(...counts, ...figures.quality.map((each) => row(each.title, each.text)), ...failing);
}

function drawSteps() {
  byId("steps").replaceChildren(...page.steps.map((step, at) => {
    const { figures } = step;
    const chip = make("span", { className: `chip ${figures.feasible ? "good" : "bad"}` }, figures.feasible ? "feasible" : "not feasible");
    const told = `${rowsText(figures.suppressed)} suppressed, loss ${figures.cost.length ? loss(figures.cost[0]) : ""}, ${classesText(figures.classes)}`;
    return make("li", {}, make("button", { type: "button", "aria-current": at === page.at ? "step" : null, on: { click: () => go(at) } }, make("span", { className: "what", dir: "auto" }, step.what), chip, make("span", { className: "figures" }, told)));
  }).reverse());
}

function drawButtons() {
  byId("undo").disabled = page.at <= 0;
  byId("redo").disabled = page.at >= page.steps.length - 1;
  for (const id of ["save", "save-plan"]) byId(id).disabled = !page.shown;
  byId("best").disabled = !ofNodes() || !!page.busy;
}

async function drawCharts() {
  const asked = ++page.asked;
  for (const box of document.querySelectorAll(".chart-box")) box.closest("section").hidden = !(box.dataset.name in page.shown.charts);
  await Promise.all(Object.entries(page.shown.charts).map(async ([name, path]) => {
    const box = document.querySelector(`.chart-box[data-name="${name}"]`);
    try {
      const chart = await ask(path);
      if (asked !== page.asked) return;
      const parts = [];
      if (chart.svg) parts.push(document.importNode(new DOMParser().parseFromString(chart.svg, "image/svg+xml").documentElement, true));
      const open = box.querySelector("details")?.open || !chart.svg;
      const cell = (tag, value) => make(tag, { className: typeof value === "number" ? "number" : "" }, value === null ? "" : typeof value !== "number" ? value : Number.isInteger(value) ? number.format(value) : value.toPrecision(4));
      parts.push(make("details", { open }, make("summary", {}, `${chart.title}: the figures`), make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": `${chart.title}: the figures` }, make("table", {}, make("thead", {}, make("tr", {}, ...chart.headings.map((each) => make("th", { scope: "col" }, each)))), make("tbody", {}, ...chart.rows.map((row) => make("tr", {}, ...row.map((value) => cell("td", value)))))))));
      box.replaceChildren(...parts);
    } catch {
      if (asked === page.asked) box.replaceChildren(make("p", { className: "quiet" }, "This chart could not be drawn."));
    }
  }));
}

let hinting = 0;
function drawFeasible() {
  clearTimeout(hinting);
  byId("levels-key").hidden = !ofNodes();
  hinting = setTimeout(async () => {
    const { state, figures } = page.shown;
    if (figures.feasible && figures.counts === undefined && !figures.asked) {
      figures.asked = true;
      const answer = page.busy ? null : await ask("/api/counts", { state }).catch(() => null);
      if (!same(state, page.shown.state)) return;
      figures.counts = answer?.counts ?? "";
      drawQuality(figures);
    }
    for (let at = 0; ofNodes() && at < state.levels.length; at += 1) { // one column at a time: a change comes in between
      const answer = page.busy ? null : await ask("/api/levels", { state, column: at }).catch(() => null);
      if (!answer?.levels || !same(state, page.shown.state)) return;
      for (const each of answer.levels) showFeasible(at, each);
    }
  }, 120);
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
    else if (answer.plan) message(`Saved ${answer.policy} and ${answer.plan} (${answer.found}).\nTo publish: kanon-sql apply ${answer.plan}`);
    else message(`Saved ${answer.policy}.\nNext: kanon-sql plan ${answer.policy}`);
    page.busy -= 1;
    byId("stop").hidden = true;
    if (answer.state) question("/api/figures", { state: answer.state }, "the saved plan");
  } catch (error) {
    page.busy = 0;
    message(`It could not be saved: ${error.message}`, true);
  }
}

addEventListener("resize", reachScrolled);
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
byId("best").addEventListener("click", () => { message(""); question("/api/best", { state: page.draft ?? page.shown.state }, "the best node"); });
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
  byId("save-plan").title = `Writes ${page.start.saves.policy} and ${page.start.saves.plan}`;
  document.title = `${page.start.policy}: kanon-sql explorer`;
  await question("/api/figures", { state: page.start.state }, "the policy as it is");
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
