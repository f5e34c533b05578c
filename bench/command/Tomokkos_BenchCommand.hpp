// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace CLI {
class App;
}

namespace Tomokkos {

/// \brief Adds the options of `tomokkos bench` to \p app, with a callback that runs the command and
/// stores its exit status in \p exit_status.
void add_bench_options(CLI::App& app, int& exit_status);

}  // namespace Tomokkos
