// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of the benchmark on small matrices.
#pragma once

#include <Tomokkos_BenchGenerators.hpp>
#include <Tomokkos_BenchSuite.hpp>
#include <Tomokkos_CsrMatrix.hpp>

namespace {

using namespace Tomokkos::Bench;
using MemorySpace = TestSpace::memory_space;

template <class Scalar>
using Matrix = Tomokkos::CsrMatrix<Scalar, MemorySpace>;

/// Rectangular sorted matrix with rows of very different lengths and no negative entry.
template <class Scalar>
Matrix<Scalar> test_matrix() {
  return Tomokkos::copy_to<MemorySpace>(TestSpace(), generate<Scalar>(Uniform{90, 70, 9.0, 3}));
}

BenchOptions quick_options() {
  BenchOptions options;
  options.operations = {Operation::spmv, Operation::spmv_transpose, Operation::transpose,
                        Operation::mlem_iteration, Operation::sirt_iteration};
  for (const auto& [peer, name] : Tomokkos::EnumNames<Peer>::names) options.peers.push_back(peer);
  options.timing.warmup = 1;
  options.timing.repetitions = 2;
  options.timing.seconds_per_sample = 0;
  options.available_bytes = std::size_t{1} << 26;  // arrays of the bandwidth probe stay small
  return options;
}

}  // namespace
