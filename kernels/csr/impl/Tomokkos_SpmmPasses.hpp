// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of products with several vectors, and the kernel for each.
#pragma once

#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <impl/Tomokkos_SpmmHost_impl.hpp>

namespace Tomokkos::Impl {

/// \brief True if rows of \p stride values at \p data are aligned for loads of all vectors of a
/// lane.
template <class Scalar>
bool rows_allow_lane_loads(const Scalar* data, Offset stride, int width) {
  const std::size_t bytes =
      sizeof(Scalar) * static_cast<std::size_t>(spmm_vectors_per_lane(width, sizeof(Scalar)));
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0 &&
         static_cast<std::size_t>(stride) * sizeof(Scalar) % bytes == 0;
}

template <int W, bool Aligned>
struct SpmmWidth {
  static constexpr int width = W;
  static constexpr bool aligned = Aligned;
};

/// \brief Calls `launch(SpmmWidth, pass)` for every pass over X and Y on a GPU.
template <class Scalar, class Launch>
void for_each_spmm_pass(MultiVectorPass<Scalar> pass, const Launch& launch) {
  const Scalar* const x = pass.x;
  Scalar* const y = pass.y;
  const int vectors = pass.width;
  for (int first = 0; first < vectors; first += pass.width) {
    const int width = spmm_pass_width(vectors - first);
    pass.x = x + first;
    pass.y = y + first;
    pass.width = std::min(width, vectors - first);
    const bool aligned = rows_allow_lane_loads(pass.x, pass.stride, width) &&
                         rows_allow_lane_loads(pass.y, pass.stride, width);
    if (aligned) {
      switch (width) {
        case 32:
          launch(SpmmWidth<32, true>{}, pass);
          continue;
        case 16:
          launch(SpmmWidth<16, true>{}, pass);
          continue;
        case 8:
          launch(SpmmWidth<8, true>{}, pass);
          continue;
        case 4:
          launch(SpmmWidth<4, true>{}, pass);
          continue;
        case 2:
          launch(SpmmWidth<2, true>{}, pass);
          continue;
        default:
          break;
      }
    }
    // Widths in between would save a fraction of a launch that is rare.
    if (width > 8)
      launch(SpmmWidth<32, false>{}, pass);
    else if (width > 4)
      launch(SpmmWidth<8, false>{}, pass);
    else if (width > 1)
      launch(SpmmWidth<4, false>{}, pass);
    else
      launch(SpmmWidth<1, false>{}, pass);
  }
}

/// \brief Launches all passes over the rows that \p A reads.
template <class ExecutionSpace, class Scalar, class Reader>
void launch_spmm(const ExecutionSpace& exec, const std::string& label, const Reader& A,
                 double mean_row_length, const SpmmOptions& options,
                 const MultiVectorPass<Scalar>& pass) {
  if constexpr (is_host_space<ExecutionSpace>) {
    (void)mean_row_length, (void)options;
    const int parts = concurrency(exec);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, parts),
                         SpmmHost<Scalar, Reader>{A, pass, parts});
  } else {
    for_each_spmm_pass(pass, [&](auto width, const MultiVectorPass<Scalar>& part) {
      launch_spmm_rows<ExecutionSpace, Scalar, decltype(width)::width, decltype(width)::aligned>(
          exec, label, A, mean_row_length, options, part);
    });
  }
}

/// \brief Returns the pass over all vectors of X and Y. Throws `DimensionMismatch`.
template <class Scalar, class MemorySpace>
MultiVectorPass<Scalar> whole_pass(Ordinal rows, Ordinal columns, Scalar alpha,
                                   const MultiVectorView<const Scalar, MemorySpace>& X, Scalar beta,
                                   const MultiVectorView<Scalar, MemorySpace>& Y) {
  Impl::require_operands(Impl::Operand("X", X, "columns of A", columns),
                         Impl::Operand("Y", Y, "rows of A", rows));
  return {X.data(),
          Y.data(),
          alpha,
          beta,
          static_cast<Ordinal>(X.extent(1)),
          static_cast<int>(X.extent(1))};
}

/// \brief Calls \p launch with the kind of reader that the alignment of the streams allows.
template <class ExecutionSpace, class Launch>
void with_packed(bool packed, const Launch& launch) {
  if constexpr (is_host_space<ExecutionSpace>) {
    (void)packed;
    launch(std::false_type{});
  } else if (packed) {
    launch(std::true_type{});
  } else {
    launch(std::false_type{});
  }
}

}  // namespace Tomokkos::Impl
