// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant `merge_atomic`: independent threads traverse the merge path of CSR
// (Tomokkos_SpmvMergePath_impl.hpp). Each thread has a section of the path and finds its begin by a
// bisection. The sum of a row that a section boundary cuts is added to y by an atomic addition.
//
// In contrast to `merge_path`, neighbouring threads read entries that are a section apart, and rows
// longer than a section are added up in an arbitrary order.
#pragma once

#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_SpmvMergePath_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Part of a row within a section.
struct SectionPiece {
  Ordinal row;
  Offset begin, end;
  /// True if the row begins and ends in the section, so that no other section adds to it.
  bool whole;
};

/// \brief Equal sections of the merge path.
template <class Scalar>
struct MergeSections {
  CsrStreams<Scalar> A;
  const Offset* row_offsets;
  Ordinal num_rows;
  Offset items_per_section, num_sections;

  template <class Matrix, class XView, class Plan>
  MergeSections(const Matrix& M, const XView& x, const Plan& plan)
      : A(M, x),
        row_offsets(M.row_offsets.data()),
        num_rows(M.num_rows),
        items_per_section(plan.options().items_per_tile),
        num_sections(plan.num_tiles()) {}

  /// Calls \p work with each nonempty piece of \p section.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void walk(Offset section, const Work& work) const {
    const Offset last = num_rows + A.nonzeros;
    const Offset begin = section * items_per_section;
    Offset left = begin + items_per_section < last ? items_per_section : last - begin;
    Ordinal row = merge_path_row(row_offsets, num_rows, A.nonzeros, begin);
    Offset k = begin - row;
    while (left > 0) {
      // The end of a row is one more item after its entries.
      const Offset entries = row_offsets[row + 1] - k;
      const bool ends = entries < left;
      const Offset end = k + (ends ? entries : left);
      if (end > k) work(SectionPiece{row, k, end, ends && k == row_offsets[row]});
      left -= end - k + (ends ? 1 : 0);
      k = end;
      ++row;
    }
  }
};

/// \brief Processes a section with one thread; y already holds `beta y`.
template <class Scalar>
struct SpmvMergeAtomic {
  MergeSections<Scalar> sections;
  Scalar* y;
  Scalar alpha;

  struct Add {
    const CsrStreams<Scalar>& A;
    Scalar* y;
    Scalar alpha;

    KOKKOS_FORCEINLINE_FUNCTION void operator()(const SectionPiece& piece) const {
      const Scalar sum = alpha * row_sum(A, piece.begin, piece.end);
      if (piece.whole)
        y[piece.row] += sum;
      else
        Kokkos::atomic_add(y + piece.row, sum);
    }
  };

  KOKKOS_FUNCTION void operator()(const Offset section) const {
    sections.walk(section, Add{sections.A, y, alpha});
  }
};

/// \brief Processes a section of the transposed product: x is indexed by rows, y by columns.
template <class Scalar>
struct SpmvTransposeSections {
  MergeSections<Scalar> sections;
  Scalar* y;
  Scalar alpha;

  struct Add {
    const CsrStreams<Scalar>& A;
    Scalar* y;
    Scalar alpha;

    KOKKOS_FORCEINLINE_FUNCTION void operator()(const SectionPiece& piece) const {
      const Scalar factor = alpha * A.x[piece.row];
      for (Offset k = piece.begin; k < piece.end; ++k)
        Kokkos::atomic_add(y + A.columns[k], A.values[k] * factor);
    }
  };

  KOKKOS_FUNCTION void operator()(const Offset section) const {
    sections.walk(section, Add{sections.A, y, alpha});
  }
};

/// \brief Scales y, then processes all sections.
template <class ExecutionSpace, class Functor, class Scalar>
void launch_sections(const ExecutionSpace& exec, const std::string& label, const Functor& functor,
                     Scalar beta,
                     const VectorView<Scalar, typename ExecutionSpace::memory_space>& y) {
  Kokkos::parallel_for(label + "::scale", element_range(exec, y.extent(0)),
                       ScaleOrClear<Scalar, typename ExecutionSpace::memory_space>{y, beta});
  if (functor.sections.num_sections == 0) return;
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(
                           exec, 0, functor.sections.num_sections),
                       functor);
}

template <class ExecutionSpace, class Scalar>
void launch_spmv_merge_atomic(const ExecutionSpace& exec, const MergeSections<Scalar>& sections,
                              Scalar alpha, Scalar beta,
                              const VectorView<Scalar, typename ExecutionSpace::memory_space>& y) {
  launch_sections(exec, "Tomokkos::spmv::csr::merge_atomic",
                  SpmvMergeAtomic<Scalar>{sections, y.data(), alpha}, beta, y);
}

template <class ExecutionSpace, class Scalar>
void launch_spmv_transpose_sections(
    const ExecutionSpace& exec, const MergeSections<Scalar>& sections, Scalar alpha, Scalar beta,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& y) {
  launch_sections(exec, "Tomokkos::spmv_transpose::csr::sections",
                  SpmvTransposeSections<Scalar>{sections, y.data(), alpha}, beta, y);
}

}  // namespace Tomokkos::Impl
