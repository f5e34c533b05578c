// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_Sums.hpp>
#include <Tomokkos_Views.hpp>
#include <string>

namespace Tomokkos {

/// \brief Scratch memory for `reduce_to_device` and `reduce_columns_to_device`.
///
/// Every object that reduces allocates one, once. A workspace serves one execution-space instance
/// at a time.
template <class MemorySpace>
class ReductionWorkspace {
 public:
  /// Maximum number of partial results in a reduction. The number is fixed: the order of summation
  /// depends only on the length of the vector, never on the number of threads.
  static constexpr int max_blocks = 1024;
  /// Maximum number of sums per pass.
  static constexpr int max_sums = 8;

  /// \brief Creates an empty workspace without memory, for later assignment. `reduce_to_device`
  /// refuses it.
  ReductionWorkspace() = default;

  /// \brief Allocates `max_blocks * max_sums` doubles for each of \p columns columns.
  ///
  /// \throws MemoryError when the memory does not suffice
  template <class ExecutionSpace>
  explicit ReductionWorkspace(const ExecutionSpace& exec, Offset columns = 1)
      : partial_(allocate<Kokkos::View<double*, MemorySpace>>(
            exec, "Tomokkos::ReductionWorkspace::partial", max_blocks * max_sums * columns)),
        arrived_(allocate<Kokkos::View<unsigned*, MemorySpace>>(
            exec, "Tomokkos::ReductionWorkspace::arrived", columns)),
        columns_(columns) {
    Kokkos::deep_copy(exec, arrived_, 0U);
    Impl::fence(exec, "ReductionWorkspace: any instance may reduce with it from now on");
  }

  const Kokkos::View<double*, MemorySpace>& partial() const { return partial_; }
  /// \brief Returns the number of teams that have finished, used by reductions; 0 between launches.
  const Kokkos::View<unsigned*, MemorySpace>& arrived() const { return arrived_; }

  /// \brief Returns the maximum number of columns that are reduced side by side.
  Offset columns() const { return columns_; }

 private:
  Kokkos::View<double*, MemorySpace> partial_;
  Kokkos::View<unsigned*, MemorySpace> arrived_;
  Offset columns_ = 0;
};

/// \brief Computes the sums `result(m) = sum_i term(i).value[m]` for 0 <= m < N and 0 <= i < n, and
/// leaves them in memory of the execution space.
///
/// Sums are in double, in an order that depends only on \p n and on the kind of backend: the same
/// bits on every run and for any number of threads. One launch on a GPU, two on a host, no fence,
/// no allocation.
///
/// \tparam N number of sums formed in one pass, at most `ReductionWorkspace::max_sums`
/// \param term functor `KOKKOS_FUNCTION Sums<N> operator()(Offset i) const`; it may write element i
/// of other vectors, so that an update and the sums over it are one pass
/// \param result at least N values
/// \throws Error when \p workspace holds no memory
template <int N, class ExecutionSpace, class Term, class ResultView>
void reduce_to_device(const ExecutionSpace& exec, const std::string& label, Offset n,
                      const Term& term,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const ResultView& result);

/// \brief Computes sums for every column of a row-major n x s array:
/// `result(j * stride + m) = sum_i t_ij[m]` for 0 <= j < s.
///
/// The order of summation within a column is that of `reduce_to_device` for the same \p n and kind
/// of backend, whatever s is. A single column is reduced as a vector, without index arithmetic.
///
/// \param term functor
/// `KOKKOS_FUNCTION void operator()(const ArrayEntry& entry, Sums<N>& sums) const` that adds `t_ij`
/// to the sums (by `multiply_add` if these are products); it may write the entry of other arrays
/// \param result at least `(s - 1) * stride + N` values
/// \throws Error when \p workspace was made for fewer columns
template <int N, class ExecutionSpace, class Term, class ResultView>
void reduce_columns_to_device(
    const ExecutionSpace& exec, const std::string& label, Offset n, Offset columns,
    const Term& term, const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
    const ResultView& result, Offset stride = N);

/// \brief Computes sums like `reduce_columns_to_device` and passes the sums of each column to a
/// functor.
///
/// Values computed from the sums (such as a step length) thus need no additional launch.
///
/// \param finish functor
/// `KOKKOS_FUNCTION void operator()(Offset column, const Sums<N>& sums) const`, called once for
/// every column, in any order
template <int N, class ExecutionSpace, class Term, class Finish>
void reduce_columns_and_finish(
    const ExecutionSpace& exec, const std::string& label, Offset n, Offset columns,
    const Term& term, const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
    const Finish& finish);

}  // namespace Tomokkos

#include <impl/Tomokkos_Reduce_impl.hpp>
