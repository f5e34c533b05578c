// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_SolveProgress.hpp>
#include <Tomokkos_Views.hpp>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// An array that a solver holds beside x and needs to go on: a vector, or the scalars of a
/// recursion.
template <class Scalar, class MemorySpace>
struct HeldArray {
  std::string name;
  VectorView<Scalar, MemorySpace> vector;
  VectorView<double, MemorySpace> scalars;  // where there is no vector

  static HeldArray of_vector(const char* name, const VectorView<Scalar, MemorySpace>& vector) {
    return {name, vector, VectorView<double, MemorySpace>()};
  }
  static HeldArray of_scalars(const char* name, const VectorView<double, MemorySpace>& scalars) {
    return {name, VectorView<Scalar, MemorySpace>(), scalars};
  }
};

template <class ExecutionSpace, class View>
std::vector<double> held_values(const ExecutionSpace& exec, const View& array) {
  using Value = typename View::non_const_value_type;
  std::vector<Value> values(array.extent(0));
  Kokkos::deep_copy(exec, VectorView<Value, Kokkos::HostSpace>(values.data(), values.size()),
                    array);
  Impl::fence(exec, "progress: what a solver holds must have arrived");
  return {values.begin(), values.end()};
}

/// Numbers in float are held in double, from which they come back as they were.
template <class ExecutionSpace, class Scalar>
void save(const ExecutionSpace& exec,
          const std::vector<HeldArray<Scalar, typename ExecutionSpace::memory_space>>& arrays,
          SolveProgress& progress) {
  for (const auto& array : arrays)
    progress.held[array.name] = array.vector.data() != nullptr ? held_values(exec, array.vector)
                                                               : held_values(exec, array.scalars);
}

template <class ExecutionSpace, class View>
void take_held(const ExecutionSpace& exec, const std::string& name,
               const std::vector<double>& values, const View& array) {
  using Value = typename View::non_const_value_type;
  require_equal("entries of " + name + " in the progress to resume",
                static_cast<long long>(values.size()), "what the solver holds",
                static_cast<long long>(array.extent(0)));
  const std::vector<Value> own(values.begin(), values.end());
  Kokkos::deep_copy(exec, array,
                    VectorView<const Value, Kokkos::HostSpace>(own.data(), own.size()));
  Impl::fence(exec, "resume: what a solver holds must have arrived");
}

template <class ExecutionSpace, class Scalar>
void restore(const ExecutionSpace& exec,
             const std::vector<HeldArray<Scalar, typename ExecutionSpace::memory_space>>& arrays,
             const SolveProgress& progress) {
  for (const auto& array : arrays) {
    const auto held = progress.held.find(array.name);
    require(held != progress.held.end(),
            "the progress to resume lacks " + array.name + ", which the solver holds");
    if (array.vector.data() != nullptr)
      take_held(exec, array.name, held->second, array.vector);
    else
      take_held(exec, array.name, held->second, array.scalars);
  }
}

}  // namespace Tomokkos::Impl
