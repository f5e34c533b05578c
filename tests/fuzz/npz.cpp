// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices in archives: the input is used as the archive, and as its members.
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npz.hpp>

#include "FuzzTarget.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;

const std::vector<const char*> names{"format.npy", "shape.npy", "data.npy", "indices.npy",
                                     "indptr.npy", "row.npy",   "col.npy"};

bool run(const std::string& bytes) {
  const ScratchFile file("a.npz", bytes);
  accepts([&] {
    for (const std::string& name : npz_array_names(file.path()))
      accepts([&] { check_finite(read_npz_array<double>(file.path(), name).data); });
  });
  accepts([&] { check_matrix(read_matrix<float>(file.path())); });
  return accepts([&] { check_matrix(read_matrix<double>(file.path())); });
}

bool run_members(const std::string& bytes) { return run(archive_of(names, bytes)); }

std::vector<std::string> seeds() {
  Kokkos::View<Offset*, Kokkos::HostSpace> offsets("offsets", 3);
  Kokkos::View<Ordinal*, Kokkos::HostSpace> columns("columns", 3);
  Kokkos::View<float*, Kokkos::HostSpace> values("values", 3);
  offsets(1) = 2;
  offsets(2) = 3;
  columns(1) = 3;
  columns(2) = 1;
  for (int k = 0; k < 3; ++k) values(k) = 0.5f - static_cast<float>(k);
  const HostCsrMatrix<float> A{2, 4, offsets, columns, values};
  std::vector<std::string> result;
  for (const NpzCompression compression : {NpzCompression::stored, NpzCompression::deflated})
    result.push_back(bytes_written(
        "seed.npz", [&](const auto& path) { write_npz_matrix(path, A, compression); }));
  return result;
}

std::vector<std::string> seeds_of_members() { return {members_of(names, seeds().front())}; }

TOMOKKOS_FUZZ_TARGET(npz, run, seeds);
TOMOKKOS_FUZZ_TARGET(npz_members, run_members, seeds_of_members);

}  // namespace
