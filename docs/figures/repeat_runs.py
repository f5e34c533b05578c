#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repeats a run with combinations of products, for the study of accuracy in docs/systems/mlem.md.

    pip install numpy
    docs/figures/repeat_runs.py CONFIG --tomokkos build/openmp/bin/tomokkos --runs 10 --csv runs.csv
    docs/figures/draw_accuracy.py runs.csv docs/images

Runs CONFIG in CSR with every combination of a product and a transposed product, several times each.
With `stored`, every product of --forward is also used for the transpose. Prints for each
combination how far the sum of the result varies: over the runs, and from a run of the first one in
double. Writes one line for each run: the combination, number of the run, sum and norm of
reconstruction.npy or solution.npy, the first digits of the hash of its entries, and the iterations.
An interrupted study keeps the runs that it has. If CONFIG has keys of another format, --set
operator=null takes them out.
"""

import argparse
import csv
import hashlib
import math
import pathlib
import sys
import tempfile

import numpy

import run_report

FORWARD = ["scalar", "team_vector", "staged", "merge_path", "crs_vector", "spmv4gpu",
           "merge_atomic"]
BACK = ["stored", "atomic", "private", "windowed"]
HAVE_SECTIONS = {"merge_path", "merge_atomic"}
TITLES = "forward,back,back_variant,sections,run,sum,norm,bits,iterations".split(",")


def names_among(allowed):
    """Returns a reader of names that are separated by commas."""
    def names(text):
        for name in text.split(","):
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(allowed)}")
        return text.split(",")
    return names


def positive(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError("give a number of at least 1")
    return int(text)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=pathlib.Path, help="configuration file (YAML)")
    parser.add_argument("--tomokkos", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--runs", type=positive, required=True, help="runs of each combination")
    parser.add_argument("--csv", type=pathlib.Path, required=True, help="file for the results")
    parser.add_argument("--forward", type=names_among(FORWARD), default=FORWARD,
                        help="names of operator.variant, separated by commas; default: all")
    parser.add_argument("--back", type=names_among(BACK), default=BACK,
                        help="names of operator.transpose, separated by commas; default: all")
    parser.add_argument("--sections", type=lambda text: [positive(n) for n in text.split(",")],
                        default=[], help="values of operator.sections for merge_path and "
                                         "merge_atomic, separated by commas")
    parser.add_argument("--set", action="append", default=[], metavar="key.path=value",
                        help="overrides a key of the configuration; may be repeated")
    arguments = parser.parse_args()
    if arguments.sections and not HAVE_SECTIONS & set(arguments.forward):
        parser.error("--sections applies only to merge_path and merge_atomic; name one in "
                     "--forward")
    if is_other_file(arguments.csv):
        parser.error(f"{arguments.csv} exists and is no table of this script")
    return arguments


def is_other_file(path):
    return path.is_file() and not path.read_bytes().startswith(",".join(TITLES).encode())


def combinations(arguments):
    """Yields (product, transposed product, its variant, sections); the last two may be empty."""
    for forward in arguments.forward:
        for back in arguments.back:
            for variant in arguments.forward if back == "stored" else [""]:
                has_sections = HAVE_SECTIONS & {forward, variant}
                for sections in arguments.sections if has_sections and arguments.sections else [""]:
                    yield forward, back, variant, sections


def run(arguments, combination, settings=()):
    """Runs a combination; returns (sum, norm, hash of the entries, iterations)."""
    keys = zip(("variant", "transpose", "transpose_variant", "sections"), combination)
    settings = [*arguments.set, "operator.format=csr",
                *(f"operator.{key}={value}" for key, value in keys if value), *settings]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        report = run_report.run_in(folder, arguments.tomokkos, arguments.config, settings)
        for name in ("reconstruction.npy", "solution.npy"):
            if (folder / name).exists():
                x = numpy.load(folder / name)
                break
        else:
            sys.exit(f"{arguments.config} writes no array; --set 'output.image=[npy]'")
    entries = x.astype(float).ravel()
    bits = hashlib.sha256(x.tobytes()).hexdigest()[:16]
    return math.fsum(entries), math.sqrt(math.fsum(entries**2)), bits, report.iterations


def main():
    arguments = parse_arguments()
    reference, impossible, failed, done = None, [], 0, 0
    print(f"{'A x':12}  {'A^T y':21}  sections  mean sum        spread     from double  bits")
    with open(arguments.csv, "w", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(TITLES)
        for each in combinations(arguments):
            forward, back, variant, sections = each
            back_name = f"{back}, {variant}" if variant else back
            results = []
            try:
                for number in range(1, arguments.runs + 1):
                    results.append(run(arguments, each))
                    table.writerow([*each, number, *results[-1]])
                    stream.flush()
                if reference is None:
                    reference = run(arguments, each, ["run.scalar=double"])[0]
            except run_report.Refused as problem:
                if problem.status == 2:
                    impossible.append(f"{forward} and {back_name}: {problem}")
                else:
                    failed += 1
                    print(f"{forward:12}  {back_name:21}  failed: {problem}")
                continue
            done += 1
            sums = [result[0] for result in results]
            mean = math.fsum(sums) / len(sums)
            spread = (max(sums) - min(sums)) / abs(mean) if max(sums) > min(sums) else 0
            distance = abs(mean / reference - 1) if reference else math.nan
            bits = len({result[2] for result in results})
            print(f"{forward:12}  {back_name:21}  {str(sections) or '-':8}  {mean:<14.8g}  "
                  f"{spread:<9.1e}  {distance:<11.1e}  "
                  f"{'equal' if bits == 1 else f'{bits} different'}", flush=True)
    print("\nSpread: the largest minus the smallest sum over the runs, in units of the mean.")
    for problem in impossible:
        print(f"not possible: {problem}")
    if done == 0 and failed == 0:
        sys.exit("no combination can run this configuration")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
