#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws figures from what `tomokkos bench --json` has written.

    pip install matplotlib
    docs/figures/plot_benchmarks.py table1_gpu.json --cpu table1_cpu.json --output docs/images
    docs/figures/plot_benchmarks.py gpu.json --figures bars --operation spmv_transpose --scalar double

Figures of the ELLPACK-R paper (Vazquez, Fernandez, Garzon 2011), by their numbers:
  4     GFLOP/s of each format on each matrix, in the order of the nonzeros
  5     their average over the matrices, weighted by the nonzeros (and unweighted beside it)
  6     ELLPACK-R and our best in JSON against MKL in the file of --cpu (or the library of
        --reference): time there over time here. The paper's reference is one core:
        OMP_NUM_THREADS=1 build/openmp/bin/tomokkos bench configs/bench_table1.yaml --full --json ...
Figures of any benchmark:
  bars  the time of every candidate, a chart per matrix
Figures of Buatois, Caumon, Levy (2007):
  solves  an iteration of conjugate gradients, product and the rest, and the share of the bandwidth by
          the bytes of the fused iteration; a chart per matrix (--operation pcg)
  curves  GFLOP/s by the length of the vectors, a line per library (--operation axpy or dot)
  efficiency  figure 7: per cent of the peak (--peak, --cpu-peak) and of the bandwidth, of axpy and dot on
          vectors of --length entries, of products and iterations on --matrix; with --cpu both devices
  overhead  the part of an iteration that is not its product by the number of rows; with --cpu both devices
Figures of Wang (2019, "Porting MLEM algorithm for heterogeneous systems"), from configs/bench_thesis.yaml:
  thesis  three figures of spmv and spmv_transpose: the share of the bandwidth of each product, forward
          and backward; the same over the section of the merge-based products; the differences
          between the results of several runs
Figures of Romero, Tomas, Soriano, Blanquer (2014), from configs/bench_circulant.yaml:
  circulant  figure 3, on a GPU figure 7: GFLOP/s of each variant on each block-circulant matrix, for
          products with C and C^T in turn (--operation alternating, the default here), or for one of them
  maxpy   figure 4: GFLOP/s by the vectors that are added at once; a bar per file
Wrong results are left out. Without --figures it draws 4, 5, bars, and with --cpu 6; for pcg solves, for
axpy and dot curves, for alternating circulant. Exit status 1 means that a figure lacks what it needs;
the message says what.
"""

import argparse
import pathlib
import re
import sys

import circulant_figures
import cruncher_figures
import thesis_figures
from bench_report import Missing, Report
from drawing import load_pyplot

# The series of figures 4 and 5: name, library, format, variants that count (None: all). The fastest
# is drawn. A series without results is left out; at least one series of the paper must have some.
PAPER = [
    ("CRS", "tomokkos", "csr", {"scalar"}),
    ("CRS(vector)", "tomokkos", "csr", {"crs_vector"}),
    ("SpMV4GPU", "tomokkos", "csr", {"spmv4gpu"}),
    ("ELLPACK", "tomokkos", "ell", None),
    ("HYB", "tomokkos", "hyb", None),
    ("ELLPACK-R", "tomokkos", "ell_r", None),
]
TODAY = [
    ("best CSR", "tomokkos", "csr", None),
    ("SELL", "tomokkos", "sell", None),
    ("BCSR", "tomokkos", "bcsr", None),
    ("automatic", "tomokkos", "automatic", None),
]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("json", type=pathlib.Path, nargs="+",
                        help="written by tomokkos bench --json; several of one machine: together")
    parser.add_argument("--cpu", type=pathlib.Path, help="another one, of a CPU, for figure 6, efficiency and overhead")
    parser.add_argument("--reference", default="mkl", help="library in --cpu (default: mkl)")
    parser.add_argument("--figures", nargs="+",
                        choices=["4", "5", "6", "bars", "solves", "curves", "efficiency", "overhead",
                                 "thesis", "circulant", "maxpy"])
    parser.add_argument("--peak", type=float, help="peak of the device in GFLOP/s, for efficiency")
    parser.add_argument("--cpu-peak", type=float, help="peak of the device of --cpu")
    parser.add_argument("--bandwidth", type=float,
                        help="of the device in GB/s, for efficiency; default: that measured in the file")
    parser.add_argument("--cpu-bandwidth", type=float, help="that of the device of --cpu")
    parser.add_argument("--matrix", help="of efficiency; default: the one with the most nonzeros")
    parser.add_argument("--length", type=int, default=1 << 20,
                        help="of the vectors of efficiency (default: 1048576)")
    parser.add_argument("--operation", help="default: spmv; of circulant: alternating")
    parser.add_argument("--scalar", default="float", choices=["float", "double"])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."), help="folder")
    parser.add_argument("--format", default="png", choices=["png", "svg", "pdf"])
    arguments = parser.parse_args()
    arguments.circulant = arguments.operation or "alternating"
    arguments.operation = arguments.operation or "spmv"
    if arguments.figures is None:
        of_operation = {"pcg": ["solves"], "axpy": ["curves"], "dot": ["curves"],
                        "alternating": ["circulant"]}
        arguments.figures = of_operation.get(arguments.operation)
    if arguments.figures is None:
        arguments.figures = ["4", "5"] + (["6"] if arguments.cpu else []) + ["bars"]
    if "6" in arguments.figures and arguments.cpu is None:
        parser.error("figure 6 compares with a CPU: --cpu FILE")
    return arguments


def series_of(report):
    """Returns [(name, {matrix: GFLOP/s})]: the paper's formats, ours of today, the best of each library."""
    wanted = PAPER + TODAY + [(f"best {peer}", peer, None, None) for peer in report.peers()]
    found = []
    for name, library, fmt, variants in wanted:
        values = {m: report.gigaflops(m, library, fmt, variants) for m in report.matrices}
        values = {m: v for m, v in values.items() if v is not None}
        if values:
            found.append((name, values))
    paper = {name for name, _, _, _ in PAPER}
    absent = paper - {name for name, _ in found}
    if paper == absent:
        raise Missing(f"{report.path}: none of the paper's formats was measured: it takes "
                      "bench.formats of csr, ell, ell_r, hyb and bench.variants of scalar, "
                      "crs_vector, spmv4gpu")
    for name, _, _, _ in PAPER:
        if name in absent:
            print(f"{report.path}: no {name}", file=sys.stderr)
    return found


