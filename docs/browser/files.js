// DuckDB-WASM reads and writes the files of Pyodide, so that both see one file system, which lives in the page's memory.

import { FileFlags, callSRet, dropResponseBuffers, failWith, readString } from "./duckdb.mjs";

const PLAIN_FILES = 1; // what DuckDB-WASM calls NODE_FS: a file that is opened by its path

/** Return the runtime that DuckDB-WASM asks for each access of a file, on the file system `FS` of Emscripten. */
export function filesOf(FS) {
  const opened = new Map();
  const paths = new Map();

  const pathOf = (mod, id) => {
    const [status, data, size] = callSRet(mod, "duckdb_web_fs_get_file_info_by_id", ["number", "number"], [id, 0]);
    if (status !== 0) throw new Error(readString(mod, data, size));
    const found = JSON.parse(readString(mod, data, size));
    dropResponseBuffers(mod);
    return found.dataUrl ?? found.fileName;
  };
  const there = (path) => FS.analyzePath(path).exists;
  const isFolder = (path) => there(path) && FS.isDir(FS.stat(path).mode);
  // A fault becomes an error of DuckDB's statement; thrown through its code it would leave it half done.
  const guarded = (act, otherwise) => (mod, ...more) => {
    try {
      return act(mod, ...more);
    } catch (error) {
      failWith(mod, `IO Error: a file of the page cannot be used (${error.name} ${error.errno ?? ""})`);
      return otherwise;
    }
  };
  const ofPath = (act, otherwise) =>
    guarded((mod, at, size, ...more) => act(readString(mod, at, size), mod, ...more), otherwise);

  return {
    _udfFunctions: new Map(),
    testPlatformFeature: (mod, feature) => feature === 1,
    getDefaultDataProtocol: () => PLAIN_FILES,
    openFile: guarded((mod, id, flags) => {
      const path = pathOf(mod, id);
      const writes = flags & FileFlags.FILE_FLAGS_WRITE;
      const empty = flags & FileFlags.FILE_FLAGS_FILE_CREATE_NEW;
      const makes = empty || flags & FileFlags.FILE_FLAGS_FILE_CREATE;
      if (!there(path) && !makes) {
        if (flags & FileFlags.FILE_FLAGS_NULL_IF_NOT_EXISTS) return 0;
        throw new Error("there is no such file");
      }
      opened.set(id, FS.open(path, writes ? (empty || !there(path) ? "w+" : "r+") : "r"));
      paths.set(id, path);
      const answer = mod._malloc(3 * 8);
      mod.HEAPF64.set([FS.stat(path).size, 0, FS.stat(path).mtime.getTime() / 1000], answer >> 3);
      return answer;
    }, 0),
    closeFile: guarded((mod, id) => {
      if (opened.has(id)) FS.close(opened.get(id));
      opened.delete(id);
    }),
    readFile: guarded((mod, id, buffer, bytes, at) => FS.read(opened.get(id), mod.HEAPU8, buffer, bytes, at), 0),
    writeFile: guarded((mod, id, buffer, bytes, at) => FS.write(opened.get(id), mod.HEAPU8, buffer, bytes, at), 0),
    truncateFile: guarded((mod, id, size) => FS.truncate(paths.get(id), size)),
    getLastFileModificationTime: guarded((mod, id) => FS.stat(paths.get(id)).mtime.getTime() / 1000, 0),
    syncFile: () => {},
    dropFile: () => {},
    progressUpdate: () => {},
    checkFile: ofPath((path) => there(path) && !isFolder(path), false),
    checkDirectory: ofPath(isFolder, false),
    createDirectory: ofPath((path) => FS.mkdir(path)),
    removeDirectory: ofPath((path) => FS.rmdir(path)),
    removeFile: ofPath((path) => FS.unlink(path)),
    moveFile: guarded((mod, from, fromSize, to, toSize) =>
      FS.rename(readString(mod, from, fromSize), readString(mod, to, toSize)),
    ),
    listDirectoryEntries: () => false,
    glob: ofPath((path, mod) => {
      if (there(path)) mod.ccall("duckdb_web_fs_glob_add_path", null, ["string"], [path]);
    }),
    callScalarUDF: () => {},
  };
}
