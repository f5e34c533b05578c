#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times an iteration of Tomokkos beside one of the ASTRA Toolbox, on one sinogram, in one go.

    pip install astra-toolbox numpy
    docs/figures/compare_astra.py --tomokkos build/openmp/bin/tomokkos
    docs/figures/compare_astra.py --tomokkos build/cuda/bin/tomokkos --cuda

Without --cuda: ASTRA's CPU projector `line` and its SIRT (which uses one thread) against ours on
the same geometry with the same weights, 512 x 512 pixels, 180 views x 726 detectors. With --cuda:
SIRT_CUDA, EM_CUDA and CGLS_CUDA (matrix-free, with a back projector that is not the exact adjoint)
against our sirt, mlem and cgls, 1024 x 1024 pixels, 720 views x 1024 detectors as wide as the
image's diagonal: about 680 M nonzeros with the projector `line`, 960 M with `linear`. Both programs
take turns, in an order that is shuffled anew in every round. Times are those of iterations alone: the
difference of two runs removes ASTRA's set-up and transfers, and our report states our times. The
script also prints the cost of building our matrix, in iterations, and the difference of the two
images. Exit status 1 means that images of equal projectors differ by more than is allowed.
"""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

# The weights are equal except that ASTRA's are in single precision (each off by up to 2.5e-3).
LINE_TOLERANCE = 1e-3

OPERATORS = {  # for our program
    "csr": "{format: csr, transpose: stored}",
    "csr_tiles": "{format: csr, transpose: stored, ordering: tiles}",
    "scsr": "{format: scsr}",
    "ray_tiles": "{format: ray_tiles}",
    "ray_tiles_half": "{format: ray_tiles, values: half}",
    "ray_tiles_scaled": "{format: ray_tiles, values: scaled}",
}

METHODS = {  # our method: (ASTRA on the CPU, ASTRA on a GPU, start value)
    "sirt": ("SIRT", "SIRT_CUDA", 0.0),
    "mlem": (None, "EM_CUDA", 1.0),
    "cgls": ("CGLS", "CGLS_CUDA", 0.0),
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tomokkos", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--cuda", action="store_true", help="on a GPU")
    parser.add_argument("--methods", nargs="+", choices=sorted(METHODS),
                        help="default: sirt; with --cuda sirt, mlem, cgls")
    parser.add_argument("--operators", nargs="+", choices=OPERATORS, default=["csr"],
                        help="of ours, each beside ASTRA; default: csr")
    parser.add_argument("--size", type=int, help="pixels along a side")
    parser.add_argument("--views", type=int)
    parser.add_argument("--detectors", type=int)
    parser.add_argument("--detector-width", type=float,
                        help="in pixels; default 1, with --cuda sqrt(2)")
    parser.add_argument("--whole-turn", action="store_true",
                        help="views over 360 deg from half a step, not over 180 deg from 0")
    parser.add_argument("--projector", choices=["line", "linear"], default="line",
                        help="ours with --cuda (ASTRA's CUDA projector interpolates)")
    parser.add_argument("--iterations", type=int, help="per sample")
    parser.add_argument("--repeats", type=int, default=7, help="samples of each")
    parser.add_argument("--threads", type=int, default=0, help="ours; 0: all of the machine")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures there, too")
    arguments = parser.parse_args()
    defaults = (1024, 720, 1024, 50) if arguments.cuda else (512, 180, 726, 5)
    for name, value in zip(("size", "views", "detectors", "iterations"), defaults):
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    if arguments.detector_width is None:
        arguments.detector_width = 2 ** 0.5 if arguments.cuda else 1.0
    if arguments.methods is None:
        arguments.methods = ["sirt", "mlem", "cgls"] if arguments.cuda else ["sirt"]
    if not os.access(arguments.tomokkos, os.X_OK):
        parser.error(f"{arguments.tomokkos} is not a program")
    if min(arguments.size, arguments.views, arguments.detectors, arguments.iterations,
           arguments.repeats) < 1:
        parser.error("sizes and counts must be at least 1")
    return arguments


class Astra:
    """Runs one method of the ASTRA Toolbox on one sinogram."""

    def __init__(self, arguments, algorithm, start):
        import astra

        self.astra = astra
        self.iterations = arguments.iterations
        self.start = start
        self.cuda = arguments.cuda
        size = arguments.size
        self.volume = astra.create_vol_geom(size, size)
        angles = np.pi * np.arange(arguments.views) / arguments.views
        if arguments.whole_turn:
            angles = 2 * angles + np.pi / arguments.views
        scan = astra.create_proj_geom("parallel", arguments.detector_width, arguments.detectors,
                                      angles)
        self.projector = astra.create_projector("cuda" if self.cuda else "line", scan, self.volume)
        self.image_id = astra.data2d.create("-vol", self.volume, start)
        self.data_id = astra.data2d.create("-sino", scan)
        configuration = astra.astra_dict(algorithm)
        configuration["ReconstructionDataId"] = self.image_id
        configuration["ProjectionDataId"] = self.data_id
        configuration["ProjectorId"] = self.projector
        self.configuration = configuration
        self.algorithm_id = None

    def phantom_sinogram(self):
        """Projects the Shepp-Logan phantom; the values are not negative."""
        phantom_id, phantom = self.astra.data2d.shepp_logan(self.volume)
        self.astra.data2d.delete(phantom_id)
        sinogram_id, sinogram = self.astra.create_sino(np.maximum(phantom, 0), self.projector)
        self.astra.data2d.delete(sinogram_id)
        return np.maximum(np.asarray(sinogram, dtype=np.float32), 0)

    def load(self, sinogram):
        self.astra.data2d.store(self.data_id, sinogram)

    def restart(self):
        if self.algorithm_id is not None:
            self.astra.algorithm.delete(self.algorithm_id)
        self.astra.data2d.store(self.image_id, self.start)
        self.algorithm_id = self.astra.algorithm.create(self.configuration)

    def image(self):
        """Image after `iterations` iterations from the start."""
        self.restart()
        self.astra.algorithm.run(self.algorithm_id, self.iterations)
        return self.astra.data2d.get(self.image_id)

    def seconds(self, iterations):
        begin = time.perf_counter()
        self.astra.algorithm.run(self.algorithm_id, iterations)
        return time.perf_counter() - begin

    def sample(self):
        """Seconds per iteration. Every run on a GPU transfers image and data; the difference of two
        runs is free of that."""
        if self.cuda:
            return (self.seconds(3 * self.iterations) - self.seconds(self.iterations)) / (
                2 * self.iterations)
        return self.seconds(self.iterations) / self.iterations


class Tomokkos:
    """Runs the same method with our program, in a folder of its own."""

    def __init__(self, arguments, method, operator, start, folder):
        self.program = arguments.tomokkos.resolve()
        self.folder = pathlib.Path(folder)
        name = f"{method}_{operator}"
        self.config = self.folder / f"{name}.yaml"
        self.output = self.folder / name
        self.config.write_text(f"""\
