// The page: shows what the worker answers. Texts of the file are set as text, never as HTML.

const at = (id) => document.getElementById(id);
const worker = new Worker("./worker.js", { type: "module" });
const waiting = new Map();
const QUASI = "quasi", SENSITIVE = "sensitive";
const KINDS = { "release.csv": "text/csv", "policy.yml": "text/yaml", "report.html": "text/html" };
const WHAT = { "release.csv": "The release", "policy.yml": "The policy", "report.html": "The report, to read and to sign" };
let opened = null;

worker.onmessage = ({ data: { id, answer, error } }) => {
  const [done, failed] = waiting.get(id);
  waiting.delete(id);
  error === undefined ? done(answer) : failed(new Error(error));
};
worker.onerror = (event) => {
  at("state").textContent = "This browser cannot run the page.";
  show("fault", event.message ?? "");
};

function ask(name, ...values) {
  const id = waiting.size + Math.random();
  return new Promise((done, failed) => {
    waiting.set(id, [done, failed]);
    worker.postMessage({ id, name, values });
  });
}

function show(id, text) {
  at(id).textContent = text;
  at(id).hidden = !text;
}

/** Do one thing at a time: buttons rest, and the time runs, until it has ended. */
async function busy(doing, act) {
  const began = performance.now();
  const tell = () => (at("state").textContent = `${doing} … ${Math.round((performance.now() - began) / 1000)} s`);
  const controls = [...document.querySelectorAll("button, input, select, textarea")];
  controls.forEach((each) => (each.disabled = true));
  show("fault", "");
  tell();
  const clock = setInterval(tell, 1000);
  try {
    await act();
    at("state").textContent = "Ready.";
  } catch (error) {
    at("state").textContent = "Not done.";
    show("fault", error.message);
  } finally {
    clearInterval(clock);
    controls.forEach((each) => (each.disabled = false));
  }
}

function showPolicy({ name, policy, said, roles }) {
  opened = name;
  at("policy").value = policy;
  show("proposed", said);
  at("columns").replaceChildren(
    ...Object.entries(roles).map(([column, role]) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = column;
      const boxes = [QUASI, SENSITIVE].map((kind) => {
        const cell = document.createElement("td");
        const box = document.createElement("input");
        Object.assign(box, { type: "checkbox", checked: role === kind, ariaLabel: `${column}: ${kind}` });
        box.dataset.kind = kind;
        box.dataset.column = column;
        cell.append(box);
        return cell;
      });
      const last = document.createElement("td");
      last.textContent = role;
      row.append(head, ...boxes, last);
      return row;
    }),
  );
  ["policy-part", "compare-part", "release-part"].forEach((id) => (at(id).hidden = false));
  ["compared", "released"].forEach((id) => show(id, ""));
  at("downloads").replaceChildren();
}

const checked = (kind) =>
  [...document.querySelectorAll(`#columns input[data-kind=${kind}]`)].filter((box) => box.checked).map((box) => box.dataset.column);

function offer(files) {
  at("downloads").replaceChildren(
    ...Object.entries(files).map(([name, bytes]) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([bytes], { type: KINDS[name] }));
      link.download = name;
      link.textContent = `${WHAT[name]}: ${name}`;
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
}

at("file").onchange = () =>
  busy("Looking at the values", async () => {
    const [file] = at("file").files;
    if (file) showPolicy(await ask("open_file", file.name, new Uint8Array(await file.arrayBuffer()), at("use").value));
  });
at("sample").onclick = () => busy("Looking at the values", async () => showPolicy(await ask("open_file", "people.csv", undefined, at("use").value)));
at("again").onclick = () =>
  busy("Looking at the values", async () => showPolicy(await ask("propose", opened, checked(QUASI), checked(SENSITIVE), at("use").value)));
at("compare").onclick = () =>
  busy("Trying recodings", async () => show("compared", (await ask("compare", at("policy").value)).said));
at("release").onclick = () =>
  busy("Searching, releasing and recounting", async () => {
    show("released", "");
    at("downloads").replaceChildren();
    const { said, files } = await ask("release", at("policy").value);
    show("released", said);
    offer(files);
  });

busy("Python and DuckDB are loading", () => ask("ready"));
