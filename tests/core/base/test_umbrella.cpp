// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Tomokkos.hpp` compiles as the first header and includes every public header of the linked
// parts.
#include <Tomokkos.hpp>
//
#include <gtest/gtest.h>

#include <filesystem>

#include "FileTesting.hpp"
#include "ProjectRoot.hpp"

namespace Tomokkos::Testing {
namespace {

TEST(Umbrella, includes_every_public_header) {
  const std::string umbrella = read_bytes(TOMOKKOS_UMBRELLA);
  std::vector<std::string> folders{"core", "kernels", "solvers", "files", "problems", "meshes"};
#if defined(TOMOKKOS_LINKS_MPI)
  folders.emplace_back("mpi");
#endif
  int count = 0;
  for (const std::string& folder : folders)
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(project_root() / folder)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() != ".hpp" || path.parent_path().filename() == "impl") continue;
      if (path.filename() == "Tomokkos_CudaCompat.hpp") continue;  // the build includes it itself
      EXPECT_NE(umbrella.find("#include <" + path.filename().string() + ">\n"), std::string::npos)
          << path;
      ++count;
    }
  EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace Tomokkos::Testing
