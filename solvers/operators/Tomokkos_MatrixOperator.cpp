// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_CsrOps.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Transpose.hpp>
#include <limits>

namespace Tomokkos {
namespace Impl {

/// Passes over a matrix in products with several vectors.
template <class ExecutionSpace>
constexpr int passes(int vectors) {
  return is_host_space<ExecutionSpace> ? 1 : spmm_passes(vectors);
}

/// \p A in every pass, the vectors once.
template <class ExecutionSpace, class Scalar, class Matrix>
std::size_t multi_product_bytes(const Matrix& A, int vectors, int passes) {
  return static_cast<std::size_t>(passes) * A.memory_bytes() +
         static_cast<std::size_t>(vectors) * (static_cast<std::size_t>(A.num_rows) + A.num_cols) *
             sizeof(Scalar);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    MatrixOperator(const ExecutionSpace& exec, matrix_type A, const OperatorOptions& options)
    : A_(std::move(A)),
      options_(options),
      transpose_was_chosen_(options.transpose == TransposeMethod::automatic),
      transpose_on_demand_(!options.transpose),
      plan_(exec, A_, in_packs(options.spmv)) {
  options_.spmv = plan_.options();
  options_.transpose = chosen_transpose(exec);
  if (options_.transpose == TransposeMethod::windowed) make_windows(exec, !transpose_was_chosen_);
  if (!transpose_on_demand_) reserve_transpose(exec);
  A_ = arranged(exec, A_, options_.spmv);
  reserve(exec, 1);
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    reserve_transpose(const ExecutionSpace& exec) const {
  if (options_.transpose != TransposeMethod::stored || copy_->is_built) return;
  const matrix_type transposed = transpose(exec, A_);
  copy_->plan =
      SpmvPlan<ExecutionSpace, matrix_type>(exec, transposed, in_packs(options_.transpose_spmv));
  copy_->matrix = arranged(exec, transposed, copy_->plan.options());
  copy_->is_built = true;
}

template <class ExecutionSpace, class Scalar>
std::uint64_t
MatrixOperator<ExecutionSpace,
               CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::available_bytes() const {
  if (options_.available_bytes) return *options_.available_bytes;
  return Impl::is_host_space<ExecutionSpace> ? available_host_memory()
                                             : std::numeric_limits<std::uint64_t>::max();
}

template <class ExecutionSpace, class Scalar>
TransposeMethod
MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    chosen_transpose(const ExecutionSpace& exec) const {
  if (!options_.transpose) return TransposeMethod::stored;
  require(options_.transpose != TransposeMethod::direct,
          "direct is of block-circulant matrices; csr is transposed by stored, atomic, private or "
          "windowed");
  require(options_.transpose != TransposeMethod::fixed_point,
          "whole numbers are of pairs of rows; csr is transposed by stored, atomic, private or "
          "windowed");
  if (options_.transpose != TransposeMethod::automatic) return *options_.transpose;
  const DeviceTraits device = device_traits(exec);
  TransposeNeeds needs;
  needs.stored_bytes = Impl::MemoryNeed()
                           .add_csr(static_cast<std::uint64_t>(A_.num_cols),
                                    static_cast<std::uint64_t>(A_.num_nonzeros()), sizeof(Scalar))
                           .add(transpose_workspace_bytes<ExecutionSpace, Scalar>(exec, A_), 1)
                           .bytes();
  needs.private_bytes =
      Impl::MemoryNeed()
          .add(static_cast<std::uint64_t>(A_.num_cols) * sizeof(Scalar) *
                   static_cast<std::uint64_t>(options_.vectors),
               static_cast<std::uint64_t>(private_image_count(device, options_.spmv.deterministic)))
          .bytes();
  needs.available_bytes = available_bytes();
  needs.ranges = options_.row_ranges;
  // Counting segments is a pass over A, for what no copy has room for, or many ranges.
  const bool wants_windows = needs.stored_bytes > needs.available_bytes ||
                             (needs.ranges >= many_ranges &&
                              (needs.ranges < very_many_ranges || options_.spmv.deterministic));
  if (device.gpu && wants_windows && !takes_interleaved(options_.spmv))
    needs.windowed_bytes = windowed_plan_bytes<ExecutionSpace, Scalar>(exec, A_);
  return choose_transpose(device, needs, options_.spmv.deterministic);
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    make_windows(const ExecutionSpace& exec, bool asked_for) {
  require(!takes_interleaved(options_.spmv),
          "windows add up the successive entries of rows, which must not be interleaved");
  if (asked_for)
    Impl::require_memory(windowed_plan_bytes<ExecutionSpace, Scalar>(exec, A_),
                         "the windows of the transposed product need", available_bytes());
  try {
    windows_ = WindowedPlan<ExecutionSpace, Scalar>(exec, A_);
  } catch (const Error&) {
    // Not for this matrix: its rows are in no order, its values not finite or out of range, or its
    // segments too many for the memory.
    if (asked_for) throw;
    options_.transpose =
        options_.spmv.deterministic ? TransposeMethod::stored : TransposeMethod::atomic;
  }
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    reserve(const ExecutionSpace& exec, int vectors) const {
  if (options_.transpose != TransposeMethod::private_images || images_.vectors() >= vectors) return;
  const int count = private_image_count(device_traits(exec), options_.spmv.deterministic);
  images_ = {};  // never both at a time
  images_ = PrivateImages<ExecutionSpace, Scalar>(exec, count, A_.num_cols, vectors);
}

template <class ExecutionSpace, class Scalar>
SpmvOptions
MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::in_packs(
    SpmvOptions options) const {
  if (options_.interleaved && options.entries_per_load == 0)
    options.entries_per_load = pack_entries;
  return options;
}

template <class ExecutionSpace, class Scalar>
auto MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    arranged(const ExecutionSpace& exec, const matrix_type& M, const SpmvOptions& chosen) const
    -> matrix_type {
  if (!takes_interleaved(chosen)) return M;
  return csr_interleaved<ExecutionSpace, Scalar>(exec, M, chosen.vector_length);
}

template <class ExecutionSpace, class Scalar>
std::size_t MatrixOperator<ExecutionSpace,
                           CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::memory_bytes()
    const {
  return A_.memory_bytes() + copy_->matrix.memory_bytes() + plan_.memory_bytes() +
         copy_->plan.memory_bytes() + windows_.memory_bytes() + images_.memory_bytes() +
         squared_norms_.extent(0) * sizeof(double);
}

template <class ExecutionSpace, class Scalar>
std::size_t MatrixOperator<
    ExecutionSpace,
    CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::apply_bytes(int vectors) const {
  return Impl::multi_product_bytes<ExecutionSpace, Scalar>(A_, vectors,
                                                           Impl::passes<ExecutionSpace>(vectors));
}

template <class ExecutionSpace, class Scalar>
std::size_t
MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    apply_transpose_bytes(int vectors) const {
  // The copy has the entries of A, and an offset for each column.
  if (options_.transpose == TransposeMethod::stored) {
    const int passes = Impl::passes<ExecutionSpace>(vectors);
    return Impl::multi_product_bytes<ExecutionSpace, Scalar>(A_, vectors, passes) -
           static_cast<std::size_t>(passes) * A_.row_offsets.extent(0) * sizeof(Offset) +
           static_cast<std::size_t>(passes) * (static_cast<std::size_t>(A_.num_cols) + 1) *
               sizeof(Offset);
  }
  // The matrix, and the list of what is where in it, once for each vector.
  if (options_.transpose == TransposeMethod::windowed)
    return Impl::multi_product_bytes<ExecutionSpace, Scalar>(A_, vectors, vectors) +
           static_cast<std::size_t>(vectors) * windows_.memory_bytes();
  // Each addition reads and writes its element of the image; at best the caches hold the image. An
  // entry meets all vectors at once. Private images are written and read.
  const std::size_t images = 2 * static_cast<std::size_t>(images_.count()) * A_.num_cols *
                             static_cast<std::size_t>(vectors) * sizeof(Scalar);
  return Impl::multi_product_bytes<ExecutionSpace, Scalar>(A_, vectors, 1) + images;
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    apply(const ExecutionSpace& exec, Scalar alpha,
          const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
          const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  if (X.extent(1) != 1 || Y.extent(1) != 1) {
    spmm<ExecutionSpace, Scalar>(exec, A_, rows, alpha, X, beta, Y);
  } else if (rows.is_all()) {
    spmv<ExecutionSpace, Scalar>(exec, plan_, A_, alpha, as_vector(X), beta, as_vector(Y));
  } else {
    spmv_rows<ExecutionSpace, Scalar>(exec, plan_, A_, rows, alpha, as_vector(X), beta,
                                      as_vector(Y));
  }
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                    const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                    const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  const bool one_vector = X.extent(1) == 1 && Y.extent(1) == 1;
  reserve_transpose(exec);
  if (options_.transpose == TransposeMethod::atomic && one_vector && rows.is_all() &&
      options_.spmv.variant == SpmvVariant::merge_atomic) {
    spmv_transpose_sections<ExecutionSpace, Scalar>(exec, plan_, A_, alpha, as_vector(X), beta,
                                                    as_vector(Y));
  } else if (options_.transpose == TransposeMethod::atomic) {
    spmv_transpose_atomic<ExecutionSpace, Scalar>(exec, A_, rows, alpha, X, beta, Y);
  } else if (options_.transpose == TransposeMethod::private_images) {
    reserve(exec, static_cast<int>(Y.extent(1)));
    spmv_transpose_private<ExecutionSpace, Scalar>(exec, images_, A_, rows, alpha, X, beta, Y);
  } else if (options_.transpose == TransposeMethod::windowed) {
    spmv_transpose_windowed<ExecutionSpace, Scalar>(exec, windows_, A_, rows, alpha, X, beta, Y);
  } else if (one_vector && rows.is_all()) {
    spmv<ExecutionSpace, Scalar>(exec, copy_->plan, copy_->matrix, alpha, as_vector(X), beta,
                                 as_vector(Y));
  } else if (one_vector && !options_.interleaved) {
    // By bisection, which wants sorted rows.
    spmv_columns<ExecutionSpace, Scalar>(exec, copy_->plan, copy_->matrix, rows, alpha,
                                         as_vector(X), beta, as_vector(Y));
  } else {
    spmm_columns<ExecutionSpace, Scalar>(exec, copy_->matrix, rows, alpha, X, beta, Y);
  }
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    apply_transpose_columns(const ExecutionSpace& exec, Scalar alpha,
                            const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                            const MultiVectorView<Scalar, memory_space>& Y,
                            RowRange columns) const {
  const RowRange slab = Impl::checked_slab(columns, A_.num_cols, slab_unit());
  if (X.extent(1) == 1 && Y.extent(1) == 1)
    spmv_rows<ExecutionSpace, Scalar>(exec, copy_->plan, copy_->matrix, slab, alpha, as_vector(X),
                                      beta, as_vector(Y));
  else
    spmm<ExecutionSpace, Scalar>(exec, copy_->matrix, slab, alpha, X, beta, Y);
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    diagonal(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& d) const {
  csr_diagonal<ExecutionSpace, Scalar>(exec, A_, d);
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    diagonal_blocks(const ExecutionSpace& exec, int size,
                    const VectorView<Scalar, memory_space>& blocks) const {
  csr_diagonal_blocks<ExecutionSpace, Scalar>(exec, A_, size, blocks);
}

template <class ExecutionSpace, class Scalar>
auto MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    scaled(const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& scale) const
    -> MatrixOperator {
  // The entries of A are where they belong already.
  OperatorOptions options = this->options();
  options.interleaved = false;
  if (transpose_on_demand_) options.transpose.reset();
  // Windows depend on the values: what was chosen is chosen again, not asked for.
  if (transpose_was_chosen_ && options_.transpose == TransposeMethod::windowed)
    options.transpose = TransposeMethod::automatic;
  MatrixOperator result(exec, csr_scaled<ExecutionSpace, Scalar>(exec, A_, scale, scale), options);
  result.options_.interleaved = options_.interleaved;
  if (result.copy_->is_built)
    result.copy_->matrix =
        result.arranged(exec, result.copy_->matrix, result.copy_->plan.options());
  return result;
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    kaczmarz_sweep(const ExecutionSpace& exec, const KaczmarzSweep<Scalar, memory_space>& sweep,
                   const VectorView<const Scalar, memory_space>& b,
                   const VectorView<Scalar, memory_space>& x) const {
  csr_kaczmarz_sweep<ExecutionSpace, Scalar>(exec, A_, sweep.order, sweep.relaxation, sweep.minimum,
                                             sweep.maximum, b, x);
}

template <class ExecutionSpace, class Scalar>
auto MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    row_squared_norms(const ExecutionSpace& exec) const -> const Vector<double, memory_space>& {
  if (squared_norms_.extent(0) == 0)
    squared_norms_ = csr_row_squared_norms<ExecutionSpace, Scalar>(exec, A_);
  return squared_norms_;
}

template <class ExecutionSpace, class Scalar>
auto MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    kaczmarz_schedule(const ExecutionSpace& exec,
                      const VectorView<const Ordinal, memory_space>& order) const
    -> std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> {
  return std::make_shared<const KaczmarzSchedule<ExecutionSpace>>(
      make_csr_kaczmarz_schedule<ExecutionSpace, Scalar>(exec, A_, order, row_squared_norms(exec)));
}

template <class ExecutionSpace, class Scalar>
void MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::
    kaczmarz_sweep_levels(const ExecutionSpace& exec,
                          const KaczmarzSchedule<ExecutionSpace>& schedule,
                          const KaczmarzSweep<Scalar, memory_space>& sweep,
                          const VectorView<const Scalar, memory_space>& b,
                          const VectorView<Scalar, memory_space>& x) const {
  csr_kaczmarz_sweep_levels<ExecutionSpace, Scalar>(
      exec, A_, schedule, {sweep.relaxation, sweep.minimum, sweep.maximum}, b, x);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template class MatrixOperator<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>;

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
