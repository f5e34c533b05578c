#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times an iteration of Tomokkos beside one of the ASTRA Toolbox, on one sinogram, in one go.

    pip install astra-toolbox numpy
    docs/figures/compare_astra.py --tomokkos build/openmp/bin/tomokkos
    docs/figures/compare_astra.py --tomokkos build/cuda/bin/tomokkos --cuda --operators computed
    docs/figures/compare_astra.py --tomokkos build/cuda/bin/tomokkos --cuda --fbp

Without --cuda: ASTRA's CPU projectors and its SIRT (which uses one thread) against ours on the same
geometry with the same weights, 512 x 512 pixels, 180 views x 726 detectors. With --cuda: SIRT_CUDA,
EM_CUDA and CGLS_CUDA (matrix-free, with a back projector that is not the exact adjoint) against our
sirt, mlem and cgls, 1024 x 1024 pixels, 720 views x 1024 detectors as wide as the image's diagonal:
about 680 M nonzeros with the projector `line`, 960 M with `linear`.

Both programs take turns, in an order that is shuffled anew in every round. Times are those of
iterations alone: the difference of two runs removes ASTRA's set-up and transfers, and our report
states our times. The table also has the cost of building our matrix, in iterations, and the
difference of the two images.

--fan      a fan beam over a whole turn, with a source at 1.5 times the image's side and a flat
           detector at half of it: ASTRA's `fanflat`.
--slices   a stack: SIRT3D_CUDA or CGLS3D_CUDA with `parallel3d`. Times are for each slice.
--fbp      filtered back projection. Nsight Compute measures the kernels of both programs, without
           transfers, allocations and the set-up of the filter.

Exit status 1 means that images of equal projectors differ by more than is allowed.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

# The weights are equal except that ASTRA's are in single precision (each off by up to 2.5e-3).
TOLERANCE = 1e-3

OPERATORS = {  # for our program
    "computed": "{format: computed}",
    "csr": "{format: csr, transpose: stored}",
    "csr_hilbert": "{format: csr, transpose: stored, ordering: hilbert}",
    "csr_tiles": "{format: csr, transpose: stored, ordering: tiles}",
    "scsr": "{format: scsr}",
    "ray_tiles": "{format: ray_tiles}",
    "ray_tiles_half": "{format: ray_tiles, values: half}",
    "ray_tiles_scaled": "{format: ray_tiles, values: scaled}",
}

METHODS = {  # our method: (ASTRA on a CPU, on a GPU, for a stack on a GPU, start value)
    "sirt": ("SIRT", "SIRT_CUDA", "SIRT3D_CUDA", 0.0),
    "mlem": (None, "EM_CUDA", None, 1.0),
    "cgls": ("CGLS", "CGLS_CUDA", "CGLS3D_CUDA", 0.0),
    "fbp": ("FBP", "FBP_CUDA", None, 0.0),
}

