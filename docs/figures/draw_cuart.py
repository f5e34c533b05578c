#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws figures 4 and 5 of Yu, Wang, Feng, Gong, Cao, "cuART" (2016), for docs/systems/cuart.md.

    pip install matplotlib
    docs/figures/draw_cuart.py time --tomokkos build/openmp/bin/tomokkos --threads 2 \\
        --size 128 --views 192 --detectors 256 --output docs/images
    docs/figures/draw_cuart.py time --tomokkos build/cuda/bin/tomokkos --backend cuda \\
        --reference-tomokkos build/openmp/bin/tomokkos --bench cuart_512.json --output docs/images
    docs/figures/draw_cuart.py memory --tomokkos build/openmp/bin/tomokkos --output docs/images

time: cuart_time.png, how much sooner the image comes within --error of the phantom than in CSR on one
thread, by SIRT and by ART, for each format. The error is |x - phantom| / |phantom|. A run with
check_every of 1 counts the iterations to it, in the stored rays. Then every format runs just as many, is
checked against the same error, and the median of --repeats runs is taken. A dark bar counts the
iterations, a light one also the making of the matrix and of its format. --size, --views, --detectors
make the scan smaller; it keeps its symmetries (the views must be a multiple of 8, the detectors even).
Libraries have no runs of their own: --bench takes a file that `tomokkos bench CONFIG --json` has written
for this very scan, and multiplies their SIRT iteration by the number of iterations. --by-bench takes the
iterations of our formats from that file as well, which its shuffled samples make steadier on a shared
machine; CSR in that file is then the unit, and ART is left out.

memory: cuart_memory.png, gigabytes of each format as `tomokkos info --exact` counts them, for the
configurations named by --configs or for the saved outputs named by --from. The upper part of a bar is
the second copy for A^T x. The program has no BRC and no CSR5: their bytes follow from formulas, those of
BRC without its padding.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys

import run_report
from bench_report import Missing, Report
from drawing import load_pyplot

CONFIGS = pathlib.Path(__file__).resolve().parent.parent.parent / "configs"
SIRT = "solver={{type: sirt, minimum: 0, iterations: {n}, check_every: {every}}}"
ART = ("solver={{type: art, order: multilevel, within_view: strided, sweeps: {n}, "
       "check_every: {every}}}")
SOLVERS = {"SIRT": SIRT, "ART": ART}
STORED_RAYS = "operator={format: scsr, stored_format: csr}"
# By solver: ART reads rows and needs no transpose.
FORMATS = {
    "csr": {"SIRT": "operator={format: csr, transpose: stored}", "ART": "operator={format: csr}"},
    "pair_blocked": {"SIRT": "operator={format: pair_blocked, transpose: atomic}",
                     "ART": "operator={format: pair_blocked}"},
    "scsr, csr": {"SIRT": STORED_RAYS, "ART": STORED_RAYS},
    "scsr, pair_blocked": {
        "SIRT": "operator={format: scsr, stored_format: pair_blocked, transpose: atomic}",
        "ART": "operator={format: scsr, stored_format: pair_blocked}"},
}
# Of the results of a benchmark: format, and the variants of its way to A^T x.
BENCHED = {
    "csr": ("csr", ("stored:",)),
    "pair_blocked": ("pair_blocked", ("atomic:",)),
    "scsr, csr": ("scsr", ("stored:csr", "stored:csr:sell")),
    "scsr, pair_blocked": ("scsr", ("atomic:pair_blocked",)),
}
TILE, TILE_BYTES = 512, 132  # CSR5, tiles of 32 x 16: a pointer, and 9 + 5 + 16 bits a lane in 32


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    figures = parser.add_subparsers(dest="figure", required=True)
    time = figures.add_parser("time", help="figure 4: time to a stated error")
    time.add_argument("--config", type=pathlib.Path, default=CONFIGS / "cuart_512.yaml")
    time.add_argument("--tomokkos", required=True, type=pathlib.Path, help="the program")
    time.add_argument("--reference-tomokkos", type=pathlib.Path, metavar="PROGRAM",
                      help="for the reference, one thread of openmp; default: --tomokkos")
    time.add_argument("--backend", choices=["openmp", "cuda"], default="openmp")
    time.add_argument("--threads", type=int, default=0, help="0: all of the machine")
    time.add_argument("--size", type=int, help="pixels along a side; default: the configuration's")
    time.add_argument("--views", type=int, help="default: the configuration's")
    time.add_argument("--detectors", type=int, help="default: the configuration's")
    time.add_argument("--error", type=float, default=0.1, help="of the image; default: %(default)s")
    time.add_argument("--most", type=int, default=1000, help="iterations to look for it")
    time.add_argument("--repeats", type=int, default=3)
    time.add_argument("--solvers", nargs="+", choices=list(SOLVERS), default=list(SOLVERS))
    time.add_argument("--bench", type=pathlib.Path, metavar="JSON", help="SIRT iterations of libraries")
    time.add_argument("--by-bench", action="store_true", help="our formats from that file, too")
    memory = figures.add_parser("memory", help="figure 5: memory by format")
    memory.add_argument("--configs", nargs="+", type=pathlib.Path,
                        default=[CONFIGS / "cuart_1024.yaml", CONFIGS / "cuart_512.yaml"])
    memory.add_argument("--tomokkos", type=pathlib.Path, help="the program")
    memory.add_argument("--from", dest="saved", nargs="+", type=pathlib.Path, metavar="FILE",
                        help="outputs of tomokkos info --exact instead")
    memory.add_argument("--scalar", choices=["float", "double"], default="float")
    for figure in (time, memory):
        figure.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                            help="more of the configuration; may be repeated")
        figure.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."), help="folder")
    arguments = parser.parse_args()
    if arguments.figure == "memory" and not arguments.tomokkos and not arguments.saved:
        parser.error("memory takes --tomokkos PROGRAM or --from FILES")
    if arguments.figure == "time" and arguments.by_bench and not arguments.bench:
        parser.error("--by-bench takes --bench FILE")
    return arguments


