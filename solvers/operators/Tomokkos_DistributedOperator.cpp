// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
DistributedOperator<ExecutionSpace, Scalar>::DistributedOperator(const ExecutionSpace& exec,
                                                                 Local local, RanksPointer ranks,
                                                                 const DistributedOptions& options)
    : local_(std::move(local)), ranks_(std::move(ranks)), options_(options) {
  require(ranks_ != nullptr, "a distributed operator needs the ranks over which it is distributed");
  require(options_.slabs >= 0, "the number of slabs must not be negative");
  const auto columns = static_cast<double>(local_.num_cols());
  std::array<double, 2> range{columns, -columns};
  ranks_->ranks().max(range);
  require(range[0] == -range[1], "the ranks of a distributed operator have between " +
                                     std::to_string(static_cast<long long>(-range[1])) + " and " +
                                     std::to_string(static_cast<long long>(range[0])) +
                                     " columns; all must have the same");
  // The slabs are those of the stored transpose, so it must exist first.
  local_.reserve_transpose(exec);
  slab_unit_ = common_slab_multiple();
  const Ordinal n = local_.num_cols();
  local_end_ = n;
  // A single rank holds the whole image.
  if (ranks_->size() == 1) options_.image = ImageDistribution::replicated;
  if (!is_split()) return;
  const Offset size = ranks_->size();
  part_ = static_cast<Ordinal>((Offset{n} + size - 1) / size);
  local_begin_ = static_cast<Ordinal>(std::min<Offset>(n, Offset{part_} * ranks_->rank()));
  local_end_ = static_cast<Ordinal>(std::min<Offset>(n, Offset{part_} * (ranks_->rank() + 1)));
  reserve(exec, 1);
}

/// Common multiple at which all ranks can cut; 0 if some rank cannot cut. A rank without rows can
/// cut anywhere.
template <class ExecutionSpace, class Scalar>
Ordinal DistributedOperator<ExecutionSpace, Scalar>::common_slab_multiple() const {
  const double own = num_rows() == 0 ? 1 : local_slabs() != nullptr ? local_slabs()->unit() : 0;
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
  // With a split image the columns of a rank are contiguous: the rank would have to wait for the
  // slab that contains them.
  if (ranks_->size() == 1 || slab_unit_ == 0 || n == 0 || is_split()) return {0, n};
  const std::size_t bytes =
      static_cast<std::size_t>(n) * static_cast<std::size_t>(vectors) * sizeof(Scalar);
  const Offset units = (Offset{n} + slab_unit_ - 1) / slab_unit_;
  const Offset count =
      std::clamp<Offset>(options_.slabs > 0 ? options_.slabs : choose_slabs(bytes), 1, units);
  // Units counted from the end: the last slab, the last two, and so on; each slab has at least one.
  // Weights decrease from 1 for the first slab, so that those of many slabs stay finite.
  std::vector<Ordinal> begins{n};
  const auto weight = [](Offset i) { return std::pow(1.0 / slab_ratio, static_cast<double>(i)); };
  double all = 0, parts = 0;
  for (Offset i = 0; i < count; ++i) all += weight(i);
  for (Offset i = 1; i < count; ++i) {
    parts += weight(count - i);
    const auto behind = static_cast<Offset>(static_cast<double>(units) * parts / all);
    begins.push_back(static_cast<Ordinal>(
        (units - std::clamp<Offset>(behind, i, units - (count - i))) * slab_unit_));
  }
  begins.push_back(0);
  std::reverse(begins.begin(), begins.end());
  return begins;
}

template <class ExecutionSpace, class Scalar>
void DistributedOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                          int vectors) const {
  local_.reserve(exec, vectors);
  if (is_split()) whole(exec, static_cast<std::size_t>(vectors));
  const std::size_t count = slabs(vectors).size() - 1;
  if (forms_together(count, vectors)) instances(exec, count);
}

template <class ExecutionSpace, class Scalar>
Vector<Ordinal, typename ExecutionSpace::memory_space>
DistributedOperator<ExecutionSpace, Scalar>::largest_block_counts(const ExecutionSpace& exec,
                                                                  const RowSubsets& blocks,
                                                                  const Ranks* ranks) const {
  const auto all = local_.capabilities().rows->largest_block_counts(exec, blocks, ranks);
  if (!is_split()) return all;
  const auto own = allocate<Vector<Ordinal, memory_space>>(
      exec, "Tomokkos::DistributedOperator::counts", num_cols());
  Kokkos::deep_copy(
      exec, own, VectorView<const Ordinal, memory_space>(all.data() + local_begin_, own.extent(0)));
  Impl::fence(exec, "DistributedOperator: the counts have been copied");
  return own;
}

/// Returns whether slabs are computed concurrently.
template <class ExecutionSpace, class Scalar>
bool DistributedOperator<ExecutionSpace, Scalar>::forms_together(std::size_t slabs,
                                                                 int vectors) const {
  return !Impl::is_host_space<ExecutionSpace> && slabs > 1 && num_rows() > 0 &&
         local_slabs() != nullptr && local_slabs()->run_together(vectors);
}

