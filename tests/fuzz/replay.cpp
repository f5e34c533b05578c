// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   replay_fuzz TARGET [FILE or FOLDER]...
// runs the seeds of the target, which must be accepted, and the files. Files named *.refused must
// be refused.
//   replay_fuzz --write-seeds TARGET FOLDER
// writes the seeds for a fuzzer.
#include <sys/resource.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <exception>

#include "FuzzMemory.hpp"
#include "FuzzTarget.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define TOMOKKOS_FUZZ_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TOMOKKOS_FUZZ_SANITIZED
#endif
#endif

using namespace Tomokkos::Fuzz;

namespace {

const Target* find_target(const char* name) {
  for (const Target& target : targets())
    if (std::strcmp(target.name, name) == 0) return &target;
  std::fprintf(stderr, "there is no target '%s'; there are:", name);
  for (const Target& target : targets()) std::fprintf(stderr, " %s", target.name);
  std::fputc('\n', stderr);
  return nullptr;
}

/// Limits the address space, so that an input that exhausts memory ends this process, not the
/// machine. There is no limit with the address sanitizer, which reserves terabytes of addresses.
void limit_address_space() {
#if !defined(TOMOKKOS_FUZZ_SANITIZED)
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, rlim_t{4} << 30);
  setrlimit(RLIMIT_AS, &limit);
#endif
}

int write_seeds(const Target& target, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : target.seeds())
    std::ofstream(folder / ("seed_" + std::to_string(number++)), std::ios::binary) << seed;
  std::printf("%d seeds in %s\n", number, folder.c_str());
  return 0;
}

std::vector<std::filesystem::path> files_of(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 2; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

int replay(const Target& target, const std::vector<std::filesystem::path>& files) {
  int failures = 0;
  for (const std::string& seed : target.seeds()) {
    if (target.run(seed)) continue;
    ++failures;
    std::fprintf(stderr, "%s: a seed is refused: %s\n", target.name, last_refusal().c_str());
  }
  for (const std::filesystem::path& file : files) {
    // Print the name before reading, so that an input that hangs or crashes is known.
    std::printf("%s: %s", target.name, file.c_str());
    std::fflush(stdout);
    const bool accepted = target.run(read_file(file));
    std::printf(": %s\n", accepted ? "accepted" : ("refused: " + last_refusal()).c_str());
    if (!accepted || file.extension() != ".refused") continue;
    ++failures;
    std::fprintf(stderr, "%s: %s should be refused\n", target.name, file.c_str());
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool writes = argc == 4 && std::strcmp(argv[1], "--write-seeds") == 0;
  const Target* target = argc < 2 ? nullptr : find_target(argv[writes ? 2 : 1]);
  if (target == nullptr) return 2;
  limit_memory();
  limit_address_space();
  Kokkos::ScopeGuard guard(argc, argv);
  try {
    return writes ? write_seeds(*target, argv[3]) : replay(*target, files_of(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: an exception that no reader may throw: %s\n", target->name,
                 error.what());
    return 1;
  }
}
