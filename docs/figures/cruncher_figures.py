# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of plot_benchmarks.py on conjugate gradients (Buatois, Caumon, Levy 2007) that compare
operations: figure 7, and the overhead by the size of the system."""

# Operations of figure 7: (label, operation, format or None for vectors).
OPERATIONS = [
    ("axpy", "axpy", None),
    ("dot", "dot", None),
    ("SpMV, CSR", "spmv", "csr"),
    ("SpMV, BCSR", "spmv", "bcsr"),
    ("iteration, CSR", "pcg", "csr"),
    ("iteration, BCSR", "pcg", "bcsr"),
    ("iteration, shared", "pcg", "shared"),
]


def fastest(report, matrix, format_name):
    """Our fastest result on a matrix in a format (None: any), or None."""
    results = [r for r in report.of(matrix)
               if r["library"] == "tomokkos" and format_name in (None, r["format"])
               and "float_matrix" not in r["variant"]]
    return min(results, key=lambda r: r["seconds_median"], default=None)


def operations_of(report, result):
    """Floating-point operations in a second. An iteration has 2 nnz + 10 n of them."""
    if result["operation"] != "pcg":
        return result["gigaflops_per_second"]
    matrix = result["matrix"]
    count = 2 * report.nonzeros[matrix] + 10 * report.rows[matrix]
    return 1e-9 * count / result["seconds_median"]


def efficiency_of(reports, matrix, length, limits, missing):
    """Returns [(label, share of the peak, share of the bandwidth)] of one file.

    reports -- a report for each operation that the file has
    limits -- peak in GFLOP/s and bandwidth in GB/s; None: that of the file
    """
    peak, bandwidth = limits
    if peak is None:
        raise missing("figure 7 needs the peak of each device: --peak GFLOP/s, --cpu-peak GFLOP/s")
    found = []
    for label, operation, format_name in OPERATIONS:
        report = reports.get(operation)
        if report is None:
            continue
        name = f"vector_{length}" if format_name is None else matrix
        result = fastest(report, name, format_name)
        share = result and (result["gigabytes_per_second"] / bandwidth if bandwidth
                            else report.share(result))
        if result and share is not None:
            found.append((label, operations_of(report, result) / peak, share))
    if not found:
        path = next(iter(reports.values())).path
        raise missing(f"{path}: no result of ours on {matrix} or on vectors of {length} entries, or no "
                      "bandwidth; choose others by --matrix and --length, or give --bandwidth GB/s and "
                      "--cpu-bandwidth GB/s")
    return found


def efficiency(plt, files, title, missing):
    """Draws figure 7: the share of the peak and of the bandwidth by operation, a pair of bars per file.

    files -- [(name of the device, [(label, share of peak, share of bandwidth)])]
    """
    labels = [label for label, _, _ in OPERATIONS
              if any(label == other for _, found in files for other, _, _ in found)]
    if not labels:
        raise missing("no operation was measured")
    figure, axes = plt.subplots(1, 2, figsize=(11, 0.9 + 0.32 * len(labels) * len(files)),
                                sharey=True, layout="constrained")
    height = 0.8 / len(files)
    for side, (axis, name) in enumerate(zip(axes, ("of the peak", "of the bandwidth"))):
        for f, (device, found) in enumerate(files):
            for label, *shares in found:
                place = labels.index(label) + (f - 0.5 * (len(files) - 1)) * height
                percent = 100 * shares[side]
                axis.barh(place, percent, height, color=f"C{f}")
                axis.text(percent, place, f" {percent:.3g} %", va="center", fontsize="x-small")
        axis.set_xlabel(f"per cent {name}")
        axis.margins(x=0.15)
    axes[0].set_yticks(range(len(labels)))
    axes[0].set_yticklabels(labels, fontsize="small")
    axes[0].invert_yaxis()
    figure.legend([plt.Rectangle((0, 0), 1, 1, color=f"C{f}") for f in range(len(files))],
                  [device for device, _ in files], fontsize="small", loc="outside lower center",
                  ncol=len(files))
    figure.suptitle(title, fontsize="medium")
    return figure


def overhead(plt, reports, missing):
    """Draws the part of an iteration that is not its product over the number of rows, a line for each
    format of ours and each library, of its fastest variant. Files differ by the style of the lines."""
    figure, axes = plt.subplots(figsize=(7.5, 4.8))
    colours = {}
    for report, style in zip(reports, ("-", "--", ":")):
        series = {}
        for matrix in report.matrices:
            best = {}
            for r in report.of(matrix):
                if not r.get("solve") or "float_matrix" in r["variant"]:
                    continue
                key = f"{r['format']}" if r["library"] == "tomokkos" else r["library"]
                if key not in best or r["seconds_median"] < best[key]["seconds_median"]:
                    best[key] = r
            for key, r in best.items():
                share = r["solve"]["overhead_share"]
                if share is not None:
                    # A product that is timed alone may take longer than within an iteration.
                    series.setdefault(key, []).append((report.rows[matrix], max(0, 100 * share)))
        for key, points in sorted(series.items()):
            colour = colours.setdefault(key, f"C{len(colours) % 10}")
            axes.plot(*zip(*sorted(points)), style, marker="o", color=colour,
                      label=key if len(reports) == 1 else f"{key}, {report.device}")
    if not axes.lines:
        raise missing(f"{reports[0].path}: no figures of solves: --operation pcg")
    axes.set_xscale("log")
    axes.set_xlabel("rows of the system")
    axes.set_ylabel("per cent of an iteration outside its product")
    axes.set_title(f"{reports[0].results[0]['scalar']}, " + ", ".join(r.device for r in reports),
                   fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small", ncol=2)
    return figure
