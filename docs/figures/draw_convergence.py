#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws how fast row-action methods and their parallel cousins converge, for docs/scans/row_action.md.

    pip install matplotlib
    docs/figures/draw_convergence.py --tomokkos build/openmp/bin/tomokkos docs/images

Reconstructs the Shepp-Logan phantom (256 x 256 pixels, 180 views of 367 rays, `line`, data from the
matrix without noise) by every method and prints the relative residual and the error of the image by
sweeps. The left panel compares orders of views of `art`, the right panel methods. With --rmse R it
also prints after how many sweeps each method falls below R, and its time relative to `art` with
`multilevel`.
"""

import argparse
import pathlib
import sys
import tempfile

import run_report

ORDERS = {
    "sequential": "{type: art, order: sequential, within_view: strided}",
    "random": "{type: art, order: random, within_view: strided}",
    "golden": "{type: art, order: golden, within_view: strided}",
    "multilevel": "{type: art, order: multilevel, within_view: strided}",
}
METHODS = {
    "art, multilevel": ORDERS["multilevel"],
    "block_art, multilevel": "{type: block_art, order: multilevel, relaxation: 1.9}",
    "sart, multilevel": "{type: sart, order: multilevel}",
    "os_sart, 20 subsets": "{type: os_sart, subsets: 20}",
    "sirt": "{type: sirt}",
    "cgls": "{type: cgls}",
    "mlem": "{type: mlem}",
}
CONFIG = """\
run: {{backend: {backend}, threads: {threads}}}
problem:
  type: tomography
  volume: {{size: [{size}, {size}]}}
  geometry: {{type: parallel_beam, views: {views}, detectors: {detectors}}}
  projector: line
  phantom: shepp_logan
operator: {operator}
solver: {solver}
"""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=pathlib.Path, nargs="?",
                        help="folder for convergence.png; default: the table alone")
    parser.add_argument("--tomokkos", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--backend", choices=["openmp", "cuda"], default="openmp")
    parser.add_argument("--threads", type=int, default=0, help="0: all of the machine")
    parser.add_argument("--size", type=int, default=256, help="pixels along a side")
    parser.add_argument("--views", type=int, default=180)
    parser.add_argument("--sweeps", type=int, default=20)
    parser.add_argument("--rmse", type=float, help="an error of the image to be reached")
    return parser.parse_args()


def run(arguments, folder, solver, sweeps, check_every):
    """Runs a configuration; returns its history and the seconds of its iterations."""
    count = "sweeps" if "art" in solver.split(",")[0] else "iterations"
    solver = f"{solver[:-1]}, {count}: {sweeps}, check_every: {check_every}}}"
    # A stored transpose is slow for ranges of rows.
    ranges = solver.startswith(("{type: block", "{type: sart", "{type: os"))
    operator = "{format: csr, transpose: automatic}" if ranges else "{format: csr}"
    detectors = -(-arguments.size * 2 ** 0.5 // 2) * 2 + 3
    config = folder / "c.yaml"
    config.write_text(CONFIG.format(
        backend=arguments.backend, threads=arguments.threads, size=arguments.size,
        views=arguments.views, detectors=int(detectors), operator=operator,
        solver=solver))
    try:
        report = run_report.run(arguments.tomokkos, config)
    except run_report.Refused as problem:
        sys.exit(f"{solver}: {problem}")
    return report.history, report.seconds["iterations"]


def draw(output, panels):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(panels), figsize=(9.6, 4), sharey=True, layout="constrained")
    for axis, (title, histories) in zip(axes, panels.items()):
        draw_histories(axis, histories, title)
    figure.savefig(output / "convergence.png", dpi=100)


def draw_histories(axes, histories, title):
    for name, history in histories.items():
        axes.semilogy(range(len(history)), [error for _, error in history], label=name,
                      linewidth=1.4, marker=".", markersize=4)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("sweeps, or iterations")
    axes.set_ylabel("error of the image (rmse)")
    axes.grid(True, which="both", linewidth=0.3)
    axes.legend(fontsize=8)


def print_table(arguments, histories, times):
    looks = [k for k in (1, 2, 5, 10, 20) if k <= arguments.sweeps]
    print("relative residual and rmse after sweeps: " + ", ".join(map(str, looks)))
    for name, history in histories.items():
        print(f"{name:24s}" + "".join(
            f"  {history[k][0]:8.1e} {history[k][1]:7.4f}" for k in looks))
    if arguments.rmse is None:
        return
    print(f"rmse below {arguments.rmse:g}: sweeps, and time over that of art, multilevel")
    needed = {name: next((k for k, (_, error) in enumerate(history) if error < arguments.rmse), None)
              for name, history in histories.items()}
    unit = needed["art, multilevel"]
    for name, sweeps in needed.items():
        if sweeps is None or not unit:
            print(f"{name:24s}  not in {arguments.sweeps}")
        else:
            ratio = sweeps * times[name] / (unit * times["art, multilevel"])
            print(f"{name:24s}  {sweeps:3d}  {ratio:8.2f}")


def main():
    arguments = parse_arguments()
    orders, methods, times = {}, {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, solver in ORDERS.items():
            orders[name], _ = run(arguments, folder, solver, arguments.sweeps, 1)
        for name, solver in METHODS.items():
            methods[name], _ = run(arguments, folder, solver, arguments.sweeps, 1)
            if arguments.rmse is not None:  # counts sweeps only; the last check may be one of many
                _, seconds = run(arguments, folder, solver, arguments.sweeps, arguments.sweeps)
                times[name] = seconds / arguments.sweeps
    print_table(arguments, {**{f"art, {name}": h for name, h in orders.items()
                               if name != "multilevel"}, **methods},
                {**{f"art, {name}": times.get("art, multilevel") for name in orders}, **times})
    if arguments.output is not None:
        draw(arguments.output, {"art by orders of views": orders, "methods": methods})


if __name__ == "__main__":
    main()