/// Returns room for all columns of `vectors` vectors, padded so that the parts of all ranks are
/// equal.
template <class ExecutionSpace, class Scalar>
auto DistributedOperator<ExecutionSpace, Scalar>::whole(const ExecutionSpace& exec,
                                                        std::size_t vectors) const -> VectorType {
  const std::size_t size =
      static_cast<std::size_t>(part_) * static_cast<std::size_t>(ranks_->size()) * vectors;
  if (whole_.extent(0) < size) {
    whole_ = {};
    whole_ =
        allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::DistributedOperator::whole", size);
    // The padding is summed, too, so it must hold numbers.
    Kokkos::deep_copy(exec, whole_, Scalar(0));
  }
  return VectorType(whole_.data(), size);
}

/// Instances besides that of the last slab. At most three: further slabs share the last of them.
template <class ExecutionSpace, class Scalar>
auto DistributedOperator<ExecutionSpace, Scalar>::instances(const ExecutionSpace& exec,
                                                            std::size_t slabs) const
    -> const ConcurrentInstances<ExecutionSpace>& {
  constexpr std::size_t most = 3;
  const std::size_t count = std::min(most, slabs - 1);
  if (instances_ && instances_->count() < count) exec.fence();  // after the sums of the last ones
  if (!instances_ || instances_->count() < count)
    instances_ = std::make_shared<const ConcurrentInstances<ExecutionSpace>>(exec, count);
  return *instances_;
}

/// Offsets of the parts of the ranks in `whole`.
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
  const VectorType own(all.data() + static_cast<std::size_t>(local_begin_) * X.extent(1), X.size());
  Kokkos::deep_copy(exec, own, as_vector(X));
  ranks_->gather(exec, all, parts(X.extent(1)));
  if (rows.size(num_rows()) > 0)
    local_.apply(exec, alpha,
                 Image(all.data(), static_cast<std::size_t>(local_.num_cols()), X.extent(1)), beta,
                 Y, rows);
}

/// Computes the product with the local rows. A rank may have no rows.
template <class ExecutionSpace, class Scalar>
void DistributedOperator<ExecutionSpace, Scalar>::compute_local(
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
  // The previous contents of Y must be added only once.
  const Scalar kept = split || ranks_->rank() > 0 ? Scalar(0) : beta;
  // Ranges of rows differ between ranks; only the product of all rows is cut into slabs.
  const std::vector<Ordinal> begins =
      rows.is_all() ? slabs(static_cast<int>(vectors)) : std::vector<Ordinal>{0, local_.num_cols()};
  const std::size_t count = begins.size() - 1;
  const auto slab = [&](std::size_t i) {
    return Image(image.data() + static_cast<std::size_t>(begins[i]) * vectors,
                 static_cast<std::size_t>(begins[i + 1] - begins[i]), vectors);
  };
  const auto begin_sum = [&](const ExecutionSpace& here, std::size_t i) {
    if (ranks_->size() == 1) return;
    if (split)
      ranks_->begin_scatter_sum(here, all, parts(vectors));
    else
      ranks_->begin_sum(here, as_vector(slab(i)));
  };
  const auto form_slab = [&](const ExecutionSpace& here, std::size_t i) {
    local_slabs()->apply_transpose(here, alpha, X, kept, slab(i), {begins[i], begins[i + 1]});
  };
  const bool is_cut = count > 1 && num_rows() > 0;
  if (is_cut) local_slabs()->prepare(exec, X);
  if (is_cut && forms_together(count, static_cast<int>(vectors))) {
    const ConcurrentInstances<ExecutionSpace>& beside = instances(exec, count);
    const auto here = [&](std::size_t i) -> const ExecutionSpace& {
      return i + 1 == count ? exec : beside[std::min(i, beside.count() - 1)];
    };
    beside.follow(exec);
    // Launch all products first, because a communicator may wait for the slab it receives.
    for (std::size_t i = 0; i < count; ++i) form_slab(here(i), i);
    for (std::size_t i = 0; i < count; ++i) begin_sum(here(i), i);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      if (is_cut)
        form_slab(exec, i);
      else
        compute_local(exec, alpha, X, kept, slab(i), rows);
      begin_sum(exec, i);
    }
  }
  // Finishing the sums also waits for the products before them.
  if (ranks_->size() > 1) ranks_->finish(exec);
  if (!split) return;
  const VectorView<const Scalar, memory_space> own(
      image.data() + static_cast<std::size_t>(local_begin_) * vectors, Y.size());
  axpby<ExecutionSpace, Scalar>(exec, Scalar(1), own, beta, as_vector(Y));
}

int choose_slabs(std::size_t bytes) {
  // On two H200s a sum of 3.1 MB takes 31 us. With two slabs the first part of the sum overlaps
  // with the second product, which waits for the multiprocessors that the sum occupies: up to 14 us
  // more.
  constexpr std::size_t least = 16 << 20, most = 4;
  return static_cast<int>(std::clamp<std::size_t>(bytes / least, 1, most));
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class DistributedOperator<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