# The steps of our filtered back projection, by the functors of their kernels in kernels.
# The run also projects the image, with other kernels.
FBP_KERNELS = ["WeighRays", "FilterViews",
               "BackProjectFiltered|CopyRays|WindowStrips|SteppedPixels"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tomokkos", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--cuda", action="store_true", help="on a GPU")
    parser.add_argument("--methods", nargs="+", choices=["sirt", "mlem", "cgls"],
                        help="default: sirt; with --cuda all that ASTRA has")
    parser.add_argument("--operators", nargs="+", choices=OPERATORS, default=["csr"],
                        help="of ours, each beside ASTRA; default: csr")
    parser.add_argument("--size", type=int, help="pixels along a side")
    parser.add_argument("--views", type=int)
    parser.add_argument("--detectors", type=int)
    parser.add_argument("--detector-width", type=float,
                        help="in pixels; default 1, with --cuda sqrt(2), with --fan 1.5")
    parser.add_argument("--whole-turn", action="store_true",
                        help="views over 360 deg from half a step, not over 180 deg from 0")
    parser.add_argument("--start", type=float, default=0.0,
                        help="angle of the first view in deg; an odd one takes the symmetries of "
                             "the square away, which ours uses")
    parser.add_argument("--fan", action="store_true",
                        help="fan beam, views over 360 deg")
    parser.add_argument("--source-to-origin", type=float,
                        help="of the fan beam, in pixels; default: 1.5 times the size")
    parser.add_argument("--origin-to-detector", type=float,
                        help="of the fan beam, in pixels; default: half the size")
    parser.add_argument("--slices", type=int, default=1, help="of a stack; needs --cuda")
    parser.add_argument("--projector", choices=["line", "linear", "strip"], default="line",
                        help="of ours; ASTRA's on a CPU, too (its CUDA projector interpolates)")
    parser.add_argument("--iterations", type=int, help="per sample")
    parser.add_argument("--repeats", type=int, default=7, help="samples of each")
    parser.add_argument("--threads", type=int, default=0, help="ours; 0: all of the machine")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    parser.add_argument("--fbp", action="store_true",
                        help="kernels of filtered back projection; needs --cuda")
    parser.add_argument("--profiler", default="ncu", help="Nsight Compute, for --fbp")
    parser.add_argument("--fbp-kernels", nargs="+", default=FBP_KERNELS, metavar="REGEX",
                        help="names of our kernels for --fbp; each must be found")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures there, too")
    parser.add_argument("--astra-only", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    defaults = (1024, 720, 1024, 50) if arguments.cuda else (512, 180, 726, 5)
    for name, value in zip(("size", "views", "detectors", "iterations"), defaults):
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    if arguments.detector_width is None:
        arguments.detector_width = 1.5 if arguments.fan else 2 ** 0.5 if arguments.cuda else 1.0
    if arguments.source_to_origin is None:
        arguments.source_to_origin = 1.5 * arguments.size
    if arguments.origin_to_detector is None:
        arguments.origin_to_detector = 0.5 * arguments.size
    if arguments.fbp:
        if arguments.methods or arguments.slices > 1:
            parser.error("--fbp goes with neither --methods nor --slices")
        arguments.methods, arguments.operators = ["fbp"], ["computed"]
        profiler = shutil.which(arguments.profiler)
        if profiler is None:
            parser.error(f"{arguments.profiler} is not a program; --profiler takes its path")
        arguments.profiler = os.path.abspath(profiler)
    if arguments.methods is None:
        arguments.methods = [m for m in ("sirt", "mlem", "cgls") if astra_algorithm(arguments, m)]
        if not arguments.cuda:
            arguments.methods = ["sirt"]
    if not os.access(arguments.tomokkos, os.X_OK):
        parser.error(f"{arguments.tomokkos} is not a program")
    if min(arguments.size, arguments.views, arguments.detectors, arguments.iterations,
           arguments.repeats, arguments.slices) < 1:
        parser.error("sizes and counts must be at least 1")
    if not arguments.cuda and (arguments.slices > 1 or arguments.fbp):
        parser.error("--slices and --fbp need --cuda")
    if arguments.fan and (arguments.slices > 1 or
                          (arguments.projector == "linear" and not arguments.cuda)):
        parser.error("ASTRA has neither stacks of fan beams, nor linear with --fan on a CPU")
    for method in arguments.methods:
        if astra_algorithm(arguments, method) is None:
            parser.error(f"ASTRA has no {method} for "
                         f"{'stacks' if arguments.slices > 1 else 'CPUs'}; see --methods")
    return arguments


def astra_algorithm(arguments, method):
    cpu, cuda, stack, _ = METHODS[method]
    return cpu if not arguments.cuda else stack if arguments.slices > 1 else cuda


class Astra:
    """Runs one method of the ASTRA Toolbox on one sinogram."""

    def __init__(self, arguments, method):
        import astra

        self.astra = astra
        self.arguments = arguments
        self.start = METHODS[method][3]
        size, width, detectors = arguments.size, arguments.detector_width, arguments.detectors
        turn = np.pi * (2 if arguments.fan or arguments.whole_turn else 1)
        angles = turn / arguments.views * (
            np.arange(arguments.views) + (0.5 if arguments.whole_turn else 0))
        angles += np.radians(arguments.start)
        self.slice_volume = volume = astra.create_vol_geom(size, size)
        if arguments.fan:
            scan = astra.create_proj_geom("fanflat", width, detectors, angles,
                                          arguments.source_to_origin, arguments.origin_to_detector)
        else:
            scan = astra.create_proj_geom("parallel", width, detectors, angles)
        on_cpu = arguments.projector + ("_fanflat" if arguments.fan else "")
        self.projector = astra.create_projector("cuda" if arguments.cuda else on_cpu, scan, volume)
        self.data = astra.data2d
        if arguments.slices > 1:
            self.data = astra.data3d
            volume = astra.create_vol_geom(size, size, arguments.slices)
            scan = astra.create_proj_geom("parallel3d", width, 1.0, arguments.slices, detectors,
                                          angles)
        self.image_id = self.data.create("-vol", volume, self.start)
        self.data_id = self.data.create("-sino", scan)
        self.configuration = astra.astra_dict(astra_algorithm(arguments, method))
        self.configuration["ReconstructionDataId"] = self.image_id
        self.configuration["ProjectionDataId"] = self.data_id
        if arguments.slices == 1:
            self.configuration["ProjectorId"] = self.projector
        self.algorithm_id = None

    def phantom_sinogram(self):
        """Projects the Shepp-Logan phantom; the values are not negative. The slices of a stack are
        multiples of it: slices x views x detectors."""
        phantom_id, phantom = self.astra.data2d.shepp_logan(self.slice_volume)
        self.astra.data2d.delete(phantom_id)
        sinogram_id, sinogram = self.astra.create_sino(np.maximum(phantom, 0), self.projector)
        self.astra.data2d.delete(sinogram_id)
        sinogram = np.maximum(np.asarray(sinogram, dtype=np.float32), 0)
        slices = self.arguments.slices
        if slices == 1:
            return sinogram
        return sinogram * np.linspace(0.5, 1, slices, dtype=np.float32)[:, None, None]

    def load(self, sinogram):
        self.data.store(self.data_id, sinogram)

    def image(self):
        """Image after `iterations` iterations from the start."""
        if self.algorithm_id is not None:
            self.astra.algorithm.delete(self.algorithm_id)
        self.data.store(self.image_id, self.start)
        self.algorithm_id = self.astra.algorithm.create(self.configuration)
        self.astra.algorithm.run(self.algorithm_id, self.arguments.iterations)
        image = self.data.get(self.image_id)
        # Rows of a volume begin at the smallest y, those of an image at the largest.
        return image if image.ndim == 2 else image[:, ::-1]

    def seconds(self, iterations):
        begin = time.perf_counter()
        self.astra.algorithm.run(self.algorithm_id, iterations)
        return time.perf_counter() - begin

    def sample(self):
        """Seconds per iteration. Every run on a GPU transfers image and data; the difference of two
        runs is free of that."""
        iterations = self.arguments.iterations
        if self.arguments.cuda:
            return (self.seconds(3 * iterations) - self.seconds(iterations)) / (2 * iterations)
        return self.seconds(iterations) / iterations


class Tomokkos:
    """Runs the same method with our program, in a folder of its own."""

    def __init__(self, arguments, method, operator, folder):
        self.folder = pathlib.Path(folder)
        name = f"{method}_{operator}"
        config = self.folder / f"{name}.yaml"
        self.command = [str(arguments.tomokkos.resolve()), "run", str(config), "--quiet"]
        self.output = self.folder / name
        geometry = "parallel_beam"
        if arguments.fan:
            geometry = (f"fan_beam\n    source_to_origin: {arguments.source_to_origin!r}"
                        f"\n    origin_to_detector: {arguments.origin_to_detector!r}")
        turn = 360 if arguments.fan or arguments.whole_turn else 180
        start = arguments.start + (0.5 * turn / arguments.views if arguments.whole_turn else 0)
        stack = f"\n  slices: all\n  slab: {arguments.slices}" if arguments.slices > 1 else ""
        iterate = "" if method == "fbp" else (
            f", iterations: {arguments.iterations}, check_every: {arguments.iterations}, "
            f"start: {METHODS[method][3]}")
        config.write_text(f"""\
run:
  backend: {"cuda" if arguments.cuda else "openmp"}
  scalar: float
  threads: {arguments.threads}
problem:
  type: tomography
  volume: {{size: [{arguments.size}, {arguments.size}]}}
  geometry:
    type: {geometry}
    views: {arguments.views}
    range: {turn} deg
    start: {start!r} deg
    detectors: {arguments.detectors}
    detector_width: {arguments.detector_width!r}
  projector: {arguments.projector}
  sinogram: sinogram.npy{stack}
operator: {OPERATORS[operator]}
solver: {{type: {method}{iterate}}}
output: {{directory: {name}, image: [npy]}}
""")
        self.matrix_seconds = []

    def sample(self):
        """Seconds per iteration, from the report."""
        run_program(self.command, self.folder)
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


class Profiled:
    """Samples the kernels of a command with Nsight Compute."""

    def __init__(self, arguments, command, folder, names=()):
        self.command, self.folder = command, folder
        self.names = [re.compile(name) for name in names]  # empty: all kernels
        self.log = pathlib.Path(folder) / "kernels.csv"
        # Caches and clocks are left as in a run without a profiler.
        self.profiler = [arguments.profiler, "--csv", "--metrics", "gpu__time_duration.sum",
                         "--print-units", "base", "--target-processes", "all", "--cache-control",
                         "none", "--clock-control", "none", "--log-file", str(self.log)]
        if names:
            self.profiler += ["--kernel-name-base", "demangled", "--print-kernel-base", "demangled",
                              "--kernel-name", "regex:" + "|".join(names)]
        self.kernels = {}
        self.matrix_seconds = [0.0]

    def sample(self):
        """Seconds of all kernels of one reconstruction."""
        self.log.unlink(missing_ok=True)
        run_program(self.profiler + self.command, self.folder)
        lines = self.log.read_text().splitlines()
        begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
        self.kernels = {}
        missing = set(self.names)
        for row in csv.DictReader(lines[begin:]):
            if row["Metric Name"] != "gpu__time_duration.sum":
                continue
            name = re.split("[<(]", row["Kernel Name"])[0]
            for regex in self.names:
                if found := regex.search(row["Kernel Name"]):
                    name = found.group(0)
                    missing.discard(regex)
            unit = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "s": 1.0}[row["Metric Unit"][0]]
            seconds = unit * float(row["Metric Value"].replace(",", ""))
            launches, total = self.kernels.get(name, (0, 0.0))
            self.kernels[name] = (launches + 1, total + seconds)
        if missing or not self.kernels:
            sys.exit(f"no kernel {', '.join(sorted(r.pattern for r in missing))} was profiled:\n"
                     + "\n".join(lines[:20]))
        return sum(seconds for _, seconds in self.kernels.values())


