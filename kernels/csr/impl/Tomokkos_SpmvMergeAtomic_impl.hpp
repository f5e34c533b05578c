// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge path of CSR (Tomokkos_SpmvMergePath_impl.hpp) walked by threads that know nothing of
// each other: each has a section of the path, finds by a bisection where it begins, and adds what
// it sums of a row that the border of a section cuts to y by an atomic addition. Neighbouring
// threads read the matrix a section apart, and rows longer than a section are added up in any
// order: what `merge_path` does without.
#pragma once

#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_SpmvMergePath_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Part of a row in a section.
struct SectionPiece {
  Ordinal row;
  Offset begin, end;
  /// The row begins and ends in the section, so that no other one adds to it.
  bool whole;
};

/// \brief Equal pieces of the merge path.
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

  /// Calls \p work with each piece of \p section that has entries.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void walk(Offset section, const Work& work) const {
    const Offset last = num_rows + A.nonzeros;
    const Offset begin = section * items_per_section;
    Offset left = begin + items_per_section < last ? items_per_section : last - begin;
    Ordinal row = merge_path_row(row_offsets, num_rows, A.nonzeros, begin);
    Offset k = begin - row;
    while (left > 0) {
      // One item more than its entries ends a row.
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

/// \brief A section by one thread; y holds `beta y` before.
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

/// \brief The same of the transposed product: x belongs to the rows, y to the columns.
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

/// \brief Scales y, then walks all sections.
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
