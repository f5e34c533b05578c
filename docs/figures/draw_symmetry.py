#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a square and the eight images of a ray, for docs/scans/symmetry.md.

    pip install matplotlib
    docs/figures/draw_symmetry.py docs/images
"""

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

SIDE = 12
ANGLE, POSITION = np.radians(15), 2.4
NAMES = ["stored", "flip x", "flip y", "flip x, y", "swap", "flip x, swap", "flip y, swap",
         "flip x, y, swap"]


def image(point, g):
    """Applies map g to the point (x, y): first the signs, then the exchange of the axes."""
    x, y = point
    x, y = (-x if g & 1 else x), (-y if g & 2 else y)
    return (y, x) if g & 4 else (x, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=pathlib.Path)
    output = parser.parse_args().output
    figure, axes = plt.subplots(figsize=(5.4, 5.4))
    half = SIDE / 2
    for k in range(SIDE + 1):
        axes.plot([-half, half], [k - half] * 2, color="0.9", linewidth=0.5)
        axes.plot([k - half] * 2, [-half, half], color="0.9", linewidth=0.5)
    for line in ([-half, half], [0, 0]), ([0, 0], [-half, half]), ([-half, half], [-half, half]), (
            [-half, half], [half, -half]):
        axes.plot(*line, color="0.6", linewidth=0.7, linestyle=":")
    normal = np.array([np.cos(ANGLE), np.sin(ANGLE)])
    along = np.array([-normal[1], normal[0]])
    ends = [POSITION * normal + t * along for t in (-1.4 * half, 1.4 * half)]
    pixel = (2.5, -0.5)
    colours = plt.get_cmap("tab10")
    for g, name in enumerate(NAMES):
        points = np.array([image(end, g) for end in ends])
        axes.plot(points[:, 0], points[:, 1], color=colours(g), linewidth=2.2 if g == 0 else 1.1,
                  label=f"{g}: {name}")
        x, y = image(pixel, g)
        axes.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, color=colours(g), alpha=0.35))
    axes.set_xlim(-1.25 * half, 1.25 * half)
    axes.set_ylim(-1.25 * half, 1.25 * half)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=4, fontsize=7, frameon=False)
    figure.savefig(output / "symmetry.png", dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main()
