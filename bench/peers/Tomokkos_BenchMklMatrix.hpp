// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MKL handle on our arrays, with hints for the optimisation.
#pragma once

#include <mkl_service.h>
#include <mkl_spblas.h>

#include <Tomokkos_Error.hpp>

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench::MklApi {

static_assert(sizeof(MKL_INT) == sizeof(std::int32_t),
              "MKL must have the interface with 32-bit integers");

inline void check(sparse_status_t status, const char* call) {
  constexpr const char* reasons[] = {"success",       "not initialised",  "no memory",
                                     "invalid value", "execution failed", "internal error",
                                     "not supported"};
  if (status == SPARSE_STATUS_SUCCESS) return;
  const bool known = status >= 0 && status < 7;
  throw Error(std::string(call) + ": " + (known ? reasons[status] : "unknown error"));
}

/// Hints given to MKL about the coming calls.
enum class Hint {
  none,       ///< no hint after the handle is created
  products,   ///< many products, without additional memory
  aggressive  ///< many products, with any amount of additional memory
};

inline const char* name_of(Hint hint) {
  if (hint == Hint::none) return "as_created";
  return hint == Hint::products ? "hint" : "aggressive";
}

struct Destroy {
  void operator()(sparse_matrix* handle) const { mkl_sparse_destroy(handle); }
};
using Handle = std::shared_ptr<sparse_matrix>;

/// Removes const: MKL takes pointers to non-const even for its input.
template <class T>
T* unconst(const T* pointer) {
  return const_cast<T*>(pointer);
}

/// Makes a handle on our arrays without a copy.
template <class Scalar, class MemorySpace, class Offsets>
Handle make_handle(const CsrMatrix<Scalar, MemorySpace>& A, const Offsets& offsets) {
  sparse_matrix_t handle = nullptr;
  MKL_INT* begin = unconst(offsets.data());
  MKL_INT* columns = unconst(A.columns.data());
  if constexpr (std::is_same_v<Scalar, float>)
    check(mkl_sparse_s_create_csr(&handle, SPARSE_INDEX_BASE_ZERO, A.num_rows, A.num_cols, begin,
                                  begin + 1, columns, unconst(A.values.data())),
          "mkl_sparse_s_create_csr");
  else
    check(mkl_sparse_d_create_csr(&handle, SPARSE_INDEX_BASE_ZERO, A.num_rows, A.num_cols, begin,
                                  begin + 1, columns, unconst(A.values.data())),
          "mkl_sparse_d_create_csr");
  return Handle(handle, Destroy{});
}

inline constexpr matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_LOWER,
                                      SPARSE_DIAG_NON_UNIT};

/// Bytes that MKL itself has allocated.
inline std::size_t mkl_bytes() {
  int buffers = 0;
  return static_cast<std::size_t>(mkl_mem_stat(&buffers));
}

}  // namespace Tomokkos::Bench::MklApi
