#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws MLEM over the number of GPUs: figures 9.5 to 9.10 of Wang (2019), for docs/scans/several_gpus.md.

    pip install "matplotlib>=3.7" pyyaml
    docs/figures/draw_scaling.py --tomokkos build/cuda/bin/tomokkos --backend cuda --ranks 1 2 4 8 \\
        --json scaling.json docs/images
    docs/figures/draw_scaling.py --from scaling.json docs/images
    docs/figures/draw_scaling.py --tomokkos build/openmp/bin/tomokkos --scanner madpet2_small

Runs configs/mlem_pet_distributed.yaml for each way to form the products and each number of
processes, and prints a table: milliseconds (speed-up over the smallest number of processes,
efficiency), the sum over ranks as a share of an iteration, and how far nonzeros are from equal
shares. Draws scaling_products.png (products of the slowest rank: times, and shares of the bandwidth
beside those that the thesis reports for V100s) and scaling_iterations.png.

A share counts, on each rank, 8 bytes per nonzero, 8 per offset (rows + 1, for a stored transpose
columns + 1) and 4 (rows + columns) for the vectors, over --bandwidth. The thesis counts offsets of 32
bits and uses the bandwidth of the data sheet. Ray tiles read fewer bytes and have no share.

More processes than GPUs share the GPUs and multiply one after the other. Their products take as long
as on GPUs of their own; iterations and sums do not, so these are left out.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

CONFIG = pathlib.Path(__file__).resolve().parent.parent.parent / "configs" / "mlem_pet_distributed.yaml"
CSR, STORED = "operator.format=csr", "operator.transpose=stored"
# On a GPU a section of merge_atomic is 5 rows + nonzeros, as in the thesis.
WAYS = {
    "csr-vector": [CSR, "operator.variant=crs_vector", STORED,
                   "operator.transpose_variant=crs_vector"],
    "merge": [CSR, "operator.variant=merge_atomic", STORED,
              "operator.transpose_variant=merge_atomic"],
    "no-transpose": [CSR, "operator.variant=crs_vector", "operator.transpose=atomic"],
    "automatic": [CSR, STORED],
    "ray-tiles": ["operator.format=ray_tiles"],
    "ray-tiles-half": ["operator.format=ray_tiles", "operator.values=half"],
}
# Shares of the bandwidth that the thesis reports, by number of V100s (sections 9.3.1 to 9.3.5).
THESIS = {
    "forward": {"csr-vector": {2: 0.8502, 8: 0.8377}, "merge": {2: 0.242, 8: 0.2449}},
    "transposed": {"csr-vector": {2: 0.9015, 8: 0.8893}, "merge": {2: 0.2547, 8: 0.2594},
                   "no-transpose": {2: 0.5486, 8: 0.5435}},
}
COLOURS = dict(zip(WAYS, ("C0", "C1", "C2", "C3", "C4", "C5")))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=pathlib.Path, nargs="?",
                        help="folder for the figures; default: the table alone")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tomokkos", type=pathlib.Path, help="the program")
    source.add_argument("--from", dest="source", type=pathlib.Path, metavar="FILE",
                        help="what --json has written: runs nothing")
    parser.add_argument("--json", type=pathlib.Path, help="file that keeps what was measured")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS),
                        metavar="WAY", help=f"of {', '.join(WAYS)}; default: all")
    parser.add_argument("--backend", choices=["openmp", "cuda"], default="openmp")
    parser.add_argument("--scanner", default="madpet2", help="madpet2_small for hosts")
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="more of the configuration; may be repeated")
    parser.add_argument("--launcher", default="mpirun -n {ranks} --bind-to none")
    parser.add_argument("--bandwidth", type=float, default=3940,
                        help="GB/s of one device, of a copy; default: %(default)s, an H200's")
    return parser.parse_args()


