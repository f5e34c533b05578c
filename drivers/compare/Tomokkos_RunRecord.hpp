// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record of a run: what was run, and digests of what it computed. It is small enough for a file,
// and enough to tell whether another run computed the same.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

class RunRanks;

/// \brief Input file of a run. Only its contents count.
struct RunInputFile {
  std::string name;  ///< file name without its folder, for messages
  std::uintmax_t bytes = 0;
  std::string hash;  ///< of the contents
};

/// \brief Configuration and input of a run, without what belongs to a machine. Equal on all ranks
/// of a run, and in a record and the run that is compared with it.
struct RunIdentity {
  /// Effective configuration without the backend, threads, the memory limit and the output. Paths
  /// of files are replaced by `(file)`.
  ConfigNode configuration;
  std::vector<RunInputFile> inputs;
};

/// \brief Returns the identity of a run of \p configuration that reads \p files. Reads them all.
///
/// \throws InputError if a file cannot be read
RunIdentity identity_of(const ConfigNode& configuration,
                        const std::vector<std::filesystem::path>& files);

/// \brief \p configuration as `RunIdentity` holds it.
ConfigNode portable_configuration(const ConfigNode& configuration);

/// \brief Returns the first key or file that differs, with both values; empty if there is none.
///
/// \param ignored further keys that may differ
std::optional<ConfigDifference> first_difference(const RunIdentity& a, const RunIdentity& b,
                                                 const ConfigKeys& ignored = {});

/// \brief Checks that all ranks were given the same \p command, before ranks with different
/// commands wait for each other. Collective, and the first collective call of every command.
///
/// \throws ConfigError with the rank and both commands
void require_same_command(const std::string& command, const RunRanks& ranks);

/// \brief Checks that the identity is that of all ranks. Collective.
///
/// \throws ConfigError with the rank, the key or file, and both values
void require_same_on_ranks(const RunIdentity& own, const RunRanks& ranks);

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

/// \brief Number of an iterate.
struct IterateNumber {
  int solve = 0;  ///< number of the solve, for solvers that solve one right-hand side after another
  int iteration = 0;

  bool operator==(const IterateNumber&) const = default;
};

/// \brief Describes an iterate: `iterate 12`, `iterate 12 of column 2`.
std::string describe(const IterateNumber& number);

/// \brief Iterate at which the host checked the run.
struct IterateRecord : IterateNumber {
  std::vector<double> residuals;  ///< relative residual of each slice; NaN: not measured
  /// How far rounding can move the iterate: root mean square, over the samples, of the distance to
  /// the farthest iterate of runs with rounded data (`RunRecorder`). Zero if there was no such run.
  double rounding = 0;
  VectorDigest x;
};

/// \brief End of the solve of one slice or right-hand side.
struct RecordedEnd {
  StopReason reason = StopReason::max_iterations;
  int iterations = 0;

  bool operator==(const RecordedEnd&) const = default;
};

/// \brief Products, iterates and ends of a run, with what was run.
struct RunRecord {
  int format = 2;  ///< of the file
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

/// \brief Finds an iterate of \p record; null: there is none.
const IterateRecord* find_iterate(const RunRecord& record, const IterateNumber& number);

/// \brief Positions of the sampled entries of a vector: all of them if there are at most \p count,
/// otherwise one in each of \p count equal parts, chosen by a fixed hash.
std::vector<std::size_t> sample_positions(std::size_t size, int count);

/// \brief Digest of \p values, which have the precision Scalar.
template <class Scalar>
VectorDigest digest_of(const std::vector<Scalar>& values, int samples);

/// \brief Differences of \p a and \p b, which are equally long.
std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b);

/// \brief Root mean square of \p values; 0 if there are none.
double root_mean_square(const std::vector<double>& values);

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
