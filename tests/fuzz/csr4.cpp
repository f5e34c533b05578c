// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_MatrixFile.hpp>

#include "FuzzTarget.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;

bool run(const std::string& bytes) {
  const ScratchFile file("a.csr4", bytes);
  return accepts([&] {
    const auto A = read_csr4<float>(file.path()).matrix;
    check_matrix(A);
    // Read the matrix again in blocks of rows.
    Csr4Reader reader(file.path());
    Offset nonzeros = 0;
    for (Ordinal row = 0; row < reader.num_rows() && row < 4; ++row) {
      const auto block = reader.read_rows<double>({row, row + 1});
      check_matrix(block);
      nonzeros += block.num_nonzeros();
    }
    check(nonzeros <= A.num_nonzeros(), "rows are parts of the matrix");
  });
}

std::vector<std::string> seeds() {
  Kokkos::View<Offset*, Kokkos::HostSpace> offsets("offsets", 3);
  Kokkos::View<Ordinal*, Kokkos::HostSpace> columns("columns", 2);
  Kokkos::View<float*, Kokkos::HostSpace> values("values", 2);
  offsets(1) = offsets(2) = 2;
  columns(1) = 2;
  values(0) = 1.5f;
  values(1) = -2;
  const HostCsrMatrix<float> A{2, 3, offsets, columns, values};
  return {bytes_written("seed.csr4", [&](const auto& path) { write_matrix(path, A); })};
}

TOMOKKOS_FUZZ_TARGET(csr4, run, seeds);

}  // namespace