def run(arguments, settings, processes):
    """Runs the program; returns its report."""
    import yaml

    settings = [f"run.backend={arguments.backend}", f"problem.scanner={arguments.scanner}",
                "run.ranks.measure_sums=true", "output.image=[]", *settings, *arguments.set,
                "run.scalar=float"]  # kinds of products that have a share
    launcher = shlex.split(arguments.launcher.format(ranks=processes)) if processes > 1 else []
    with tempfile.TemporaryDirectory() as folder:
        command = [*launcher, str(arguments.tomokkos.resolve()), "run", str(CONFIG), "--quiet",
                   *(f"--set={setting}" for setting in settings), "--output", folder]
        print(f"{processes}: {shlex.join(settings[4:-1])}", file=sys.stderr)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            lines = "\n".join(done.stderr.splitlines()[-20:])
            sys.exit(f"exit status {done.returncode}: {shlex.join(command)}\n{lines}")
        return yaml.safe_load((pathlib.Path(folder) / "report.yaml").read_text())


def seconds_of_ranks(report):
    seconds = report["operator"]["ranks"].get("seconds", {})
    if not {"forward", "transposed"} <= seconds.keys():
        sys.exit("the report has no operator.ranks.seconds.forward and .transposed: the program "
                 "is older than this script; build it again")
    # float(): YAML 1.1 reads 1e-05, which has no point, as text.
    return {key: [float(s) for s in seconds[key]] if isinstance(seconds[key], list)
            else float(seconds[key]) for key in seconds if key != "in_turns"}


def measure(arguments, way, processes):
    """Measures one kind of product on a number of processes; returns the figures that are kept."""
    # The host checks once, at the end.
    settings, n = WAYS[way], arguments.iterations
    report = run(arguments, [*settings, f"solver.iterations={n}", f"solver.check_every={n}"],
                 processes)
    matrix, ranks = report["matrix"], report["operator"]["ranks"]
    if ranks["count"] != processes:
        sys.exit(f"{processes} processes were asked for, but they are not one run: --launcher")
    kept = {"way": way, "ranks": processes, "device": report["device"],
            "columns": matrix["columns"],
            "iteration": float(report["seconds"]["iterations"]) / report["result"]["iterations"]}
    return {**kept, "rows": ranks["rows"], "nonzeros": ranks["nonzeros"],
            "imbalance": float(ranks.get("imbalance", 0)),  # none for one process
            "transport": ranks.get("transport"),
            "in_turns": ranks.get("seconds", {}).get("in_turns", False),
            **seconds_of_ranks(report)}


def share(arguments, result, product):
    """Share of the bandwidth of all devices while the slowest rank is at work."""
    settings = WAYS[result["way"]]
    if CSR not in settings:
        return None
    columns = result["columns"]
    by_columns = product == "transposed" and STORED in settings
    moved = sum(8 * nonzeros + 8 * ((columns if by_columns else rows) + 1) + 4 * (rows + columns)
                for rows, nonzeros in zip(result["rows"], result["nonzeros"]))
    return moved / (1e9 * arguments.bandwidth * result["ranks"] * max(result[product]))


def is_iterated(result):
    """Tells whether iterations took as long as with a GPU for each process."""
    return not result.get("in_turns", False)


def time_of(result, what):
    return result["iteration"] if what == "iteration" else max(result[what])


def print_table(results):
    print("| way | ranks | forward, ms | back, ms | iteration, ms | sums | imbalance |")
    print("|---|---|---|---|---|---|---|")
    for way, own in results.items():
        for r in own:
            print(f"| {way} | {r['ranks']} ", end="")
            for what in ("forward", "transposed", "iteration"):
                if what == "iteration" and not is_iterated(r):
                    print("| ", end="")
                    continue
                times = time_of(own[0], what) / time_of(r, what)
                percent = 100 * times * own[0]["ranks"] / r["ranks"]
                print(f"| {1e3 * time_of(r, what):.4g} ({times:.2f}, {percent:.0f} %) ", end="")
            sums = ""
            if "sums" in r and is_iterated(r):
                sums = f"{100 * r['sums'] / r['iteration']:.2g} %"
            print(f"| {sums} | {100 * r['imbalance']:.2g} % |")


def over_ranks(axes, ranks, label, places=None):
    """Labels an axis of numbers of ranks, in powers of two unless places are given."""
    if places is None:
        axes.set_xscale("log", base=2)
    axes.set_xticks(places or ranks, [str(p) for p in ranks])
    axes.set_xlabel("GPUs, or processes")
    axes.set_ylabel(label)
    axes.grid(True, which="both", linewidth=0.3)


