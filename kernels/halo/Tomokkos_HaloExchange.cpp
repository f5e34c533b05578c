// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HaloExchange.hpp>
#include <Tomokkos_HaloParts.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <algorithm>

namespace Tomokkos {
namespace Impl {

/// Checks that all ranks were given the same parts. All ranks must call it, with the same number of
/// parts. Throws `Error`.
inline void require_same_begins(const Ranks& ranks, const std::vector<Ordinal>& begins) {
  std::vector<double> largest(2 * begins.size());
  for (std::size_t r = 0; r < begins.size(); ++r) {
    largest[2 * r] = begins[r];
    largest[2 * r + 1] = -static_cast<double>(begins[r]);
  }
  ranks.max(largest);
  for (std::size_t r = 0; r < begins.size(); ++r)
    require(largest[2 * r] == -largest[2 * r + 1],
            Impl::text("the ranks do not agree where the part of rank {} begins", r));
}

/// Returns, for each rank, the position in `halo` of the first entry that the rank holds, followed
/// by the size of `halo`.
inline std::vector<Offset> halo_offsets(const std::vector<Ordinal>& begins,
                                        const std::vector<Ordinal>& halo, int rank) {
  const auto own = static_cast<std::size_t>(rank);
  for (std::size_t p = 0; p < halo.size(); ++p) {
    const auto where = [&] { return Impl::text("position {} of the halo: entry {}", p, halo[p]); };
    if (halo[p] < 0 || halo[p] >= begins.back())
      throw Refused(Impl::text("{} is outside 0 to {}", where(), begins.back() - 1));
    if (halo[p] >= begins[own] && halo[p] < begins[own + 1])
      throw Refused(where() + " belongs to this rank itself");
    if (p > 0 && halo[p] <= halo[p - 1]) throw Refused(where() + " does not ascend");
  }
  std::vector<Offset> offsets;
  for (const Ordinal begin : begins)
    offsets.push_back(std::lower_bound(halo.begin(), halo.end(), begin) - halo.begin());
  return offsets;
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
HaloExchange<ExecutionSpace, Scalar>::HaloExchange(
    const ExecutionSpace& exec, std::shared_ptr<const CommunicatorType> communicator,
    const std::vector<Ordinal>& begins, const std::vector<Ordinal>& halo)
    : communicator_(std::move(communicator)) {
  require(communicator_ != nullptr, "an exchange between ranks needs a communicator");
  const Ranks& ranks = communicator_->ranks();
  const auto size = static_cast<std::size_t>(ranks.size());
  const auto rank = static_cast<std::size_t>(ranks.rank());
  on_all_ranks(&ranks, [&] {
    Impl::require_rank_begins(begins, ranks.size());
    received_offsets_ = Impl::halo_offsets(begins, halo, ranks.rank());
  });
  Impl::require_same_begins(ranks, begins);
  num_entries_ = begins[rank + 1] - begins[rank];

  // Gather the number of entries that each rank needs from each other rank.
  std::vector<double> needed(size), all_needed(size * size);
  for (std::size_t r = 0; r < size; ++r)
    needed[r] = static_cast<double>(received_offsets_[r + 1] - received_offsets_[r]);
  ranks.gather(needed, all_needed);
  sent_offsets_.assign(size + 1, 0);
  for (std::size_t r = 0; r < size; ++r)
    sent_offsets_[r + 1] = sent_offsets_[r] + static_cast<Offset>(all_needed[r * size + rank]);

  // Send the requested indices in the opposite direction of later exchanges. A double represents
  // every index exactly.
  const auto asked = allocate<Vector<double, memory_space>>(exec, "Tomokkos::HaloExchange::asked",
                                                            received_offsets_.back());
  const auto told = allocate<Vector<double, memory_space>>(exec, "Tomokkos::HaloExchange::told",
                                                           sent_offsets_.back());
  using HostValues =
      Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  std::vector<double> values(halo.begin(), halo.end());
  Kokkos::deep_copy(exec, asked, HostValues(values.data(), values.size()));
  Impl::fence(exec, "HaloExchange: the list has left");
  communicator_->begin_exchange(exec, VectorView<const double, memory_space>(asked),
                                received_offsets_, VectorView<double, memory_space>(told),
                                sent_offsets_);
  communicator_->finish(exec);
  values.resize(told.extent(0));
  Kokkos::deep_copy(exec, HostValues(values.data(), values.size()), told);
  Impl::fence(exec, "HaloExchange: the lists have arrived");
  std::vector<Ordinal> entries;
  for (const double value : values) entries.push_back(static_cast<Ordinal>(value) - begins[rank]);
  sent_entries_ = Impl::copy_indices(exec, "Tomokkos::HaloExchange::sent_entries", entries);
  sent_values_offsets_.resize(size + 1);
  received_values_offsets_.resize(size + 1);
  reserve(exec, 1);
}

template <class ExecutionSpace, class Scalar>
void HaloExchange<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec, int vectors) {
  if (vectors <= vectors_) return;
  sent_ = {};  // free the old buffers first, so that both never exist together
  received_ = {};
  sent_ = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::HaloExchange::sent",
                                                 sent_size() * vectors);
  received_ = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::HaloExchange::received",
                                                     Offset{halo_size()} * vectors);
  vectors_ = vectors;
}