def figure_4(plt, report):
    series = series_of(report)
    count = len(report.matrices)
    figure, axes = plt.subplots(figsize=(max(8, 0.9 * count), 5))
    width = 0.85 / len(series)
    for s, (name, values) in enumerate(series):
        places = [i + (s - 0.5 * (len(series) - 1)) * width
                  for i, m in enumerate(report.matrices) if m in values]
        # Twenty colours, since there are more than ten series.
        axes.bar(places, [values[m] for m in report.matrices if m in values], width, label=name,
                 color=plt.get_cmap("tab20")(s % 20))
    axes.set_xticks(range(count))
    axes.set_xticklabels(report.matrices, rotation=60, ha="right")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"Formats by matrix, {report.device}")
    axes.legend(ncol=4, fontsize="small")
    return figure


def figure_5(plt, report):
    series = series_of(report)
    # Over the matrices that every series has. Otherwise a format that was refused on some matrices
    # would be averaged over others.
    shared = [m for m in report.matrices if all(m in values for _, values in series)]
    if not shared:
        lacking = {name: [m for m in report.matrices if m not in values]
                   for name, values in series}
        raise Missing(f"{report.path}: no matrix was measured in every format; missing: "
                      + "; ".join(f"{name}: {', '.join(ms)}" for name, ms in lacking.items() if ms))
    weight = sum(report.nonzeros[m] for m in shared)
    weighted = [sum(report.nonzeros[m] * values[m] for m in shared) / weight
                for _, values in series]
    plain = [sum(values[m] for m in shared) / len(shared) for _, values in series]
    figure, axes = plt.subplots(figsize=(max(6, len(series)), 4.5))
    places = range(len(series))
    axes.bar([p - 0.2 for p in places], weighted, 0.4, label="weighted by nonzeros")
    axes.bar([p + 0.2 for p in places], plain, 0.4, label="unweighted")
    axes.set_xticks(list(places))
    axes.set_xticklabels([name for name, _ in series], rotation=40, ha="right")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"Average over {len(shared)} of {len(report.matrices)} matrices, "
                   f"{report.device}")
    axes.legend(fontsize="small")
    for (name, _), value, other in zip(series, weighted, plain):
        print(f"figure 5, {name}: {value:.2f} GFLOP/s weighted, {other:.2f} unweighted")
    return figure


