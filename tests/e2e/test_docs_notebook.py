"""The notebook of the documentation runs from its first cell to its last, and shows what it gives now.

It is run without Jupyter: a cell is a piece of Python, and what its last line gives is shown.
KANON_UPDATE_GOLDEN=1 writes the outputs anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re

import pages
import pytest

NOTEBOOK = pages.ROOT / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def notebook():
    if not NOTEBOOK.is_file():
        pytest.skip("no docs beside the tests")
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def outputs_of(source, namespace, count):
    """Run a cell; give what it prints, and how what its last line gives is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), namespace)
    found = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        shown = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            shown["text/html"] = value._repr_html_()
        found.append({
            "data": {kind: text.splitlines(keepends=True) for kind, text in shown.items()},
            "execution_count": count,
            "metadata": {},
            "output_type": "execute_result",
        })  # fmt: skip
    return found


def of_ours(outputs):
    """Leave out how another library writes a table as HTML, and the drawing of charts, which depends on fonts."""
    found = []
    for each in outputs:
        if "data" in each:
            data = {kind: "".join(text) for kind, text in each["data"].items()}
            if not data["text/plain"].startswith("<"):
                data.pop("text/html", None)
            if "text/html" in data:
                data["text/html"] = re.sub(r'(?<=base64,)[^"]+', "", data["text/html"])
            found.append(each | {"data": data})
        else:
            found.append(each)
    return found


def test_the_notebook_runs_and_shows_what_it_gives(notebook, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 8
    made = [
        outputs_of("".join(cell["source"]), namespace, count) for count, cell in enumerate(cells, 1)
    ]
    assert list(tmp_path.iterdir()) == []
    if os.environ.get("KANON_UPDATE_GOLDEN"):
        for count, (cell, outputs) in enumerate(zip(cells, made, strict=True), 1):
            cell.update(execution_count=count, outputs=outputs)
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        NOTEBOOK.write_text(f"{text}\n", encoding="utf-8")
    for count, (cell, outputs) in enumerate(zip(cells, made, strict=True), 1):
        assert cell["execution_count"] == count
        assert of_ours(cell["outputs"]) == of_ours(outputs)


def test_the_notebook_is_of_the_format(notebook):
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in notebook["cells"]:
        keys = {"id", "cell_type", "metadata", "source"}
        if cell["cell_type"] == "code":
            keys |= {"execution_count", "outputs"}
        assert cell.keys() == keys


def test_the_guide_leads_to_the_notebook():
    assert "../notebook.ipynb" in pages.links_of(pages.text_of("docs/guides/python.md"))
