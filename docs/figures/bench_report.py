# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the JSON files of `tomokkos bench`, for the scripts that draw figures of them."""

import json


class Missing(Exception):
    """Raised when the file does not hold what a figure needs."""


class Report:
    """The correct results of some files for one operation and scalar."""

    def __init__(self, paths, operation, scalar):
        path = self.path = paths[0]  # named in messages
        documents = [self.read(p) for p in paths]
        self.device = documents[0]["machine"].get("device", "?")
        self.bandwidth = documents[0].get("bandwidth", {}).get("reference") or 0
        self.nonzeros = {m["name"]: m["nonzeros"] for d in documents for m in d["matrices"]}
        self.rows = {m["name"]: m["rows"] for d in documents for m in d["matrices"]}
        self.circulant = {m["name"]: m.get("circulant") for d in documents for m in d["matrices"]}
        everything = [r for d in documents for r in d["results"]]
        self.results = [r for r in everything
                        if r["operation"] == operation and r["scalar"] == scalar
                        and r["error"] is not None and r["error"] <= 1]
        if not self.results:
            there = sorted({(r["operation"], r["scalar"]) for r in everything})
            raise Missing(f"{path}: no right result of {operation} in {scalar}; the file has "
                          + (", ".join(" in ".join(pair) for pair in there) or "none at all"))
        names = {r["matrix"] for r in self.results}
        for name in sorted(names - set(self.nonzeros)):
            raise Missing(f"{path}: the matrix {name} has results but no statistics")
        self.matrices = sorted(names, key=lambda name: (self.nonzeros[name], name))

    @staticmethod
    def read(path):
        try:
            document = json.loads(path.read_text())
        except OSError as error:
            raise Missing(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise Missing(f"{path}: no JSON: {error}") from error
        for key in ("machine", "matrices", "results"):
            if not isinstance(document, dict) or key not in document:
                raise Missing(f"{path}: no \"{key}\": not a file of tomokkos bench --json, or of "
                              "an older version")
        return document

    def of(self, matrix):
        return [r for r in self.results if r["matrix"] == matrix]

    def seconds(self, matrix, library, format_name=None, variants=None):
        """Least time of these candidates on a matrix, or None."""
        return min((r["seconds_median"] for r in self.of(matrix)
                    if r["library"] == library
                    and (format_name is None or r["format"] == format_name)
                    and (variants is None or r["variant"] in variants)), default=None)

    def gigaflops(self, matrix, *which):
        seconds = self.seconds(matrix, *which)
        return None if not seconds else 2e-9 * self.nonzeros[matrix] / seconds

    def share(self, result):
        """Share of the bandwidth, even where the cache may hold the data; None if no bandwidth is known."""
        if result["share_of_bandwidth"] is not None or not self.bandwidth:
            return result["share_of_bandwidth"]
        return result["gigabytes_per_second"] / self.bandwidth

    def peers(self):
        return sorted({r["library"] for r in self.results} - {"tomokkos"})
