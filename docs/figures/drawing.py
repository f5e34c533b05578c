# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads matplotlib for the scripts that draw figures."""

import pathlib
import sys


def load_pyplot():
    """Returns matplotlib.pyplot, which draws into files; ends the script if it is not installed."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot
    except ImportError:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name} needs matplotlib: pip install matplotlib")
    return matplotlib.pyplot
