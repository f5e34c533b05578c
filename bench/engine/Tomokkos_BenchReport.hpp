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

/// \brief What names one measurement. The words are those of configurations and of the JSON file.
struct CandidateName {
  std::string matrix;
  std::string operation;
  std::string format;
  std::string variant;
  std::string scalar;
  std::string backend;
  std::string library;
  int vectors = 1;  ///< that are multiplied at once
};

/// \brief What a solver did beside the iterations that were timed.
struct SolveFigures {
  int timed_iterations = 0;      ///< of each solve that was timed
  double timed_residual = 0;     ///< `|b - A x| / |b|` after them, formed in double
  double tolerance = 0;          ///< of one more solve, which was not timed
  int iterations = 0;            ///< that it took
  std::string reason;            ///< at which it stopped
  double residual = 0;           ///< `|b - A x| / |b|` after it, formed in double
  std::size_t common_bytes = 0;  ///< of an iteration by the model that all are compared with
  double product_seconds = 0;    ///< of the product of the same candidate alone, in the same run
};

/// \brief What a transposition took and gave beside its time.
struct TranspositionFigures {
  /// Beside A and the result; nothing where a library does not tell.
  std::optional<std::size_t> workspace_bytes;
  bool sorted = false;  ///< the columns of every row of the result ascend
};

/// \brief How far the results of one product, run again and again, are apart: 0 where every run
/// gives the same bits.
struct SpreadFigures {
  int runs = 0;
  /// The largest `|y_i - first y_i|` of any run, over the largest `|first y_i|`.
  double largest = 0;
  /// Root of the mean square of `y_i - first y_i` over the runs after the first, over that of the
  /// first result.
  double rms = 0;
};

/// \brief The figures of a candidate that are known before it is timed.
struct CandidateFigures {
  std::size_t bytes_model = 0;      ///< each stored input read once, each output written once
  std::size_t footprint_bytes = 0;  ///< distinct memory that one execution touches
  std::size_t memory_bytes = 0;     ///< what is kept for it: matrix, copies, workspace
  double setup_seconds = 0;         ///< analysis, conversion, transposition
  double fill = 1;                  ///< entries in memory over nonzeros
  std::string choice;               ///< what `automatic` stands for, if it is one thing
  double operations = 0;            ///< of a product: two a nonzero and vector; 0 for the others
};

/// \brief One measured candidate.
struct BenchResult : CandidateFigures {
  CandidateName name;
  double seconds_median = 0;  ///< of one execution
  double seconds_p25 = 0;
  double seconds_p75 = 0;
  double seconds_best = 0;                            ///< the least of all samples
  std::optional<SolveFigures> solve;                  ///< of solvers
  std::optional<TranspositionFigures> transposition;  ///< of `transpose`
  std::optional<SpreadFigures> spread;                ///< of products, where runs are compared
  /// Of an iteration with values of 16 bits, where the same format with plain ones is there, too:
  /// `|x - x_plain| / |x_plain|` after `quality_iterations` from the same start.
  std::optional<double> rmse_to_plain;
  double error = 0;  ///< largest row error over its bound: right when <= 1

  /// \brief `bytes_model / seconds_median`, in 1e9 bytes per second.
  double gigabytes_per_second() const;

  /// \brief `operations / seconds_median`, in 1e9 operations per second; nothing without them.
  std::optional<double> gigaflops_per_second() const;
  /// \brief The same in the least time.
  std::optional<double> gigaflops_best() const;
};

/// \brief What a block-circulant matrix is made of; its rows are those of the expanded one.
struct CirculantInfo {
  Ordinal blocks = 0;  ///< k: of k x k
  Ordinal block_rows = 0;
  Ordinal block_columns = 0;
  Offset stored = 0;  ///< nonzeros of the first row of blocks
  double reuse = 1;   ///< rho: nonzeros over distinct pairs of a row and an in-sector column
  std::size_t bytes = 0;
  std::size_t csr_bytes = 0;  ///< of the expanded matrix, which there is not
};

/// \brief A matrix that was measured.
struct MatrixInfo {
  std::string name;
  std::string origin;  ///< `generated`, `file`, `tomography` or `vector`
  RowStatistics rows;
  std::optional<CirculantInfo> circulant = {};
};

/// \brief A candidate that was asked for and not measured.
struct SkippedCandidate {
  CandidateName name;
  std::string reason;
};

/// \brief Bandwidths of the machine in 1e9 bytes per second, measured in the same run; 0: not yet.
struct Bandwidth {
  double copy = 0;   ///< read + written
  double triad = 0;  ///< two read, one written
  double read = 0;   ///< a dot product
  /// What shares refer to: copy on a GPU, read on a CPU. 0, and no shares, where the memory was too
  /// small to measure beyond the caches.
  double reference = 0;
};

/// \brief Where it was measured.
struct Machine {
  std::string backend;
  std::string device;  ///< model of the processor or of the GPU
  int threads = 0;     ///< of the host
  std::size_t last_cache_bytes = 0;
  std::size_t memory_bytes = 0;
  /// Versions: the program, Kokkos, the compiler, the peers.
  std::vector<std::pair<std::string, std::string>> versions;
};

/// \brief Everything that `tomokkos bench` found out.
struct BenchReport {
  Machine machine;
  Bandwidth bandwidth;
  std::vector<MatrixInfo> matrices;
  std::vector<BenchResult> results;
  std::vector<SkippedCandidate> skipped;
  std::vector<std::string> absent_peers;

  /// \brief `result.gigabytes_per_second() / bandwidth.reference`; nothing without a reference,
  /// or when the footprint is below three times the last cache, since then the cache would be
  /// measured.
  std::optional<double> share_of_bandwidth(const BenchResult& result) const;

  /// \brief The same share by `SolveFigures::common_bytes`: what the time would be worth if exactly
  /// these had been moved. Nothing without figures.
  std::optional<double> common_share(const BenchResult& result) const;

  /// \brief The part of an iteration that is not its product, `1 - product / iteration`; nothing
  /// without figures.
  static std::optional<double> overhead_share(const BenchResult& result);

  /// \brief The matrix called \p name, or nullptr.
  const MatrixInfo* find_matrix(const std::string& name) const;

  /// \brief `bytes_model` over the nonzeros of the matrix; nothing when it has none.
  std::optional<double> bytes_per_nonzero(const BenchResult& result) const;

  /// \brief The nonzeros of the matrix over `seconds_median`; nothing without a time.
  std::optional<double> nonzeros_per_second(const BenchResult& result) const;
};

/// \brief The report as JSON: `{machine, bandwidth, matrices, results, summary, skipped,
/// absent_peers}`.
std::string to_json(const BenchReport& report);

/// \brief The report as aligned tables, one per matrix, operation, number of vectors and scalar: a
/// line per candidate, the fastest right one marked `*`, what `is_uncertain` marked `~`, and the
/// time over that of the fastest right peer; then the summary over all matrices.
void write_table(std::ostream& out, const BenchReport& report);

}  // namespace Tomokkos::Bench
