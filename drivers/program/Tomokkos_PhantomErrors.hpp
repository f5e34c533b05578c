// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RankGroup.hpp>
#include <Tomokkos_Reduce.hpp>
#include <Tomokkos_SolveSlices.hpp>
#include <map>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Measures the distance of each checked iterate to a phantom: the root mean square error of
/// the pixels. Measures nothing until a phantom is set.
template <class ExecutionSpace, class Scalar>
class PhantomErrors final : public SlicesObserver<ExecutionSpace, Scalar> {
 public:
  using Base = SlicesObserver<ExecutionSpace, Scalar>;
  using memory_space = typename ExecutionSpace::memory_space;
  using VectorType = Vector<Scalar, memory_space>;
  using BySlice = std::vector<std::map<int, double>>;

  PhantomErrors(const ExecutionSpace& exec, const RankGroup& ranks, int check_every)
      : exec_(exec), ranks_(ranks), check_every_(check_every) {}

  /// \brief Sets the image that all slices share, or one for each, as columns in the order of the
  /// solver.
  ///
  /// \param weights of the pixels, one for each \p sharing adjacent pixels; empty: equal weights
  /// \param is_split each rank holds a part of the image
  void set(VectorType phantom, VectorType weights, Ordinal sharing, bool is_split) {
    phantom_ = std::move(phantom);
    weights_ = std::move(weights);
    sharing_ = sharing;
    is_set_ = true;
    is_split_ = is_split;
  }

  /// \brief Error of each slice by iteration; empty maps without a phantom.
  const BySlice& by_slice() const { return errors_; }
  /// \brief Sets the errors of an earlier run that is resumed, or of \p slices slices that are not
  /// measured.
  void set_by_slice(BySlice errors) { errors_ = std::move(errors); }

  void slices_begin(const SliceData<Scalar>& data, const typename Base::Images& images) override;
  MonitorAction sees(const ExecutionSpace& exec, const typename Base::State& state,
                     bool is_ended) override;

 private:
  ExecutionSpace exec_;
  const RankGroup& ranks_;
  int check_every_;
  VectorType phantom_, weights_;
  Ordinal sharing_ = 1;
  bool is_set_ = false, is_split_ = false;
  ReductionWorkspace<memory_space> reduction_;
  Vector<double, memory_space> sums_;
  BySlice errors_;
};

}  // namespace Tomokkos