def run_program(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed with {done.returncode}:\n{done.stdout}{done.stderr}")


def compare(arguments, method, folder):
    astra = Astra(arguments, method)
    ours = {operator: Tomokkos(arguments, method, operator, folder)
            for operator in arguments.operators}
    sinogram = astra.phantom_sinogram()
    np.save(pathlib.Path(folder) / "sinogram.npy",
            np.ascontiguousarray(np.swapaxes(sinogram, 0, 1)) if sinogram.ndim == 3 else sinogram)
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
    if method == "fbp":
        again = [sys.executable, str(pathlib.Path(__file__).resolve()), *sys.argv[1:],
                 "--tomokkos", str(arguments.tomokkos.resolve()), "--profiler", arguments.profiler,
                 "--astra-only", folder]
        programs = {"astra": Profiled(arguments, again, folder),
                    "computed": Profiled(arguments, ours["computed"].command, folder,
                                         arguments.fbp_kernels)}
    samples = {name: [] for name in programs}
    shuffled = random.Random(arguments.seed)
    for _ in range(arguments.repeats):
        order = list(programs.items())
        shuffled.shuffle(order)
        for name, program in order:
            samples[name].append(program.sample() / arguments.slices)

    quartiles = {name: [float(q) for q in np.percentile(values, [25, 50, 75])]
                 for name, values in samples.items()}
    results = []
    for operator, program in ours.items():
        result = {"method": method, "operator": operator,
                  "astra": astra_algorithm(arguments, method),
                  "image_difference": differences[operator],
                  "matrix_seconds": statistics.median(program.matrix_seconds)}
        for name, key in (("astra", "astra"), ("tomokkos", operator)):
            low, middle, high = quartiles[key]
            result[f"{name}_seconds"] = middle
            result[f"{name}_quartiles"] = [low, high]
            if method == "fbp":
                result[f"{name}_kernels"] = programs[key].kernels
        result["ratio"] = result["astra_seconds"] / result["tomokkos_seconds"]
        results.append(result)
    return results


def milliseconds(result, name):
    low, high = result[f"{name}_quartiles"]
    return f"{1e3 * result[f'{name}_seconds']:.3f} [{1e3 * low:.3f}, {1e3 * high:.3f}]"


def print_table(arguments, results):
    import astra

    scan = (f"{'fan' if arguments.fan else 'parallel'}"
            f"{', whole turn' if arguments.whole_turn and not arguments.fan else ''}, "
            f"{arguments.size} x {arguments.size}, {arguments.views} x {arguments.detectors}"
            f"{f', from {arguments.start:g} deg' if arguments.start else ''}")
    if arguments.slices > 1:
        scan += f", {arguments.slices} slices"
    what = "the kernels" if arguments.fbp else "an iteration"
    print(f"ASTRA {astra.__version__}{', ' + astra.get_gpu_info() if arguments.cuda else ''}\n"
          f"Scan: pixels, views x detectors. Milliseconds of {what}"
          f"{' for a slice' if arguments.slices > 1 else ''}: median [quartiles] of "
          f"{arguments.repeats}.\n")
    lines = [("scan", "ASTRA", "ms", "Tomokkos", "ms", "ASTRA / Tomokkos",
              "matrix, in iterations", "images differ")]
    lines.append(("---",) * len(lines[0]))
    for r in results:
        ours = "fbp" if arguments.fbp else f"{r['method']}, {r['operator']}, {arguments.projector}"
        built = r["matrix_seconds"] / (r["tomokkos_seconds"] * arguments.slices)
        lines.append((scan, r["astra"], milliseconds(r, "astra"), ours, milliseconds(r, "tomokkos"),
                      f"{r['ratio']:.2f}", "" if arguments.fbp else f"{built:.1f}",
                      f"{r['image_difference']:.2e}"))
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    for line in lines:
        print("| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |")
    worst = max(results, key=lambda r: r["image_difference"])
    print(f"\nImages differ by at most {worst['image_difference']:.2e} ({worst['method']}, "
          f"{worst['operator']}).")
    for r in results:
        for name in ("astra", "tomokkos"):
            for kernel, (launches, seconds) in r.get(f"{name}_kernels", {}).items():
                print(f"{name}: {1e3 * seconds:.3f} ms, {launches} x {kernel}")


def main():
    arguments = parse_arguments()
    if arguments.astra_only:  # a process of its own for the profiler
        astra = Astra(arguments, "fbp")
        astra.load(np.load(arguments.astra_only / "sinogram.npy"))
        astra.image()
        return 0
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for method in arguments.methods:
            results += compare(arguments, method, folder)
    print_table(arguments, results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    # Not judged: CGLS in single precision, which leaves its own path after some iterations, and the
    # strips of a fan beam, whose areas ASTRA approximates.
    judged = not arguments.cuda and not (arguments.fan and arguments.projector == "strip")
    wrong = [r for r in results if judged and r["method"] != "cgls"
             and not r["image_difference"] <= TOLERANCE]
    for r in wrong:
        print(f"{r['method']}, {r['operator']}: the images differ by {r['image_difference']:.2e}, "
              f"more than {TOLERANCE:g}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
