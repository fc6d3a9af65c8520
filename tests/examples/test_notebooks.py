"""The notebooks in examples/notebooks: one for each paper, small, and executed from the first cell to the last."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 80_000
"""Bytes of a notebook with its outputs."""


def read(path):
    return nbformat.read(path, as_version=4)


def test_there_is_one_for_each_paper():
    assert [path.stem for path in NOTEBOOKS] == ["advice", "falcon", "td_features", "transfer"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_is_small_and_says_nothing_of_a_machine(path):
    assert path.stat().st_size < LARGEST
    notebook = read(path)
    nbformat.validate(notebook)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert len(outputs) >= 3, "it was executed before it was kept"
    assert all(output["output_type"] != "error" and output.get("name") != "stderr" for output in outputs)
    text = path.read_text(encoding="utf-8")
    assert "/root" not in text
    assert "/work" not in text
    headings = [cell.source.split("\n")[0] for cell in notebook.cells if cell.cell_type == "markdown"]
    for wanted in ("## Load", "## Train", "## Look at what was learned", "## Change one thing"):
        assert wanted in headings


def _printed(notebook):
    """What the cells print, one text each."""
    texts = ["".join(output["text"] for output in cell.get("outputs", ()) if output.get("name") == "stdout")
             for cell in notebook.cells]  # fmt: skip
    return [text for text in texts if text]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path):
    from nbclient import NotebookClient

    notebook = read(path)
    kept = _printed(notebook)
    for cell in notebook.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell["outputs"], cell["execution_count"] = [], None
    client = NotebookClient(notebook, timeout=1800, kernel_name="python3", resources={"metadata": {"path": tmp_path}})
    client.execute()  # raises if a cell fails
    assert _printed(notebook) == kept, "it was executed with the code of today before it was kept"
    pictures = [o for cell in notebook.cells for o in cell.get("outputs", ()) if "image/png" in o.get("data", {})]
    assert len(kept) >= 3
    assert pictures
