// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ColumnByColumn.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_CsrOps.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Transpose.hpp>
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace Tomokkos {
namespace Impl {

template <class ExecutionSpace, class Matrix>
ProductPlan<ExecutionSpace, Matrix> planned(const ExecutionSpace& exec, const Matrix& A,
                                            const SpmvOptions& options) {
  if constexpr (std::is_constructible_v<ProductPlan<ExecutionSpace, Matrix>, const ExecutionSpace&,
                                        const Matrix&, const SpmvOptions&>)
    return {exec, A, options};
  else
    return {exec, A};
}

/// Throws `Error`, which names the methods of \p Format, if \p method is none of them.
template <class Format>
void require_transpose_method(TransposeMethod method) {
  std::string allowed;
  for (const TransposeMethod own : Format::transposes) {
    if (own == method) return;
    allowed += (allowed.empty() ? "" : ", ") + std::string(to_string(own));
  }
  throw Refused(std::string(to_string(method)) + " does not apply to " +
                std::string(to_string(Format::format)) + "; its transposed product uses " +
                allowed);
}

}  // namespace Impl

template <class ExecutionSpace, class Matrix, class Scalar>
MatrixOperator<ExecutionSpace, Matrix, Scalar>::MatrixOperator(const ExecutionSpace& exec, Matrix A,
                                                               const OperatorOptions& options,
                                                               std::optional<Matrix> transposed)
    : A_(std::move(A)),
      options_(options),
      transpose_was_chosen_(options.transpose == TransposeMethod::automatic),
      transpose_on_demand_(is_csr && !options.transpose),
      plan_(Impl::planned(exec, A_, in_packs(options.spmv))) {
  if constexpr (requires { plan_.options(); }) options_.spmv = plan_.options();
  options_.transpose = chosen_transpose(exec);
  if (transposed) {
    require(options_.transpose == TransposeMethod::stored,
            "a transposed copy applies only to the transpose method stored");
    require_equal("rows of the transpose", transposed->num_rows, "columns of A", A_.num_cols);
    require_equal("columns of the transpose", transposed->num_cols, "rows of A", A_.num_rows);
    copy_->plan = Impl::planned(exec, *transposed, in_packs(options_.transpose_spmv));
    copy_->matrix = std::move(*transposed);
    copy_->is_built = true;
  }
  if (options_.transpose && options_.transpose != TransposeMethod::stored)
    make_transposed_products(exec);
  if (!transpose_on_demand_) reserve_transpose(exec);
  A_ = arranged(exec, A_, options_.spmv);
}

template <class ExecutionSpace, class Matrix, class Scalar>
std::optional<TransposeMethod> MatrixOperator<ExecutionSpace, Matrix, Scalar>::chosen_transpose(
    const ExecutionSpace& exec) const {
  const std::optional<TransposeMethod> wanted = options_.transpose;
  if constexpr (Traits::one_copy) return {};
  if (!wanted) return is_csr ? std::optional(TransposeMethod::stored) : std::nullopt;
  if (wanted != TransposeMethod::automatic) {
    Impl::require_transpose_method<Traits>(*wanted);
    return wanted;
  }
  if constexpr (is_csr) {
    const DeviceTraits device = device_traits(exec);
    TransposeNeeds needs;
    needs.stored_bytes =
        Impl::MemoryNeed()
            .add_csr(static_cast<std::uint64_t>(A_.num_cols),
                     static_cast<std::uint64_t>(A_.num_nonzeros()), sizeof(scalar_type))
            .add(transpose_workspace_bytes<ExecutionSpace, scalar_type>(
                     exec, A_, {.variant = options_.transposition}),
                 1)
            .bytes();
    needs.private_bytes = Impl::MemoryNeed()
                              .add(static_cast<std::uint64_t>(A_.num_cols) * sizeof(scalar_type) *
                                       static_cast<std::uint64_t>(options_.vectors),
                                   static_cast<std::uint64_t>(
                                       private_image_count(device, options_.spmv.deterministic)))
                              .bytes();
    needs.available_bytes = available_bytes();
    needs.ranges = options_.row_ranges;
    // Counting segments costs a pass over A. Do it only if a copy does not fit, or for many ranges.
    const bool wants_windows = needs.stored_bytes > needs.available_bytes ||
                               (needs.ranges >= many_ranges &&
                                (needs.ranges < very_many_ranges || options_.spmv.deterministic));
    if (device.gpu && wants_windows && !uses_interleaved(options_.spmv))
      needs.windowed_bytes = windowed_plan_bytes<ExecutionSpace, scalar_type>(exec, A_);
    return choose_transpose(device, needs, options_.spmv.deterministic);
  } else if constexpr (!Traits::one_copy) {
    // Without a copy; `make_operator` decides about one.
    return Traits::transposes.front() == TransposeMethod::stored ? Traits::transposes.back()
                                                                 : Traits::transposes.front();
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::make_transposed_products(
    const ExecutionSpace& exec) {
  const TransposeMethod method = *options_.transpose;
  if (method != TransposeMethod::windowed) {
    own_ = {exec, A_, method, options_.spmv.deterministic};
    return;
  }
  if constexpr (is_csr) {
    const bool asked_for = !transpose_was_chosen_;
    require(!uses_interleaved(options_.spmv),
            "windows add up the successive entries of rows, which must not be interleaved");
    if (asked_for)
      Impl::require_memory(windowed_plan_bytes<ExecutionSpace, scalar_type>(exec, A_),
                           "the windows of the transposed product need", available_bytes());
    try {
      own_ = {exec, A_, method, options_.spmv.deterministic};
    } catch (const Error&) {
      // Windows do not suit this matrix: its rows are in no order, its values not finite or out of
      // range, or its segments too many for the memory.
      if (asked_for) throw;
      options_.transpose =
          options_.spmv.deterministic ? TransposeMethod::stored : TransposeMethod::atomic;
    }
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::reserve_transpose(
    const ExecutionSpace& exec) const {
  if (options_.transpose != TransposeMethod::stored || copy_->is_built) return;
  if constexpr (is_csr) {
    const Matrix transposed = transpose(exec, A_, {.variant = options_.transposition});
    copy_->plan = Impl::planned(exec, transposed, in_packs(options_.transpose_spmv));
    copy_->matrix = arranged(exec, transposed, copy_->plan.options());
    copy_->is_built = true;
  } else {
    throw Refused("a stored transpose in " + std::string(to_string(Traits::format)) +
                  " must be passed to the operator; make_operator builds it");
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
const OperatorOptions& MatrixOperator<ExecutionSpace, Matrix, Scalar>::options() const {
  if constexpr (requires { copy_->plan.options(); })
    if (copy_->is_built) options_.transpose_spmv = copy_->plan.options();
  return options_;
}

template <class ExecutionSpace, class Matrix, class Scalar>
std::uint64_t MatrixOperator<ExecutionSpace, Matrix, Scalar>::available_bytes() const {
  if (options_.available_bytes) return *options_.available_bytes;
  return Impl::is_host_space<ExecutionSpace> ? available_host_memory()
                                             : std::numeric_limits<std::uint64_t>::max();
}

template <class ExecutionSpace, class Matrix, class Scalar>
SpmvOptions MatrixOperator<ExecutionSpace, Matrix, Scalar>::in_packs(SpmvOptions options) const {
  // Packs for interleaved entries, unless another size was requested.
  if (is_csr && options_.interleaved && options.entries_per_load == 0)
    options.entries_per_load = pack_entries;
  return options;
}

template <class ExecutionSpace, class Matrix, class Scalar>
Matrix MatrixOperator<ExecutionSpace, Matrix, Scalar>::arranged(const ExecutionSpace& exec,
                                                                const Matrix& M,
                                                                const SpmvOptions& chosen) const {
  if constexpr (is_csr) {
    if (uses_interleaved(chosen))
      return csr_interleaved<ExecutionSpace, scalar_type>(exec, M, chosen.vector_length);
  }
  return M;
}

template <class ExecutionSpace, class Matrix, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, Matrix, Scalar>::memory_bytes() const {
  return A_.memory_bytes() + plan_.memory_bytes() + copy_->matrix.memory_bytes() +
         copy_->plan.memory_bytes() + own_.memory_bytes() + work_.extent(0) * sizeof(scalar_type) +
         squared_norms_.extent(0) * sizeof(double) + (row_index_ ? row_index_->memory_bytes() : 0);
}

template <class ExecutionSpace, class Matrix, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, Matrix, Scalar>::pattern_bytes() const {
  if constexpr (is_csr) {
    return A_.memory_bytes() - A_.values.extent(0) * sizeof(scalar_type);
  } else if constexpr (has_entries) {
    const auto pattern = [](const Matrix& M) {
      return M.memory_bytes() - static_cast<std::size_t>(M.num_stored()) * sizeof(scalar_type);
    };
    return pattern(A_) + (copy_->is_built ? pattern(copy_->matrix) : 0);
  } else {
    return 0;
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, Matrix, Scalar>::vector_bytes(int vectors) const {
  return static_cast<std::size_t>(vectors) * (static_cast<std::size_t>(A_.num_rows) + A_.num_cols) *
         sizeof(scalar_type);
}

template <class ExecutionSpace, class Matrix, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, Matrix, Scalar>::bytes_of(const Matrix& M,
                                                                     int vectors) const {
  if (Traits::several_vectors) {
    const int passes = Impl::is_host_space<ExecutionSpace> ? 1 : spmm_passes(vectors);
    return static_cast<std::size_t>(passes) * M.memory_bytes() + vector_bytes(vectors);
  }
  // Each of several vectors is also copied to a contiguous one and back.
  const std::size_t copies = vectors > 1 ? 2 : 0;
  return static_cast<std::size_t>(vectors) * M.memory_bytes() +
         (1 + copies) * vector_bytes(vectors);
}

template <class ExecutionSpace, class Matrix, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, Matrix, Scalar>::apply_bytes(int vectors) const {
  return bytes_of(A_, vectors);
}

template <class ExecutionSpace, class Matrix, class Scalar>
std::size_t MatrixOperator<ExecutionSpace, Matrix, Scalar>::apply_transpose_bytes(
    int vectors) const {
  if (Traits::one_copy) return bytes_of(A_, vectors);
  if (!options_.transpose) return 0;
  if (options_.transpose == TransposeMethod::stored) {
    if constexpr (is_csr) {
      // The copy has the entries of A and an offset per column; it may not be built yet.
      const int passes = Impl::is_host_space<ExecutionSpace> ? 1 : spmm_passes(vectors);
      return bytes_of(A_, vectors) -
             static_cast<std::size_t>(passes) * A_.row_offsets.extent(0) * sizeof(Offset) +
             static_cast<std::size_t>(passes) * (static_cast<std::size_t>(A_.num_cols) + 1) *
                 sizeof(Offset);
    } else {
      return bytes_of(copy_->matrix, vectors);
    }
  }
  if constexpr (is_csr) {
    // The matrix and its list of segments are read once for each vector.
    if (options_.transpose == TransposeMethod::windowed)
      return static_cast<std::size_t>(vectors) *
                 (A_.memory_bytes() + own_.windows().memory_bytes()) +
             vector_bytes(vectors);
  }
  // Assumes that additions hit the caches and that an entry serves all vectors at once.
  const std::size_t traffic = own_.workspace_traffic(vectors);
  if constexpr (requires { own_.passes(vectors); })
    return traffic + static_cast<std::size_t>(own_.passes(vectors)) * A_.memory_bytes() +
           vector_bytes(vectors);
  return traffic + (TransposedProducts<ExecutionSpace, Matrix>::several_vectors
                        ? A_.memory_bytes() + vector_bytes(vectors)
                        : bytes_of(A_, vectors));
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::reserve(const ExecutionSpace& exec,
                                                             int vectors) const {
  own_.reserve(exec, A_, vectors);
  if (!Traits::several_vectors) reserve_columns(exec, vectors);
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::reserve_columns(const ExecutionSpace& exec,
                                                                     int vectors) const {
  const std::size_t size = static_cast<std::size_t>(A_.num_rows) + A_.num_cols;
  if (vectors > 1 && work_.extent(0) < size)
    work_ =
        allocate<Vector<scalar_type, memory_space>>(exec, "Tomokkos::MatrixOperator::work", size);
}

/// Calls `product(x, y)` for every column of X and Y.
template <class ExecutionSpace, class Matrix, class Scalar>
template <class Product>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::for_columns(const ExecutionSpace& exec,
                                                                 const Input& X, Ordinal rows_of_x,
                                                                 scalar_type beta, const Output& Y,
                                                                 Ordinal rows_of_y,
                                                                 const Product& product) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the length of its vectors",
                rows_of_x);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "the length of its vectors",
                rows_of_y);
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  if (X.extent(1) == 1) {
    product(as_vector(X), as_vector(Y));
    return;
  }
  reserve_columns(exec, static_cast<int>(X.extent(1)));
  Impl::column_by_column<ExecutionSpace, scalar_type>(exec, work_, X, beta, Y, product);
}

/// Product of a stored matrix, A or its transpose, with all rows.
template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::multiply_with(
    const ExecutionSpace& exec, const Plan& plan, const Matrix& M, scalar_type alpha,
    const Input& X, scalar_type beta, const Output& Y) const {
  if constexpr (Traits::several_vectors) {
    if (X.extent(1) != 1 || Y.extent(1) != 1) {
      if constexpr (is_csr)
        spmm<ExecutionSpace, scalar_type>(exec, M, all_rows, alpha, X, beta, Y);
      else
        spmm(exec, M, alpha, X, beta, Y);
      return;
    }
  }
  for_columns(exec, X, M.num_cols, beta, Y, M.num_rows,
              [&](const ConstVectorType& x, const VectorType& y) {
                if constexpr (is_csr)
                  spmv<ExecutionSpace, scalar_type>(exec, plan, M, alpha, x, beta, y);
                else
                  spmv(exec, plan, M, alpha, x, beta, y);
              });
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::multiply(const ExecutionSpace& exec,
                                                              scalar_type alpha, const Input& X,
                                                              scalar_type beta, const Output& Y,
                                                              RowRange rows) const {
  if (rows.is_all()) {
    multiply_with(exec, plan_, A_, alpha, X, beta, Y);
    return;
  }
  if constexpr (is_csr) {
    if (X.extent(1) == 1 && Y.extent(1) == 1)
      spmv_rows<ExecutionSpace, scalar_type>(exec, plan_, A_, rows, alpha, as_vector(X), beta,
                                             as_vector(Y));
    else
      spmm<ExecutionSpace, scalar_type>(exec, A_, rows, alpha, X, beta, Y);
  } else if constexpr (Traits::row_ranges) {
    spmm<ExecutionSpace, scalar_type>(exec, A_, rows, alpha, X, beta, Y);
  } else if constexpr (has_ranges) {
    // Check the range first: an error about shapes would mislead for an invalid range.
    const Ordinal count = Impl::checked_range(rows, A_.num_rows, "rows").size(A_.num_rows);
    for_columns(exec, X, A_.num_cols, beta, Y, count,
                [&](const ConstVectorType& x, const VectorType& y) {
                  spmv(exec, plan_, A_, alpha, x, beta, y, rows);
                });
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::multiply_by_copy(
    const ExecutionSpace& exec, scalar_type alpha, const Input& X, scalar_type beta,
    const Output& Y, RowRange rows) const {
  reserve_transpose(exec);
  if constexpr (is_csr) {
    const bool one_vector = X.extent(1) == 1 && Y.extent(1) == 1;
    // A product with one vector finds its range by bisection, which needs sorted rows.
    if (one_vector && !rows.is_all() && !options_.interleaved) {
      spmv_columns<ExecutionSpace, scalar_type>(exec, copy_->plan, copy_->matrix, rows, alpha,
                                                as_vector(X), beta, as_vector(Y));
      return;
    }
    if (!one_vector || !rows.is_all()) {
      spmm_columns<ExecutionSpace, scalar_type>(exec, copy_->matrix, rows, alpha, X, beta, Y);
      return;
    }
  }
  multiply_with(exec, copy_->plan, copy_->matrix, alpha, X, beta, Y);
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::multiply_transposed(
    const ExecutionSpace& exec, scalar_type alpha, const Input& X, scalar_type beta,
    const Output& Y, RowRange rows) const {
  if constexpr (Traits::one_copy) {
    if constexpr (Traits::several_vectors) {
      if (rows.is_all() && X.extent(1) != 1) {
        spmm_transpose(exec, A_, alpha, X, beta, Y);
        return;
      }
    }
    const Ordinal count = Impl::checked_range(rows, A_.num_rows, "rows").size(A_.num_rows);
    for_columns(exec, X, count, beta, Y, A_.num_cols,
                [&](const ConstVectorType& x, const VectorType& y) {
                  spmv_transpose(exec, plan_, A_, alpha, x, beta, y, rows);
                });
  } else {
    require(options_.transpose.has_value(), "this operator was built without a transposed product");
    if (options_.transpose == TransposeMethod::stored) {
      multiply_by_copy(exec, alpha, X, beta, Y, rows);
    } else if constexpr (is_csr) {
      own_.apply(exec, plan_, A_, rows, alpha, X, beta, Y);
    } else if constexpr (Traits::row_ranges) {
      own_.apply(exec, A_, rows, alpha, X, beta, Y);
    } else if constexpr (TransposedProducts<ExecutionSpace, Matrix>::several_vectors) {
      own_.apply(exec, A_, alpha, X, beta, Y);
    } else {
      for_columns(exec, X, A_.num_rows, beta, Y, A_.num_cols,
                  [&](const ConstVectorType& x, const VectorType& y) {
                    own_.apply(exec, A_, alpha, as_multivector(x), beta, as_multivector(y));
                  });
    }
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
Ordinal MatrixOperator<ExecutionSpace, Matrix, Scalar>::slab_multiple() const requires has_slabs {
  if constexpr (is_csr)
    return copy_->is_built ? copy_->plan.range_unit() : 0;
  else
    return Traits::slab_multiple(A_);
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::prepare_slabs(
    const ExecutionSpace& exec, const Input& X) const requires has_slabs {
  if constexpr (!is_csr) {
    require_equal("rows of X", static_cast<long long>(X.extent(0)), "the length of its vectors",
                  A_.num_rows);
    if (X.extent(1) == 1) prepare_transpose_columns(exec, plan_, A_, as_vector(X));
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::apply_transpose_columns(
    const ExecutionSpace& exec, scalar_type alpha, const Input& X, scalar_type beta,
    const Output& Y, RowRange columns) const requires has_slabs {
  const RowRange slab = Impl::checked_slab(columns, A_.num_cols, slab_multiple());
  if constexpr (is_csr) {
    if (X.extent(1) == 1 && Y.extent(1) == 1)
      spmv_rows<ExecutionSpace, scalar_type>(exec, copy_->plan, copy_->matrix, slab, alpha,
                                             as_vector(X), beta, as_vector(Y));
    else
      spmm<ExecutionSpace, scalar_type>(exec, copy_->matrix, slab, alpha, X, beta, Y);
  } else {
    for_columns(exec, X, A_.num_rows, beta, Y, slab.size(A_.num_cols),
                [&](const ConstVectorType& x, const VectorType& y) {
                  if (X.extent(1) > 1) prepare_transpose_columns(exec, plan_, A_, x);
                  spmv_transpose_columns(exec, plan_, A_, slab, alpha, x, beta, y);
                });
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
bool MatrixOperator<ExecutionSpace, Matrix, Scalar>::only_launches() const {
  if constexpr (is_csr)
    return options_.transpose == TransposeMethod::stored ||
           options_.transpose == TransposeMethod::atomic;
  else
    return Traits::several_vectors;
}

template <class ExecutionSpace, class Matrix, class Scalar>
Offset MatrixOperator<ExecutionSpace, Matrix, Scalar>::dot_sums() const requires(Traits::has_dot) {
  if constexpr (is_csr)
    return spmv_dot_sums<ExecutionSpace, scalar_type>(plan_);
  else
    return spmv_dot_sums(plan_, A_);
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::apply_dot(
    const ExecutionSpace& exec, const ConstVectorType& x, const VectorType& y,
    const VectorView<double, memory_space>& sums) const requires(Traits::has_dot) {
  if constexpr (is_csr)
    spmv_dot<ExecutionSpace, scalar_type>(exec, plan_, A_, x, y, sums);
  else
    spmv_dot(exec, plan_, A_, x, y, sums);
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::diagonal(
    const ExecutionSpace& exec, const VectorType& d) const requires has_entries {
  if constexpr (is_csr)
    csr_diagonal<ExecutionSpace, scalar_type>(exec, A_, d);
  else
    format_diagonal<ExecutionSpace, Matrix>(exec, A_, d);
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::diagonal_blocks(
    const ExecutionSpace& exec, int size, const VectorType& blocks) const requires has_entries {
  if constexpr (is_csr)
    csr_diagonal_blocks<ExecutionSpace, scalar_type>(exec, A_, size, blocks);
  else
    format_diagonal_blocks<ExecutionSpace, Matrix>(exec, A_, size, blocks);
}

template <class ExecutionSpace, class Matrix, class Scalar>
MatrixOperator<ExecutionSpace, Matrix, Scalar>
MatrixOperator<ExecutionSpace, Matrix, Scalar>::scaled(
    const ExecutionSpace& exec, const ConstVectorType& scale) const requires has_entries {
  OperatorOptions options = this->options();
  if constexpr (is_csr) {
    // The entries of A are already interleaved.
    options.interleaved = false;
    if (transpose_on_demand_) options.transpose.reset();
    // Windows depend on the values: an automatic choice is made again, not requested.
    if (transpose_was_chosen_ && options_.transpose == TransposeMethod::windowed)
      options.transpose = TransposeMethod::automatic;
    MatrixOperator result(exec, csr_scaled<ExecutionSpace, scalar_type>(exec, A_, scale, scale),
                          options);
    result.options_.interleaved = options_.interleaved;
    if (result.copy_->is_built)
      result.copy_->matrix =
          result.arranged(exec, result.copy_->matrix, result.copy_->plan.options());
    return result;
  } else {
    std::optional<Matrix> transposed;
    if (copy_->is_built)
      transposed = format_scaled<ExecutionSpace, Matrix>(exec, copy_->matrix, scale, scale);
    return {exec, format_scaled<ExecutionSpace, Matrix>(exec, A_, scale, scale), options,
            std::move(transposed)};
  }
}

template <class ExecutionSpace, class Matrix, class Scalar>
auto MatrixOperator<ExecutionSpace, Matrix, Scalar>::row_squared_norms(const ExecutionSpace& exec)
    const -> const Vector<double, memory_space>& requires has_single_rows {
  if (squared_norms_.extent(0) == 0) squared_norms_ = rows_squared_norms(exec, stored_rows(exec));
  return squared_norms_;
}

template <class ExecutionSpace, class Matrix, class Scalar>
auto MatrixOperator<ExecutionSpace, Matrix, Scalar>::largest_block_counts(
    const ExecutionSpace& exec, const RowSubsets& blocks, const Ranks* ranks) const
    -> Vector<Ordinal, memory_space>
requires has_single_rows {
  return rows_largest_block_counts(exec, stored_rows(exec), blocks, ranks);
}

template <class ExecutionSpace, class Matrix, class Scalar>
auto MatrixOperator<ExecutionSpace, Matrix, Scalar>::kaczmarz_schedule(
    const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order) const
    -> std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>>
requires has_single_rows {
  return std::make_shared<const KaczmarzSchedule<ExecutionSpace>>(
      make_rows_kaczmarz_schedule(exec, stored_rows(exec), order, row_squared_norms(exec)));
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::kaczmarz_sweep_levels(
    const ExecutionSpace& exec, const KaczmarzSchedule<ExecutionSpace>& schedule,
    const KaczmarzSweep<scalar_type, memory_space>& sweep, const ConstVectorType& b,
    const VectorType& x) const requires has_single_rows {
  rows_kaczmarz_sweep_levels(exec, stored_rows(exec), schedule,
                             {sweep.relaxation, sweep.minimum, sweep.maximum}, b, x);
}

template <class ExecutionSpace, class Matrix, class Scalar>
void MatrixOperator<ExecutionSpace, Matrix, Scalar>::kaczmarz_sweep(
    const ExecutionSpace& exec, const KaczmarzSweep<scalar_type, memory_space>& sweep,
    const ConstVectorType& b, const VectorType& x) const requires is_csr {
  csr_kaczmarz_sweep<ExecutionSpace, scalar_type>(exec, A_, sweep.order, sweep.relaxation,
                                                  sweep.minimum, sweep.maximum, b, x);
}

}  // namespace Tomokkos
