// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `make_format_operator` for pairs of rows: what they need is known before they are made.
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatOperator.hpp>
#include <Tomokkos_FormatOps.hpp>
#include <Tomokkos_FormatTransposed.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_PairBlockedOperator.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <Tomokkos_RayTilesOperator.hpp>
#include <Tomokkos_Transpose.hpp>
#include <cstdio>
#include <impl/Tomokkos_AnyOperator_impl.hpp>
#include <impl/Tomokkos_ColumnByColumn.hpp>
#include <impl/Tomokkos_PackedRowsOperator_impl.hpp>
#include <limits>
#include <string>
#include <utility>

namespace Tomokkos::Impl {

/// How pairs of rows are transposed. Whole numbers take 9 bytes a column: no choice by memory.
inline PairTranspose chosen_pair_transpose(TransposeMethod method) {
  if (method == TransposeMethod::atomic) return PairTranspose::atomic;
  require(method == TransposeMethod::fixed_point || method == TransposeMethod::automatic,
          std::string(to_string(method)) +
              " is of other formats; pair_blocked is transposed by atomic additions or by those of "
              "whole numbers, fixed_point");
  return PairTranspose::fixed_point;
}

/// A in pairs of rows, which need no transpose beside them.
template <class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_paired_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const FormatOptions& options, const PaddingLimit& limit, bool with_transpose,
    std::uint64_t available) {
  std::optional<PairTranspose> transposed;
  if (with_transpose) transposed = chosen_pair_transpose(options.transpose);
  const bool is_fixed = transposed == PairTranspose::fixed_point;
  const PairBlockedSize size = pair_blocked_size<ExecutionSpace, Scalar>(exec, A);
  check_fill(MatrixFormat::pair_blocked, static_cast<Offset>(size.width) * size.pairs,
             A.num_nonzeros(), limit);
  // Sums and marks of the columns, and ones for the rows while their bound is found.
  const auto columns = static_cast<std::uint64_t>(A.num_cols);
  const auto rows = static_cast<std::uint64_t>(A.num_rows);
  const std::uint64_t sums =
      is_fixed ? columns * (sizeof(long long) + 1) + sizeof(double) + rows * sizeof(Scalar) : 0;
  require_memory(size.bytes + sums,
                 "pairs of rows of " + std::to_string(A.num_nonzeros()) + " entries in " +
                     std::to_string(size.stored) + " places need",
                 available, "");
  PairBlockedOptions blocking;
  blocking.limit = limit;
  PairBlockedOperator<ExecutionSpace, Scalar> made(
      exec, pair_blocked_from_csr<ExecutionSpace, Scalar>(exec, A, blocking), transposed);
  const double fill = fill_of(made.matrix());
  MadeOperator<ExecutionSpace, Scalar> result{
      AnyOperator<ExecutionSpace, Scalar>(std::move(made)), fill, 0, {}, {}};
  if (transposed)
    result.transpose = is_fixed ? TransposeMethod::fixed_point : TransposeMethod::atomic;
  result.pairs = PairsMade{size.pairs, size.mixed_begin, size.mixed_end, size.width};
  return result;
}

}  // namespace Tomokkos::Impl

