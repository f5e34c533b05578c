// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What make_operator chooses for two matrices, and what it says about them.
#include <Tomokkos.hpp>
#include <iostream>

using Space = Kokkos::DefaultExecutionSpace;

template <class Made>
void print(const std::string& name, const Made& made) {
  std::cout << name << '\n';
  for (std::size_t i = 0; i < made.description.names().size(); ++i) {
    std::cout << "  " << made.description.names()[i] << ": ";
    std::visit(
        [](const auto& value) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
            std::cout << value << '\n';
        },
        made.description.items()[i].value());
  }
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Space exec;
  const auto stencil = Tomokkos::build_stencil_matrix<Space, float>(exec, 27, 40, 40, 40);
  print("27-point stencil", Tomokkos::make_operator(exec, stencil));

  // Every row holds the same eight columns, so the transpose has eight long rows and 992 empty
  // ones.
  std::vector<int> row_offsets{0}, columns;
  for (int row = 0; row < 1000; ++row) {
    for (int k = 0; k < 8; ++k) columns.push_back(100 * k);
    row_offsets.push_back(static_cast<int>(columns.size()));
  }
  const std::vector<double> values(columns.size(), 1.0);
  const auto uneven = Tomokkos::csr_from_arrays(exec, 1000, row_offsets, columns, values);
  Tomokkos::MakeOptions options;
  options.largest_fill = 4;
  print("eight columns", Tomokkos::make_operator(exec, uneven, options));

  options.format = Tomokkos::DiaOptions{};
  try {
    Tomokkos::make_operator(exec, uneven, options);
  } catch (const Tomokkos::Refused& error) {
    std::cout << "dia: " << error.what() << '\n';
    return 0;
  }
  return 1;
}
