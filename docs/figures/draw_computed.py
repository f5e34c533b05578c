#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws how entries are computed, for docs/scans/computed.md.

    pip install matplotlib
    docs/figures/draw_computed.py docs/images
"""

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

ROWS, COLUMNS = 5, 6
STEP = 0.55  # from row to row, in pixels
START = 1.15  # position of the ray in the middle of the lowest row
SPACING = 0.72  # of the rays of a view, along a row
WIDTH = 0.72  # of a strip, along a row
PIXEL = (2, 2)  # column and row of the pixel on the right
RAY, NEAR = "#1b6ca8", "#c8553d"


def line_weight(distance):
    """Length of a ray in a pixel over that between two rows, for distances along the row."""
    return np.clip(((1 + STEP) / 2 - np.abs(distance)) / STEP, 0, 1)


def linear_weight(distance):
    return np.clip(1 - np.abs(distance), 0, 1)


def strip_weight(distance):
    """Mean of the weights of the lines in a strip."""
    offsets = (np.arange(400) + 0.5) / 400 - 0.5
    return line_weight(np.asarray(distance)[..., None] + WIDTH * offsets).mean(axis=-1)


def position(row):
    return START + STEP * row


def draw_grid(axes):
    for k in range(ROWS + 1):
        axes.plot([0, COLUMNS], [k, k], color="0.75", linewidth=0.8, zorder=1)
    for k in range(COLUMNS + 1):
        axes.plot([k, k], [0, ROWS], color="0.75", linewidth=0.8, zorder=1)
    axes.set_aspect("equal")
    axes.set_xlim(-0.3, COLUMNS + 0.3)
    axes.set_ylim(-0.5, ROWS + 0.5)
    axes.axis("off")


def draw_ray(axes, start, colour, width):
    """Draws a ray that is at `start` in the middle of the lowest row."""
    ends = np.array([-0.9, ROWS - 0.1])
    axes.plot(start + STEP * ends, ends + 0.5, color=colour, linewidth=width, zorder=3)


def draw_forward(axes):
    axes.set_title("A x: a ray steps from row to row")
    draw_grid(axes)
    for row in range(ROWS):
        at, middle = position(row), row + 0.5
        for column in range(COLUMNS):
            weight = float(line_weight(column + 0.5 - at))
            if weight > 0:
                axes.add_patch(plt.Rectangle((column, row), 1, 1, color=RAY, linewidth=0,
                                             alpha=0.1 + 0.4 * weight))
                axes.text(column + (0.24 if column + 0.5 < at else 0.76), row + 0.14,
                          f"{weight:.2f}", ha="center", va="center", fontsize=7, zorder=5)
        axes.plot([0, COLUMNS], [middle] * 2, color="0.6", linewidth=0.7, linestyle=":", zorder=2)
        axes.plot(at, middle, "o", color=RAY, markersize=6, zorder=4)
        if 0 < row < ROWS - 1:
            axes.plot([position(row - 1)] * 2, [middle - 1, middle], color="0.3", linewidth=0.8,
                      linestyle=":", zorder=4)
            axes.annotate("", (at, middle), (position(row - 1), middle), zorder=4,
                          arrowprops={"arrowstyle": "->", "shrinkA": 0, "shrinkB": 3})
    draw_ray(axes, START, RAY, 1.6)


def draw_weights(axes):
    axes.set_title("weight of a pixel")
    distance = np.linspace(-1.6, 1.6, 641)
    for name, weight, style in (("linear", linear_weight, ":"), ("line", line_weight, "-"),
                                ("strip", strip_weight, "--")):
        axes.plot(distance, weight(distance), style, color=RAY if name == "line" else "0.2",
                  label=name, linewidth=1.8)
    # The two pixels of the lowest row of the picture on the left.
    for column in (0, 1):
        at = column + 0.5 - START
        axes.plot([at, at, -1.7], [0, line_weight(at), line_weight(at)], color=RAY, linewidth=0.7)
        axes.plot(at, line_weight(at), "o", color=RAY, markersize=5)
    axes.set_xlim(-1.6, 1.6)
    axes.set_ylim(0, 1.3)
    axes.set_yticks([0, 0.5, 1])
    axes.set_xlabel("centre of the pixel - ray, along the row, in pixels")
    axes.legend(loc="upper center", ncol=3, frameon=False, fontsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw_back(axes):
    axes.set_title("A$^T$ y: a pixel finds the rays near it")
    draw_grid(axes)
    column, row = PIXEL
    axes.add_patch(plt.Rectangle(PIXEL, 1, 1, color=NEAR, alpha=0.45, linewidth=0))
    axes.plot(column + 0.5, row + 0.5, "o", color="black", markersize=4, zorder=5)
    middle = row + 0.5
    reach = (1 + STEP) / 2
    axes.plot([column + 0.5 - reach, column + 0.5 + reach], [middle] * 2, color="black",
              linewidth=1.2, marker="|", markersize=11, zorder=4)
    for k in range(-2, 5):
        start = 0.35 + k * SPACING
        weight = float(line_weight(column + 0.5 - start - STEP * row))
        draw_ray(axes, start, NEAR if weight > 0 else "0.6", 1.8 if weight > 0 else 0.9)
        if weight > 0:
            axes.plot(start + STEP * row, middle, "o", color=NEAR, markersize=6, zorder=5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=pathlib.Path)
    output = parser.parse_args().output
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), width_ratios=[1.25, 1, 1.25])
    draw_forward(axes[0])
    draw_weights(axes[1])
    draw_back(axes[2])
    figure.tight_layout()
    figure.savefig(output / "computed.png", dpi=90)


if __name__ == "__main__":
    main()
