// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RankTiming.hpp>
#include <algorithm>
#include <chrono>
#include <vector>

namespace Tomokkos {
namespace {

/// The median of what \p work takes on this rank, which begins together with the others.
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

/// Vectors of ones for the products of an operator.
template <class ExecutionSpace, class Scalar>
struct Ones {
  using Memory = typename ExecutionSpace::memory_space;
  MultiVector<Scalar, Memory> image, data;

  template <class Operator>
  Ones(const ExecutionSpace& exec, const Operator& A, Ordinal vectors)
      : image(allocate<MultiVector<Scalar, Memory>>(exec, "Tomokkos::RankTiming::image",
                                                    A.num_cols(), vectors)),
        data(allocate<MultiVector<Scalar, Memory>>(exec, "Tomokkos::RankTiming::data", A.num_rows(),
                                                   vectors)) {
    Kokkos::deep_copy(exec, image, Scalar(1));
    Kokkos::deep_copy(exec, data, Scalar(1));
  }

  template <class Operator>
  void multiply(const ExecutionSpace& exec, const Operator& A) const {
    A.apply(exec, Scalar(1), as_multivector(image), Scalar(0), as_multivector(data));
    A.apply_transpose(exec, Scalar(1), as_multivector(data), Scalar(0), as_multivector(image));
    // Numbers that stay where they are: neither infinite nor denormal.
    Kokkos::deep_copy(exec, image, Scalar(1));
  }
};

}  // namespace

template <class ExecutionSpace, class Scalar>
double seconds_of_products(const ExecutionSpace& exec,
                           const AnyOperator<ExecutionSpace, Scalar>& A) {
  if (A.num_rows() == 0) return 0;
  const Ones<ExecutionSpace, Scalar> ones(exec, A, 1);
  return median_seconds(exec, nullptr, [&] { ones.multiply(exec, A); });
}

template <class ExecutionSpace, class Scalar>
ConfigNode measure_sums(const ExecutionSpace& exec, const RunRanks& ranks,
                        const Communicator<ExecutionSpace>& communicator,
                        const DistributedOperator<ExecutionSpace, Scalar>& A, Ordinal vectors) {
  using Memory = typename ExecutionSpace::memory_space;
  A.reserve(exec, vectors);
  const auto image = allocate<Vector<Scalar, Memory>>(
      exec, "Tomokkos::RankTiming::sums",
      static_cast<std::size_t>(A.num_image_cols()) * static_cast<std::size_t>(vectors));
  Kokkos::deep_copy(exec, image, Scalar(0));
  const double sums = median_seconds(exec, ranks.ranks(), [&] {
    communicator.sum(exec, VectorView<Scalar, Memory>(image.data(), image.extent(0)));
  });
  double own = 0;
  {
    const Ones<ExecutionSpace, Scalar> ones(exec, A.local(), vectors);
    own = median_seconds(exec, ranks.ranks(), [&] {
      if (A.num_rows() > 0) ones.multiply(exec, A.local());
    });
  }
  const Ones<ExecutionSpace, Scalar> ones(exec, A, vectors);
  const double all = median_seconds(exec, ranks.ranks(), [&] { ones.multiply(exec, A); });
  const auto most = [&](double value) {
    const std::vector<double> values = ranks.of_each(value);
    return *std::max_element(values.begin(), values.end());
  };
  ConfigNode products = ConfigNode::list();
  for (const double seconds : ranks.of_each(own)) products.push_back(ConfigNode::number(seconds));
  const double longest = most(own), whole = most(all), alone = most(sums);
  ConfigNode node = ConfigNode::map();
  node.set("products", std::move(products));
  node.set("products_and_sums", ConfigNode::number(whole));
  node.set("sums", ConfigNode::number(alone));
  node.set("rate",
           ConfigNode::number(alone > 0 ? static_cast<double>(A.sum_bytes(vectors)) / alone : 0));
  node.set("exposed", ConfigNode::number(whole > 0 ? std::max(0.0, 1 - longest / whole) : 0));
  return node;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                              \
  template double seconds_of_products<SPACE, SCALAR>(const SPACE&,                       \
                                                     const AnyOperator<SPACE, SCALAR>&); \
  template ConfigNode measure_sums<SPACE, SCALAR>(                                       \
      const SPACE&, const RunRanks&, const Communicator<SPACE>&,                         \
      const DistributedOperator<SPACE, SCALAR>&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
