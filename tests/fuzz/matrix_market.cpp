// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>

#include "FuzzTarget.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;

bool run(const std::string& bytes) {
  const ScratchFile file("a.mtx", bytes);
  accepts([&] { check_finite(read_vector<double>(file.path())); });
  accepts([&] { check_matrix(read_matrix<float>(file.path())); });
  return accepts([&] {
    const auto A = read_matrix<double>(file.path());
    check_matrix(A);
    const ScratchFile again("again.mtx");
    write_matrix(again.path(), A);
    const auto B = read_matrix<double>(again.path());
    check(B.num_nonzeros() == A.num_nonzeros(), "a matrix comes back whole");
    for (Offset k = 0; k < A.num_nonzeros(); ++k)
      check(A.columns(k) == B.columns(k) && A.values(k) == B.values(k),
            "a matrix comes back bit for bit");
  });
}

std::vector<std::string> seeds() {
  const std::string banner = "%%MatrixMarket matrix ";
  return {banner + "coordinate real general\n% a comment\n2 3 2\n1 2 0.5\n2 3 -3e-5\n",
          banner + "coordinate integer symmetric\r\n3 3 3\r\n1 1 1\r\n2 1 -7\r\n3 3 2\r\n",
          banner + "coordinate pattern general\r2 2 2\r1 1\r2 2\r",
          banner + "coordinate real skew-symmetric\n2 2 1\n2 1 4.5\n",
          banner + "array real general\n2 2\n1\n0\n+2.5\n3\n",
          "%MatrixMarket vector coordinate real general\n5 2\n1 0.5\n4 1\n"};
}

TOMOKKOS_FUZZ_TARGET(matrix_market, run, seeds);

}  // namespace
