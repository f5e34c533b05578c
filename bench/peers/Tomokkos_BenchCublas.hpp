// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of cuBLAS for conjugate gradients, in both scalars.
#pragma once

#include <cublas_v2.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>
#include <string>
#include <type_traits>

namespace Tomokkos::Bench {

/// \brief cuBLAS on the stream of one execution-space instance.
///
/// Scalars are on the host or, with `CUBLAS_POINTER_MODE_DEVICE`, on the device. In the latter case
/// no call waits for a result.
template <class Scalar>
class Cublas {
 public:
  Cublas(const Kokkos::Cuda& exec, cublasPointerMode_t scalars) : exec_(exec) {
    check(cublasCreate(&handle_), "cublasCreate");
    const cublasStatus_t status = cublasSetStream(handle_, exec.cuda_stream());
    const cublasStatus_t mode = cublasSetPointerMode(handle_, scalars);
    if (status != CUBLAS_STATUS_SUCCESS || mode != CUBLAS_STATUS_SUCCESS) cublasDestroy(handle_);
    check(status, "cublasSetStream");
    check(mode, "cublasSetPointerMode");
  }
  ~Cublas() { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  void dot(int n, const Scalar* x, const Scalar* y, Scalar* result) const {
    if constexpr (is_float)
      check(cublasSdot(handle_, n, x, 1, y, 1, result), "cublasSdot");
    else
      check(cublasDdot(handle_, n, x, 1, y, 1, result), "cublasDdot");
  }
  /// Computes `y += a x`.
  void axpy(int n, const Scalar* a, const Scalar* x, Scalar* y) const {
    if constexpr (is_float)
      check(cublasSaxpy(handle_, n, a, x, 1, y, 1), "cublasSaxpy");
    else
      check(cublasDaxpy(handle_, n, a, x, 1, y, 1), "cublasDaxpy");
  }
  /// Computes `x *= a`.
  void scal(int n, const Scalar* a, Scalar* x) const {
    if constexpr (is_float)
      check(cublasSscal(handle_, n, a, x, 1), "cublasSscal");
    else
      check(cublasDscal(handle_, n, a, x, 1), "cublasDscal");
  }
  void copy(int n, const Scalar* x, Scalar* y) const {
    if constexpr (is_float)
      check(cublasScopy(handle_, n, x, 1, y, 1), "cublasScopy");
    else
      check(cublasDcopy(handle_, n, x, 1, y, 1), "cublasDcopy");
  }
  /// Computes `y = diag(d) x`.
  void scale_rows(int n, const Scalar* d, const Scalar* x, Scalar* y) const {
    if constexpr (is_float)
      check(cublasSdgmm(handle_, CUBLAS_SIDE_LEFT, n, 1, x, n, d, 1, y, n), "cublasSdgmm");
    else
      check(cublasDdgmm(handle_, CUBLAS_SIDE_LEFT, n, 1, x, n, d, 1, y, n), "cublasDdgmm");
  }

  const Kokkos::Cuda& exec() const { return exec_; }

 private:
  static constexpr bool is_float = std::is_same_v<Scalar, float>;

  static void check(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw Error(std::string(call) + ": " + cublasGetStatusString(status));
  }

  Kokkos::Cuda exec_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace Tomokkos::Bench
