// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_SolveProgress.hpp>
#include <Tomokkos_Views.hpp>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Array besides x that a solver needs to continue: a vector, or the scalars of a recursion.
template <class Scalar, class MemorySpace>
struct HeldArray {
  std::string name;
  VectorView<Scalar, MemorySpace> vector;
  VectorView<double, MemorySpace> scalars;  // used if `vector` is empty

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

/// Stores arrays as double; numbers of type float survive unchanged.
template <class ExecutionSpace, class Scalar>
void save(const ExecutionSpace& exec,
          const std::vector<HeldArray<Scalar, typename ExecutionSpace::memory_space>>& arrays,
          SolveProgress& progress) {
  for (const auto& array : arrays)
    progress.held[array.name] = array.vector.data() != nullptr ? held_values(exec, array.vector)
                                                               : held_values(exec, array.scalars);
}

/// Returns the `count` numbers called `name` in a progress; throws if they are missing or too few.
inline const std::vector<double>& held_numbers(const SolveProgress& progress, const char* name,
                                               std::size_t count) {
  const auto held = progress.held.find(name);
  require(held != progress.held.end(),
          std::string("the progress to resume lacks ") + name + ", which the solver holds");
  require_equal(std::string("entries of ") + name + " in the progress to resume",
                static_cast<long long>(held->second.size()), "what the solver holds",
                static_cast<long long>(count));
  return held->second;
}

template <class ExecutionSpace, class View>
void restore_held(const ExecutionSpace& exec, const std::string& name,
                  const SolveProgress& progress, const View& array) {
  using Value = typename View::non_const_value_type;
  const std::vector<double>& values = held_numbers(progress, name.c_str(), array.extent(0));
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
    if (array.vector.data() != nullptr)
      restore_held(exec, array.name, progress, array.vector);
    else
      restore_held(exec, array.name, progress, array.scalars);
  }
}

/// Marks the progress of a solve that runs in other units than its data (`SolveUnits`).
inline void mark_units(SolveProgress& progress) { progress.held["in_units"] = {1}; }

/// Throws if a progress is marked by `mark_units`.
inline void require_given_units(const SolveProgress& progress) {
  if (progress.held.contains("in_units"))
    throw Refused(
        "the data of this solve are very large or very small; it was run in scaled units "
        "and cannot be resumed. Scale the matrix or the data");
}

}  // namespace Tomokkos::Impl
