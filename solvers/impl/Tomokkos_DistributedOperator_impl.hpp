// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DistributedOperator.hpp>
#include <algorithm>
#include <array>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <numeric>
#include <string>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
DistributedOperator<ExecutionSpace, Scalar>::DistributedOperator(const ExecutionSpace& exec,
                                                                 Local local, RanksPointer ranks,
                                                                 const DistributedOptions& options)
    : local_(std::move(local)), ranks_(std::move(ranks)), options_(options) {
  require(ranks_ != nullptr, "a distributed operator needs the ranks over which it is spread");
  require(options_.slabs >= 0, "the number of slabs must not be negative");
  const auto columns = static_cast<double>(local_.num_cols());
  std::array<double, 2> range{columns, -columns};
  ranks_->ranks().max(range);
  require(range[0] == -range[1], "the ranks of a distributed operator have between " +
                                     std::to_string(static_cast<long long>(-range[1])) + " and " +
                                     std::to_string(static_cast<long long>(range[0])) +
                                     " columns; all must have the same");
  slab_unit_ = common_slab_unit();
  const Ordinal n = local_.num_cols();
  own_end_ = n;
  // What one rank has is whole.
  if (ranks_->size() == 1) options_.image = ImageSpread::replicated;
  if (!is_split()) return;
  const Offset size = ranks_->size();
  part_ = static_cast<Ordinal>((Offset{n} + size - 1) / size);
  own_begin_ = static_cast<Ordinal>(std::min<Offset>(n, Offset{part_} * ranks_->rank()));
  own_end_ = static_cast<Ordinal>(std::min<Offset>(n, Offset{part_} * (ranks_->rank() + 1)));
  reserve(exec, 1);
}

/// Between multiples of this all ranks can cut; 0 where one cannot. What has no rows is cut
/// anywhere.
template <class ExecutionSpace, class Scalar>
Ordinal DistributedOperator<ExecutionSpace, Scalar>::common_slab_unit() const {
  const double own = num_rows() > 0 ? local_.slab_unit() : 1;
  std::vector<double> units(static_cast<std::size_t>(ranks_->size()));
  ranks_->ranks().gather({&own, 1}, units);
  Offset common = 1;
  for (const double unit : units) common = std::lcm(common, static_cast<Offset>(unit));
  return common <= local_.num_cols() ? static_cast<Ordinal>(common) : 0;
}

template <class ExecutionSpace, class Scalar>
std::size_t DistributedOperator<ExecutionSpace, Scalar>::sum_bytes(int vectors) const {
  const auto size = static_cast<std::size_t>(ranks_->size());
  return 2 * static_cast<std::size_t>(vectors) * static_cast<std::size_t>(local_.num_cols()) *
         sizeof(Scalar) * (size - 1) / size;
}

template <class ExecutionSpace, class Scalar>
std::vector<Ordinal> DistributedOperator<ExecutionSpace, Scalar>::slabs(int vectors) const {
  const Ordinal n = local_.num_cols();
  // The columns of a rank are contiguous: it would wait for the slab in which they are.
  if (ranks_->size() == 1 || slab_unit_ == 0 || n == 0 || is_split()) return {0, n};
  const std::size_t bytes =
      static_cast<std::size_t>(n) * static_cast<std::size_t>(vectors) * sizeof(Scalar);
  const Offset units = (Offset{n} + slab_unit_ - 1) / slab_unit_;
  const Offset count =
      std::clamp<Offset>(options_.slabs > 0 ? options_.slabs : choose_slabs(bytes), 1, units);
  std::vector<Ordinal> begins;
  for (Offset i = 0; i < count; ++i)
    begins.push_back(static_cast<Ordinal>(units * i / count * slab_unit_));
  begins.push_back(n);
  return begins;
}

template <class ExecutionSpace, class Scalar>
void DistributedOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                          int vectors) const {
  local_.reserve(exec, vectors);
  if (is_split()) whole(exec, static_cast<std::size_t>(vectors));
}

