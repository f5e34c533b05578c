// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record of a run: small enough for a file, and enough to tell whether another run computed the
// same.
#pragma once

#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_RunIdentity.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Digest of a vector in natural order.
struct VectorDigest {
  std::size_t size = 0;
  double norm = 0;  ///< 2-norm
  /// Sum, added in double. Records of format 1 may lack it.
  std::optional<double> sum;
  std::string hash;             ///< changes with any bit of the values; comparable on one backend
  std::vector<double> samples;  ///< entries at `sample_positions(size, ...)`
};

/// \brief Product of the operator with a test vector.
struct ProductRecord {
  std::string name;  ///< `A x` or `A' y`
  VectorDigest value;
  std::vector<double> bounds;  ///< rounding bounds of the samples
};

/// \brief Iterate at which the host checked the run.
struct IterateRecord {
  int solve = 0;  ///< number of the solve, for solvers that solve one right-hand side after another
  int iteration = 0;
  std::vector<double> residuals;  ///< relative residual of each slice; NaN: not measured
  VectorDigest x;
  /// How far rounding can move the iterate: root mean square, over the samples, of the distance to
  /// the farthest iterate of runs with rounded data (`RunRecorder`). Zero if there was no such run.
  double rounding = 0;
};

/// \brief End of the solve of one slice or right-hand side.
struct RecordedEnd {
  StopReason reason = StopReason::max_iterations;
  int iterations = 0;

  bool operator==(const RecordedEnd&) const = default;
};

/// \brief Products, iterates and ends of a run, with what was run.
struct RunRecord {
  std::string version, git, backend, device, scalar;
  int threads = 0, ranks = 1;
  RunIdentity identity;
  int samples = 0;  ///< entries of each vector that are stored
  std::vector<ProductRecord> products;
  std::vector<IterateRecord> iterates;
  std::vector<RecordedEnd> ends;
  bool stop_depends_on_rounding = false;  ///< a run with rounded data ended elsewhere
  /// The solver computes its residual by a recursion, which amplifies rounding errors.
  bool is_recursive = false;
};

/// \brief Positions of the sampled entries of a vector: all of them if there are at most \p count,
/// otherwise one in each of \p count equal parts, chosen by a fixed hash.
std::vector<std::size_t> sample_positions(std::size_t size, int count);

/// \brief Digest of \p values, which have the precision Scalar.
template <class Scalar>
VectorDigest digest_of(const std::vector<Scalar>& values, int samples);

/// \brief Keeps at most \p count iterates of \p record, evenly spaced, with the first and the last.
void thin_iterates(RunRecord& record, std::size_t count);

/// \brief Kind of the files that `write_record` writes and may replace.
extern const OutputKind record_output;

/// \brief Writes \p record as YAML, completely or not at all.
///
/// \throws OutputError
void write_record(const std::filesystem::path& file, const RunRecord& record);

/// \brief Reads a record.
///
/// \throws InputError naming the file and the entry that is missing or malformed
RunRecord read_record(const std::filesystem::path& file);

}  // namespace Tomokkos