def draw_products(plt, arguments, results, ranks):
    figure, grid = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    for column, (product, title) in enumerate((("forward", "A x"), ("transposed", "A^T x"))):
        times, shares = grid[:, column]
        for way, own in results.items():
            if product == "forward" and way == "no-transpose":
                continue  # the matrix of csr-vector
            style = {"color": COLOURS[way], "markersize": 4}
            counts = [r["ranks"] for r in own]
            values = [1e3 * time_of(r, product) for r in own]
            times.semilogy(counts, values, marker="o", **style)
            times.plot(counts, [values[0] * counts[0] / p for p in counts], linestyle=":", **style)
            parts = [share(arguments, r, product) for r in own]
            if None not in parts:
                shares.plot(counts, parts, marker="o", **style)
            if reported := THESIS[product].get(way):
                shares.plot(reported.keys(), reported.values(), marker="x", linestyle="--", **style)
        times.set_title(title, fontsize="medium")
        shares.axhline(1, color="k", linewidth=0.5)
        shares.set_ylim(bottom=0)
        over_ranks(times, ranks, "ms; dotted: ideal")
        over_ranks(shares, sorted({*ranks, 2, 8}), "share of the bandwidth; crosses: V100s, 2019")
    return figure


def draw_iterations(plt, results):
    ranks = sorted({r["ranks"] for own in results.values() for r in own})
    figure, (speed, sums) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    speed.plot(ranks, [p / ranks[0] for p in ranks], color="k", linestyle=":")
    width = 0.8 / len(results)
    for i, (way, own) in enumerate(results.items()):
        speed.plot([r["ranks"] for r in own], [own[0]["iteration"] / r["iteration"] for r in own],
                   color=COLOURS[way], marker="o", markersize=4)
        sums.bar([ranks.index(r["ranks"]) + (i + 0.5) * width - 0.4 for r in own],
                 [100 * r.get("sums", 0) / r["iteration"] for r in own], width,
                 color=COLOURS[way])
    over_ranks(speed, ranks, f"iterations: speed-up over {ranks[0]}; dotted: ideal", ranks)
    over_ranks(sums, ranks, "sum over ranks by itself, % of an iteration", range(len(ranks)))
    return figure


def main():
    arguments = parse_arguments()
    if arguments.source is not None:
        kept = json.loads(arguments.source.read_text())
    else:
        kept = {"scanner": arguments.scanner, "results": []}
        for way in arguments.ways:
            for processes in sorted(set(arguments.ranks)):
                kept["results"].append(measure(arguments, way, processes))
                if arguments.json is not None:  # written now, in case a later run fails
                    arguments.json.write_text(json.dumps(kept, indent=1) + "\n")
    results = {}
    for way in arguments.ways:
        own = [r for r in kept["results"] if r["way"] == way]
        if own:
            results[way] = sorted(own, key=lambda r: r["ranks"])
    if not results:
        sys.exit(f"{arguments.source}: none of these ways")
    print_table(results)
    if arguments.output is None:
        return

    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    arguments.output.mkdir(parents=True, exist_ok=True)
    ranks = sorted({r["ranks"] for own in results.values() for r in own})
    iterated = {way: [r for r in own if is_iterated(r)] for way, own in results.items()}
    iterated = {way: own for way, own in iterated.items() if len(own) > 1}
    figures = {"products": (draw_products(plt, arguments, results, ranks), results)}
    if iterated:
        figures["iterations"] = (draw_iterations(plt, iterated), iterated)
    for name, (figure, drawn) in figures.items():
        figure.legend(handles=[plt.Rectangle((0, 0), 1, 1, color=COLOURS[way], label=way)
                               for way in drawn],
                      loc="outside lower center", ncols=len(drawn), fontsize="small")
        title = f"{kept['scanner']}, {kept['results'][0]['device']}"
        if not all(is_iterated(r) for own in drawn.values() for r in own):
            title += ", processes that share a GPU in turns"
        figure.suptitle(title, fontsize="medium")
        figure.savefig(arguments.output / f"scaling_{name}.png", dpi=100)
        print(arguments.output / f"scaling_{name}.png")


if __name__ == "__main__":
    main()