run:
  backend: {"cuda" if arguments.cuda else "openmp"}
  scalar: float
  threads: {arguments.threads}
problem:
  type: tomography
  volume: {{size: [{arguments.size}, {arguments.size}]}}
  geometry:
    type: parallel_beam
    views: {arguments.views}
    range: {360 if arguments.whole_turn else 180} deg
    start: {180 / arguments.views if arguments.whole_turn else 0!r} deg
    detectors: {arguments.detectors}
    detector_width: {arguments.detector_width!r}
  projector: {arguments.projector if arguments.cuda else "line"}
  sinogram: sinogram.npy
operator: {OPERATORS[operator]}
solver:
  type: {method}
  iterations: {arguments.iterations}
  check_every: {arguments.iterations}
  start: {start}
output: {{directory: {name}, image: [npy]}}
""")
        self.matrix_seconds = []

    def sample(self):
        """Seconds per iteration, from the report."""
        done = subprocess.run([self.program, "run", self.config, "--quiet"], cwd=self.folder,
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{self.program} failed with {done.returncode}:\n{done.stderr}")
        report = (self.output / "report.yaml").read_text()
        self.matrix_seconds.append(self.figure(report, "seconds", "matrix"))
        return self.figure(report, "seconds", "iterations") / self.figure(report, "result",
                                                                         "iterations")

    @staticmethod
    def figure(report, section, key):
        found = re.search(rf"^{section}:\n(?:  .*\n)*?  {key}: (\S+)$", report, re.MULTILINE)
        if found is None:
            sys.exit(f"the report has no {section}.{key}")
        return float(found.group(1))

    def image(self):
        return np.load(self.output / "reconstruction.npy")


def compare(arguments, method, folder):
    cpu_algorithm, cuda_algorithm, start = METHODS[method]
    algorithm = cuda_algorithm if arguments.cuda else cpu_algorithm
    if algorithm is None:
        sys.exit(f"ASTRA has no {method} for CPUs")
    astra = Astra(arguments, algorithm, start)
    ours = {operator: Tomokkos(arguments, method, operator, start, folder)
            for operator in arguments.operators}
    sinogram = astra.phantom_sinogram()
    np.save(pathlib.Path(folder) / "sinogram.npy", sinogram)
    astra.load(sinogram)

    # The first runs warm up both programs, and their images are compared.
    theirs_image = astra.image()
    differences = {}
    for operator, program in ours.items():
        program.sample()
        differences[operator] = float(
            np.linalg.norm(program.image().astype(np.float64) - theirs_image) /
            np.linalg.norm(theirs_image.astype(np.float64)))

    programs = {"astra": astra, **ours}
    samples = {name: [] for name in programs}
    shuffled = random.Random(arguments.seed)
    for _ in range(arguments.repeats):
        order = list(programs.items())
        shuffled.shuffle(order)
        for name, program in order:
            samples[name].append(program.sample())

    quartiles = {name: [float(q) for q in np.percentile(values, [25, 50, 75])]
                 for name, values in samples.items()}
    results = []
    for operator, program in ours.items():
        result = {"method": method, "operator": operator, "astra": algorithm,
                  "image_difference": differences[operator],
                  "matrix_seconds": statistics.median(program.matrix_seconds)}
        for name, key in (("astra", "astra"), ("tomokkos", operator)):
            low, middle, high = quartiles[key]
            result[f"{name}_seconds"] = middle
            result[f"{name}_quartiles"] = [low, high]
        result["ratio"] = result["astra_seconds"] / result["tomokkos_seconds"]
        results.append(result)
    return results


def milliseconds(result, name):
    low, high = result[f"{name}_quartiles"]
    return f"{1e3 * result[f'{name}_seconds']:.2f} [{1e3 * low:.2f}, {1e3 * high:.2f}]"


def print_table(arguments, results):
    print(f"{arguments.size} x {arguments.size} pixels, {arguments.views} views x "
          f"{arguments.detectors} detectors, milliseconds of an iteration: median [quartiles] of "
          f"{arguments.repeats}")
    lines = [("method", "operator", "ASTRA", "", "Tomokkos", "ASTRA / Tomokkos",
              "matrix, in iterations", "images differ")]
    for r in results:
        lines.append((r["method"], r["operator"], r["astra"], milliseconds(r, "astra"),
                      milliseconds(r, "tomokkos"), f"{r['ratio']:.2f}",
                      f"{r['matrix_seconds'] / r['tomokkos_seconds']:.1f}",
                      f"{r['image_difference']:.2e}"))
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def main():
    arguments = parse_arguments()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for method in arguments.methods:
            results += compare(arguments, method, folder)
    print_table(arguments, results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    # CGLS in single precision leaves its own path after some iterations, so its images are not judged.
    wrong = [r for r in results if not arguments.cuda and r["method"] != "cgls"
             and not r["image_difference"] <= LINE_TOLERANCE]
    for r in wrong:
        print(f"{r['method']}, {r['operator']}: the images differ by {r['image_difference']:.2e}, more than "
              f"{LINE_TOLERANCE:g}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
