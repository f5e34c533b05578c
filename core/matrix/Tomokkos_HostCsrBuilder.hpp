// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a file holds to a CSR matrix with sorted rows. Runs on the calling thread: reading the
// file costs more.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// \brief A host array that can be filled.
template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace>;

/// \brief \p count uninitialised entries of the View \p label. Throws `MemoryError` with both when
/// they cannot be allocated. Whether the machine can hold them is asked before, for all arrays that
/// a reader will hold together: `MemoryNeed`.
template <class T>
HostView<T> allocate_host(std::uint64_t count, const std::string& label) {
  return allocate_without_instance<HostView<T>>(label, count);
}

/// \brief A CSR matrix under construction.
template <class Scalar>
struct HostCsrBuilder {
  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  HostView<Offset> row_offsets;
  HostView<Ordinal> columns;
  HostView<Scalar> values;

  /// \brief Sets the shape and allocates the offsets, not initialised.
  void allocate_rows(Ordinal rows, Ordinal cols);
  /// \brief Allocates \p count columns and values, not initialised.
  void allocate_entries(std::uint64_t count);

  /// \brief Sorts the columns of every row; columns that appear twice in a row are added up, or
  /// refused with `InputError`.
  ///
  /// \param duplicates `sum` or `refuse`.
  /// \param locate gives the beginning of a message for a row and column, for example
  /// `"a.mtx:17: "`.
  /// \param first_row what row 0 is called, in messages and for \p locate.
  HostCsrMatrix<Scalar> finish(DuplicatePolicy duplicates, bool allow_non_finite,
                               const std::function<std::string(Ordinal, Ordinal)>& locate,
                               Ordinal first_row = 0);
};

/// \brief A list of entries.
template <class Scalar>
struct Triplets {
  std::vector<Ordinal> rows;
  std::vector<Ordinal> columns;
  std::vector<Scalar> values;
};

/// \brief What an entry off the diagonal says about its mirror image.
enum class Mirror { none, same, negated };

/// \brief The rows of \p triplets, in the order of the list within each row, with the mirror
/// images of the entries off the diagonal. Cost: O(rows + entries); \p triplets are freed at the
/// end.
template <class Scalar>
HostCsrBuilder<Scalar> builder_from_triplets(Ordinal num_rows, Ordinal num_cols,
                                             Triplets<Scalar>&& triplets, Mirror mirror);

}  // namespace Tomokkos::Impl
