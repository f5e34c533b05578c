# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `tomokkos run` and reads its report, for the scripts that draw figures of runs."""

import pathlib
import re
import subprocess
import tempfile


class Refused(Exception):
    """Raised when the program does not end well; the text is what it said."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class RunReport:
    """Times and errors of one run."""

    def __init__(self, text):
        self.device = re.search(r"^device: (.*)$", text, re.MULTILINE).group(1)
        block = re.search(r"^seconds:\n((?:  .*\n)*)", text, re.MULTILINE).group(1)
        #: Seconds by the steps of the run: matrix, operator, iterations and so on.
        self.seconds = {key: float(value) for key, value in re.findall(r"^  (\w+): (\S+)$", block,
                                                                       re.MULTILINE)}
        #: (relative residual, rmse) of the iterations that the host has checked, from the start.
        self.history = [(float(r), float(e)) for r, e in re.findall(
            r"relative_residual: ([^,}\s]+).*? rmse: ([^,}\s]+)\}", text)]
        #: Iterations that the solver has made.
        self.iterations = int(re.search(r"^result:\n(?:  .*\n)*?  iterations: (\d+)$", text,
                                        re.MULTILINE).group(1))

    @property
    def preparation(self):
        """Seconds until both products can be formed."""
        return sum(self.seconds.get(key, 0) for key in ("matrix", "operator"))


def run_in(folder, program, config, settings=()):
    """Runs a configuration into a folder with `--set` for each setting; returns its RunReport."""
    done = subprocess.run([program.resolve(), "run", config, "--quiet", "--output", folder,
                           *(f"--set={s}" for s in settings)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(done.stderr.strip(), done.returncode)
    return RunReport((pathlib.Path(folder) / "report.yaml").read_text())


def run(program, config, settings=()):
    """Runs a configuration without images, in a folder of its own; otherwise like run_in."""
    with tempfile.TemporaryDirectory() as folder:
        return run_in(folder, program, config, ["output.image=[]", *settings])
