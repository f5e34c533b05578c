// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <functional>
#include <limits>
#include <memory>

namespace Tomokkos::Bench {

/// \brief Two vectors with their operation.
template <class ExecutionSpace, class Scalar>
struct VectorProblem {
  using memory_space = typename ExecutionSpace::memory_space;

  ExecutionSpace exec;
  bool is_dot = false;
  /// Factor of y = a x + y. Small, so that y keeps its magnitude over many repetitions.
  Scalar a = Scalar(1) / Scalar(1 << 12);
  Vector<Scalar, memory_space> x, y;

  Ordinal size() const { return static_cast<Ordinal>(x.extent(0)); }
};

/// \brief Implementation of the operation by one library. Owns the data that it uses.
struct VectorWork {
  std::function<void()> launch;
  /// Returns `x . y` of the last launch once it is done; only for `dot`.
  std::function<double()> value = {};
};

/// \brief Makes the work of a library whose \p dot waits for its result and returns it.
template <class Dot>
VectorWork dot_work(const Dot& dot) {
  const auto result = std::make_shared<double>(std::numeric_limits<double>::quiet_NaN());
  return {[dot, result] { *result = dot(); }, [result] { return *result; }};
}

}  // namespace Tomokkos::Bench
