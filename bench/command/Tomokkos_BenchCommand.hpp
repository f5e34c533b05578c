// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace CLI {
class App;
}

namespace Tomokkos {

/// \brief Gives \p app the options of `tomokkos bench` and its work, whose exit status it leaves in
/// \p exit_status.
void add_bench_options(CLI::App& app, int& exit_status);

}  // namespace Tomokkos
