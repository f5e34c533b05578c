// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MatrixFile.hpp>

#include "FuzzTarget.hpp"
#include "GzipTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;
using Testing::gzip;

/// Reads the bytes as a compressed file and, compressed with correct checksums, as a tar archive.
bool run(const std::string& bytes) {
  const ScratchFile file("a.mtx.gz", bytes);
  const ScratchFile archive("a.tar.gz", gzip(bytes));
  const bool is_archive = accepts([&] { check_matrix(read_matrix<double>(archive.path())); });
  return accepts([&] { check_matrix(read_matrix<double>(file.path())); }) || is_archive;
}

std::vector<std::string> seeds() {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 0.5\n";
  return {gzip(text), gzip(text.substr(0, 20)) + gzip(text.substr(20))};
}

TOMOKKOS_FUZZ_TARGET(matrix_market_gz, run, seeds);

}  // namespace
