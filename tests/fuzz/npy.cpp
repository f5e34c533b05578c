// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays: .npy files, and raw files that contain only numbers.
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_RawFile.hpp>

#include "FuzzTarget.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;

bool run(const std::string& bytes) {
  const ScratchFile file("a.npy", bytes);
  accepts([&] { check_finite(read_raw<float>(file.path(), bytes.size() / 4, "values")); });
  accepts([&] { check_finite(read_npy_slice<float>(file.path(), 1, 0).data); });
  accepts([&] { read_npy_info(file.path()); });
  return accepts([&] {
    const HostArray<double> array = read_npy<double>(file.path());
    std::size_t size = 1;
    for (const std::size_t extent : array.shape) size *= extent;
    check(size == array.data.size(), "an array has the values of its shape");
    check_finite(array.data);
  });
}

std::vector<std::string> seeds() {
  const std::vector<float> floats{1, -2, 0.5f, 3, 4, 5};
  const std::vector<double> doubles{1e-300, 2};
  return {bytes_written("seed.npy",
                        [&](const auto& path) {
                          write_npy<float>(path, floats, {3, 2});
                        }),
          bytes_written("seed.npy", [&](const auto& path) {
            write_npy<double>(path, doubles, {1, 1, 2});
          })};
}

TOMOKKOS_FUZZ_TARGET(npy, run, seeds);

}  // namespace
