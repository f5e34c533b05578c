// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction of CSR matrices with sorted rows from the contents of files. Runs on the calling
// thread, because reading the file costs more.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// \brief Modifiable host array.
template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace>;

/// \brief Allocates \p count entries of the View \p label, not initialised.
///
/// Readers check beforehand with `MemoryNeed` that the machine can hold all their arrays together.
///
/// \throws MemoryError with label and size when the entries cannot be allocated
template <class T>
HostView<T> allocate_host(std::uint64_t count, const std::string& label) {
  return allocate_without_instance<HostView<T>>(label, count);
}

/// \brief CSR matrix under construction.
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

  /// \brief Sorts the columns of every row. Repeated columns of a row are added or rejected.
  ///
  /// \param duplicates `sum` or `refuse`
  /// \param locate returns the beginning of a message for a row and column, for example
  /// `"a.mtx:17: "`
  /// \param first_row number of row 0 in messages and for \p locate
  /// \throws InputError for a repeated column with `refuse`, or for a sum that is not finite unless
  /// \p allow_non_finite
  HostCsrMatrix<Scalar> finish(DuplicatePolicy duplicates, bool allow_non_finite,
                               const std::function<std::string(Ordinal, Ordinal)>& locate,
                               Ordinal first_row = 0);
};

/// \brief List of entries in coordinate form.
template <class Scalar>
struct Triplets {
  std::vector<Ordinal> rows;
  std::vector<Ordinal> columns;
  std::vector<Scalar> values;
};

/// \brief Relation between an off-diagonal entry and its mirror image.
enum class Mirror { none, same, negated };

/// \brief Builds rows from \p triplets, including the mirror images of off-diagonal entries.
/// Entries of a row keep the order of the list. Frees \p triplets at the end.
///
/// Cost: O(rows + entries).
template <class Scalar>
HostCsrBuilder<Scalar> builder_from_triplets(Ordinal num_rows, Ordinal num_cols,
                                             Triplets<Scalar>&& triplets, Mirror mirror);

}  // namespace Tomokkos::Impl
