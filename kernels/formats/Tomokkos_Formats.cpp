// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Formats.hpp>

namespace Tomokkos {

std::vector<FormatShape> format_shapes(MatrixFormat format, bool on_host) {
  std::vector<FormatShape> shapes;
  for_each_format([&]<class Format>() {
    if constexpr (requires { Format::shape_name(typename Format::Options{}); }) {
      if (Format::format != format) return;
      Format::for_each_shape(on_host, [&](const typename Format::Options& options) {
        shapes.push_back({Format::shape_name(options), options});
      });
    }
  });
  return shapes;
}

std::vector<FormatSize> format_sizes(const HostPattern& A) {
  std::vector<FormatSize> sizes;
  for_each_format([&]<class Format>() {
    if constexpr (requires { Format::count_sizes(A, sizes); }) Format::count_sizes(A, sizes);
  });
  return sizes;
}

}  // namespace Tomokkos
