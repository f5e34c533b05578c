// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace Tomokkos {

namespace {

/// Checks environment variables that Kokkos uses without a check, and that OpenMP would ignore with
/// a warning and use all cores.
void check_environment() {
  const auto is_count = [](const std::string& word) {
    char* end = nullptr;
    const long value = std::strtol(word.c_str(), &end, 10);
    return end != word.c_str() &&
           word.find_first_not_of(" \t", static_cast<std::size_t>(end - word.c_str())) ==
               word.npos &&
           value >= 1 && value <= most_host_threads;
  };
  const auto check = [&](const char* name, bool is_list) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return;
    std::istringstream words(text);
    bool good = true;
    for (std::string word; good && std::getline(words, word, is_list ? ',' : '\n');)
      good = is_count(word);
    if (!good)
      throw ConfigError(std::string(name) + " is \"" + text +
                        "\"; expected a whole number from 1 to " +
                        std::to_string(most_host_threads));
  };
  check("KOKKOS_NUM_THREADS", false);
  check("OMP_NUM_THREADS", true);  // a list with one number for each nesting level
}

}  // namespace

KokkosSession::KokkosSession(int threads, int local_rank, int local_size) {
  if (threads == 0) {
    check_environment();
#if defined(_OPENMP)
    // The machine may have more cores than the limit.
    if (omp_get_max_threads() > most_host_threads) threads = most_host_threads;
#endif
  }
  int devices = 0;
#if defined(KOKKOS_ENABLE_CUDA)
  if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
#endif
  const bool chooses = devices > 0 && local_size > 1;
  // Only the program initialises Kokkos, so this difference between versions is handled here.
  // Remove when Kokkos >= 3.7 is required.
#if KOKKOS_VERSION >= 30700
  Kokkos::InitializationSettings settings;
  if (threads > 0) settings.set_num_threads(threads);
  if (chooses) settings.set_device_id(local_rank % devices);
  settings.set_disable_warnings(true);
#else
  Kokkos::InitArguments settings;
  if (threads > 0) settings.num_threads = threads;
  if (chooses) settings.device_id = local_rank % devices;
  settings.disable_warnings = true;
#endif
  Kokkos::initialize(settings);
}

KokkosSession::~KokkosSession() { Kokkos::finalize(); }

}  // namespace Tomokkos
