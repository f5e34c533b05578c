// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of every reconstruction: slices are read, solved and handed over, slab by slab. A volume
// is slabs, a stack is one slab, a slice is a stack of one.
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_RankGroup.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <Tomokkos_Solve.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Start of slices that are solved together.
struct SliceStart {
  std::vector<double> images;  ///< slice after slice, in natural order; empty: constant images
  double constant = 0;         ///< value of constant images
  bool uniform = false;        ///< for MLEM: constant images that explain the data, instead
  /// Name of the images in the error about an entry that MLEM refuses; empty: the solver's own.
  std::string checked_as{};
};

/// \brief Slices that are solved together, on the host and in natural order.
template <class Scalar>
struct SliceData {
  Ordinal slices = 1;
  /// Data slice after slice. NaN marks a ray that was not measured. Valid until the next call of
  /// the source.
  std::span<const double> values;
  std::span<const Scalar> columns{};  ///< the same data side by side, if they are at hand
  bool has_gaps = false;              ///< some values are NaN
  SliceStart start{};
  /// MLEM: factors and background of the model, one value per ray; empty: none.
  std::vector<double> multiplicative{}, background{};
  /// Facts for stop rules. The loop counts rays if they are not counted, and takes the rows of a
  /// view from the task if their number is 0.
  StopData facts{};
  std::optional<SolveProgress> resumed{};  ///< continue an earlier solve; `start` has its images
};

/// \brief Returns the next slices; empty after the last ones.
template <class Scalar>
using SliceSource = std::function<std::optional<SliceData<Scalar>>()>;

/// \brief Source of slices in memory: \p all, at most \p size of them together, from slice \p first
/// on. The values that \p all views must outlive the source.
template <class Scalar>
SliceSource<Scalar> slabs_of(SliceData<Scalar> all, Ordinal size, Ordinal first = 0);

/// \brief Copies solutions to the host, complete and in natural order. Masked pixels keep the
/// values of the start.
template <class ExecutionSpace, class Scalar>
class SliceImages {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using ConstColumns = MultiVectorView<const Scalar, memory_space>;

  /// \param mask pixels with nonzero entries are solved; empty: all
  /// \param start images of all pixels, slice after slice; empty without a mask
  SliceImages(const BuiltSystem<ExecutionSpace, Scalar>& system, const RankGroup& ranks,
              const std::vector<char>& mask, std::vector<Scalar> start)
      : system_(system), ranks_(ranks), mask_(mask), start_(std::move(start)) {}

  /// \brief Returns the slices of \p x one after the other. Collective.
  std::vector<Scalar> on_host(const ExecutionSpace& exec, const ConstColumns& x) const;

  /// \brief Sets masked pixels of images in natural order to those of the start.
  void keep_start(std::span<Scalar> images) const;

 private:
  const BuiltSystem<ExecutionSpace, Scalar>& system_;
  const RankGroup& ranks_;
  std::vector<char> mask_;
  std::vector<Scalar> start_;
};

/// \brief Watches a reconstruction: each of its solves, and the slices between them.
template <class ExecutionSpace, class Scalar>
class SlicesObserver : public SolveObserver<ExecutionSpace, Scalar> {
 public:
  using Images = SliceImages<ExecutionSpace, Scalar>;
  using typename SolveObserver<ExecutionSpace, Scalar>::ConstColumns;

  /// \brief Slices are about to be solved. \p images copies their iterates.
  virtual void slices_begin(const SliceData<Scalar>& /*data*/, const Images& /*images*/) {}
  /// \brief Slices were solved, or interrupted. Returns false to end the reconstruction.
  ///
  /// \param images is not used afterwards, and may be moved away
  virtual bool slices_end(const SolveOutcome& /*outcome*/, const ConstColumns& /*x*/,
                          Images& /*images*/) {
    return true;
  }
};

/// \brief Observer made of two functions, both of which may be left out.
template <class ExecutionSpace, class Scalar>
class SlicesHandler final : public SlicesObserver<ExecutionSpace, Scalar> {
 public:
  using Base = SlicesObserver<ExecutionSpace, Scalar>;
  using typename Base::ConstColumns;
  using typename Base::Images;

  Monitor<ExecutionSpace, Scalar> monitor;  ///< sees each checked iterate
  /// Takes slices that were solved; returns false to end the reconstruction.
  std::function<bool(const SolveOutcome&, const ConstColumns& x, Images& images)> take;

  MonitorAction sees(const ExecutionSpace& exec, const typename Base::State& state, bool) override {
    return monitor ? monitor(exec, state) : MonitorAction::proceed;
  }
  bool slices_end(const SolveOutcome& outcome, const ConstColumns& x, Images& images) override {
    return !take || take(outcome, x, images);
  }
};

/// \brief Parameters of a reconstruction, besides its system and its data.
struct SlicesSettings {
  /// Parameters of the solver. The rows of its views, subsets and blocks are set from the system.
  SolverParams params;
  ViewOrder view_order = ViewOrder::sequential;  ///< `sart`: order of views or subsets
  std::uint64_t seed = 1;                        ///< of a random order
};

/// \brief Solves all slices of \p source with \p system, the matrix of \p task.
///
/// \param observers are called in their order
/// \param outcome of the last solve
/// \throws InputError for data or a start that the solver refuses; the errors of `solve` and of the
/// source. Collective on several ranks: an error of one ends all.
template <class ExecutionSpace, class Scalar>
void solve_slices(const ExecutionSpace& exec, const SystemTask& task,
                  const BuiltSystem<ExecutionSpace, Scalar>& system, const SlicesSettings& settings,
                  const SliceSource<Scalar>& source,
                  const std::vector<SlicesObserver<ExecutionSpace, Scalar>*>& observers,
                  SolveOutcome& outcome, const RankGroup& ranks = RankGroup());

}  // namespace Tomokkos