class Scan:
    """The scan of a configuration, of another size if that is asked for."""

    def __init__(self, arguments):
        text = arguments.config.read_text()

        def number(pattern):
            return float(re.search(pattern, text, re.MULTILINE).group(1))

        pixels = arguments.size or int(number(r"^    size: \[(\d+),"))
        self.views = arguments.views or int(number(r"^    views: (\d+)"))
        detectors = arguments.detectors or int(number(r"^    detectors: (\d+)"))
        self.settings = [f"problem.volume.size=[{pixels}, {pixels}]",
                         f"problem.geometry={{type: parallel_beam, views: {self.views}, "
                         f"start: {180 / self.views!r} deg, range: 360 deg, detectors: {detectors}, "
                         f"detector_width: {pixels / detectors!r}}}"]
        self.title = f"{pixels} x {pixels} pixels, {self.views} views of {detectors} rays"


class Runs:
    def __init__(self, arguments, scan):
        self.arguments, self.scan = arguments, scan

    def run(self, solver, operator, n, every, on_one_thread=False):
        arguments = self.arguments
        settings = [*self.scan.settings, *arguments.set, SOLVERS[solver].format(n=n, every=every),
                    operator, f"run.backend={'openmp' if on_one_thread else arguments.backend}",
                    f"run.threads={1 if on_one_thread else arguments.threads}", "solver.start=zeros"]
        program = arguments.tomokkos
        if on_one_thread and arguments.reference_tomokkos:
            program = arguments.reference_tomokkos
        return run_report.run(program, arguments.config, settings)

    def iterations_to_error(self, solver):
        most = 4  # few first: a sweep of ART comes as far as a hundred iterations of SIRT
        while True:
            # Any number of threads counts alike; one does not wait for others on a busy host.
            errors = relative(self.run(solver, STORED_RAYS, most, 1,
                                       self.arguments.backend == "openmp").history)
            for n, error in enumerate(errors):
                if error < self.arguments.error:
                    print(f"{solver}: {n} iterations to an error of {error:.4f}")
                    return n
            if most == self.arguments.most:
                sys.exit(f"draw_cuart.py: {solver} comes to {min(errors):.4f} in {most} iterations, not "
                         f"below {self.arguments.error}: --error, --most")
            most = min(4 * most, self.arguments.most)

    def seconds(self, solver, operator, n, on_one_thread=False):
        """Returns the medians of the seconds of the iterations, and of the preparation before them."""
        iterations, preparation = [], []
        for _ in range(self.arguments.repeats):
            # The host looks once, at the end.
            report = self.run(solver, operator, n, n, on_one_thread)
            error = relative(report.history)[-1]
            if error > 1.01 * self.arguments.error:
                sys.exit(f"draw_cuart.py: {solver}, {operator}: an error of {error:.4f} after {n} "
                         "iterations")
            iterations.append(report.seconds["iterations"])
            preparation.append(report.preparation)
            self.device = report.device
        if max(iterations) > 1.2 * min(iterations):
            print(f"{solver}, {operator}: {min(iterations):.3g} to {max(iterations):.3g} s",
                  file=sys.stderr)
        return statistics.median(iterations), statistics.median(preparation)


