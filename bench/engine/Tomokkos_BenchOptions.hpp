// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <Tomokkos_TransposeOptions.hpp>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "Tomokkos_BenchTiming.hpp"

namespace Tomokkos {
namespace Bench {

/// \brief What is timed.
enum class Operation {
  spmv,            ///< y = A x
  spmv_transpose,  ///< y = A^T x
  spmm,            ///< Y = A X, each number of `vectors` at once
  spmm_transpose,  ///< Y = A^T X
  transpose,       ///< A^T from A
  mlem_iteration,  ///< one iteration of MLEM
  sirt_iteration,  ///< one iteration of SIRT
  alternating,     ///< y = A x and x = A^T y in turn, so many `products`; block-circulant alone
  iteration,       ///< one iteration of each solver of the library
  pcg,             ///< one iteration of conjugate gradients with Jacobi's preconditioner
  axpy,            ///< y = a x + y on each of `vector_sizes`: SAXPY, DAXPY
  dot              ///< x . y on the same: SDOT, DDOT
};

/// \brief True for what is timed on vectors alone, whatever the matrices are.
inline bool is_on_vectors(Operation operation) {
  return operation == Operation::axpy || operation == Operation::dot;
}

/// \brief Libraries that stand beside ours in the tables.
enum class Peer { cusparse, kokkos_kernels, mkl, eigen };

/// \brief How much `pcg` iterates.
struct PcgOptions {
  /// Of the solves that are timed; fewer where they converge before, or where so many would take
  /// plain loops more than a second (then at least 20).
  int iterations = 100;
  int check_every = 25;       ///< our solver looks so often; a peer with scalars on the device, too
  double tolerance = 1e-6;    ///< `|b - A x| / |b|` of the one solve that is not timed
  int max_iterations = 5000;  ///< of that solve
};

/// \brief What is timed on every matrix, and how.
struct BenchOptions {
  std::vector<Operation> operations;
  /// Ours, by the names of `operator.format`; of a peer those that it has, and CSR always.
  std::vector<std::string> formats{"csr"};
  std::vector<SpmvVariant> variants{SpmvVariant::scalar, SpmvVariant::team_vector,
                                    SpmvVariant::staged, SpmvVariant::merge_path};
  /// Of block-circulant matrices; none: all.
  std::vector<CirculantVariant> circulant_variants;
  /// The solvers that `iteration` times, by their names (`NamedSolver`); empty: all.
  std::vector<std::string> solvers;
  int products = 20;  ///< of `alternating`; even
  /// Rows + nonzeros of a tile of `merge_path` and of a section of `merge_atomic`, each a candidate
  /// whose variant ends with it; without any the library chooses.
  std::map<SpmvVariant, std::vector<int>> sections;
  /// How the entries of a row lie in our CSR. Interleaved ones are called so (`team_vector:
  /// interleaved`), and there are none where no lanes take packs.
  std::vector<EntryOrder> entries{EntryOrder::sorted};
  /// Of transposed products of ours; none: all.
  std::vector<TransposeMethod> transposes;
  /// Of `transpose`; none: all that the backend has.
  std::vector<TransposeVariant> transpositions;
  std::vector<Peer> peers;
  /// Transposed products of peers from a stored transpose, beside those by their own operation.
  bool peer_copies = true;
  std::vector<int> vectors{16};  ///< of `spmm` and `spmm_transpose`
  PcgOptions pcg;
  /// Of `axpy` and `dot`: from what a GPU does not feel to beyond every cache.
  std::vector<Ordinal> vector_sizes{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18,
                                    1 << 20, 1 << 22, 1 << 24, 1 << 26};
  /// Our products are those that give the same bits for any number of threads.
  bool deterministic = false;
  /// Memory that can be taken where the backend works; the arrays of the bandwidths take a share.
  std::size_t available_bytes = std::numeric_limits<std::size_t>::max();
  TimingOptions timing;
  /// Runs of each product whose results are compared; 0: none.
  int spread_runs = 0;
};

}  // namespace Bench

template <>
struct EnumNames<Bench::Operation> {
  static constexpr std::array<std::pair<Bench::Operation, std::string_view>, 12> names{
      {{Bench::Operation::spmv, "spmv"},
       {Bench::Operation::spmv_transpose, "spmv_transpose"},
       {Bench::Operation::spmm, "spmm"},
       {Bench::Operation::spmm_transpose, "spmm_transpose"},
       {Bench::Operation::transpose, "transpose"},
       {Bench::Operation::mlem_iteration, "mlem_iteration"},
       {Bench::Operation::sirt_iteration, "sirt_iteration"},
       {Bench::Operation::alternating, "alternating"},
       {Bench::Operation::iteration, "iteration"},
       {Bench::Operation::pcg, "pcg"},
       {Bench::Operation::axpy, "axpy"},
       {Bench::Operation::dot, "dot"}}};
};

template <>
struct EnumNames<Bench::Peer> {
  static constexpr std::array<std::pair<Bench::Peer, std::string_view>, 4> names{
      {{Bench::Peer::cusparse, "cusparse"},
       {Bench::Peer::kokkos_kernels, "kokkos_kernels"},
       {Bench::Peer::mkl, "mkl"},
       {Bench::Peer::eigen, "eigen"}}};
};

}  // namespace Tomokkos
