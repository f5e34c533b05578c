// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_LongPhases.hpp>
#include <system_error>

namespace Tomokkos {

void announce(Progress& progress, const std::string& phase, double nonzeros) {
  constexpr double long_phase = 2e7;
  if (nonzeros < long_phase) return;
  progress.message(phase + Impl::formatted(" (about %.2g nonzeros) ...", nonzeros));
}

void announce_reading(Progress& progress, const std::filesystem::path& file) {
  constexpr double large = 2e8;  // bytes
  std::error_code error;
  const auto bytes = file.empty() ? 0 : std::filesystem::file_size(file, error);
  if (error || static_cast<double>(bytes) < large) return;
  progress.message("reading " + file.string() +
                   Impl::formatted(" (%.2g GB) ...", 1e-9 * static_cast<double>(bytes)));
}

void announce_matrix(Progress& progress, const std::filesystem::path& file, const RunInput& input,
                     const std::string& phase) {
  announce_reading(progress, file);
  announce(progress, phase, expected_nonzeros(input.rows));
}

std::string preparation_of(const OperatorWish& wish, bool uses_transpose) {
  if (wish.is_automatic()) return "choosing the format of the matrix";
  if (!wish.is(MatrixFormat::csr)) return "converting the matrix to its format";
  const bool stored = uses_transpose && wish.transpose == TransposeMethod::stored;
  return stored ? "transposing the matrix" : "preparing the products with the matrix";
}

}  // namespace Tomokkos
