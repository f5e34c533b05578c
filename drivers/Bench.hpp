// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace CLI {
class App;
}

namespace Tomokkos {

/// \brief Adds `bench CONFIG [--set key.path=value]... [--json FILE]`, which leaves its exit status
/// in \p exit_status.
void add_bench_command(CLI::App& app, int& exit_status);

}  // namespace Tomokkos
