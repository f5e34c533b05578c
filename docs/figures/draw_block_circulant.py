#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/images/block_circulant_matrix.png, block_circulant_sector.png and block_circulant_eq6.png.

The first is the matrix of a small scan of a disc in polar pixels, the second shows these pixels with
the rays of two views. The third is the first row of blocks before and after equation 6 of Romero, Tomas,
Soriano, Blanquer (2014), figure 2b of the paper.

    pip install matplotlib
    docs/figures/draw_block_circulant.py

The matrix holds the true intersection lengths of that scan, computed by this script.
"""

import argparse
import math
import pathlib

from drawing import load_pyplot

BLOCKS = 6                  # number of views, and of sectors of the disc
RINGS = [1, 1, 2, 2]        # pixels per sector in each ring, from the middle outwards
RAYS = 7                    # rays per view
COLOURS = ["#1b6ca8", "#c8553d", "#3c8d40", "#8d5fb3", "#b08a2e", "#3f9aa3"]  # colours of the blocks


def pixels_of_a_sector():
    """Returns (ring, number within the sector and ring) for each in-sector column."""
    return [(ring, c) for ring, count in enumerate(RINGS) for c in range(count)]


def ray(view, number):
    """Returns a point and a direction. Rays are parallel and turn by a sector from view to view."""
    turn = 2 * math.pi * view / BLOCKS
    offset = 2 * (number + 0.5) / RAYS - 1
    across, along = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))
    return (offset * across[0], offset * across[1]), along


def row(view, number, steps=4000):
    """Returns {(block, in-sector column): length} of a ray, by stepping along it."""
    start, along = ray(view, number)
    columns = {pixel: l for l, pixel in enumerate(pixels_of_a_sector())}
    lengths = {}
    for s in range(steps):
        t = 2.4 * (s + 0.5) / steps - 1.2
        x, y = start[0] + t * along[0], start[1] + t * along[1]
        ring = int(math.hypot(x, y) * len(RINGS))
        if ring >= len(RINGS):
            continue
        sectors = BLOCKS * RINGS[ring]
        sector = int(math.atan2(y, x) % (2 * math.pi) / (2 * math.pi) * sectors) % sectors
        place = (sector // RINGS[ring], columns[ring, sector % RINGS[ring]])
        lengths[place] = lengths.get(place, 0) + 2.4 / steps
    return lengths


def draw_matrix(plt):
    columns = len(pixels_of_a_sector())
    figure, axes = plt.subplots(figsize=(8.4, 6.9))
    for p in range(BLOCKS):
        for i in range(RAYS):
            # Row p of blocks follows from the first one: block b moves by p blocks.
            for (block, column), length in row(0, i).items():
                x = (block + p) % BLOCKS * columns + column
                axes.add_patch(plt.Rectangle((x, p * RAYS + i), 1, 1, color=COLOURS[block],
                                             alpha=0.25 + 0.75 * min(1, length / 0.6)))
    for line in range(BLOCKS + 1):
        axes.axvline(line * columns, color="#888888", linewidth=0.7)
        axes.axhline(line * RAYS, color="#888888", linewidth=0.7)
    axes.add_patch(plt.Rectangle((0, 0), BLOCKS * columns, RAYS, fill=False, linewidth=2.5,
                                 color="#222222"))
    axes.set_xlim(-0.3, BLOCKS * columns + 0.3)
    axes.set_ylim(BLOCKS * RAYS + 0.3, -0.3)
    axes.set_xticks([(j + 0.5) * columns for j in range(BLOCKS)])
    axes.set_xticklabels([f"sector {j}" for j in range(BLOCKS)])
    axes.set_yticks([(p + 0.5) * RAYS for p in range(BLOCKS)])
    axes.set_yticklabels([f"view {p}" for p in range(BLOCKS)])
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    axes.set_title(f"{BLOCKS} x {BLOCKS} blocks of {RAYS} x {columns}; stored is the first row of "
                   "blocks", pad=24)
    return figure


def column_of_equation_6(block, column):
    """Position of row `column` of X, from block `block` on, in X written twice and row by row."""
    return 2 * BLOCKS * column + block


def check_equation_6():
    """Compares products by the moved columns, with a leading dimension of 1, with those of all blocks."""
    columns = len(pixels_of_a_sector())
    x = [[math.cos(3 * l + 7 * j) for j in range(BLOCKS)] for l in range(columns)]  # row by row
    twice = [value for line in x for value in line + line]
    for i in range(RAYS):
        for p in range(BLOCKS):
            by_blocks = sum(length * x[l][(b + p) % BLOCKS] for (b, l), length in row(0, i).items())
            moved = sum(length * twice[column_of_equation_6(b, l) + p]
                        for (b, l), length in row(0, i).items())
            assert moved == by_blocks


def draw_equation_6(plt):
    columns = len(pixels_of_a_sector())
    figure, grid = plt.subplots(2, 1, figsize=(10, 3.9), layout="constrained")
    spaces = {"before: column b n + l": (lambda block, column: block * columns + column,
                                         BLOCKS * columns, columns, "block"),
              "after equation 6: column 2 k l + b": (column_of_equation_6, 2 * BLOCKS * columns,
                                                     2 * BLOCKS, "pixel")}
    for axes, (title, (place, width, step, name)) in zip(grid, spaces.items()):
        for i in range(RAYS):
            for (block, column), length in row(0, i).items():
                axes.add_patch(plt.Rectangle((place(block, column), i), 1, 1, color=COLOURS[block],
                                             alpha=0.25 + 0.75 * min(1, length / 0.6)))
        for line in range(0, width + 1, step):
            axes.axvline(line, color="#888888", linewidth=0.7)
        if place is column_of_equation_6:
            # No entry names the second copy of a row of X; products reach it by going on from the first.
            for column in range(columns):
                axes.add_patch(plt.Rectangle((2 * BLOCKS * column + BLOCKS, 0), BLOCKS, RAYS,
                                             color="#eeeeee", zorder=0))
        axes.set_xlim(-0.3, width + 0.3)
        axes.set_ylim(RAYS + 0.2, -0.2)
        axes.set_xticks([step * (n + 0.5) for n in range(width // step)])
        axes.set_xticklabels([f"{name} {n}" for n in range(width // step)])
        axes.set_yticks([])
        axes.set_ylabel(f"{RAYS} rays")
        axes.tick_params(length=0)
        axes.set_title(title, fontsize="medium")
    return figure


def draw_sector(plt):
    figure, axes = plt.subplots(figsize=(6.4, 6.4))
    width = 1 / len(RINGS)
    for ring, count in enumerate(RINGS):
        sectors = BLOCKS * count
        for s in range(sectors):
            angles = [2 * math.pi * (s + t / 20) / sectors for t in range(21)]
            outline = [(r * math.cos(a), r * math.sin(a))
                       for r, turn in (((ring + 1) * width, angles),
                                       (ring * width, list(reversed(angles)))) for a in turn]
            axes.fill(*zip(*outline), facecolor=COLOURS[s // count] + "30", edgecolor="#888888",
                      linewidth=0.7)
            if s < count:
                middle = 2 * math.pi * (s + 0.5) / sectors
                radius = (ring + 0.5) * width
                column = sum(RINGS[:ring]) + s
                axes.text(radius * math.cos(middle), radius * math.sin(middle), str(column),
                          ha="center", va="center", fontsize="medium", color="#222222")
    for view, style in ((0, "-"), (1, "--")):
        for number in range(RAYS):
            start, along = ray(view, number)
            reach = 1.12
            axes.plot([start[0] - reach * along[0], start[0] + reach * along[0]],
                      [start[1] - reach * along[1], start[1] + reach * along[1]],
                      style, color="#222222", linewidth=1.4 if number == 4 else 0.4,
                      label=f"view {view}" if number == 4 else None)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.legend(loc="upper right", fontsize="small")
    axes.set_title("Pixels of a sector, and the same ray of two views")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent / "images", help="folder")
    arguments = parser.parse_args()
    plt = load_pyplot()
    # Turning a view by a sector moves its rays by a sector; the picture of the matrix relies on this.
    for p in range(BLOCKS):
        turned = {((b + p) % BLOCKS, c): length for (b, c), length in row(0, 4).items()}
        found = row(p, 4)
        assert set(turned) == set(found)
        assert all(abs(turned[place] - found[place]) < 5e-3 for place in turned)
    check_equation_6()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, draw in (("block_circulant_matrix", draw_matrix),
                       ("block_circulant_sector", draw_sector),
                       ("block_circulant_eq6", draw_equation_6)):
        path = arguments.output / f"{name}.png"
        figure = draw(plt)
        figure.savefig(path, dpi=110, bbox_inches="tight")
        plt.close(figure)
        print(path)


if __name__ == "__main__":
    main()
