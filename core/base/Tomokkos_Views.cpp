// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Views.hpp>

namespace Tomokkos::Impl {
namespace {

std::string quoted(const std::string& label) { return label.empty() ? "" : " '" + label + "'"; }

void require_length(const Operand& x, const std::source_location& where) {
  if (x.rows == x.expected) return;
  require_equal((x.is_vector ? "length of " : "rows of ") + std::string(x.name), x.rows,
                x.length_name, x.expected, where);
}

}  // namespace

void require_kokkos() {
  require(
      Kokkos::is_initialized(),
      "Kokkos is not initialised; call Kokkos::initialize, or make a Kokkos::ScopeGuard, before "
      "the first use of this library");
}

void refuse_extent(const std::string& label, long long extent) {
  throw Refused(
      Impl::text("the size of the array{} is {}; it must not be negative", quoted(label), extent));
}

void refuse_thread() {
  throw Refused(
      "this version of Kokkos runs on host threads only when it is called by the thread that has "
      "initialised it; call this function from there, or build with Kokkos 4.1 or later");
}

void refuse_strided_vector(const std::string& label, std::size_t length, std::size_t stride) {
  throw Refused(
      Impl::text("the vector{} of length {} has a stride of {}: its entries must lie side by side, "
                 "but those of a column of a row-major multivector do not; copy it into a vector "
                 "of its own, or pass all columns",
                 quoted(label), length, stride));
}

void refuse_strided_multivector(const std::string& label, std::size_t rows, std::size_t columns,
                                std::size_t row_stride, std::size_t column_stride) {
  throw Refused(Impl::text(
      "the multivector{} of {} rows and {} columns has the strides {} and {}, not {} and 1: "
      "multivectors are row-major without gaps; copy this one, which is a part of a wider one or "
      "is stored column by column, into a row-major multivector",
      quoted(label), rows, columns, row_stride, column_stride, columns));
}

void require_operands(const Operand& read, const Operand& written,
                      const std::source_location& where) {
  require_length(read, where);
  require_length(written, where);
  if (written.columns != read.columns)
    require_equal("columns of " + std::string(written.name), written.columns,
                  "columns of " + std::string(read.name), read.columns, where);
  require(
      read.begin == read.end || written.begin == written.end || read.end <= written.begin ||
          written.end <= read.begin,
      [&] {
        return text("{} and {} overlap in memory; a product needs two separate arrays", read.name,
                    written.name);
      },
      where);
}

}  // namespace Tomokkos::Impl