template <class ExecutionSpace, class Scalar>
void HaloExchange<ExecutionSpace, Scalar>::begin(
    const ExecutionSpace& exec, const MultiVectorView<const Scalar, memory_space>& X) {
  require_equal("entries of a vector", static_cast<long long>(X.extent(0)),
                "number of entries of this rank", num_entries_);
  require(X.extent(1) <= static_cast<std::size_t>(vectors_), [&] {
    return Impl::text("an exchange of {} vectors exceeds the room reserved for {}", X.extent(1),
                      vectors_);
  });
  num_exchanged_vectors_ = X.extent(1);
  const auto s = static_cast<Offset>(num_exchanged_vectors_);
  for (std::size_t r = 0; r < sent_offsets_.size(); ++r) {
    sent_values_offsets_[r] = s * sent_offsets_[r];
    received_values_offsets_[r] = s * received_offsets_[r];
  }
  const VectorView<Scalar, memory_space> sent(
      sent_.data(), static_cast<std::size_t>(sent_values_offsets_.back()));
  const VectorView<Scalar, memory_space> received(
      received_.data(), static_cast<std::size_t>(received_values_offsets_.back()));
  Kokkos::parallel_for("Tomokkos::halo::pack", Impl::element_range(exec, sent.extent(0)),
                       Impl::PackHalo<Scalar, memory_space>{sent_entries_, X, sent});
  communicator_->begin_exchange(exec, VectorView<const Scalar, memory_space>(sent),
                                sent_values_offsets_, received, received_values_offsets_);
}

template <class ExecutionSpace, class Scalar>
MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>
HaloExchange<ExecutionSpace, Scalar>::finish(const ExecutionSpace& exec) {
  communicator_->finish(exec);
  return MultiVectorView<const Scalar, memory_space>(
      received_.data(), static_cast<std::size_t>(halo_size()), num_exchanged_vectors_);
}

template <class ExecutionSpace, class Scalar>
std::size_t HaloExchange<ExecutionSpace, Scalar>::memory_bytes() const {
  return sent_entries_.extent(0) * sizeof(Ordinal) +
         (sent_.extent(0) + received_.extent(0)) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
std::size_t HaloExchange<ExecutionSpace, Scalar>::exchange_bytes(int vectors) const {
  const auto values = static_cast<std::size_t>(2 * sent_size() + halo_size());
  return sent_entries_.extent(0) * sizeof(Ordinal) +
         static_cast<std::size_t>(vectors) * values * sizeof(Scalar);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class HaloExchange<SPACE, SCALAR>;

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
