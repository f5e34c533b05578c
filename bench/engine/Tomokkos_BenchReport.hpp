// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RowStatistics.hpp>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos::Bench {

/// \brief Names that identify one measurement, spelled as in configurations and in the JSON file.
struct CandidateName {
  std::string matrix;
  std::string operation;
  std::string format;
  std::string variant;
  std::string scalar;
  std::string backend;
  std::string library;
  int vectors = 1;  ///< number of vectors multiplied at once
};

/// \brief Figures of a solver other than its time.
struct SolveFigures {
  int timed_iterations = 0;   ///< iterations of each timed solve
  double timed_residual = 0;  ///< `|b - A x| / |b|` after the timed iterations, computed in double
  double tolerance = 0;       ///< tolerance of one more solve, which is not timed
  int iterations = 0;         ///< iterations of the solve that is not timed
  std::string reason;         ///< reason why the solve that is not timed stopped
  double residual = 0;  ///< `|b - A x| / |b|` after the solve that is not timed, computed in double
  std::size_t common_bytes = 0;  ///< bytes of an iteration by the common model
  double product_seconds = 0;  ///< seconds of the product of this candidate alone, in the same run
};

/// \brief Figures of a transposition other than its time.
struct TranspositionFigures {
  /// Workspace in bytes without A and the result; empty: not reported by the library.
  std::optional<std::size_t> workspace_bytes;
  bool sorted = false;  ///< true if the columns of every row of the result ascend
};

/// \brief Differences between the results of repeated runs of one product. They are 0 if every run
/// gives the same bits.
struct SpreadFigures {
  int runs = 0;
  /// Largest `|y_i - first y_i|` of any run, divided by the largest `|first y_i|`.
  double largest = 0;
  /// Root mean square of `y_i - first y_i` over the runs after the first, divided by that of the
  /// first result.
  double rms = 0;
};

/// \brief Figures of a candidate that are known before it is timed.
struct CandidateFigures {
  std::size_t bytes_model = 0;      ///< each stored input read once, each output written once
  std::size_t footprint_bytes = 0;  ///< bytes of distinct memory that one execution touches
  std::size_t memory_bytes = 0;     ///< bytes kept for the candidate: matrix, copies, workspace
  double setup_seconds = 0;         ///< seconds of analysis, conversion and transposition
  double fill = 1;                  ///< entries in memory divided by nonzeros
  std::string choice;     ///< concrete choice of `automatic`; empty if it is not a single one
  double operations = 0;  ///< operations of a product: two per nonzero and vector; otherwise 0
};

/// \brief One measured candidate.
struct BenchResult : CandidateFigures {
  CandidateName name;
  double seconds_median = 0;  ///< seconds of one execution
  double seconds_p25 = 0;
  double seconds_p75 = 0;
  double seconds_best = 0;                            ///< least of all samples
  std::optional<SolveFigures> solve;                  ///< only for solvers
  std::optional<TranspositionFigures> transposition;  ///< only for `transpose`
  std::optional<SpreadFigures> spread;                ///< only for products whose runs are compared
  /// Relative difference `|x - x_plain| / |x_plain|` after `quality_iterations` from the same
  /// start. Only for iterations with 16-bit values for which the same format with plain values is a
  /// candidate, too.
  std::optional<double> rmse_to_plain;
  double error = 0;  ///< largest error of a row divided by its bound; correct if <= 1

  /// \brief `bytes_model / seconds_median`, in 1e9 bytes per second.
  double gigabytes_per_second() const;

  /// \brief `operations / seconds_median`, in 1e9 operations per second; empty without operations.
  std::optional<double> gigaflops_per_second() const;
  /// \brief `operations / seconds_best`, in 1e9 operations per second; empty without operations.
  std::optional<double> gigaflops_best() const;
};

