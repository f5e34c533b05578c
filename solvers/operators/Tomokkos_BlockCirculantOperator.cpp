// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_Transpose.hpp>
#include <limits>
#include <string>
#include <utility>

namespace Tomokkos {
namespace Impl {

/// Workspace of a variant besides the matrix.
enum class CirculantWork {
  none,
  replicated,  ///< X with each row stored twice
  reordered    ///< X and Y in block order
};

constexpr CirculantWork work_of(CirculantVariant variant) {
  switch (variant) {
    case CirculantVariant::spmm:
    case CirculantVariant::mm:
    case CirculantVariant::team:
    case CirculantVariant::registers:
      return CirculantWork::none;
    case CirculantVariant::mm_2:
    case CirculantVariant::maxpy_2:
    case CirculantVariant::maxpy_4:
    case CirculantVariant::maxpy_8:
    case CirculantVariant::maxpy_12:
    case CirculantVariant::maxpy_16:
    case CirculantVariant::replicated:
    case CirculantVariant::library:
      return CirculantWork::replicated;
    case CirculantVariant::basic_mv:
    case CirculantVariant::automatic:
      break;
  }
  return CirculantWork::reordered;
}

/// Sets `sums(i k + p) = of_rows(i)`.
template <class Scalar, class MemorySpace>
struct ExpandRowSums {
  VectorView<const double, MemorySpace> of_rows;
  VectorView<Scalar, MemorySpace> sums;
  Ordinal blocks;
  KOKKOS_FUNCTION void operator()(const Offset row) const {
    sums(row) = static_cast<Scalar>(of_rows(row / blocks));
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::MatrixOperator(
    const ExecutionSpace& exec, matrix_type A, const options_type& options)
    : A_(std::move(A)), transpose_(chosen_transpose(exec, options)) {
  plan_ = make_plan(exec, A_, options.variant, options);
  if (transpose_ == TransposeMethod::direct) {
    direct_plan_ = CirculantTransposePlan<ExecutionSpace, Scalar>(exec, A_);
    return;
  }
  transposed_ = transposed_block_circulant<ExecutionSpace, Scalar>(exec, A_);
  transposed_plan_ = make_plan(exec, transposed_, options.transpose_variant, options);
}

/// A transposition needs temporary arrays besides its result.
template <class ExecutionSpace, class Scalar>
TransposeMethod MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>,
                               Scalar>::chosen_transpose(const ExecutionSpace& exec,
                                                         const options_type& options) const {
  if (options.transpose == TransposeMethod::stored || options.transpose == TransposeMethod::direct)
    return options.transpose;
  require(options.transpose == TransposeMethod::automatic,
          "block-circulant matrices are transposed by a stored copy or directly, not " +
              std::string(to_string(options.transpose)));
  const std::uint64_t available = options.available_bytes ? *options.available_bytes
                                  : Impl::is_host_space<ExecutionSpace>
                                      ? available_host_memory()
                                      : std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t workspace = transpose_workspace_bytes(
      exec, MatrixShape{A_.num_rows(), A_.block_cols, A_.num_stored()}, sizeof(Scalar));
  // Rounded values are plain while they are transposed.
  const std::uint64_t plain = A_.is_rounded() ? static_cast<std::uint64_t>(A_.num_stored()) *
                                                    (sizeof(Scalar) + sizeof(std::uint16_t))
                                              : 0;
  const std::uint64_t need = plain + block_circulant_bytes<Scalar>(A_.block_cols, A_.num_stored()) +
                             block_circulant_bytes<Scalar>(A_.num_rows(), A_.num_stored()) +
                             static_cast<std::uint64_t>(A_.num_rows()) * sizeof(Offset) + workspace;
  return need <= available ? TransposeMethod::stored : TransposeMethod::direct;
}

template <class ExecutionSpace, class Scalar>
auto MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::make_plan(
    const ExecutionSpace& exec, const matrix_type& M, CirculantVariant variant,
    const options_type& options) -> Plan {
  if (variant != CirculantVariant::library) return {exec, M, variant};
  require(static_cast<bool>(options.library),
          "the variant library needs another library for products with block-circulant matrices; "
          "none is available");
  // A library reads plain values, and keeps them.
  CirculantRoute<Scalar> route =
      options.library(exec, with_plain_values<ExecutionSpace, Scalar>(exec, M));
  library_bytes_ += route.memory_bytes;
  if (M.is_rounded()) library_bytes_ += static_cast<std::size_t>(M.num_stored()) * sizeof(Scalar);
  return {exec, M, variant, 1, std::move(route.product)};
}

template <class ExecutionSpace, class Scalar>
std::size_t
MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::memory_bytes() const {
  return A_.memory_bytes() + transposed_.memory_bytes() + plan_.memory_bytes() +
         transposed_plan_.memory_bytes() + direct_plan_.memory_bytes() + library_bytes_;
}

template <class ExecutionSpace, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::bytes_of(
    const matrix_type& M, CirculantVariant variant, int vectors) const {
  const std::size_t x = static_cast<std::size_t>(M.num_cols());
  const std::size_t y = static_cast<std::size_t>(M.num_rows());
  std::size_t entries = x + y;
  switch (Impl::work_of(variant)) {
    case Impl::CirculantWork::none:
      break;
    case Impl::CirculantWork::replicated:
      entries += 2 * static_cast<std::size_t>(M.pitch) * static_cast<std::size_t>(M.block_cols);
      break;
    case Impl::CirculantWork::reordered:
      entries += 2 * (x + y);
      break;
  }
  const int of_vectors = Impl::is_host_space<ExecutionSpace> ? 1 : spmm_passes(vectors);
  const std::size_t passes =
      variant == CirculantVariant::basic_mv
          ? static_cast<std::size_t>(M.blocks) * static_cast<std::size_t>(of_vectors)
      : variant == CirculantVariant::library ? static_cast<std::size_t>(vectors)
                                             : 1;
  // basic_mv reads a block row with plain values.
  const std::size_t read =
      variant == CirculantVariant::basic_mv
          ? static_cast<std::size_t>(block_circulant_bytes<Scalar>(M.block_rows, M.num_stored()))
          : M.memory_bytes();
  return passes * read + static_cast<std::size_t>(vectors) * entries * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>,
                           Scalar>::apply_bytes(int vectors) const {
  return bytes_of(A_, variant(), vectors);
}

template <class ExecutionSpace, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>,
                           Scalar>::apply_transpose_bytes(int vectors) const {
  if (transpose_ == TransposeMethod::stored)
    return bytes_of(transposed_, transpose_variant(), vectors);
  // Lower bound: the caches hold the image. On a GPU the array of the sums is set to zero, read and
  // written.
  const std::size_t sums = 3 * direct_plan_.sums().extent(0) * sizeof(Scalar);
  return bytes_of(A_, CirculantVariant::registers, vectors) + sums;
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::reserve(
    const ExecutionSpace& exec, int vectors) const {
  plan_.reserve(exec, A_, vectors);
  if (transpose_ == TransposeMethod::stored)
    transposed_plan_.reserve(exec, transposed_, vectors);
  else
    direct_plan_.reserve(exec, A_, vectors);
}

template <class ExecutionSpace, class Scalar>
bool MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::only_launches()
    const {
  const auto holds_nothing = [](CirculantVariant variant) {
    return Impl::work_of(variant) == Impl::CirculantWork::none;
  };
  return transpose_ == TransposeMethod::stored && holds_nothing(variant()) &&
         holds_nothing(transpose_variant());
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::apply(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y) const {
  spmv(exec, plan_, A_, alpha, X, beta, Y);
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::apply_transpose(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y) const {
  if (transpose_ == TransposeMethod::stored)
    spmv(exec, transposed_plan_, transposed_, alpha, X, beta, Y);
  else
    spmv_transpose(exec, direct_plan_, A_, alpha, X, beta, Y);
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::expand_row_sums(
    const ExecutionSpace& exec, const matrix_type& M,
    const VectorView<Scalar, memory_space>& sums) const {
  require_equal("length of the sums", static_cast<long long>(sums.extent(0)), "rows of A",
                M.num_rows());
  const auto of_rows = allocate<Vector<double, memory_space>>(
      exec, "Tomokkos::BlockCirculantOperator::row_sums", M.block_rows);
  circulant_row_sums<ExecutionSpace, Scalar>(exec, M, of_rows);
  Kokkos::parallel_for("Tomokkos::BlockCirculantOperator::expand_row_sums",
                       Impl::element_range(exec, M.num_rows()),
                       Impl::ExpandRowSums<Scalar, memory_space>{of_rows, sums, M.blocks});
  Impl::fence(exec, "row_sums: the sums of the block row are freed");
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::row_sums(
    const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& sums) const {
  expand_row_sums(exec, A_, sums);
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>::column_sums(
    const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& sums) const {
  if (transpose_ == TransposeMethod::stored) {
    expand_row_sums(exec, transposed_, sums);
    return;
  }
  const auto ones = allocate<Vector<Scalar, memory_space>>(
      exec, "Tomokkos::BlockCirculantOperator::ones", A_.num_rows());
  fill<ExecutionSpace, Scalar>(exec, ones, Scalar(1));
  apply_transpose(exec, Scalar(1), as_multivector(VectorView<const Scalar, memory_space>(ones)),
                  Scalar(0), as_multivector(sums));
  Impl::fence(exec, "column_sums: the vector of ones is freed");
}

template <class ExecutionSpace, class Scalar>
Description describe_circulant(const ExecutionSpace& exec,
                               const CirculantIn<ExecutionSpace, Scalar>& A) {
  return Description::map()
      .set("blocks", A.blocks)
      .set("block_rows", A.block_rows)
      .set("block_columns", A.block_cols)
      .set("stored", A.num_stored())
      .set("reuse", circulant_reuse<ExecutionSpace, Scalar>(exec, A));
}

template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> with_description(
    const ExecutionSpace& exec, const CirculantIn<ExecutionSpace, Scalar>& A,
    const BlockCirculantOperator<ExecutionSpace, Scalar>& products,
    const AnyOperator<ExecutionSpace, Scalar>& op) {
  BuiltOperator<ExecutionSpace, Scalar> made{op};
  made.transpose = products.transpose();
  made.description = Description::map()
                         .set("format", "block_circulant")
                         .set("values", A.is_rounded() ? "half" : "plain")
                         .set("variant", products.variant())
                         .set("transpose", products.transpose());
  if (products.transpose() == TransposeMethod::stored) {
    made.transposed_fill = 1;
    made.description.set("transpose_variant", products.transpose_variant());
  }
  const auto expanded = system_matrix_bytes<Scalar>(A.num_rows(), A.num_nonzeros());
  made.description.set_all(describe_circulant<ExecutionSpace, Scalar>(exec, A))
      .set("row_bytes", A.memory_bytes())
      .set("expanded", static_cast<double>(expanded) / static_cast<double>(A.memory_bytes()));
  return made;
}

template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CirculantIn<ExecutionSpace, Scalar>& A,
    const CirculantOperatorOptions<ExecutionSpace, Scalar>& options) {
  const BlockCirculantOperator<ExecutionSpace, Scalar> op(exec, A, options);
  return with_description(exec, A, op, AnyOperator<ExecutionSpace, Scalar>(op));
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template class MatrixOperator<SPACE, CirculantIn<SPACE, SCALAR>, SCALAR>;                  \
  template Description describe_circulant<SPACE, SCALAR>(const SPACE&,                       \
                                                         const CirculantIn<SPACE, SCALAR>&); \
  template BuiltOperator<SPACE, SCALAR> with_description<SPACE, SCALAR>(                     \
      const SPACE&, const CirculantIn<SPACE, SCALAR>&,                                       \
      const BlockCirculantOperator<SPACE, SCALAR>&, const AnyOperator<SPACE, SCALAR>&);      \
  template BuiltOperator<SPACE, SCALAR> make_operator<SPACE, SCALAR>(                        \
      const SPACE&, const CirculantIn<SPACE, SCALAR>&,                                       \
      const CirculantOperatorOptions<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