/// Room for all columns of so many vectors, and for as many more as make the ranks' parts equal.
template <class ExecutionSpace, class Scalar>
auto DistributedOperator<ExecutionSpace, Scalar>::whole(const ExecutionSpace& exec,
                                                        std::size_t vectors) const -> VectorType {
  const std::size_t size =
      static_cast<std::size_t>(part_) * static_cast<std::size_t>(ranks_->size()) * vectors;
  if (whole_.extent(0) < size) {
    whole_ = {};
    whole_ =
        allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::DistributedOperator::whole", size);
    // What nobody has is added up, too.
    Kokkos::deep_copy(exec, whole_, Scalar(0));
  }
  return VectorType(whole_.data(), size);
}

/// Where the ranks' parts of `whole` begin.
template <class ExecutionSpace, class Scalar>
std::vector<Offset> DistributedOperator<ExecutionSpace, Scalar>::parts(std::size_t vectors) const {
  std::vector<Offset> offsets;
  for (Offset r = 0; r <= ranks_->size(); ++r)
    offsets.push_back(r * part_ * static_cast<Offset>(vectors));
  return offsets;
}

template <class ExecutionSpace, class Scalar>
void DistributedOperator<ExecutionSpace, Scalar>::apply(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the columns of A on this rank",
                num_cols());
  if (!is_split()) {
    if (rows.size(num_rows()) > 0) local_.apply(exec, alpha, X, beta, Y, rows);
    return;
  }
  const VectorType all = whole(exec, X.extent(1));
  const VectorType own(all.data() + static_cast<std::size_t>(own_begin_) * X.extent(1), X.size());
  Kokkos::deep_copy(exec, own, as_vector(X));
  ranks_->gather(exec, all, parts(X.extent(1)));
  if (rows.size(num_rows()) > 0)
    local_.apply(exec, alpha,
                 Image(all.data(), static_cast<std::size_t>(local_.num_cols()), X.extent(1)), beta,
                 Y, rows);
}

/// The product of the rows that are here, which may be none.
template <class ExecutionSpace, class Scalar>
void DistributedOperator<ExecutionSpace, Scalar>::form_local(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const Image& Y, RowRange rows) const {
  if (rows.size(num_rows()) > 0) {
    local_.apply_transpose(exec, alpha, X, beta, Y, rows);
    return;
  }
  const VectorView<Scalar, memory_space> y = as_vector(Y);
  Kokkos::parallel_for("Tomokkos::DistributedOperator::scale",
                       Impl::element_range(exec, y.extent(0)),
                       Impl::ScaleOrClear<Scalar, memory_space>{y, beta});
}

template <class ExecutionSpace, class Scalar>
void DistributedOperator<ExecutionSpace, Scalar>::apply_transpose(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  const std::size_t vectors = X.extent(1);
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the rows",
                rows.size(num_rows()));
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "the columns of A on this rank",
                num_cols());
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(vectors));
  const bool split = is_split();
  const VectorType all = split ? whole(exec, vectors) : as_vector(Y);
  const Image image(all.data(), static_cast<std::size_t>(local_.num_cols()), vectors);
  // What was there is added once.
  const Scalar kept = split || ranks_->rank() > 0 ? Scalar(0) : beta;
  // Ranges of rows differ between ranks; what is cut is the product of all of them.
  const std::vector<Ordinal> begins =
      rows.is_all() ? slabs(static_cast<int>(vectors)) : std::vector<Ordinal>{0, local_.num_cols()};
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const Ordinal begin = begins[i], end = begins[i + 1];
    const Image slab(image.data() + static_cast<std::size_t>(begin) * vectors,
                     static_cast<std::size_t>(end - begin), vectors);
    if (begins.size() == 2 || num_rows() == 0)
      form_local(exec, alpha, X, kept, slab, rows);
    else
      local_.apply_transpose_columns(exec, alpha, X, kept, slab, {begin, end});
    if (ranks_->size() == 1) continue;
    if (split)
      ranks_->begin_scatter_sum(exec, all, parts(vectors));
    else
      ranks_->begin_sum(exec, as_vector(slab));
  }
  if (ranks_->size() > 1) ranks_->finish(exec);
  if (!split) return;
  const VectorView<const Scalar, memory_space> own(
      image.data() + static_cast<std::size_t>(own_begin_) * vectors, Y.size());
  axpby<ExecutionSpace, Scalar>(exec, Scalar(1), own, beta, as_vector(Y));
}

}  // namespace Tomokkos