/// \brief Dimensions and sizes of a block-circulant matrix. Its row statistics are those of the
/// expanded matrix.
struct CirculantInfo {
  Ordinal blocks = 0;  ///< k, for k x k blocks
  Ordinal block_rows = 0;
  Ordinal block_columns = 0;
  Offset stored = 0;  ///< nonzeros of the first block row
  double reuse = 1;   ///< rho: nonzeros divided by the number of distinct pairs of a row and an
                      ///< in-sector column
  std::size_t bytes = 0;
  std::size_t csr_bytes = 0;  ///< size of the expanded matrix in CSR; never formed
};

/// \brief Matrix that was measured.
struct MatrixInfo {
  std::string name;
  std::string origin;  ///< `generated`, `file`, `tomography` or `vector`
  RowStatistics rows;
  std::optional<CirculantInfo> circulant = {};
};

/// \brief Candidate that was requested but not measured.
struct SkippedCandidate {
  CandidateName name;
  std::string reason;
};

/// \brief Bandwidths of the machine in 1e9 bytes per second, measured in the same run; 0: not yet
/// measured.
struct Bandwidth {
  double copy = 0;   ///< bytes read + bytes written
  double triad = 0;  ///< two arrays read, one written
  double read = 0;   ///< dot product
  /// Bandwidth to which shares refer: copy on a GPU, read on a CPU. 0, and no shares, if there was
  /// too little memory to measure beyond the caches.
  double reference = 0;
};

/// \brief Machine on which the report was measured.
struct Machine {
  std::string backend;
  std::string device;  ///< model of the processor or of the GPU
  int threads = 0;     ///< threads of the host
  std::size_t last_cache_bytes = 0;
  std::size_t memory_bytes = 0;
  /// Versions: the program, Kokkos, the compiler, the peers.
  std::vector<std::pair<std::string, std::string>> versions;
};

/// \brief All results of `tomokkos bench`.
struct BenchReport {
  Machine machine;
  Bandwidth bandwidth;
  std::vector<MatrixInfo> matrices;
  std::vector<BenchResult> results;
  std::vector<SkippedCandidate> skipped;
  std::vector<std::string> absent_peers;

  /// \brief Bandwidth of a result as a share of the reference: `result.gigabytes_per_second() /
  /// bandwidth.reference`.
  ///
  /// Empty without a reference, or if the footprint is below three times the last cache, because
  /// the cache would then be measured.
  std::optional<double> share_of_bandwidth(const BenchResult& result) const;

  /// \brief Share of the bandwidth computed with `SolveFigures::common_bytes`, as if exactly these
  /// bytes had been moved.
  ///
  /// Empty for results without `SolveFigures`.
  std::optional<double> common_share(const BenchResult& result) const;

  /// \brief Part of an iteration that is not its product: `1 - product / iteration`.
  ///
  /// Empty for results without `SolveFigures`.
  static std::optional<double> overhead_share(const BenchResult& result);

  /// \brief Finds the matrix called \p name; nullptr if there is none.
  const MatrixInfo* find_matrix(const std::string& name) const;

  /// \brief `bytes_model` divided by the nonzeros of the matrix; empty if it has none.
  std::optional<double> bytes_per_nonzero(const BenchResult& result) const;

  /// \brief Nonzeros of the matrix divided by `seconds_median`; empty without a time.
  std::optional<double> nonzeros_per_second(const BenchResult& result) const;
};

/// \brief Writes the report as JSON: `{machine, bandwidth, matrices, results, summary, skipped,
/// absent_peers}`.
std::string to_json(const BenchReport& report);

/// \brief Writes the report as aligned tables, followed by the summary over all matrices.
///
/// There is one table per matrix, operation, number of vectors and scalar, with a line per
/// candidate. The fastest correct candidate is marked `*`; uncertain times (`is_uncertain`) are
/// marked `~`. A column compares each time with that of the fastest correct peer.
void write_table(std::ostream& out, const BenchReport& report);

}  // namespace Tomokkos::Bench
