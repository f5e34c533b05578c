#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times SciPy's products on a matrix that `tomokkos convert` has written, beside a benchmark of ours.

    pip install scipy numpy
    tomokkos convert configs/quickstart.yaml quickstart.npz
    tomokkos bench configs/quickstart.yaml --json quickstart.json
    docs/figures/compare_scipy.py quickstart.npz --json quickstart.json

For the first row of blocks of a block-circulant matrix (--blocks k, or an .npz that `tomokkos convert`
wrote for a cone beam, which holds the number) it times `Y = C X` as k products with a vector, and as
products of CSR with a dense array: with some columns of the anti-circulant matrix (eq. 5 of Romero et
al. 2014) or, where SciPy's copy of it is not too large, with all (eq. 6). The transposed product uses
the first row of blocks of C^T.

    tomokkos convert configs/circulant_small.yaml small.npz
    docs/figures/compare_scipy.py small.npz --json small.json

For any other matrix it times CSR and, with --block, BSR (which SciPy fills up itself): `y = A x`, and
with --transpose `A^T x` from the same arrays. Each product is checked against one in double, row by
row, within the bound of rounding. SciPy works on one thread. The ratio is SciPy's median over that of
our fastest correct result in the file (`spmv` or `spmv_transpose`, same scalar, same nonzeros). Exit
status 1 means that a product is wrong, or that the file has nothing to compare with.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse

import circulant_scipy


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrix", type=pathlib.Path, help=".npz or .mtx")
    parser.add_argument("--json", type=pathlib.Path, help="written by tomokkos bench")
    parser.add_argument("--name", help="of the matrix in that file, where it holds several")
    parser.add_argument("--scalar", choices=["float", "double"], default="float")
    parser.add_argument("--block", type=int, nargs="*", default=[], help="sizes of BSR blocks")
    parser.add_argument("--blocks", type=int, help="of a row of blocks: how many stand in it")
    parser.add_argument("--transpose", action="store_true", help="A^T x, too")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1, help="of x")
    arguments = parser.parse_args()
    if arguments.repeats < 1 or arguments.warmup < 0:
        parser.error("at least one repeat, and no fewer than no warm-ups")
    return arguments


def read(path):
    if not path.is_file():
        sys.exit(f"{path}: there is no such file")
    matrix = scipy.sparse.load_npz(path) if path.suffix == ".npz" else scipy.io.mmread(path)
    matrix = scipy.sparse.csr_matrix(matrix)
    matrix.sort_indices()
    return matrix


def worst_error(A, x, y):
    """Largest row error over its bound, as in docs/benchmarks/method.md; correct when at most 1."""
    wide = A.astype(np.float64)
    reference = wide @ x.astype(np.float64)
    magnitude = abs(wide) @ abs(x.astype(np.float64))
    entries = np.diff(A.indptr)
    unit = np.finfo(y.dtype).eps / 2
    bound = 2 * (entries + 2) * unit * magnitude
    error = abs(y.astype(np.float64) - reference)
    if np.any(error[bound == 0] > 0):
        return float("inf")
    return float(np.max(error[bound > 0] / bound[bound > 0], initial=0))


def median_seconds(product, repeats, warmup):
    for _ in range(warmup):
        product()
    samples = []
    for _ in range(repeats):
        begin = time.perf_counter()
        product()
        samples.append(time.perf_counter() - begin)
    return statistics.median(samples)


