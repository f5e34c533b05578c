// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RankGroup.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace Tomokkos {

/// Vectors of ones for the products of an operator. Not in the unnamed namespace below, because
/// lambdas of functions with external linkage capture it.
template <class ExecutionSpace, class Scalar>
struct OnesOfProducts {
  using Memory = typename ExecutionSpace::memory_space;
  MultiVector<Scalar, Memory> image, data;

  template <class Operator>
  OnesOfProducts(const ExecutionSpace& exec, const Operator& A, Ordinal vectors)
      : image(allocate<MultiVector<Scalar, Memory>>(exec, "Tomokkos::RankTiming::image",
                                                    A.num_cols(), vectors)),
        data(allocate<MultiVector<Scalar, Memory>>(exec, "Tomokkos::RankTiming::data", A.num_rows(),
                                                   vectors)) {
    Kokkos::deep_copy(exec, image, Scalar(1));
    Kokkos::deep_copy(exec, data, Scalar(1));
  }

  template <class Operator>
  void project(const ExecutionSpace& exec, const Operator& A) const {
    A.apply(exec, Scalar(1), as_multivector(image), Scalar(0), as_multivector(data));
  }
  template <class Operator>
  void back_project(const ExecutionSpace& exec, const Operator& A) const {
    A.apply_transpose(exec, Scalar(1), as_multivector(data), Scalar(0), as_multivector(image));
  }
  /// Forms the products. Collective if A is distributed over ranks.
  template <class Operator>
  void multiply(const ExecutionSpace& exec, const Operator& A) const {
    project(exec, A);
    back_project(exec, A);
    // The values stay neither infinite nor denormal.
    Kokkos::deep_copy(exec, image, Scalar(1));
  }
};

