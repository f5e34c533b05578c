#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/images/ray_tiles.svg: rays through an image in tiles, and how their segments are stored.

    docs/figures/draw_ray_tiles.py
"""

import math
import pathlib

TILE = 120  # of the picture; a tile stands for 64 x 64 pixels
TILES = 3
LEFT, TOP = 20, 50
COLOURS = ["#1b6ca8", "#c8553d", "#3c8d40"]  # colours of the rays
PACKS = 3  # entries drawn per segment


def clip(x0, y0, x1, y1, left, top, right, bottom):
    """Returns the part of a line inside a rectangle, or None."""
    low, high = 0.0, 1.0
    for position, step, first, last in ((x0, x1 - x0, left, right), (y0, y1 - y0, top, bottom)):
        if abs(step) < 1e-12:
            if not first <= position <= last:
                return None
            continue
        near, far = sorted(((first - position) / step, (last - position) / step))
        low, high = max(low, near), min(high, far)
    if high - low < 1e-3:
        return None
    point = lambda t: (x0 + t * (x1 - x0), y0 + t * (y1 - y0))
    return point(low), point(high)


def main():
    side = TILE * TILES
    shapes = []

    def text(x, y, words, size=13, colour="#222222", anchor="start", weight="normal"):
        shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
            f'text-anchor="{anchor}" font-weight="{weight}">{words}</text>'
        )

    text(LEFT, 30, "Three rays of a group through 3 x 3 tiles of 64 x 64 pixels", weight="bold")
    for row in range(TILES):
        for column in range(TILES):
            number = row * TILES + column
            shapes.append(
                f'<rect x="{LEFT + column * TILE}" y="{TOP + row * TILE}" width="{TILE}" '
                f'height="{TILE}" fill="{"#f3efe4" if number == 4 else "#ffffff"}" stroke="#888888"/>'
            )
            text(LEFT + column * TILE + 6, TOP + row * TILE + 17, f"tile {number}", 12, "#888888")

    # Segments: {(tile, ray): the part of the ray in the tile}.
    segments = []
    angle = math.radians(25)
    for ray, colour in enumerate(COLOURS):
        middle = TOP + side / 2 + (ray - 1) * 44
        reach = 1.5 * side
        centre = LEFT + side / 2
        line = (
            centre - reach * math.cos(angle),
            middle + reach * math.sin(angle),
            centre + reach * math.cos(angle),
            middle - reach * math.sin(angle),
        )
        for number in range(TILES * TILES):
            left = LEFT + number % TILES * TILE
            top = TOP + number // TILES * TILE
            part = clip(*line, left, top, left + TILE, top + TILE)
            if part is None:
                continue
            segments.append((number, ray))
            (x0, y0), (x1, y1) = part
            shapes.append(
                f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" '
                f'stroke-width="4"/>'
            )
            for x, y in part:
                shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
    segments.sort()

    left = LEFT + side + 50
    text(left, 30, "The one copy: segments by tile, then by ray", weight="bold")
    y = TOP
    shown = [number for number in range(TILES * TILES) if any(s[0] == number for s in segments)]
    height = (side - 10 * len(shown)) / max(len(segments), 1)
    for number in shown:
        rays = [ray for tile, ray in segments if tile == number]
        block = height * len(rays)
        shapes.append(
            f'<rect x="{left}" y="{y:.1f}" width="330" height="{block:.1f}" '
            f'fill="{"#f3efe4" if number == 4 else "#fafafa"}" stroke="#888888"/>'
        )
        text(left + 8, y + block / 2 + 4, f"tile {number}", 12, "#666666")
        for place, ray in enumerate(rays):
            at = y + place * height
            for pack in range(PACKS):
                x = left + 70 + pack * 84
                for entry in range(4):
                    last = pack == PACKS - 1 and entry > 1
                    shapes.append(
                        f'<rect x="{x + entry * 20}" y="{at + 5:.1f}" width="18" '
                        f'height="{height - 10:.1f}" fill="{"none" if last else COLOURS[ray]}" '
                        f'stroke="{COLOURS[ray]}" stroke-dasharray="{"2,2" if last else "none"}" '
                        f'fill-opacity="{1 if pack == 0 and entry == 0 else 0.35}"/>'
                    )
        y += block + 10
    y = TOP + side + 24
    text(LEFT, y, "A x: a team holds the tile of x in its fast memory, sums each segment,", 12)
    text(LEFT, y + 16, "and adds the sum to the row of its ray.", 12)
    text(LEFT, y + 36, "A^T y: it holds the tile of the result instead, and adds y of the ray", 12)
    text(LEFT, y + 52, "times each entry to it.", 12)
    text(left, y, "A box is an entry: 16 bits of its place in the tile and a value.", 12)
    text(left, y + 16, "The first of a segment carries a flag; dashed ones fill up a pack", 12)
    text(left, y + 32, "of four. Which ray a pack belongs to follows from the flags.", 12)

    width, height = left + 350, TOP + side + 90
    target = pathlib.Path(__file__).resolve().parent.parent / "images" / "ray_tiles.svg"
    target.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


if __name__ == "__main__":
    main()
