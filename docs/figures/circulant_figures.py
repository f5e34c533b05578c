# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of plot_benchmarks.py on block-circulant matrices (Romero, Tomas, Soriano, Blanquer
2014): figure 3 on a host, figure 7 on a GPU, and figure 4."""

# Our variants in the order of the figures: (name in the results, name in the paper).
VARIANTS = [
    ("basic_mv", "basic MV"),
    ("spmm", None),
    ("mm", "MM"),
    ("mm_2", "MM-2"),
    ("maxpy_2", "MM-2-2"),
    ("maxpy_4", "MM-2-4"),
    ("maxpy_8", "MM-2-8"),
    ("maxpy_12", "MM-2-12"),
    ("maxpy_16", "MM-2-16"),
    ("team", "fig. 6"),
    ("registers", None),
    ("replicated", None),
    ("library", None),
    ("automatic", None),
]

# For other libraries: the fastest result whose variant begins with this, with or without "stored:".
PEER_WAYS = [
    ("k SpMV", "k_spmv:"),
    ("k SpMV, op(T)", "k_spmv_op_t"),
    ("SpMM, eq. 5", "spmm_eq5:"),
    ("SpMM, eq. 6", "spmm_eq6:"),
    ("SpMM of a copy", "spmm_copy:"),
]

# Variants by the number of vectors that are added at once (figure 4).
CARDINALITIES = [("mm_2", "AXPY"), ("maxpy_2", "MAXPY2"), ("maxpy_4", "MAXPY4"),
                 ("maxpy_8", "MAXPY8"), ("maxpy_12", "MAXPY12"), ("maxpy_16", "MAXPY16")]


def plain(variant):
    """Name of a variant without the prefix that marks a stored transpose."""
    return variant.removeprefix("stored:")


def is_maxpy(matrix):
    return matrix.startswith("maxpy")


def gigaflops(result):
    """GFLOP/s of the best sample, and of the median one."""
    return result["gigaflops_best"], result["gigaflops_per_second"]


def series_of(report, matrices):
    """Returns [(name, {matrix: result})]: our variants, then those of each library."""
    def fastest(select):
        found = {}
        for matrix in matrices:
            results = [r for r in report.of(matrix) if select(r)]
            if results:
                found[matrix] = min(results, key=lambda r: r["seconds_best"])
        return found

    ours = lambda variant: lambda r: (r["library"] == "tomokkos"
                                      and plain(r["variant"]) == variant)
    series = [(f"{name} ({paper})" if paper else name, fastest(ours(name)))
              for name, paper in VARIANTS]
    series.append(("direct", fastest(ours("direct"))))
    for peer in report.peers():
        for way, prefix in PEER_WAYS:
            series.append((f"{peer}: {way}",
                           fastest(lambda r: r["library"] == peer
                                   and plain(r["variant"]).startswith(prefix))))
    return [(name, found) for name, found in series if found]


def print_steps(series, matrices):
    """Prints how many times as fast as basic MV each series is, by medians."""
    basic = next((found for name, found in series if name.startswith("basic_mv")), {})
    shared = [m for m in matrices if m in basic]
    if not shared:
        return
    print(f"{'times as fast as basic_mv':32s}" + "".join(f"{m:>12s}" for m in shared))
    for name, found in series:
        factors = [f"{basic[m]['seconds_median'] / found[m]['seconds_median']:12.2f}"
                   if m in found else f"{'':12s}" for m in shared]
        print(f"{name:32s}" + "".join(factors))


def by_variant(plt, report, missing):
    """Draws figures 3 and 7: GFLOP/s of each variant on each matrix. The bar is the best sample, the
    line across it the median."""
    matrices = [m for m in report.matrices if report.circulant.get(m) and not is_maxpy(m)]
    if not matrices:
        raise missing(f"{report.path}: no block-circulant matrix: configs/bench_circulant.yaml")
    series = series_of(report, matrices)
    print_steps(series, matrices)
    figure, axes = plt.subplots(figsize=(max(8, 0.16 * len(series) * len(matrices) + 3), 5))
    width = 0.88 / len(series)
    for s, (name, found) in enumerate(series):
        places = [i + (s - 0.5 * (len(series) - 1)) * width
                  for i, m in enumerate(matrices) if m in found]
        best, median = zip(*(gigaflops(found[m]) for m in matrices if m in found))
        axes.bar(places, best, width, label=name, color=plt.get_cmap("tab20")(s % 20),
                 hatch="//" if s >= 20 else None)
        axes.hlines(median, [p - 0.4 * width for p in places], [p + 0.4 * width for p in places],
                    color="#222222", linewidth=0.8)
    axes.set_xticks(range(len(matrices)))
    axes.set_xticklabels(matrices)
    axes.set_ylabel("GFLOP/s: best, and the median across it")
    result = report.results[0]
    axes.set_title(f"{result['operation']}, {result['scalar']}, {report.device}")
    axes.legend(ncol=4, fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, -0.07))
    return figure


def by_cardinality(plt, reports, missing):
    """Draws figure 4: a group of bars for each file, as the paper has one for each machine."""
    figure, axes = plt.subplots(figsize=(7, 4.5))
    width = 0.85 / len(reports)
    drawn = 0
    for f, report in enumerate(reports):
        matrices = [m for m in report.matrices if is_maxpy(m)]
        if not matrices:
            raise missing(f"{report.path}: no matrix whose name begins with maxpy: "
                          "configs/bench_circulant.yaml has one")
        found = {r["variant"]: r["gigaflops_best"] for r in report.of(matrices[0])
                 if r["library"] == "tomokkos"}
        points = [(i + (f - 0.5 * (len(reports) - 1)) * width, found[variant])
                  for i, (variant, _) in enumerate(CARDINALITIES) if variant in found]
        drawn += len(points)
        if points:
            axes.bar(*zip(*points), width, label=report.device)
    if drawn == 0:
        raise missing(f"{reports[0].path}: none of " + ", ".join(v for v, _ in CARDINALITIES))
    axes.set_xticks(range(len(CARDINALITIES)))
    axes.set_xticklabels([name for _, name in CARDINALITIES])
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"Vectors added at once, {reports[0].results[0]['scalar']}")
    axes.legend(fontsize="small")
    return figure
