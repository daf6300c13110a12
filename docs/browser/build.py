"""Makes the page that runs kanon-sql in a browser, a folder for any web server.

    npm install --no-package-lock --prefix docs/browser
    python docs/browser/build.py docs/browser/node_modules FOLDER

Pyodide is Python for browsers; DuckDB-WASM is DuckDB. The Python packages are those of this environment, without their
compiled files: each works without.
"""

from __future__ import annotations

import re
import shutil
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PAGE = ("index.html", "page.css", "page.js", "worker.js", "files.js")
PYTHON = ("duckdb.py", "kanon_page.py")
PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
PACKAGES = ("click", "jinja2", "markupsafe", "pyyaml", "rich", "sqlglot")
COMPILED = {".so", ".pyd", ".dll", ".pyc"}
SOURCE_MAP = re.compile(r"\n//# sourceMappingURL=.*\s*$")
ARROW = re.compile(r'import\s*\*\s*as (\w+) from"apache-arrow"')
"""How DuckDB-WASM imports Arrow: by a name that only a bundler resolves."""


def build(modules: Path, folder: Path) -> None:
    _check_installed(modules)
    (folder / "pyodide").mkdir(parents=True, exist_ok=True)
    for name in PAGE:
        shutil.copy(HERE / name, folder)
    for name in PYODIDE:
        shutil.copy(modules / "pyodide" / name, folder / "pyodide")
    duckdb = modules / "@duckdb" / "duckdb-wasm" / "dist"
    shutil.copy(duckdb / "duckdb-eh.wasm", folder)
    bound = ARROW.sub(
        r'import \1 from"./arrow.mjs"', _script(duckdb / "duckdb-browser-blocking.mjs")
    )
    (folder / "duckdb.mjs").write_text(bound, encoding="utf-8")
    arrow = _script(modules / "apache-arrow" / "Arrow.es2015.min.js")
    arrow = f"const exports = {{}}, module = {{ exports }};\n{arrow}\nexport default exports;\n"
    (folder / "arrow.mjs").write_text(arrow, encoding="utf-8")
    with zipfile.ZipFile(folder / "python.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for name in PACKAGES:  # with their licenses
            for file in distribution(name).files or ():
                if file.suffix not in COMPILED and ".." not in file.parts:
                    packed.write(file.locate(), str(file))
        for source, target in (("kanon_sql", "kanon_sql"), ("templates", "kanon_sql/_templates")):
            for path in sorted((ROOT / source).rglob("*")):
                if path.is_file() and path.suffix not in COMPILED:
                    packed.write(path, f"{target}/{path.relative_to(ROOT / source).as_posix()}")
        ours = distribution("kanon-sql")
        packed.writestr(
            f"kanon_sql-{ours.version}.dist-info/METADATA", ours.read_text("METADATA") or ""
        )
        for name in PYTHON:
            packed.write(HERE / name, name)


def _check_installed(modules: Path) -> None:
    """Say what is missing, and by which command it is installed, before anything is written."""
    if not (modules / "pyodide").is_dir():
        sys.exit(f"{modules} has no pyodide: npm install --no-package-lock --prefix docs/browser")
    try:
        for name in (*PACKAGES, "kanon-sql"):
            distribution(name)
    except PackageNotFoundError as error:
        sys.exit(
            f"{sys.executable} has no {error.name}: the page is built by a Python that has kanon-sql; "
            "in the clone, run: pip install ."
        )


def _script(path: Path) -> str:
    return SOURCE_MAP.sub("\n", path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build(Path(sys.argv[1]), Path(sys.argv[2]))
