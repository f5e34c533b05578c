# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes vectors_*.npz beside this file: matrices of ASTRA Toolbox (pip install astra-toolbox scipy)
for parallel_vec and fanflat_vec, with the vectors in the member `vectors`. Prints nothing."""
import os

import astra
import numpy as np

ROWS, COLUMNS, PIXEL, CENTER, DETECTORS = 10, 12, 0.8, (1.6, -0.8), 13

angles = 0.3 + 2 * np.pi * np.arange(6) / 6
tilt = np.array([0.0, 0.2, -0.3, 0.1, -0.15, 0.25])
shift = np.array([0.4, -1.1, 0.0, 0.7, -0.3, 1.9])
axis = angles + tilt
sign = np.array([1, 1, -1, 1, -1, 1])  # of the direction in which the index grows
parallel = [-np.sin(angles), np.cos(angles), 1.6 + shift, -0.8 - shift, 1.1 * sign * np.cos(axis), 1.1 * sign * np.sin(axis)]
fan = [25 * np.sin(angles) + shift, -25 * np.cos(angles), -14 * np.sin(angles), 14 * np.cos(angles) - shift,
       1.4 * sign * np.cos(axis), 1.4 * sign * np.sin(axis)]

x, y = CENTER
volume = astra.create_vol_geom(ROWS, COLUMNS, x - COLUMNS * PIXEL / 2, x + COLUMNS * PIXEL / 2,
                               y - ROWS * PIXEL / 2, y + ROWS * PIXEL / 2)
for beam, geometry, vectors, projectors in (("parallel", "parallel_vec", parallel, ("line", "linear", "strip")),
                                            ("fan", "fanflat_vec", fan, ("line_fanflat",))):
    vectors = np.stack(vectors, axis=1)
    for projector in projectors:
        rays = astra.create_proj_geom(geometry, DETECTORS, vectors)
        matrix = astra.matrix.get(astra.projector.matrix(astra.create_projector(projector, rays, volume))).tocsr()
        matrix.eliminate_zeros()
        matrix.sort_indices()
        np.savez_compressed(
            os.path.join(os.path.dirname(os.path.abspath(__file__)), f"vectors_{beam}_{projector.split('_')[0]}.npz"),
            data=matrix.data.astype(np.float32), indices=matrix.indices.astype(np.int32),
            indptr=matrix.indptr.astype(np.int32), shape=np.array(matrix.shape), format=b"csr",
            skip_rows=np.zeros(matrix.shape[0], dtype=bool), vectors=vectors)
