# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of the documentation site; docs/build makes it."""
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent

project = "Tomokkos"
author = "The Tomokkos authors"
copyright = "The Tomokkos authors, Apache-2.0 WITH LLVM-exception"
version = release = re.search(r"project\([^)]*?VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.S)[1]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"Tomokkos {release}"
html_copy_source = False
html_show_sphinx = False
html_permalinks_icon = "#"
pygments_style = "friendly"
highlight_language = "none"
