#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the pictures of docs/scans/scan_to_image.md, with the configurations that the page prints.

    pip install matplotlib pillow
    docs/figures/draw_guide.py --tomokkos build/openmp/bin/tomokkos docs/images

Takes tooth.yaml, the fan beam's files, make_scan.py and my_scan.yaml from the page, runs them with the `--set`
that the page gives for each picture, and writes guide_*.png. Takes a few minutes on two cores. With
--work FOLDER the runs stay in that folder, and a run that is there is not made again.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/scans/scan_to_image.md"

# The stop rule is off where a picture is wrong on purpose: all have as many iterations as the right one.
FIXED = ["solver.iterations=19", "solver.stop="]


class Guide:
    def __init__(self, program, folder, output, threads):
        self.program, self.folder, self.output = program.resolve(), folder, output
        self.environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        blocks = re.findall(r"^```(yaml|python)\n# (\S+)[^\n]*\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
        for _, name, text in blocks:
            (folder / name).write_text(text)
        if not (folder / "tests").exists():
            (folder / "tests").symlink_to(ROOT / "tests")

    def run(self, configuration, name, *settings):
        """The image of a run, with the number of iterations and the relative residual."""
        out = self.folder / "out" / name
        command = [self.program, "run", configuration, "--quiet", "--output", out]
        for setting in settings:
            command += ["--set", setting]
        print("tomokkos run", configuration, *(f"--set '{setting}'" for setting in settings), flush=True)
        if not (out / "report.yaml").exists():
            subprocess.run(command, cwd=self.folder, env=self.environment, check=True)
        report = (out / "report.yaml").read_text()
        result = report[report.index("\nresult:"):]
        iterations = int(re.search(r"\n  iterations: (\d+)", result)[1])
        residual = float(re.search(r"\n  relative_residual: (\S+)", result)[1])
        return np.load(out / "reconstruction.npy"), iterations, residual

    def save(self, figure, name, colors=40):
        """Writes a picture of few colours, which is small."""
        path = self.output / name
        figure.savefig(path, dpi=100)
        plt.close(figure)
        Image.open(path).convert("RGB").quantize(colors, dither=Image.Dither.NONE).save(path, optimize=True)
        print(f"wrote {path}: {path.stat().st_size // 1000} kB")

    def panels(self, name, images, side=3.1):
        """Pictures side by side; each is (title, image, window or None)."""
        figure, axes = plt.subplots(1, len(images), figsize=(side * len(images), side + 0.35))
        for axis, (title, image, window) in zip(np.atleast_1d(axes), images):
            low, high = window or np.percentile(image, [0.5, 99.5])
            axis.imshow(image, cmap="gray", vmin=low, vmax=high, interpolation="antialiased")
            axis.set_title(title, fontsize=10)
            axis.axis("off")
        figure.tight_layout(pad=0.4)
        self.save(figure, name)


def sinogram(guide, path, center, name):
    data = np.load(path)
    figure, axis = plt.subplots(figsize=(6.4, 3.0))
    axis.imshow(data, cmap="gray", aspect="auto", vmin=np.percentile(data, 0.5))
    axis.axvline(center, color="tab:orange", linewidth=1)
    axis.set_xlabel("detector element (columns)")
    axis.set_ylabel("view (rows)")
    axis.set_title(f"rotation axis at element {center:.2f}", fontsize=10, color="tab:orange")
    figure.tight_layout(pad=0.4)
    guide.save(figure, name, 160)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=pathlib.Path, help="folder for the pictures")
    parser.add_argument("--tomokkos", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=pathlib.Path, help="folder that keeps the runs; default: none is kept")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.work or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        guide = Guide(arguments.tomokkos, folder.resolve(), arguments.output, arguments.threads)
        crop = (slice(60, 260), slice(60, 260))
        window = (-0.001, 0.0088)

        right, iterations, _ = guide.run("tooth.yaml", "tooth")
        report = (guide.folder / "out/tooth/report.yaml").read_text()
        center = float(re.search(r"\n  rotation_center: (\S+)", report)[1])
        sinogram(guide, guide.folder / "out/tooth/sinogram.npy", center, "guide_sinogram.png")
        guide.panels("guide_tooth.png", [("tooth.yaml", right, window)], 3.6)

        shifted = [(f"rotation_center = {c}", guide.run("tooth.yaml", f"center_{c}", f"problem.geometry.rotation_center={c}",
                                                       *FIXED)[0][crop], window) for c in (290.85, 300.85)]
        guide.panels("guide_center.png", [shifted[0], (f"auto: {center:.2f}", right[crop], window), shifted[1]])

        mirrored = guide.run("tooth.yaml", "sign", "problem.geometry.range=-180 deg")[0]
        turn = guide.run("tooth.yaml", "turn", "problem.geometry.range=360 deg",
                         "problem.geometry.rotation_center=295.85", *FIXED)[0]
        guide.run("fan_phantom.yaml", "fan_phantom")
        fan = guide.run("fan.yaml", "fan", "problem.geometry.range=-360 deg")[0]
        guide.panels("guide_angles.png", [
            ("right", right[crop], window), ("wrong sign: -180 deg", mirrored[crop], window),
            ("wrong range: 360 deg", turn[crop], window), ("fan beam, wrong sign", fan, (0, 0.6))], 2.6)

        raw = guide.run("tooth.yaml", "raw", "problem.sinogram.flat=none", "problem.geometry.rotation_center=295.85",
                        *FIXED)[0]
        guide.panels("guide_flat.png", [("flat and dark fields applied", right, window), ("flat: none", raw, None)])

        steps = [(f"{n} iterations", guide.run("tooth.yaml", f"steps_{n}", f"solver.iterations={n}", "solver.stop=")[0][crop],
                  window) for n in (3, 100)]
        guide.panels("guide_iterations.png", [steps[0], (f"ncp: {iterations} iterations", right[crop], window), steps[1]])

        subprocess.run([sys.executable, "make_scan.py"], cwd=guide.folder, check=True)
        image = guide.run("my_scan.yaml", "my_scan")[0]
        guide.panels("guide_own.png", [("my_scan.npy", np.load(guide.folder / "my_scan.npy"), None),
                                       ("reconstruction.png", image, (0, 0.04))])


if __name__ == "__main__":
    main()