def figure_6(plt, report, cpu, reference):
    shared = [m for m in report.matrices if cpu.seconds(m, reference)]
    if not shared:
        raise Missing(f"{cpu.path}: no result of {reference} on a matrix of {report.path}; "
                      f"libraries there: {', '.join(cpu.peers()) or 'none but ours'}")
    figure, axes = plt.subplots(figsize=(max(7, 0.6 * len(shared)), 4.5))
    drawn = 0
    for s, (name, fmt) in enumerate((("ELLPACK-R", "ell_r"), ("our best", None))):
        ratios = {m: cpu.seconds(m, reference) / report.seconds(m, "tomokkos", fmt)
                  for m in shared if report.seconds(m, "tomokkos", fmt)}
        if not ratios:
            print(f"{report.path}: no {name}", file=sys.stderr)
            continue
        drawn += 1
        axes.bar([i + 0.4 * (s - 0.5) for i, m in enumerate(shared) if m in ratios],
                 list(ratios.values()), 0.4, label=name)
    if drawn == 0:
        raise Missing(f"{report.path}: no result of ours on a matrix of {cpu.path}")
    axes.set_xticks(range(len(shared)))
    axes.set_xticklabels(shared, rotation=60, ha="right")
    axes.set_ylabel(f"times as fast as {reference}")
    axes.set_title(f"{report.device} against {reference} on {cpu.device}")
    axes.legend(fontsize="small")
    return figure


def bars(plt, report, matrix):
    results = sorted(report.of(matrix), key=lambda r: -r["seconds_median"])
    figure, axes = plt.subplots(figsize=(8, 1 + 0.28 * len(results)))
    libraries = sorted({r["library"] for r in results})
    colours = {library: f"C{i}" for i, library in enumerate(libraries)}
    for i, r in enumerate(results):
        low, high = r["seconds_p25"] or 0, r["seconds_p75"] or 0
        axes.barh(i, 1e3 * r["seconds_median"], color=colours[r["library"]],
                  xerr=[[max(0, 1e3 * (r["seconds_median"] - low))],
                        [max(0, 1e3 * (high - r["seconds_median"]))]],
                  error_kw={"elinewidth": 0.8})
    axes.set_yticks(range(len(results)))
    axes.set_yticklabels([f"{r['library']} {r['format']} {r['variant']}" for r in results],
                         fontsize="small")
    axes.set_xlabel("ms (median and quartiles)")
    axes.set_title(f"{matrix}, {results[0]['operation']}, {results[0]['scalar']}, {report.device}")
    axes.legend([plt.Rectangle((0, 0), 1, 1, color=colours[l]) for l in libraries], libraries,
                fontsize="small")
    return figure


def solves(plt, report, matrix):
    results = sorted(report.of(matrix), key=lambda r: -r["seconds_median"])
    if any(not r.get("solve") for r in results):
        raise Missing(f"{report.path}: no figures of solves on {matrix}: --operation pcg")
    figure, axes = plt.subplots(figsize=(8, 1 + 0.3 * len(results)))
    for i, r in enumerate(results):
        # A product that is timed alone may take longer than within an iteration.
        product = 1e6 * min(r["solve"]["product_seconds"], r["seconds_median"])
        whole = 1e6 * r["seconds_median"]
        axes.barh(i, product, color="C0", label="its product" if i == 0 else None)
        axes.barh(i, whole - product, left=product, color="C1", label="the rest" if i == 0 else None)
        share = r["solve"]["common_share"]
        note = f"{r['solve']['iterations']} it., |b - Ax|/|b| {r['solve']['residual']:.1e}"
        axes.text(whole, i, f" {whole:.4g} us, {note}" + (f", {share:.2f}" if share else ""),
                  va="center", fontsize="x-small")
    axes.set_yticks(range(len(results)))
    axes.set_yticklabels([f"{r['library']} {r['format']} {r['variant']}" for r in results],
                         fontsize="small")
    axes.set_xlim(right=1.5e6 * results[0]["seconds_median"])
    axes.set_xlabel("us an iteration; to the tolerance; share of the bandwidth by the fused bytes")
    axes.set_title(f"{matrix}, {results[0]['scalar']}, {report.device}")
    axes.legend(fontsize="small", loc="upper right")
    return figure


def curves(plt, report):
    """Draws figure 5 of Buatois et al.: a line per library over the length of the vectors."""
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for library in sorted({r["library"] for r in report.results}):
        points = sorted((report.nonzeros[r["matrix"]], r["gigaflops_per_second"])
                        for r in report.results
                        if r["library"] == library and r["gigaflops_per_second"])
        if points:
            axes.plot(*zip(*points), marker="o", label=library)
    if not axes.lines:
        raise Missing(f"{report.path}: no operations are counted: --operation axpy or dot")
    operation, scalar = report.results[0]["operation"], report.results[0]["scalar"]
    axes.set_xscale("log", base=2)
    axes.set_xlabel("length of the vectors")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"{operation}, {scalar}, {report.device}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return figure


