// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <cstddef>
#include <limits>
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
  sirt_iteration   ///< one iteration of SIRT
};

/// \brief Libraries that stand beside ours in the tables.
enum class Peer { cusparse, kokkos_kernels, mkl, eigen };

/// \brief What is timed on every matrix, and how.
struct BenchOptions {
  std::vector<Operation> operations;
  /// Ours; of a peer those that it has, and CSR always.
  std::vector<MatrixFormat> formats{MatrixFormat::csr};
  std::vector<SpmvVariant> variants{SpmvVariant::scalar, SpmvVariant::team_vector,
                                    SpmvVariant::staged, SpmvVariant::merge_path};
  /// How the entries of a row lie in our CSR. Interleaved ones are called so (`team_vector:
  /// interleaved`), and there are none where no lanes take packs.
  std::vector<EntryOrder> entries{EntryOrder::sorted};
  std::vector<Peer> peers;
  std::vector<int> vectors{16};  ///< of `spmm` and `spmm_transpose`
  /// Our products are those that give the same bits for any number of threads.
  bool deterministic = false;
  /// Memory that can be taken where the backend works; the arrays of the bandwidths take a share.
  std::size_t available_bytes = std::numeric_limits<std::size_t>::max();
  TimingOptions timing;
};

}  // namespace Bench

template <>
struct EnumNames<Bench::Operation> {
  static constexpr std::array<std::pair<Bench::Operation, std::string_view>, 7> names{
      {{Bench::Operation::spmv, "spmv"},
       {Bench::Operation::spmv_transpose, "spmv_transpose"},
       {Bench::Operation::spmm, "spmm"},
       {Bench::Operation::spmm_transpose, "spmm_transpose"},
       {Bench::Operation::transpose, "transpose"},
       {Bench::Operation::mlem_iteration, "mlem_iteration"},
       {Bench::Operation::sirt_iteration, "sirt_iteration"}}};
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
