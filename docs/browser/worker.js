// Python and DuckDB of the page, in a thread of their own: the page sends questions, this answers.

import { loadPyodide } from "./pyodide/pyodide.mjs";
import arrow from "./arrow.mjs";
import { VoidLogger, createDuckDB } from "./duckdb.mjs";
import { filesOf } from "./files.js";

const here = (name) => new URL(name, import.meta.url).href;

/** Return a value of Arrow as what Python takes: texts, numbers, bytes, lists of them. */
function plain(value, type) {
  if (value === null || value === undefined) return undefined; // None; null would be an object of its own
  if (arrow.DataType.isDecimal(type)) return decimal(value, type.scale);
  if (arrow.DataType.isList(type) || arrow.DataType.isFixedSizeList(type))
    return Array.from(value, (each) => plain(each, type.children[0].type));
  if (arrow.DataType.isStruct(type))
    return new Map(type.children.map((child) => [child.name, plain(value[child.name], child.type)]));
  return value;
}

/** Return a decimal number, which Arrow holds as whole numbers of 32 bits, as its digits. */
function decimal(parts, scale) {
  let whole = 0n;
  for (let at = 3; at >= 0; at--) whole = (whole << 32n) | BigInt(parts[at]);
  whole = BigInt.asIntN(128, whole);
  const digits = (whole < 0n ? -whole : whole).toString().padStart(scale + 1, "0");
  const cut = digits.length - scale;
  return (whole < 0n ? "-" : "") + digits.slice(0, cut) + (scale ? `.${digits.slice(cut)}` : "");
}

/** Run a statement; return the names and the types of its columns, and their values, column by column. */
function answerOf(database, connection, text) {
  const table = arrow.tableFromIPC(database.runQuery(connection, text));
  const fields = table.schema.fields;
  return {
    names: fields.map((field) => field.name),
    types: fields.map((field) => String(field.type)),
    columns: fields.map((field, at) => {
      const column = table.getChildAt(at);
      return Array.from({ length: table.numRows }, (_, row) => plain(column.get(row), field.type));
    }),
  };
}

async function start() {
  const python = await loadPyodide({ indexURL: here("./pyodide/") });
  const { FS } = python;
  const bundles = { eh: { mainModule: here("./duckdb-eh.wasm") } };
  const database = await createDuckDB(bundles, new VoidLogger(), filesOf(FS));
  await database.instantiate();
  python.registerJsModule("duckdb_wasm", {
    open: () => {
      database.open({ path: ":memory:" });
      return database.connect()._conn;
    },
    version: () => database.getVersion().replace(/^v/, ""),
    run: (connection, text) => answerOf(database, connection, text),
    close: (connection) => database.disconnect(connection),
  });
  const packages = await fetch(here("./python.zip"));
  python.unpackArchive(await packages.arrayBuffer(), "zip", { extractDir: "/lib/kanon" });
  python.runPython("import sys; sys.path.insert(0, '/lib/kanon')");
  return python.pyimport("kanon_page");
}

const ready = start();
onmessage = async ({ data: { id, name, values } }) => {
  try {
    const page = await ready;
    const answer = name === "ready" ? true : page[name](...values).toJs({ dict_converter: Object.fromEntries });
    postMessage({ id, answer });
  } catch (error) {
    // Python's message is the last line of its traceback and what follows it.
    const words = String(error.message ?? error);
    postMessage({ id, error: words.includes("Refused: ") ? words.split("Refused: ").pop().trim() : words });
  }
};