def operation_reports(paths, scalar):
    """Returns {operation: report} of the operations of figure 7 that the files have."""
    reports, missing = {}, None
    for operation in {operation for _, operation, _ in cruncher_figures.OPERATIONS}:
        try:
            reports[operation] = Report(paths, operation, scalar)
        except Missing as problem:
            missing = problem
    if not reports:
        raise missing
    return reports


def efficiency(plt, arguments):
    files = [(arguments.json, (arguments.peak, arguments.bandwidth))]
    if arguments.cpu:
        files.append(([arguments.cpu], (arguments.cpu_peak, arguments.cpu_bandwidth)))
    every = [(operation_reports(paths, arguments.scalar), limits) for paths, limits in files]
    of_matrices = [reports[o] for reports, _ in every for o in ("pcg", "spmv") if o in reports]
    matrix = arguments.matrix or (of_matrices[0].matrices[-1] if of_matrices else None)
    shares = [(next(iter(reports.values())).device,
               cruncher_figures.efficiency_of(reports, matrix, arguments.length, limits, Missing))
              for reports, limits in every]
    return cruncher_figures.efficiency(
        plt, shares, f"{matrix}, vectors of {arguments.length} entries, {arguments.scalar}", Missing)


def main():
    arguments = parse_arguments()
    plt = load_pyplot()

    def save(figure, name):
        arguments.output.mkdir(parents=True, exist_ok=True)
        path = arguments.output / f"{name}.{arguments.format}"
        figure.savefig(path, dpi=130, bbox_inches="tight")
        plt.close(figure)
        print(path)

    suffix = f"{arguments.operation}_{arguments.scalar}"
    try:
        if "thesis" in arguments.figures:
            reports = {operation: Report(arguments.json, operation, arguments.scalar)
                       for operation in thesis_figures.WAYS}
            for name, draw in (("share", thesis_figures.share),
                               ("sections", thesis_figures.sections),
                               ("spread", thesis_figures.spread_of_runs)):
                save(draw(plt, reports), f"thesis_{name}_{arguments.scalar}")
        if "circulant" in arguments.figures:
            report = Report(arguments.json, arguments.circulant, arguments.scalar)
            save(circulant_figures.by_variant(plt, report, Missing),
                 f"circulant_{arguments.circulant}_{arguments.scalar}")
        if "maxpy" in arguments.figures:
            reports = [Report([path], "spmv", arguments.scalar) for path in arguments.json]
            save(circulant_figures.by_cardinality(plt, reports, Missing),
                 f"maxpy_{arguments.scalar}")
        if "efficiency" in arguments.figures:
            save(efficiency(plt, arguments), f"efficiency_{arguments.scalar}")
        if "overhead" in arguments.figures:
            reports = [Report(paths, "pcg", arguments.scalar)
                       for paths in [arguments.json] + ([[arguments.cpu]] if arguments.cpu else [])]
            save(cruncher_figures.overhead(plt, reports, Missing), f"overhead_{arguments.scalar}")
        if set(arguments.figures) <= {"efficiency", "overhead", "thesis", "circulant", "maxpy"}:
            return
        report = Report(arguments.json, arguments.operation, arguments.scalar)
        if "4" in arguments.figures:
            save(figure_4(plt, report), f"figure4_{suffix}")
        if "5" in arguments.figures:
            save(figure_5(plt, report), f"figure5_{suffix}")
        if "6" in arguments.figures:
            cpu = Report([arguments.cpu], arguments.operation, arguments.scalar)
            save(figure_6(plt, report, cpu, arguments.reference), f"figure6_{suffix}")
        if "bars" in arguments.figures:
            for matrix in report.matrices:
                safe = re.sub(r"[^A-Za-z0-9_.-]", "_", matrix)
                save(bars(plt, report, matrix), f"bars_{safe}_{suffix}")
        if "solves" in arguments.figures:
            for matrix in report.matrices:
                safe = re.sub(r"[^A-Za-z0-9_.-]", "_", matrix)
                save(solves(plt, report, matrix), f"solves_{safe}_{suffix}")
        if "curves" in arguments.figures:
            save(curves(plt, report), f"curves_{suffix}")
    except Missing as problem:
        sys.exit(f"plot_benchmarks.py: {problem}")


if __name__ == "__main__":
    main()
