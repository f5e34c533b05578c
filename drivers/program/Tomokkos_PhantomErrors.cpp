// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_KeptRecords.hpp>
#include <Tomokkos_PhantomErrors.hpp>
#include <Tomokkos_Slices.hpp>
#include <cmath>

namespace Tomokkos {
namespace {

/// Sum for `reduce_columns_to_device`: squared distance of each slice to its image, or to
/// one image shared by all slices. Optional weights apply to \p blocks entries each.
template <class Scalar, class MemorySpace>
struct DistanceToImages {
  VectorView<const Scalar, MemorySpace> x, images;
  VectorView<const Scalar, MemorySpace> weights = {};
  Ordinal blocks = 0;
  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const auto place = images.extent(0) == x.extent(0) ? e.at : e.row;
    const double difference = static_cast<double>(x(e.at)) - static_cast<double>(images(place));
    const double weight =
        weights.extent(0) == 0 ? 1.0 : static_cast<double>(weights(e.row / blocks));
    sums.value[0] = multiply_add(weight * difference, difference, sums.value[0]);
  }
};

}  // namespace

template <class ExecutionSpace, class Scalar>
void PhantomErrors<ExecutionSpace, Scalar>::slices_begin(const SliceData<Scalar>& data,
                                                         const typename Base::Images&) {
  errors_.resize(static_cast<std::size_t>(data.slices));
  if (!is_set_) return;
  reduction_ = ReductionWorkspace<memory_space>(exec_, data.slices);
  sums_ =
      allocate<Vector<double, memory_space>>(exec_, "Tomokkos::PhantomErrors::sums", data.slices);
}

template <class ExecutionSpace, class Scalar>
MonitorAction PhantomErrors<ExecutionSpace, Scalar>::sees(const ExecutionSpace& exec,
                                                          const typename Base::State& state, bool) {
  // All ranks take part, even those without a pixel of a split image.
  if (!is_set_) return MonitorAction::proceed;
  const auto slices = static_cast<Ordinal>(errors_.size());
  reduce_columns_to_device<1>(
      exec, "Tomokkos::PhantomErrors::distance", static_cast<Offset>(state.x.extent(0)), slices,
      DistanceToImages<Scalar, memory_space>{as_vector(state.x), phantom_, weights_, sharing_},
      reduction_, sums_);
  std::vector<double> sums = to_host_vector<ExecutionSpace>(exec, sums_);
  auto pixels = static_cast<double>(state.x.extent(0));
  if (is_split_) {
    sums.push_back(pixels);
    ranks_.sum(sums);
    pixels = sums.back();
    sums.pop_back();
  }
  const KeptRecords kept(check_every_);
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const int iteration = state.records[j].iteration;
    errors_[j][iteration] = std::sqrt(sums[j] / pixels);
    // Errors of iterates that the history does not keep.
    if (errors_[j].size() > 3 * KeptRecords::most)
      std::erase_if(errors_[j],
                    [&](const auto& known) { return !kept.keeps(known.first, iteration); });
  }
  return MonitorAction::proceed;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class PhantomErrors<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
