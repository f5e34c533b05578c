// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <Tomokkos_Error.hpp>
#include <array>
#include <string>

namespace Tomokkos::Impl {

/// Returns the text of MPI for `status`.
inline std::string describe_mpi_error(int status) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (MPI_Error_string(status, text.data(), &length) != MPI_SUCCESS)
    return Impl::text("error {}", status);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// Throws `Error` if `function` of MPI did not succeed.
inline void check_mpi(int status, const char* function) {
  if (status != MPI_SUCCESS) throw Error(std::string(function) + ": " + describe_mpi_error(status));
}

}  // namespace Tomokkos::Impl
