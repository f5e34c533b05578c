// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry point of libFuzzer. The executable contains one source of targets. If the source has
// several targets, the name of the executable, `fuzz_NAME`, selects one.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>

#include "FuzzMemory.hpp"
#include "FuzzTarget.hpp"

namespace {
const Tomokkos::Fuzz::Target* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  Kokkos::initialize(*argc, *argv);
  Tomokkos::Fuzz::limit_memory();
  const std::string program = std::filesystem::path((*argv)[0]).filename();
  for (const auto& target : Tomokkos::Fuzz::targets())
    if (program == "fuzz_" + std::string(target.name)) chosen = &target;
  return chosen == nullptr ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Tomokkos::Fuzz::check(chosen != nullptr, "the executable is called fuzz_TARGET");
  chosen->run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
