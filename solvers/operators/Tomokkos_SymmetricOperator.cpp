// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SymmetricOperator.hpp>
#include <Tomokkos_SymmetricVectors.hpp>
#include <utility>

namespace Tomokkos {
namespace {

/// True if reading \p count single rows moves no more bytes than the entries of \p most adjacent
/// rows.
template <class Rows>
bool costs_no_more(const Rows&, Ordinal count, Ordinal most) {
  return count <= most / Rows::read_cost;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
SymmetricOperator<ExecutionSpace, Scalar>::SymmetricOperator(
    RaySymmetry<memory_space> symmetry, AnyOperator<ExecutionSpace, Scalar> stored,
    std::optional<AnyOperator<ExecutionSpace, Scalar>> transposed)
    : symmetry_(std::move(symmetry)),
      stored_(std::move(stored)),
      transposed_(std::move(transposed)) {
  require_equal("rows of the matrix", stored_.num_rows(), "stored rays", symmetry_.num_stored);
  require_equal("columns of the matrix", stored_.num_cols(), "pixels", symmetry_.num_pixels());
  if (transposed_) {
    require_equal("rows of the transpose", transposed_->num_rows(), "columns of the matrix",
                  stored_.num_cols());
    require_equal("columns of the transpose", transposed_->num_cols(), "rows of the matrix",
                  stored_.num_rows());
  }
}

template <class ExecutionSpace, class Scalar>
std::size_t SymmetricOperator<ExecutionSpace, Scalar>::memory_bytes() const {
  return symmetry_.memory_bytes() + stored_.memory_bytes() +
         (transposed_ ? transposed_->memory_bytes() : 0) +
         (pixel_images_.extent(0) + ray_images_.extent(0)) * sizeof(Scalar) +
         squared_norms_.extent(0) * sizeof(double);
}

/// Forward product: x, y, the images of x (written, and read by the product), the images of y
/// (read), slots, and the columns of masked pixels. The transposed product moves the same bytes in
/// the opposite direction.
template <class ExecutionSpace, class Scalar>
std::size_t SymmetricOperator<ExecutionSpace, Scalar>::map_bytes(int vectors) const {
  const std::size_t pixels = static_cast<std::size_t>(num_cols());
  const std::size_t rays = static_cast<std::size_t>(num_rows());
  const std::size_t slots = static_cast<std::size_t>(symmetry_.num_slots());
  return static_cast<std::size_t>(vectors) * sizeof(Scalar) *
             (pixels + rays + num_square_symmetries * pixels + slots) +
         (pixels + symmetry_.columns.extent(0) + rays) * sizeof(Ordinal);
}

template <class ExecutionSpace, class Scalar>
std::size_t SymmetricOperator<ExecutionSpace, Scalar>::apply_bytes(int vectors) const {
  return stored_.apply_bytes(vectors * static_cast<int>(num_square_symmetries)) +
         map_bytes(vectors);
}

template <class ExecutionSpace, class Scalar>
std::size_t SymmetricOperator<ExecutionSpace, Scalar>::apply_transpose_bytes(int vectors) const {
  const int images = vectors * static_cast<int>(num_square_symmetries);
  // The slots also have lists of their rays, and the beginnings of these lists.
  return (transposed_ ? transposed_->apply_bytes(images) : stored_.apply_transpose_bytes(images)) +
         map_bytes(vectors) + static_cast<std::size_t>(symmetry_.num_slots()) * sizeof(Ordinal);
}

template <class ExecutionSpace, class Scalar>
void SymmetricOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                        int vectors) const {
  const auto images = static_cast<std::size_t>(vectors) * num_square_symmetries;
  const auto grow = [&](Vector<Scalar, memory_space>& values, const char* label, Ordinal rows) {
    const std::size_t size = images * static_cast<std::size_t>(rows);
    if (values.extent(0) >= size) return;
    values = {};
    values = allocate<Vector<Scalar, memory_space>>(exec, label, size);
  };
  grow(pixel_images_, "Tomokkos::SymmetricOperator::pixel_images", num_cols());
  grow(ray_images_, "Tomokkos::SymmetricOperator::ray_images", symmetry_.num_stored);
  stored_.reserve(exec, static_cast<int>(images));
  if (transposed_) transposed_->reserve(exec, static_cast<int>(images));
}

template <class ExecutionSpace, class Scalar>
auto SymmetricOperator<ExecutionSpace, Scalar>::pixel_images(std::size_t vectors) const -> Images {
  return Images(pixel_images_.data(), static_cast<std::size_t>(num_cols()),
                vectors * num_square_symmetries);
}

template <class ExecutionSpace, class Scalar>
auto SymmetricOperator<ExecutionSpace, Scalar>::ray_images(std::size_t vectors) const -> Images {
  return Images(ray_images_.data(), static_cast<std::size_t>(symmetry_.num_stored),
                vectors * num_square_symmetries);
}

template <class ExecutionSpace, class Scalar>
const RayBands& SymmetricOperator<ExecutionSpace, Scalar>::bands(const ExecutionSpace& exec) const {
  if (!bands_) {
    std::vector<Ordinal> slots(symmetry_.slots.extent(0));
    Kokkos::deep_copy(exec, VectorView<Ordinal, Kokkos::HostSpace>(slots.data(), slots.size()),
                      symmetry_.slots);
    Impl::fence(exec, "SymmetricOperator: the host reads the slots");
    bands_ = std::make_shared<const RayBands>(std::move(slots));
  }
  return *bands_;
}

template <class ExecutionSpace, class Scalar>
void SymmetricOperator<ExecutionSpace, Scalar>::apply(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  // Limit: as many entries as the stored rays have, in CSR. With more, a product with all rays is
  // faster (break-even measured on a host, 256 x 256 pixels, 360 views).
  if (has_rows() && rows.size(num_rows()) <= symmetry_.num_stored &&
      with_rows(exec, [&](const auto& all) {
        if (!costs_no_more(all, rows.size(num_rows()), symmetry_.num_stored)) return false;
        symmetric_product_of_rows<ExecutionSpace, Scalar>(exec, all, rows, alpha, X, beta, Y);
        return true;
      }))
    return;
  reserve(exec, static_cast<int>(X.extent(1)));
  const Images x8 = pixel_images(X.extent(1)), y8 = ray_images(X.extent(1));
  expand_image<ExecutionSpace, Scalar>(exec, symmetry_, X, x8);
  stored_.apply(exec, Scalar(1), x8, Scalar(0), y8);
  gather_rays<ExecutionSpace, Scalar>(exec, symmetry_, alpha, y8, beta, Y, rows);
}

template <class ExecutionSpace, class Scalar>
void SymmetricOperator<ExecutionSpace, Scalar>::apply_transpose(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  // The product with all rays adds as often as all rays have entries, half as often over a full
  // turn.
  const bool is_short = rows.size(num_rows()) <= num_rows() / 4;
  if (has_rows() && is_short && stored_.capabilities().transposes_by_atomics &&
      with_rows(exec, [&](const auto& all) {
        if (!costs_no_more(all, rows.size(num_rows()), num_rows() / 4)) return false;
        symmetric_transpose_atomic<ExecutionSpace, Scalar>(exec, all, rows, alpha, X, beta, Y);
        return true;
      }))
    return;
  require(has_transpose(), "the matrix of the stored rays has no transposed product");
  reserve(exec, static_cast<int>(X.extent(1)));
  const Images x8 = pixel_images(X.extent(1)), y8 = ray_images(X.extent(1));
  if (!transposed_) stored_.reserve_transpose(exec);
  const auto* const transpose = stored_csr_transpose(stored_);
  if (transpose != nullptr && is_short) {
    const StoredBands found = bands(exec).of(Impl::checked_range(rows, num_rows(), "rays"));
    // Half of the transpose in pieces takes as long as all of it with the images side by side
    // (measured likewise).
    if (2 * found.rows() <= symmetry_.num_stored) {
      symmetric_transpose_of_bands<ExecutionSpace, Scalar>(exec, symmetry_, *transpose, found, rows,
                                                           alpha, X, y8, beta, Y);
      return;
    }
  }
  expand_rays<ExecutionSpace, Scalar>(exec, symmetry_, X, y8, rows);
  if (transposed_)
    transposed_->apply(exec, Scalar(1), y8, Scalar(0), x8);
  else
    stored_.apply_transpose(exec, Scalar(1), y8, Scalar(0), x8);
  fold_image<ExecutionSpace, Scalar>(exec, symmetry_, alpha, x8, beta, Y);
}

template <class ExecutionSpace, class Scalar>
auto SymmetricOperator<ExecutionSpace, Scalar>::row_squared_norms(const ExecutionSpace& exec) const
    -> const Vector<double, memory_space>& {
  if (squared_norms_.extent(0) == 0)
    squared_norms_ =
        with_rows(exec, [&](const auto& rows) { return rows_squared_norms(exec, rows); });
  return squared_norms_;
}

template <class ExecutionSpace, class Scalar>
auto SymmetricOperator<ExecutionSpace, Scalar>::largest_block_counts(const ExecutionSpace& exec,
                                                                     const RowSubsets& blocks,
                                                                     const Ranks* ranks) const
    -> Vector<Ordinal, memory_space> {
  return with_rows(
      exec, [&](const auto& rows) { return rows_largest_block_counts(exec, rows, blocks, ranks); });
}

template <class ExecutionSpace, class Scalar>
auto SymmetricOperator<ExecutionSpace, Scalar>::kaczmarz_schedule(
    const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order) const
    -> std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> {
  if (!has_rows()) return nullptr;
  return with_rows(exec, [&](const auto& rows) {
    return std::make_shared<const KaczmarzSchedule<ExecutionSpace>>(
        make_rows_kaczmarz_schedule(exec, rows, order, row_squared_norms(exec)));
  });
}

template <class ExecutionSpace, class Scalar>
void SymmetricOperator<ExecutionSpace, Scalar>::kaczmarz_sweep_levels(
    const ExecutionSpace& exec, const KaczmarzSchedule<ExecutionSpace>& schedule,
    const KaczmarzSweep<Scalar, memory_space>& sweep,
    const VectorView<const Scalar, memory_space>& b,
    const VectorView<Scalar, memory_space>& x) const {
  with_rows(exec, [&](const auto& rows) {
    rows_kaczmarz_sweep_levels(exec, rows, schedule,
                               {sweep.relaxation, sweep.minimum, sweep.maximum}, b, x);
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class SymmetricOperator<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