def relative(history):
    """Errors over that of the image 0, which is the norm of the phantom."""
    return [error / history[0][1] for _, error in history]


def measure(arguments, runs, solver):
    """Returns {name: (seconds of iterations, of preparation or None)}, the reference first."""
    n = runs.iterations_to_error(solver)
    times = {"one thread": runs.seconds(solver, FORMATS["csr"][solver], n, on_one_thread=True)}
    for name, operators in FORMATS.items():
        try:
            times[name] = runs.seconds(solver, operators[solver], n)
        except run_report.Refused as problem:
            print(f"{solver}, {name}: left out: {problem}", file=sys.stderr)
    if arguments.bench and solver == "SIRT":
        report, matrix = benched(arguments)
        times.update(of_peers(report, matrix, n))
    return n, times


def benched(arguments):
    report = Report([arguments.bench], "sirt_iteration", "float")
    if len(report.matrices) != 1:
        raise Missing(f"{arguments.bench}: {len(report.matrices)} matrices, not the one of this scan")
    return report, report.matrices[0]


def of_peers(report, matrix, n):
    return {f"{peer}, csr": (n * report.seconds(matrix, peer), None) for peer in report.peers()}


def measure_by_bench(arguments, runs):
    """Returns what `measure` does for SIRT, from iterations that a benchmark has timed."""
    report, matrix = benched(arguments)
    n, times = runs.iterations_to_error("SIRT"), {}
    for name, (form, variants) in BENCHED.items():
        found = [r["seconds_median"] for r in report.of(matrix)
                 if r["library"] == "tomokkos" and r["format"] == form
                 and r["variant"].startswith(variants)
                 and (form != "scsr" or r["variant"] in variants)]
        if found:
            times[name] = n * min(found), None
    if "csr" not in times:
        raise Missing(f"{arguments.bench}: no sirt_iteration in csr with a stored transpose")
    return n, {**times, **of_peers(report, matrix, n)}, report.device


def draw_times(plt, arguments, results, scan, device):
    figure, grid = plt.subplots(1, len(results), figsize=(max(6.4, 5.4 * len(results)), 4),
                                squeeze=False, layout="constrained")
    for axes, (solver, (n, times)) in zip(grid[0], results.items()):
        (unit, (of_iterations, preparation)), *bars = times.items()
        with_preparation = of_iterations + (preparation or 0)
        for i, (_, (seconds, preparation)) in enumerate(bars):
            factor = of_iterations / seconds
            axes.bar(i - 0.2, factor, 0.4, color="#1b4f72", label=None if i else "iterations")
            axes.text(i - 0.2, factor, f"{factor:.3g}", ha="center", va="bottom", fontsize="small")
            if preparation is not None:
                factor = with_preparation / (seconds + preparation)
                axes.bar(i + 0.2, factor, 0.4, color="#9fc3dc",
                         label=None if i else "with matrix and format")
                axes.text(i + 0.2, factor, f"{factor:.3g}", ha="center", va="bottom",
                          fontsize="small")
        axes.axhline(1, color="#888888", linewidth=0.8)
        axes.set_xticks(range(len(bars)))
        axes.set_xticklabels([name.replace(", ", ",\n") for name, _ in bars], fontsize="small")
        axes.set_title(f"{solver}, {n} {'sweeps' if solver == 'ART' else 'iterations'}",
                       fontsize="medium")
        axes.set_ylabel("times as fast as " + ("CSR on one thread" if unit == "one thread" else
                                               "our CSR in the same benchmark"))
        axes.margins(y=0.1)
        axes.legend(fontsize="small")
    threads = f", {arguments.threads} threads" if arguments.threads else ""
    figure.suptitle(f"Time to an error of {arguments.error:g}: {scan.title}\n{device}{threads}",
                    fontsize="medium")
    return figure


