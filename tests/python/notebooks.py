# SPDX-License-Identifier: BSD-3-Clause
"""notebooks.py [--plain] NOTEBOOK...: runs notebooks; their own asserts decide. Prints a line for each that failed.

Without --plain nbclient runs them in a kernel, and each must show a picture. With it the cells are run by this Python,
`%load_ext` and `%%pavior` by the package's own functions, and calls of matplotlib do nothing.
"""

import json
import pathlib
import sys
import traceback
import types
import unittest.mock

import numpy


class Shell:
    """What the package asks of IPython."""

    def __init__(self, names):
        self.user_ns = names

    def register_magic_function(self, function, magic_kind):
        self.magic = function

    def run(self, text, where):
        if text.startswith("%load_ext pavior"):
            import pavior

            pavior.load_ipython_extension(self)
        elif text.startswith("%%pavior "):
            line, _, cell = text.partition("\n")
            if self.magic(line[len("%%pavior ") :], cell) is None:
                raise RuntimeError("a description with mistakes")
        else:
            exec(compile(text, where, "exec"), self.user_ns)


def blind_pyplot():
    def subplots(rows=1, columns=1, **options):
        axes = numpy.empty(rows * columns, object)
        axes[:] = [unittest.mock.MagicMock() for _ in axes]
        return unittest.mock.MagicMock(), axes.reshape(rows, columns).squeeze()

    pyplot = unittest.mock.MagicMock(subplots=subplots)
    sys.modules["matplotlib"] = types.SimpleNamespace(pyplot=pyplot)
    sys.modules["matplotlib.pyplot"] = pyplot


def run_plain(notebook, path):
    shell = Shell({})
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            shell.run("".join(cell["source"]), f"{path.name}, cell {number}")


def run_in_kernel(notebook, path):
    import nbclient
    import nbformat

    nodes = nbformat.read(path, 4)
    nbformat.validate(nodes)
    nbclient.NotebookClient(nodes, timeout=600, resources={"metadata": {"path": "."}}).execute()
    outputs = [output for cell in nodes.cells for output in cell.get("outputs", [])]
    if not any("image/png" in output.get("data", {}) for output in outputs):
        raise AssertionError("no picture")


def main():
    is_plain = sys.argv[1] == "--plain"
    if is_plain:
        blind_pyplot()
    failed = 0
    for path in map(pathlib.Path, sys.argv[1 + is_plain :]):
        notebook = json.loads(path.read_text())
        try:
            if any(cell.get("outputs") for cell in notebook["cells"]):
                raise AssertionError("the file holds outputs: clear them")
            (run_plain if is_plain else run_in_kernel)(notebook, path)
        except Exception:
            failed += 1
            print(f"{path.name}:", traceback.format_exc())
    sys.exit(failed > 0)


main()
