// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Ranks.hpp>
#include <Tomokkos_StepRegions.hpp>
#include <Tomokkos_Views.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace Tomokkos {

/// \brief Collective operations of ranks on arrays in the memory of an execution space.
///
/// All ranks call the same functions in the same order and with the same lengths, as for `Ranks`.
/// No function of this class returns results to the host.
///
/// `sum`, `gather` and `exchange` run in the queue of the instance: after earlier launches and
/// before later ones. `begin_sum` and `begin_scatter_sum` run after earlier launches and
/// concurrently with later ones until `finish`; in the meantime their arrays must not be used.
/// `sum` and `gather` also finish operations begun before them. Operations may be begun on several
/// instances: in a sum over several ranks, the instance of `finish` waits for earlier launches on
/// the other instance. Otherwise a communicator serves one instance at a time. It must not be
/// destroyed before its operations are finished.
///
/// Scalars are float or double. All ranks get the same bits of a sum. A deterministic communicator
/// gives the same bits on every run with the same number of ranks on the same machines.
///
/// \throws Error when the transport reports one
/// deterministic. Throws `Error` where the transport reports one.
template <class ExecutionSpace>
class Communicator {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;

  virtual ~Communicator() = default;

  virtual const Ranks& ranks() const = 0;
  int rank() const { return ranks().rank(); }
  int size() const { return ranks().size(); }

  /// \brief Name of the transport for reports: `"nccl"`, `"mpi"`, `"mpi, through host memory"`.
  virtual std::string transport() const = 0;

  /// \brief Replaces each `values(i)` by its sum over all ranks.
  template <class Scalar>
  void sum(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& values) const {
    begin_sum(exec, values);
    finish(exec);
  }
  template <class Scalar>
  void begin_sum(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& values) const {
    const Impl::ScopedRegion region(Impl::StepRegions::ranks);
    do_begin_sum(exec, array_of(values));
  }

  /// \brief Begins to sum \p values over all ranks, in place. Rank r receives the sums from
  /// `offsets[r]` to `offsets[r + 1]`; its other values become undefined.
  ///
  /// \param offsets `size() + 1` entries, from 0 to the length of \p values, nondecreasing, the
  /// same on all ranks
  template <class Scalar>
  void begin_scatter_sum(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& values,
                         const std::vector<Offset>& offsets) const {
    const Impl::ScopedRegion region(Impl::StepRegions::ranks);
    check_offsets(offsets, static_cast<Offset>(values.extent(0)));
    do_begin_scatter_sum(exec, array_of(values), offsets);
  }

  /// \brief Makes later launches on \p exec wait for all operations that were begun.
  void finish(const ExecutionSpace& exec) const {
    const Impl::ScopedRegion region(Impl::StepRegions::ranks);
    do_finish(exec);
  }

  /// \brief Gives all ranks all of \p values; rank r provides those from `offsets[r]` to
  /// `offsets[r + 1]`.
  template <class Scalar>
  void gather(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& values,
              const std::vector<Offset>& offsets) const {
    const Impl::ScopedRegion region(Impl::StepRegions::ranks);
    check_offsets(offsets, static_cast<Offset>(values.extent(0)));
    do_gather(exec, array_of(values), offsets);
  }

  /// \brief Begins to send to each rank r the values of \p sent from `sent_offsets[r]` to
  /// `sent_offsets[r + 1]`, and to receive from it the values of \p received from
  /// `received_offsets[r]` on. `finish` completes the exchange. A rank sends nothing to itself.
  template <class Scalar>
  void begin_exchange(const ExecutionSpace& exec,
                      const VectorView<const Scalar, memory_space>& sent,
                      const std::vector<Offset>& sent_offsets,
                      const VectorView<Scalar, memory_space>& received,
                      const std::vector<Offset>& received_offsets) const {
    const Impl::ScopedRegion region(Impl::StepRegions::ranks);
    check_offsets(sent_offsets, static_cast<Offset>(sent.extent(0)));
    check_offsets(received_offsets, static_cast<Offset>(received.extent(0)));
    do_begin_exchange(
        exec, {const_cast<Scalar*>(sent.data()), sent.extent(0), std::is_same_v<Scalar, double>},
        sent_offsets, array_of(received), received_offsets);
  }

 protected:
  /// Array of floats or doubles in `memory_space`.
  struct Array {
    void* data;
    std::size_t length;
    bool is_double;
    std::size_t scalar_bytes() const { return is_double ? sizeof(double) : sizeof(float); }
    std::size_t bytes() const { return length * scalar_bytes(); }
  };

  virtual void do_finish(const ExecutionSpace& exec) const = 0;
  virtual void do_begin_sum(const ExecutionSpace& exec, const Array& values) const = 0;
  virtual void do_begin_scatter_sum(const ExecutionSpace& exec, const Array& values,
                                    const std::vector<Offset>& offsets) const = 0;
  virtual void do_gather(const ExecutionSpace& exec, const Array& values,
                         const std::vector<Offset>& offsets) const = 0;
  virtual void do_begin_exchange(const ExecutionSpace& exec, const Array& sent,
                                 const std::vector<Offset>& sent_offsets, const Array& received,
                                 const std::vector<Offset>& received_offsets) const = 0;

 private:
  template <class Scalar>
  static Array array_of(const VectorView<Scalar, memory_space>& values) {
    static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                  "ranks exchange floats and doubles");
    return {values.data(), values.extent(0), std::is_same_v<Scalar, double>};
  }
  void check_offsets(const std::vector<Offset>& offsets, Offset length) const {
    require_equal("number of offsets", static_cast<long long>(offsets.size()),
                  "number of ranks + 1", static_cast<long long>(size()) + 1);
    require(offsets.front() == 0, "the offsets of the ranks must begin with 0");
    for (std::size_t r = 1; r < offsets.size(); ++r)
      require(offsets[r - 1] <= offsets[r], "the offsets of the ranks must not decrease");
    require_equal("the last offset", static_cast<long long>(offsets.back()), "the length",
                  static_cast<long long>(length));
  }
};

}  // namespace Tomokkos
