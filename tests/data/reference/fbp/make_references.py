# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes skimage_*.npy and astra_*.npy beside this file: filtered back projections by scikit-image and ASTRA Toolbox
(pip install numpy scikit-image astra-toolbox) of ../astra/shepp_logan_64_sinogram.npy.

Prints the relative L2 difference of each image from a direct float64 computation, and the smallest one with another
window. README.md holds these numbers."""
import os

import astra
import numpy as np
from skimage.transform import iradon

HERE = os.path.dirname(os.path.abspath(__file__))
WINDOWS = ("ram_lak", "shepp_logan", "cosine", "hamming", "hann")
SIZE = 64

sinogram = np.load(os.path.join(HERE, "..", "astra", "shepp_logan_64_sinogram.npy")).astype(np.float64)
views, detectors = sinogram.shape
angles = np.pi * np.arange(views) / views


def by_skimage(window):
    """65 x 65 pixels: scikit-image puts the origin on pixel size // 2 and on detector 95 // 2 = 47. With odd sizes both
    are the middle, as in our conventions, so nothing is resampled. Its row 0 is at the top."""
    name = "ramp" if window == "ram_lak" else window.replace("_", "-")
    return iradon(sinogram.T, theta=np.rad2deg(angles), output_size=SIZE + 1, filter_name=name, interpolation="linear",
                  circle=False)


def by_astra(window):
    """64 x 64 pixels in our orientation. The projector is strip: its transposed product averages the filtered values
    over a pixel, which comes close to linear interpolation. The transposed linear projector does not."""
    volume = astra.create_vol_geom(SIZE, SIZE)
    rays = astra.create_proj_geom("parallel", 1.0, detectors, angles)
    config = astra.astra_dict("FBP")
    config["ProjectorId"] = astra.create_projector("strip", rays, volume)
    config["ProjectionDataId"] = astra.data2d.create("-sino", rays, sinogram.astype(np.float32))
    config["ReconstructionDataId"] = astra.data2d.create("-vol", volume)
    config["option"] = {"FilterType": window.replace("_", "-")}
    astra.algorithm.run(astra.algorithm.create(config))
    image = astra.data2d.get(config["ReconstructionDataId"])
    astra.clear()
    return image


def ramp(distance):
    """Transform of |f|, |f| <= 1/2."""
    return 0.5 * np.sinc(distance) - 0.25 * np.sinc(distance / 2) ** 2


def direct(window, size):
    """Convolution in space and linear interpolation, in float64."""
    k = np.arange(1.0 - detectors, detectors)
    side = {"hamming": 0.23, "hann": 0.25}.get(window, 0.0)
    weights = (1 - 2 * side) * ramp(k) + side * (ramp(k + 1) + ramp(k - 1))
    if window == "shepp_logan":
        weights = -2 / (np.pi**2 * (4 * k * k - 1))
    if window == "cosine":
        weights = 0.5 * (ramp(k + 0.5) + ramp(k - 0.5))
    middle = (size - 1) / 2
    x, y = np.arange(size)[None, :] - middle, middle - np.arange(size)[:, None]
    positions = np.arange(detectors) - (detectors - 1) / 2
    image = np.zeros((size, size))
    for angle, values in zip(angles, sinogram):
        filtered = np.convolve(values, weights)[detectors - 1:2 * detectors - 1]
        image += np.interp(x * np.cos(angle) + y * np.sin(angle), positions, filtered, left=0, right=0)
    return image * np.pi / views


def difference(image, reference):
    return np.linalg.norm(image - reference) / np.linalg.norm(reference)


for code, images, size in (("skimage", by_skimage, SIZE + 1), ("astra", by_astra, SIZE)):
    for window in WINDOWS:
        image = images(window)
        np.save(os.path.join(HERE, f"{code}_{window}.npy"), image.astype(np.float32))
        others = min(difference(direct(other, size), image) for other in WINDOWS if other != window)
        print(f"{code} {window}: {difference(direct(window, size), image):.2e}, another window {others:.2e}")
