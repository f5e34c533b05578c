# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SciPy's products with the first row of blocks of a block-circulant matrix, for compare_scipy.py."""

import numpy as np
import scipy.sparse
from numpy.lib.stride_tricks import as_strided

LARGEST_COPY = 2 << 30  # bytes; SciPy copies arrays that are not contiguous


def number_of_blocks(path):
    """Number of blocks stored in an .npz by `tomokkos convert`; None for any other file."""
    if path.suffix != ".npz":
        return None
    with np.load(path, allow_pickle=False) as archive:
        return int(archive["blocks"]) if "blocks" in archive.files else None


def transposed(A, blocks):
    """First row of blocks of C^T: block j is the transpose of block -j mod k of A."""
    rows, columns = A.shape[0], A.shape[1] // blocks
    entries = A.tocoo()
    block, column = np.divmod(entries.col.astype(np.int64), columns)
    T = scipy.sparse.csr_matrix((entries.data, (column, -block % blocks * rows + entries.row)),
                                shape=(columns, rows * blocks))
    T.sort_indices()
    return T


def candidates(A, blocks, x):
    """Returns [(name, product)] for `Y = C x`. Y (rows x k) and x are stored block after block."""
    columns, size = A.shape[1] // blocks, A.shape[1]
    twice = np.concatenate([x, x])
    item = x.itemsize

    def one_by_one():
        return np.stack([A @ twice[p * columns:p * columns + size] for p in range(blocks)], axis=1)

    at_once = -(-blocks // -(-blocks // 32))  # like `spmm_copy` of tomokkos bench

    def some_columns():
        parts = []
        for p in range(0, blocks, at_once):
            count = min(at_once, blocks - p)
            view = as_strided(twice[p * columns:], (size, count), (item, columns * item),
                              writeable=False)
            parts.append(A @ view)
        return np.concatenate(parts, axis=1)

    found = [("k products", one_by_one), (f"products with {at_once} columns (eq. 5)", some_columns)]
    if 2 * size * blocks * item > LARGEST_COPY:
        print(f"  eq. 6: left out, SciPy would copy {2 * size * blocks * item} bytes of X")
        return found
    block, column = np.divmod(A.indices.astype(np.int64), columns)
    modified = scipy.sparse.csr_matrix((A.data, column * 2 * blocks + block, A.indptr),
                                       shape=(A.shape[0], 2 * size))
    rows = np.tile(x.reshape(blocks, columns).T, 2).ravel()
    rows = np.concatenate([rows, np.zeros(blocks, x.dtype)])  # past the last row

    def in_one():
        return modified @ as_strided(rows, (2 * size, blocks), (item, item), writeable=False)

    return found + [("one product (eq. 6)", in_one)]


def worst_error(A, blocks, x, Y):
    """Largest row error over its bound, as in docs/benchmarks/method.md; correct when at most 1."""
    wide, magnitudes = A.astype(np.float64), abs(A.astype(np.float64))
    columns, size = A.shape[1] // blocks, A.shape[1]
    twice = np.concatenate([x, x]).astype(np.float64)
    unit = 2 * (np.diff(A.indptr) + 2) * np.finfo(x.dtype).eps / 2
    worst = 0.0
    if Y.shape != (A.shape[0], blocks):
        return float("inf")
    for p in range(blocks):
        part = twice[p * columns:p * columns + size]
        error = abs(Y[:, p].astype(np.float64) - wide @ part)
        bound = unit * (magnitudes @ abs(part))
        if not np.all(error <= np.where(bound > 0, np.inf, 0)):
            return float("inf")
        worst = max(worst, float(np.max(error[bound > 0] / bound[bound > 0], initial=0)))
    return worst
