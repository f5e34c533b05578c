// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunRecord.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Comparison of a record with a reference.
///
/// Products agree if every sample differs by at most its rounding bound, and norm and sum by what
/// these bounds allow. Iterates agree if the root mean square of the differences of their samples
/// is at most `iterate_tolerance` times that of the reference with rounded data (of a solver with a
/// recursion: `recursive_tolerance` times), and each difference, as those of norm and sum, at most
/// `sample_tolerance` times that and `largest_tolerance` times the rounding. Values that are not
/// finite never agree. Ends agree if reasons and iterations are equal, or if the
/// reference ends elsewhere as well when its data are rounded.
struct RecordComparison {
  /// Largest difference of a sample of each product, in units of its rounding bound.
  std::vector<double> products;
  std::size_t iterates = 0;            ///< iterates that both have
  double largest_iterate = 0;          ///< largest difference of an iterate; 1: what is allowed
  IterateNumber largest_at;            ///< where it occurs
  std::optional<IterateNumber> first;  ///< first iterate that differs by more than allowed
  /// Whether all bits are equal; empty if the records are of different backends or precisions.
  std::optional<bool> equal_bits;
  std::optional<IterateNumber> first_other_bits;
  bool stop_depends_on_rounding = false;
  std::vector<std::string> failures;  ///< why the records do not agree; empty: they agree

  bool agrees() const { return failures.empty(); }
};

/// \brief Largest accepted differences of an iterate, in units of its rounding. Runs on a GPU and
/// on a host lie 0.05 apart, with a recursion 0.6 (17 configurations, tests/records); rows that are
/// added in another order move an iterate of `cgls` by 2.0.
inline constexpr double iterate_tolerance = 0.2, recursive_tolerance = 3;
inline constexpr double sample_tolerance = 5, largest_tolerance = 5;

/// \brief Checks that the bounds of \p reference are those of \p other within a factor of 100,
/// and that the rounding of its iterates is at most 100 times that of \p other, which was measured;
/// with a recursion, 1000 times the largest of \p other.
///
/// \param reference_file names the reference in the message
/// \throws InputError with the first bound or iterate that is not
void require_plausible_bounds(const std::string& reference_file, const RunRecord& reference,
                              const RunRecord& other);

/// \brief Compares \p other with \p reference, which must have bounds and the same number of
/// samples.
RecordComparison compare_records(const RunRecord& reference, const RunRecord& other);

/// \brief How the matrix of \p record is stored and multiplied, where that of \p other is not:
/// `sell`, or `csr, ordering tiles`. Empty if they are equal.
std::string other_representation(const RunRecord& record, const RunRecord& other);

/// \brief Checks that \p other ran what \p reference ran: the same configuration, apart from the
/// backend, the threads, the memory limit, the ranks, the output, and the way in which the same
/// matrix is stored and multiplied, and the same contents of input files.
///
/// \param reference_file names the reference in the message
/// \throws ConfigError with the first key or file that differs and both values
void require_same_run(const std::string& reference_file, const RunRecord& reference,
                      const RunRecord& other);

}  // namespace Tomokkos