namespace Tomokkos {
template <class ExecutionSpace, class Matrix>
FormatOperator<ExecutionSpace, Matrix>::FormatOperator(const ExecutionSpace& exec, Matrix A,
                                                       std::optional<Matrix> transposed,
                                                       const SpmvOptions& options,
                                                       bool adds_atomically)
    : A_(std::move(A)),
      transposed_(std::move(transposed)),
      options_(options),
      adds_atomically_(adds_atomically),
      plan_(exec, A_, options) {
  if (!transposed_) return;
  require_equal("rows of the transposed copy", transposed_->num_rows, "columns of A", A_.num_cols);
  require_equal("columns of the transposed copy", transposed_->num_cols, "rows of A", A_.num_rows);
  transposed_plan_ = Plan(exec, *transposed_, options);
}

template <class ExecutionSpace, class Matrix>
void FormatOperator<ExecutionSpace, Matrix>::diagonal(
    const ExecutionSpace& exec, const VectorView<scalar_type, memory_space>& d) const {
  format_diagonal(exec, A_, d);
}

template <class ExecutionSpace, class Matrix>
void FormatOperator<ExecutionSpace, Matrix>::diagonal_blocks(
    const ExecutionSpace& exec, int size,
    const VectorView<scalar_type, memory_space>& blocks) const {
  format_diagonal_blocks(exec, A_, size, blocks);
}

template <class ExecutionSpace, class Matrix>
FormatOperator<ExecutionSpace, Matrix> FormatOperator<ExecutionSpace, Matrix>::scaled(
    const ExecutionSpace& exec, const VectorView<const scalar_type, memory_space>& scale) const {
  std::optional<Matrix> transposed;
  if (transposed_) transposed = format_scaled(exec, *transposed_, scale, scale);
  return {exec, format_scaled(exec, A_, scale, scale), std::move(transposed), options_,
          adds_atomically_};
}

template <class ExecutionSpace, class Matrix>
std::size_t FormatOperator<ExecutionSpace, Matrix>::memory_bytes() const {
  std::size_t bytes =
      A_.memory_bytes() + plan_.memory_bytes() + work_.extent(0) * sizeof(scalar_type);
  if (transposed_) bytes += transposed_->memory_bytes() + transposed_plan_.memory_bytes();
  return bytes;
}

template <class ExecutionSpace, class Matrix>
std::size_t FormatOperator<ExecutionSpace, Matrix>::pattern_bytes() const {
  const auto pattern = [](const Matrix& M) {
    return M.memory_bytes() - static_cast<std::size_t>(M.num_stored()) * sizeof(scalar_type);
  };
  return pattern(A_) + (transposed_ ? pattern(*transposed_) : 0);
}

template <class ExecutionSpace, class Matrix>
std::size_t FormatOperator<ExecutionSpace, Matrix>::bytes_of(const Matrix& M, int vectors) const {
  const auto count = static_cast<std::size_t>(vectors);
  const std::size_t entries = static_cast<std::size_t>(M.num_rows) + M.num_cols;
  if constexpr (Impl::has_spmm<Matrix>) {
    const int passes = Impl::is_host_space<ExecutionSpace> ? 1 : spmm_passes(vectors);
    return static_cast<std::size_t>(passes) * M.memory_bytes() +
           count * entries * sizeof(scalar_type);
  } else {
    // Each vector is copied to a contiguous one and back, too.
    const std::size_t copies = vectors > 1 ? 2 : 0;
    return count * (M.memory_bytes() + (1 + copies) * entries * sizeof(scalar_type));
  }
}

template <class ExecutionSpace, class Matrix>
std::size_t FormatOperator<ExecutionSpace, Matrix>::apply_bytes(int vectors) const {
  return bytes_of(A_, vectors);
}

template <class ExecutionSpace, class Matrix>
std::size_t FormatOperator<ExecutionSpace, Matrix>::apply_transpose_bytes(int vectors) const {
  if (transposed_) return bytes_of(*transposed_, vectors);
  if (!adds_atomically_) return 0;
  // As of CSR: at best the caches hold the image, and an entry meets all vectors at once.
  return A_.memory_bytes() + static_cast<std::size_t>(vectors) *
                                 (static_cast<std::size_t>(A_.num_rows) + A_.num_cols) *
                                 sizeof(scalar_type);
}

template <class ExecutionSpace, class Matrix>
void FormatOperator<ExecutionSpace, Matrix>::reserve(const ExecutionSpace& exec,
                                                     int vectors) const {
  if (Impl::has_spmm<Matrix> || vectors < 2) return;
  const std::size_t size = static_cast<std::size_t>(A_.num_rows) + A_.num_cols;
  if (work_.extent(0) < size)
    work_ =
        allocate<Vector<scalar_type, memory_space>>(exec, "Tomokkos::FormatOperator::work", size);
}

template <class ExecutionSpace, class Matrix>
void FormatOperator<ExecutionSpace, Matrix>::apply(
    const ExecutionSpace& exec, scalar_type alpha,
    const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
    const MultiVectorView<scalar_type, memory_space>& Y) const {
  multiply(exec, plan_, A_, alpha, X, beta, Y);
}

template <class ExecutionSpace, class Matrix>
void FormatOperator<ExecutionSpace, Matrix>::apply_transpose(
    const ExecutionSpace& exec, scalar_type alpha,
    const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
    const MultiVectorView<scalar_type, memory_space>& Y) const {
  require(has_transpose(), "this operator was made without a transposed copy");
  if (!transposed_) {
    format_transpose_atomic<ExecutionSpace, Matrix>(exec, A_, alpha, X, beta, Y);
    return;
  }
  multiply(exec, transposed_plan_, *transposed_, alpha, X, beta, Y);
}

template <class ExecutionSpace, class Matrix>
void FormatOperator<ExecutionSpace, Matrix>::multiply(
    const ExecutionSpace& exec, const Plan& plan, const Matrix& M, scalar_type alpha,
    const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
    const MultiVectorView<scalar_type, memory_space>& Y) const {
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  if (X.extent(1) == 1) {
    spmv(exec, plan, M, alpha, as_vector(X), beta, as_vector(Y));
    return;
  }
  if constexpr (Impl::has_spmm<Matrix>) {
    spmm(exec, M, alpha, X, beta, Y);
  } else {
    multiply_one_by_one(exec, plan, M, alpha, X, beta, Y);
  }
}

template <class ExecutionSpace, class Matrix>
void FormatOperator<ExecutionSpace, Matrix>::multiply_one_by_one(
    const ExecutionSpace& exec, const Plan& plan, const Matrix& M, scalar_type alpha,
    const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
    const MultiVectorView<scalar_type, memory_space>& Y) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "columns of A", M.num_cols);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "rows of A", M.num_rows);
  reserve(exec, static_cast<int>(X.extent(1)));
  Impl::column_by_column<ExecutionSpace, scalar_type>(
      exec, work_, X, beta, Y,
      [&](const VectorView<const scalar_type, memory_space>& x,
          const VectorView<scalar_type, memory_space>& y) {
        spmv(exec, plan, M, alpha, x, beta, y);
      });
}

