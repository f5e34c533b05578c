// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_Monitor.hpp>
#include <type_traits>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
class PreconditionedSystem;

namespace Impl {

/// \brief Types that `Solver::solve` takes, argument by argument.
template <class ExecutionSpace, class Scalar>
struct SolveArguments {
  using MemorySpace = typename ExecutionSpace::memory_space;

  template <class A>
  static constexpr bool is_matrix =
      std::is_convertible_v<const A&, AnyOperator<ExecutionSpace, Scalar>> ||
      std::is_same_v<A, PreconditionedSystem<ExecutionSpace, Scalar>>;
  template <class B>
  static constexpr bool is_data =
      std::is_convertible_v<const B&, VectorView<const Scalar, MemorySpace>> ||
      std::is_convertible_v<const B&, MultiVectorView<const Scalar, MemorySpace>>;
  template <class X>
  static constexpr bool is_image =
      std::is_convertible_v<const X&, VectorView<Scalar, MemorySpace>> ||
      std::is_convertible_v<const X&, MultiVectorView<Scalar, MemorySpace>>;
  template <class M>
  static constexpr bool is_monitor =
      std::is_convertible_v<const M&, Monitor<ExecutionSpace, Scalar>>;

  template <class A, class B, class X, class M>
  static constexpr bool fit = is_matrix<A>&& is_data<B>&& is_image<X>&& is_monitor<M>;

  /// \brief Does not compile; says which argument has a wrong type, and what it must be.
  template <class A, class B, class X, class M>
  static constexpr void explain() {
    static_assert(is_matrix<A>,
                  "The matrix of solve is no LinearOperator for the space and the scalar of the "
                  "solver: it needs num_rows(), num_cols() and apply(exec, alpha, X, beta, Y) with "
                  "multivectors of that scalar (Tomokkos_Operator.hpp).");
    static_assert(is_data<B>,
                  "The data of solve must be a View with one or two dimensions, of the scalar of "
                  "the solver, in memory of its execution space. copy_to_device makes one of a "
                  "std::vector.");
    static_assert(is_image<X>,
                  "The solution of solve must be a View that can be written, with one or two "
                  "dimensions, of the scalar of the solver, in memory of its execution space.");
    static_assert(is_monitor<M>,
                  "The monitor of solve must be callable with (const ExecutionSpace&, const "
                  "MonitorState<ExecutionSpace, Scalar>&) and return a MonitorAction.");
  }
};

}  // namespace Impl

}  // namespace Tomokkos