def ours(arguments, nonzeros, operation):
    """Returns our fastest correct result: (seconds, its name)."""
    try:
        document = json.loads(arguments.json.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{arguments.json}: {error}")
    sizes = {m["name"]: m["nonzeros"] for m in document.get("matrices", [])}
    names = {r["matrix"] for r in document["results"]}
    if arguments.name is None and len(names) > 1:
        sys.exit(f"{arguments.json} holds {', '.join(sorted(names))}: which one? --name")
    name = arguments.name or next(iter(names), None)
    if name not in names:
        sys.exit(f"{arguments.json} has no matrix {name}; it holds {', '.join(sorted(names))}")
    if sizes.get(name) != nonzeros:
        sys.exit(f"{name} in {arguments.json} has {sizes.get(name)} nonzeros, {arguments.matrix} "
                 f"has {nonzeros}: not the same matrix")
    right = [r for r in document["results"]
             if r["matrix"] == name and r["library"] == "tomokkos" and r["operation"] == operation
             and r["scalar"] == arguments.scalar and r["error"] is not None and r["error"] <= 1]
    if not right:
        sys.exit(f"{arguments.json} has no right result of ours for {operation} of {name} in "
                 f"{arguments.scalar}")
    best = min(right, key=lambda r: r["seconds_median"])
    return best["seconds_median"], f"{best['format']} {best['variant']}"


def compare_circulant(arguments, A, blocks, random):
    """Returns True when a product was wrong."""
    if blocks < 1 or A.shape[1] % blocks:
        sys.exit(f"{arguments.matrix}: {blocks} blocks do not divide {A.shape[1]} columns")
    failed = False
    for operation in ["spmv"] + (["spmv_transpose"] if arguments.transpose else []):
        plain = A if operation == "spmv" else circulant_scipy.transposed(A, blocks)
        x = random.uniform(-1, 1, plain.shape[1]).astype(A.dtype)
        reference = ours(arguments, A.nnz * blocks, operation) if arguments.json else None
        for name, product in circulant_scipy.candidates(plain, blocks, x):
            error = circulant_scipy.worst_error(plain, blocks, x, product())
            seconds = median_seconds(product, arguments.repeats, arguments.warmup)
            line = (f"  {operation}, {name}: {1e3 * seconds:.3f} ms, "
                    f"{2e-9 * A.nnz * blocks / seconds:.2f} GFLOP/s, error {error:.3g} of its bound")
            if not error <= 1:
                line += ", WRONG"
                failed = True
            if reference:
                line += f"; ours {1e3 * reference[0]:.3f} ms ({reference[1]}), " \
                        f"SciPy / ours {seconds / reference[0]:.2f}"
            print(line)
    return failed


def main():
    arguments = parse_arguments()
    scalar = np.float32 if arguments.scalar == "float" else np.float64
    A = read(arguments.matrix).astype(scalar)
    print(f"{arguments.matrix}: {A.shape[0]} x {A.shape[1]}, {A.nnz} nonzeros, SciPy "
          f"{scipy.__version__}, one thread")
    random = np.random.default_rng(arguments.seed)
    blocks = arguments.blocks or circulant_scipy.number_of_blocks(arguments.matrix)
    if blocks:
        sys.exit(1 if compare_circulant(arguments, A, blocks, random) else 0)
    failed = False
    for operation in ["spmv"] + (["spmv_transpose"] if arguments.transpose else []):
        plain = A if operation == "spmv" else A.T.tocsr()
        x = random.uniform(-1, 1, plain.shape[1]).astype(scalar)
        candidates = [("csr", A if operation == "spmv" else A.T)]
        for block in arguments.block:
            if any(length % block for length in A.shape):
                print(f"  {operation}, bsr {block}x{block}: the shape is no multiple of {block}")
                continue
            bsr = scipy.sparse.bsr_matrix(A, blocksize=(block, block))
            candidates.append((f"bsr {block}x{block}, fill {bsr.data.size / A.nnz:.2f}",
                               bsr if operation == "spmv" else bsr.T))
        reference = ours(arguments, A.nnz, operation) if arguments.json else None
        for name, matrix in candidates:
            error = worst_error(plain, x, matrix @ x)
            seconds = median_seconds(lambda: matrix @ x, arguments.repeats, arguments.warmup)
            line = f"  {operation}, {name}: {1e3 * seconds:.3f} ms, error {error:.3g} of its bound"
            # BSR adds the zeros of its fill, too; they cause no rounding.
            if not error <= 1:
                line += ", WRONG"
                failed = True
            if reference:
                line += f"; ours {1e3 * reference[0]:.3f} ms ({reference[1]}), " \
                        f"SciPy / ours {seconds / reference[0]:.2f}"
            print(line)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
