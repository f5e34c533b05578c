# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of plot_benchmarks.py on the products of Wang (2019, "Porting MLEM algorithm for
heterogeneous systems"): shares of the bandwidth, sections of the merge-based products, spread of runs."""

import re

from bench_report import Missing

# The products of the thesis: name, variant, and the share of the data sheet's bandwidth that it reports
# for MADPET-II on two V100s. Sections and tiles end a variant.
WAYS = {
    "spmv": [
        ("csr-vector", "crs_vector", 0.85),
        ("merge, atomics", "merge_atomic", 0.24),
        ("merge, carries", "merge_path", None),
        ("automatic", "automatic", None),
    ],
    "spmv_transpose": [
        ("csr-vector, stored", "stored:crs_vector", 0.90),
        ("merge, atomics, stored", "stored:merge_atomic", 0.25),
        ("merge, carries, stored", "stored:merge_path", None),
        ("automatic, stored", "stored:automatic", None),
        ("no transpose", "atomic", 0.55),
        ("no transpose, sections", "atomic:merge_atomic", None),
        ("windows", "windowed", None),
    ],
}


def in_sections(results, variant):
    """Returns {section: result} of our CSR by a variant; the key is None without a section."""
    found = {}
    for r in results:
        if r["library"] != "tomokkos" or r["format"] != "csr":
            continue
        if r["variant"] == variant:
            found[None] = r
        elif re.fullmatch(re.escape(variant) + r":\d+", r["variant"]):
            found[int(r["variant"].rsplit(":", 1)[1])] = r
    return found


def fastest_ways(report, operation, matrix):
    """Returns [(name, fastest result, share in the thesis)], the best of each library last."""
    ways = []
    results = report.of(matrix)
    for name, variant, reported in WAYS[operation]:
        found = in_sections(results, variant)
        if found:
            section, best = min(found.items(), key=lambda item: item[1]["seconds_median"])
            ways.append((name if section is None else f"{name}: {section}", best, reported))
    for peer in report.peers():
        stored = [r for r in results if r["library"] == peer and "op_t" not in r["variant"]]
        own = [r for r in results if r["library"] == peer and "op_t" in r["variant"]]
        for end, group in (("", stored), (", op(T)", own)):
            if group:
                ways.append((f"best {peer}{end}",
                             min(group, key=lambda r: r["seconds_median"]), None))
    return ways


def panels(plt, reports, draw):
    """Draws a row of panels for each matrix, one per operation, by draw(axes, report, operation, matrix)."""
    matrices = []
    for report in reports.values():
        matrices += [m for m in report.matrices if m not in matrices]
    figure, grid = plt.subplots(len(matrices), len(reports), squeeze=False,
                                figsize=(6.5 * len(reports), 3.4 * len(matrices)))
    for row, matrix in zip(grid, matrices):
        for axes, (operation, report) in zip(row, reports.items()):
            if matrix in report.matrices:
                draw(axes, report, operation, matrix)
            if not axes.has_data():
                axes.set_visible(False)
            axes.set_title(f"{matrix}, {'A x' if operation == 'spmv' else 'A^T x'}",
                           fontsize="medium")
    device = next(iter(reports.values())).device
    figure.suptitle(f"{device}, {next(iter(reports.values())).results[0]['scalar']}")
    figure.tight_layout()
    return figure


def name_bars(axes, names):
    axes.set_yticks(range(len(names)))
    axes.set_yticklabels(names, fontsize="small")
    axes.invert_yaxis()


def share(plt, reports):
    def draw(axes, report, operation, matrix):
        ways = [w for w in fastest_ways(report, operation, matrix) if report.share(w[1]) is not None]
        for i, (_, result, reported) in enumerate(ways):
            in_cache = result["share_of_bandwidth"] is None
            axes.barh(i, report.share(result), color="C7" if in_cache else "C0")
            axes.text(report.share(result), i, f" {1e3 * result['seconds_median']:.4g} ms"
                      + (", in cache" if in_cache else ""), va="center", fontsize="x-small")
            if reported and matrix.startswith("madpet2"):
                axes.plot([reported, reported], [i - 0.4, i + 0.4], color="k")
        name_bars(axes, [name for name, _, _ in ways])
        axes.set_xlim(0, 1.25 * max([1] + [report.share(w[1]) for w in ways]))
        axes.set_xlabel("share of the bandwidth"
                        + ("; black: MADPET-II on two V100s, 2019"
                           if matrix.startswith("madpet2") else ""), fontsize="small")

    return panels(plt, reports, draw)


def sections(plt, reports):
    def draw(axes, report, operation, matrix):
        for name, variant, _ in WAYS[operation]:
            found = in_sections(report.of(matrix), variant)
            points = sorted((section, report.share(r)) for section, r in found.items()
                            if section is not None and report.share(r) is not None)
            if points:
                axes.plot(*zip(*points), marker="o", label=name)
        if not axes.lines:
            return
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rows + nonzeros of a thread (atomics), of a team (carries)",
                        fontsize="small")
        axes.set_ylabel("share of the bandwidth")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")

    return panels(plt, reports, draw)


def spread_of_runs(plt, reports):
    smallest = 1e-9  # where an empty bar begins

    def draw(axes, report, operation, matrix):
        ways = [w for w in fastest_ways(report, operation, matrix) if w[1].get("spread")]
        for i, (_, result, _) in enumerate(ways):
            spread = result["spread"]
            if not spread["max"]:
                nothing = "0" if spread["max"] == 0 else "no number"
                axes.text(smallest, i, f" {nothing} in {spread['runs']} runs", va="center",
                          fontsize="x-small")
                continue
            axes.barh(i - 0.2, spread["max"], 0.4, color="C0", label="largest")
            axes.barh(i + 0.2, spread["rms"], 0.4, color="C1", label="root mean square")
        if not ways:
            return
        name_bars(axes, [name for name, _, _ in ways])
        axes.set_ylim(len(ways) - 0.5, -0.5)
        axes.set_xscale("log")
        largest = max(w[1]["spread"]["max"] or 0 for w in ways)
        axes.set_xlim(smallest, max(1e-6, 10 * largest))
        axes.set_xlabel(f"difference of {ways[0][1]['spread']['runs']} runs, relative",
                        fontsize="small")
        handles = dict(zip(*reversed(axes.get_legend_handles_labels())))
        if handles:
            axes.legend(handles.values(), handles.keys(), fontsize="small")

    if not any(r.get("spread") for report in reports.values() for r in report.results):
        report = next(iter(reports.values()))
        raise Missing(f"{report.path}: no spread of results: it takes bench.spread of 2 or more")
    return panels(plt, reports, draw)