namespace {

/// Median time of \p work on this rank. All ranks begin each repetition together.
template <class ExecutionSpace, class Work>
double median_seconds(const ExecutionSpace& exec, const Ranks* ranks, const Work& work) {
  constexpr int repetitions = 9;
  std::vector<double> seconds;
  work();
  for (int i = 0; i < repetitions; ++i) {
    exec.fence();
    if (ranks != nullptr) ranks->wait_for_all();
    const auto begin = std::chrono::steady_clock::now();
    work();
    exec.fence();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
  return seconds[repetitions / 2];
}

/// Median time of \p work without other ranks. Warms up until clocks have risen and earlier work of
/// the device is finished. A GPU pauses first: without a pause it reaches its power limit (an H200
/// within a second) and lowers its clocks.
template <class ExecutionSpace, class Work>
double median_after_warming(const ExecutionSpace& exec, const Ranks* ranks, const Work& work) {
  if constexpr (!Impl::is_host_space<ExecutionSpace>)
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  do {
    work();
    exec.fence();
  } while (std::chrono::steady_clock::now() < end);
  return median_seconds(exec, ranks, work);
}

/// Median time of \p work on one rank after the other, while the others wait.
template <class ExecutionSpace, class Work>
double median_in_turn(const ExecutionSpace& exec, const Ranks& ranks, const Work& work) {
  double seconds = 0;
  for (int turn = 0; turn < ranks.size(); ++turn) {
    exec.fence();
    ranks.wait_for_all();
    if (turn == ranks.rank()) seconds = median_after_warming(exec, nullptr, work);
  }
  ranks.wait_for_all();
  return seconds;
}

/// Seconds of products with the rows of this rank.
struct OwnProducts {
  double forward = 0, transposed = 0, both = 0;
};

/// `median(work)` measures the time of `work`.
template <class ExecutionSpace, class Scalar, class Median>
OwnProducts own_products(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                         Ordinal vectors, bool both, const Median& median) {
  const OnesOfProducts<ExecutionSpace, Scalar> ones(exec, A, vectors);
  const auto seconds_of = [&](const auto& products) {
    return median([&] {
      if (A.num_rows() > 0) products();
    });
  };
  OwnProducts seconds;
  seconds.forward = seconds_of([&] { ones.project(exec, A); });
  if (!both) return seconds;
  seconds.transposed = seconds_of([&] { ones.back_project(exec, A); });
  Kokkos::deep_copy(exec, ones.image, Scalar(1));
  seconds.both = seconds_of([&] { ones.multiply(exec, A); });
  return seconds;
}

/// Lists the times of all ranks.
Description products_description(const OwnProducts& seconds, const RankGroup& ranks,
                                 bool both = true) {
  Description result = Description::map();
  result.set("forward", ranks.gather_from_all(seconds.forward));
  if (!both) return result;
  result.set("transposed", ranks.gather_from_all(seconds.transposed));
  result.set("products", ranks.gather_from_all(seconds.both));
  return result;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
double seconds_of_products(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                           bool both, Ordinal vectors) {
  if (A.num_rows() == 0) return 0;
  const OnesOfProducts<ExecutionSpace, Scalar> ones(exec, A, vectors);
  return median_after_warming(exec, nullptr, [&] {
    if (both)
      ones.multiply(exec, A);
    else
      ones.project(exec, A);
  });
}

template <class ExecutionSpace, class Scalar>
Description measure_sums(const ExecutionSpace& exec, const Ranks& ranks, bool in_turns,
                         const Communicator<ExecutionSpace>& communicator,
                         const DistributedOperator<ExecutionSpace, Scalar>& A, Ordinal vectors) {
  using Memory = typename ExecutionSpace::memory_space;
  A.reserve(exec, vectors);
  const auto image = allocate<Vector<Scalar, Memory>>(
      exec, "Tomokkos::RankTiming::sums",
      static_cast<std::size_t>(A.num_image_cols()) * static_cast<std::size_t>(vectors));
  Kokkos::deep_copy(exec, image, Scalar(0));
  const OwnProducts own =
      own_products<ExecutionSpace, Scalar>(exec, A.local(), vectors, true, [&](const auto& work) {
        return in_turns ? median_in_turn(exec, ranks, work)
                        : median_after_warming(exec, &ranks, work);
      });
  const OnesOfProducts<ExecutionSpace, Scalar> ones(exec, A, vectors);
  // Several sums in a row, as in an iteration: with NCCL no sum waits for a launch or for the host.
  // Measured after the products, which have warmed up the device.
  constexpr int in_a_row = 10;
  const VectorView<Scalar, Memory> values(image.data(), image.extent(0));
  const auto add_up = [&] {
    for (int i = 0; i < in_a_row; ++i) communicator.sum(exec, values);
  };
  const double sums = median_seconds(exec, &ranks, add_up) / in_a_row;
  const double all = median_seconds(exec, &ranks, [&] { ones.multiply(exec, A); });
  const double longest = ranks.max_of(own.both), whole = ranks.max_of(all),
               alone = ranks.max_of(sums);
  Description result = products_description(own, RankGroup(&ranks));
  result.set("products_and_sums", whole);
  result.set("sums", alone);
  result.set("rate", alone > 0 ? static_cast<double>(A.sum_bytes(vectors)) / alone : 0);
  if (in_turns)
    result.set("in_turns", true);
  else
    result.set("exposed", whole > 0 ? std::max(0.0, 1 - longest / whole) : 0);
  return result;
}

template <class ExecutionSpace, class Scalar>
Description measure_products(const ExecutionSpace& exec,
                             const AnyOperator<ExecutionSpace, Scalar>& A, Ordinal vectors,
                             bool both) {
  A.reserve(exec, vectors);
  return products_description(
      own_products<ExecutionSpace, Scalar>(
          exec, A, vectors, both,
          [&](const auto& work) { return median_after_warming(exec, nullptr, work); }),
      RankGroup(), both);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                            \
  template double seconds_of_products<SPACE, SCALAR>(                  \
      const SPACE&, const AnyOperator<SPACE, SCALAR>&, bool, Ordinal); \
  template Description measure_products<SPACE, SCALAR>(                \
      const SPACE&, const AnyOperator<SPACE, SCALAR>&, Ordinal, bool); \
  template Description measure_sums<SPACE, SCALAR>(                    \
      const SPACE&, const Ranks&, bool, const Communicator<SPACE>&,    \
      const DistributedOperator<SPACE, SCALAR>&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
