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

/// \brief Operation that is timed.
enum class Operation {
  spmv,            ///< y = A x
  spmv_transpose,  ///< y = A^T x
  spmm,            ///< Y = A X, once for each number in `vectors`
  spmm_transpose,  ///< Y = A^T X
  transpose,       ///< A^T from A
  mlem_iteration,  ///< one iteration of MLEM
  sirt_iteration,  ///< one iteration of SIRT
  alternating,     ///< y = A x and x = A^T y in turn, `products` in total; block-circulant matrices
                   ///< only
  iteration,       ///< one iteration of each solver of the library
  pcg,             ///< one iteration of conjugate gradients with Jacobi's preconditioner
  axpy,            ///< y = a x + y on each of `vector_sizes`: SAXPY, DAXPY
  dot              ///< x . y on each of `vector_sizes`: SDOT, DDOT
};

/// \brief Returns true for operations on vectors alone, which use no matrix.
inline bool is_on_vectors(Operation operation) {
  return operation == Operation::axpy || operation == Operation::dot;
}

/// \brief Libraries that are compared with ours.
enum class Peer { cusparse, kokkos_kernels, mkl, eigen };

/// \brief Iterations of the operation `pcg`.
struct PcgOptions {
  /// Iterations of each timed solve. Fewer if a solve converges earlier, or if plain loops would
  /// need more than a second for that many (then at least 20).
  int iterations = 100;
  int check_every = 25;       ///< iterations between checks of our solver, and of peers that keep
                              ///< scalars on the device
  double tolerance = 1e-6;    ///< limit of `|b - A x| / |b|` in the one solve that is not timed
  int max_iterations = 5000;  ///< iterations at most in the solve that is not timed
};

/// \brief Operations that are timed on every matrix, and the settings of the measurement.
struct BenchOptions {
  std::vector<Operation> operations;
  /// Formats of our products, by the names of `operator.format`. Peers use those that they support,
  /// and CSR in any case.
  std::vector<std::string> formats{"csr"};
  std::vector<SpmvVariant> variants{SpmvVariant::scalar, SpmvVariant::team_vector,
                                    SpmvVariant::staged, SpmvVariant::merge_path};
  /// Variants of our products of block-circulant matrices; empty: all.
  std::vector<CirculantVariant> circulant_variants;
  /// Solvers timed by `iteration`, by their names (`NamedSolver`); empty: all.
  std::vector<std::string> solvers;
  int products = 20;  ///< number of products in `alternating`; even
  /// Rows + nonzeros of a tile of `merge_path` and of a section of `merge_atomic`. Each number is a
  /// candidate whose variant ends with it. Empty: chosen by the library.
  std::map<SpmvVariant, std::vector<int>> sections;
  /// Orders of the entries within a row of our CSR. The variant of an interleaved matrix ends with
  /// the order (`team_vector:interleaved`). Interleaved candidates exist only where lanes load
  /// packs of entries.
  std::vector<EntryOrder> entries{EntryOrder::sorted};
  /// Methods of our transposed products; empty: all.
  std::vector<TransposeMethod> transposes;
  /// Variants of the operation `transpose`; empty: all that the backend supports.
  std::vector<TransposeVariant> transpositions;
  std::vector<Peer> peers;
  /// Also times transposed products of peers from a stored transpose, in addition to those by their
  /// own transposed operation.
  bool peer_copies = true;
  std::vector<int> vectors{16};  ///< numbers of vectors of `spmm` and `spmm_transpose`
  PcgOptions pcg;
  /// Lengths of the vectors of `axpy` and `dot`, from too small to occupy a GPU to larger than
  /// every cache.
  std::vector<Ordinal> vector_sizes{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18,
                                    1 << 20, 1 << 22, 1 << 24, 1 << 26};
  /// Restricts our products to those that give the same bits for any number of threads.
  bool deterministic = false;
  /// Memory in bytes that can be allocated on the backend; the arrays of the bandwidth probe use a
  /// share of it.
  std::size_t available_bytes = std::numeric_limits<std::size_t>::max();
  TimingOptions timing;
  /// Number of runs of each product whose results are compared; 0: none.
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
