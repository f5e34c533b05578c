#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the sums of images of repeated runs: figures 9.4 and 9.12 of Wang (2019), for docs/systems/mlem.md.

    pip install "matplotlib>=3.7" numpy
    docs/figures/repeat_runs.py CONFIG --tomokkos build/openmp/bin/tomokkos --runs 10 --csv runs.csv
    docs/figures/draw_accuracy.py runs.csv docs/images

Each combination of a product and a transposed product is a line of points, one for each run: the
relative distance of the sum from the mean of all. Prints the same as a table. Writes accuracy.png.
"""

import argparse
import csv
import pathlib

from drawing import load_pyplot


def read_runs(path):
    """Returns {combination: [sum of each run]} in the order of the file."""
    runs = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            back = row["back"] + (f", {row['back_variant']}" if row["back_variant"] else "")
            sections = f" ({row['sections']})" if row["sections"] else ""
            runs.setdefault(f"{row['forward']} and {back}{sections}", []).append(float(row["sum"]))
    if not runs:
        raise SystemExit(f"{path}: no runs")
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="file of repeat_runs.py --csv FILE")
    parser.add_argument("output", type=pathlib.Path, help="folder for the picture")
    arguments = parser.parse_args()
    runs = read_runs(arguments.csv)
    every = [value for values in runs.values() for value in values]
    mean = sum(every) / len(every)

    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.3 * len(runs)), layout="constrained")
    for line, (name, values) in enumerate(runs.items()):
        distances = [1e9 * (value / mean - 1) for value in values]
        axes.plot(distances, [line] * len(distances), "o", alpha=0.5, color="C0")
        spread = (max(values) - min(values)) / abs(mean)
        print(f"{name:45}  {len(values):4} runs  mean {sum(values) / len(values):.9g}  spread {spread:.1e}")
    axes.set_yticks(range(len(runs)), runs.keys())
    axes.invert_yaxis()
    axes.set_xlabel("sum of the image less the mean of all runs, parts in 10^9")
    axes.grid(axis="x", alpha=0.4)
    arguments.output.mkdir(parents=True, exist_ok=True)
    figure.savefig(arguments.output / "accuracy.png", dpi=150)
    print(f"wrote {arguments.output / 'accuracy.png'}")


if __name__ == "__main__":
    main()