namespace Impl {

/// What may be taken, as far as it is known.
template <class ExecutionSpace>
std::uint64_t available_bytes(const FormatOptions& options) {
  if (options.available_bytes) return *options.available_bytes;
  return is_host_space<ExecutionSpace> ? available_host_memory()
                                       : std::numeric_limits<std::uint64_t>::max() - 1;
}

/// How A in another format is transposed. What its copy needs is about what A does, twice: it is
/// CSR first.
template <class ExecutionSpace, class Csr>
TransposeMethod chosen_transpose(const ExecutionSpace& exec, const Csr& A,
                                 const FormatOptions& options) {
  if (options.transpose == TransposeMethod::private_images ||
      options.transpose == TransposeMethod::windowed)
    throw Error(
        std::string(options.transpose == TransposeMethod::windowed ? "windows" : "private images") +
        " are of csr; " + std::string(to_string(options.format)) +
        " is transposed by a stored copy or by atomic additions");
  require(options.transpose != TransposeMethod::direct,
          "direct is of block-circulant matrices; " + std::string(to_string(options.format)) +
              " is transposed by a stored copy or by atomic additions");
  require(options.transpose != TransposeMethod::fixed_point,
          "whole numbers are of pairs of rows; " + std::string(to_string(options.format)) +
              " is transposed by a stored copy or by atomic additions");
  if (options.transpose != TransposeMethod::automatic) return options.transpose;
  TransposeNeeds needs;
  needs.stored_bytes = 2 * static_cast<std::uint64_t>(A.memory_bytes());
  needs.private_bytes = std::numeric_limits<std::uint64_t>::max();
  needs.available_bytes = available_bytes<ExecutionSpace>(options);
  return choose_transpose(device_traits(exec), needs, options.deterministic);
}

/// Brings A, and where wanted its transpose, into a format by \p convert.
template <class ExecutionSpace, class Scalar, class Convert>
MadeOperator<ExecutionSpace, Scalar> make_operator_by(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const SpmvOptions& options, std::optional<TransposeMethod> method, const Convert& convert) {
  using Matrix = decltype(convert(A));
  std::optional<Matrix> transposed;
  if (method == TransposeMethod::stored)
    transposed = convert(transpose<ExecutionSpace, Scalar>(exec, A));
  const double transposed_fill = transposed ? fill_of(*transposed) : 0.0;
  FormatOperator<ExecutionSpace, Matrix> made(exec, convert(A), std::move(transposed), options,
                                              method == TransposeMethod::atomic);
  const double own_fill = fill_of(made.matrix());
  return {
      AnyOperator<ExecutionSpace, Scalar>(std::move(made)), own_fill, transposed_fill, method, {}};
}

/// Throws `MemoryError` with the figure when ray tiles of A would not fit.
template <class Matrix, class ExecutionSpace, class Csr>
void require_room_for_tiles(const ExecutionSpace& exec, const Csr& A,
                            const RayTilesOptions& options, std::uint64_t available) {
  using Scalar = typename Csr::scalar_type;
  const RayTilesSize size = ray_tiles_size<ExecutionSpace, Scalar>(exec, A, options.tile);
  const RayTilesCount bound =
      bound_ray_tiles(A.num_rows, A.num_cols, A.num_nonzeros(), size, options);
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.4g", size.mean_segment);
  require_memory(ray_tiles_need(A.num_rows, A.num_cols, bound, Matrix::entry_bytes,
                                !is_host_space<ExecutionSpace>, sizeof(Scalar)),
                 "ray tiles of " + std::to_string(A.num_nonzeros()) + " entries in " +
                     std::to_string(size.segments) + " segments (" + mean + " on average) need",
                 available,
                 Matrix::is_packed || sizeof(Scalar) > 4
                     ? ""
                     : "values of 16 bits take 4 bytes an entry instead of 6");
}

/// A in ray tiles, which need no transpose beside them.
template <TileValues Values, class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_tiled_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RayTilesOptions& options, std::uint64_t available) {
  using Matrix = RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>;
  require_room_for_tiles<Matrix>(exec, A, options, available);
  RayTilesOperator<ExecutionSpace, Matrix> made(
      exec, ray_tiles_from_csr<ExecutionSpace, Scalar, Values>(exec, A, options));
  const Matrix& tiles = made.matrix();
  const double fill = fill_of(tiles);
  const TilesMade shape{tiles.tile, tiles.group_rows, tiles.num_segments(), tiles.mean_segment()};
  return {AnyOperator<ExecutionSpace, Scalar>(std::move(made)), fill, 0, {}, shape};
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_format_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const FormatOptions& options, bool with_transpose) {
  using Csr = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvOptions spmv_options;
  spmv_options.deterministic = options.deterministic;
  const auto make = [&](const auto& convert) {
    std::optional<TransposeMethod> method;
    if (with_transpose) method = Impl::chosen_transpose(exec, A, options);
    return Impl::make_operator_by<ExecutionSpace, Scalar>(exec, A, spmv_options, method, convert);
  };
  PaddingLimit limit;
  BcsrOptions bcsr;
  if (options.largest_fill) limit.largest_fill = bcsr.limit.largest_fill = *options.largest_fill;
  switch (options.format) {
    case MatrixFormat::csr:
    case MatrixFormat::scsr:
    case MatrixFormat::block_circulant:
    case MatrixFormat::automatic:
      break;
    case MatrixFormat::coo:
      return make([&](const Csr& M) { return coo_from_csr<ExecutionSpace, Scalar>(exec, M); });
    case MatrixFormat::ell:
      return make(
          [&](const Csr& M) { return ell_from_csr<ExecutionSpace, Scalar>(exec, M, limit); });
    case MatrixFormat::ell_r:
      spmv_options.vector_length = options.threads_per_row;
      return make([&](const Csr& M) {
        return ell_r_from_csr<ExecutionSpace, Scalar>(exec, M, {options.sort_by_length, limit});
      });
    case MatrixFormat::hyb:
      return make([&](const Csr& M) {
        return hyb_from_csr<ExecutionSpace, Scalar>(exec, M, {options.quantile, limit});
      });
    case MatrixFormat::sell:
      return make([&](const Csr& M) {
        SellOptions sell;
        sell.chunk = options.chunk;
        sell.sigma = options.sigma;
        sell.limit = limit;
        return sell_from_csr<ExecutionSpace, Scalar>(exec, M, sell);
      });
    case MatrixFormat::bcsr:
      switch (options.block) {
        case 2:
          return make([&](const Csr& M) {
            return bcsr_from_csr<2, ExecutionSpace, Scalar>(exec, M, bcsr);
          });
        case 3:
          return make([&](const Csr& M) {
            return bcsr_from_csr<3, ExecutionSpace, Scalar>(exec, M, bcsr);
          });
        case 4:
          return make([&](const Csr& M) {
            return bcsr_from_csr<4, ExecutionSpace, Scalar>(exec, M, bcsr);
          });
        case 8:
          return make([&](const Csr& M) {
            return bcsr_from_csr<8, ExecutionSpace, Scalar>(exec, M, bcsr);
          });
        default:
          throw Error("blocks are 2x2, 3x3, 4x4 or 8x8, not " + std::to_string(options.block) +
                      "x" + std::to_string(options.block));
      }
    case MatrixFormat::pair_blocked:
      return Impl::make_paired_operator<ExecutionSpace, Scalar>(
          exec, A, options, limit, with_transpose, Impl::available_bytes<ExecutionSpace>(options));
    case MatrixFormat::ray_tiles:
    case MatrixFormat::packed_csr: {
      const std::uint64_t available = Impl::available_bytes<ExecutionSpace>(options);
      const auto make_with = [&]<TileValues Values>() {
        if (options.format == MatrixFormat::packed_csr)
          return Impl::make_packed_operator<Values, ExecutionSpace, Scalar>(
              exec, A, options, with_transpose, available);
        return Impl::make_tiled_operator<Values, ExecutionSpace, Scalar>(
            exec, A, {options.tile, options.group_rows}, available);
      };
      if (options.values == TileValues::plain)
        return make_with.template operator()<TileValues::plain>();
      if constexpr (std::is_same_v<Scalar, float>) {
        return options.values == TileValues::half
                   ? make_with.template operator()<TileValues::half>()
                   : make_with.template operator()<TileValues::scaled>();
      }
      throw Error("values of 16 bits are for products in float");
    }
  }
  throw Error(
      "CSR and block-circulant matrices are operators of their own, CsrOperator and "
      "BlockCirculantOperator, and a choice comes first: choose_format");
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                 \
  template MadeOperator<SPACE, SCALAR> make_format_operator<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const FormatOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