def draw_time(plt, arguments):
    scan = Scan(arguments)
    runs = Runs(arguments, scan)
    if arguments.by_bench:
        n, times, runs.device = measure_by_bench(arguments, runs)
        results = {"SIRT": (n, times)}
    else:
        results = {solver: measure(arguments, runs, solver) for solver in arguments.solvers}
    print(f"{'':26s}{'over the first':>16s}{'with preparation':>18s}")
    for solver, (_, times) in results.items():
        reference = next(iter(times.values()))
        for name, (seconds, preparation) in times.items():
            whole = "" if preparation is None else f"{sum(reference) / (seconds + preparation):18.2f}"
            print(f"{solver + ', ' + name:26s}{reference[0] / seconds:16.2f}{whole}")
    return draw_times(plt, arguments, results, scan, runs.device)


def describe(arguments, config):
    """Returns what `tomokkos info --exact` prints of a configuration."""
    done = subprocess.run([arguments.tomokkos, "info", config, "--exact",
                           *(f"--set={s}" for s in arguments.set)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"draw_cuart.py: {config}: {done.stderr.strip()}")
    return done.stdout


def memory_of(text, scalar):
    """Returns {name: (bytes for A x, further bytes for A^T x)} from an output of `tomokkos info`."""
    def number(key):
        found = re.search(rf"^{key}: (\d+)", text, re.MULTILINE)
        if found is None:
            raise Missing(f"no {key} in the description: --exact")
        return int(found.group(1))

    def stored(name):
        found = re.search(rf"^  {name}: \{{.*\b{scalar}: (\d+)", text, re.MULTILINE)
        if found is None:
            raise Missing(f"{name} is not in the description: --exact, and a scan with symmetries")
        return int(found.group(1))

    entries, rows, columns = (number(key) for key in ("nonzeros", "rows", "columns"))
    place = 4 + {"float": 4, "double": 8}[scalar]
    csr, both = stored("csr"), stored("csr_with_stored_transpose")
    tiles = TILE_BYTES * -(-entries // TILE)
    rays = stored("scsr")
    return {
        "CSR": (csr, both - csr),
        "BRC": (place * entries + 4 * rows, place * entries + 4 * columns),
        "CSR5": (csr + tiles, both - csr + tiles),
        "pair_blocked": (stored("pair_blocked"), 0),
        "ray_tiles": (stored("ray_tiles"), 0),
        "scsr, csr": (rays, stored("scsr_with_stored_transpose") - rays),
        "scsr, pair_blocked": (stored("scsr_pair_blocked"), 0),
    }


def draw_memory(plt, arguments):
    texts = ([path.read_text() for path in arguments.saved] if arguments.saved
             else [describe(arguments, config) for config in arguments.configs])
    figure, grid = plt.subplots(1, len(texts), figsize=(5.4 * len(texts), 4), squeeze=False,
                                layout="constrained")
    for axes, text in zip(grid[0], texts):
        memory = memory_of(text, arguments.scalar)
        pixels = round(int(re.search(r"^columns: (\d+)", text, re.MULTILINE).group(1)) ** 0.5)
        print(f"{pixels} x {pixels} pixels: GB for A x, for both products, CSR over it")
        for i, (name, (first, second)) in enumerate(memory.items()):
            by_formula = name in ("BRC", "CSR5")
            axes.bar(i, first / 1e9, color="#9aa5ad" if by_formula else "#1b4f72")
            axes.bar(i, second / 1e9, bottom=first / 1e9, color="#d5dade" if by_formula else "#9fc3dc")
            axes.text(i, (first + second) / 1e9, f"{(first + second) / 1e9:.3g}", ha="center",
                      va="bottom", fontsize="small")
            csr = sum(memory["CSR"])
            print(f"  {name:20s}{first / 1e9:8.3f}{(first + second) / 1e9:8.3f}"
                  f"{memory['CSR'][0] / first:8.2f}{csr / (first + second):8.2f}")
        axes.set_xticks(range(len(memory)))
        axes.set_xticklabels([name.replace(", ", ",\n") for name in memory], fontsize="small",
                             rotation=30)
        axes.set_ylabel("GB; above: the second copy for A^T x")
        axes.set_title(f"{pixels} x {pixels} pixels, {arguments.scalar}; grey: by formula",
                       fontsize="medium")
        axes.margins(y=0.1)
    return figure


def main():
    arguments = parse_arguments()
    plt = load_pyplot()
    try:
        draw = {"time": draw_time, "memory": draw_memory}[arguments.figure]
        figure = draw(plt, arguments)
    except (Missing, OSError, run_report.Refused) as problem:
        sys.exit(f"draw_cuart.py: {problem}")
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / f"cuart_{arguments.figure}.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()
