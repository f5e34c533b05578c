// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCirculantCase.hpp"

#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <algorithm>
#include <limits>

#include "Tomokkos_BenchCirculantPeers.hpp"
#include "Tomokkos_BenchCirculantReference.hpp"
#include "Tomokkos_BenchIterations.hpp"
#include "Tomokkos_BenchSpread.hpp"

namespace Tomokkos::Bench {
namespace {

/// A matrix of the shape of C without an entry: what vectors are made for.
template <class Scalar, class MemorySpace>
CsrMatrix<Scalar, MemorySpace> shape_of(const BlockCirculantMatrix<Scalar, MemorySpace>& A) {
  CsrMatrix<Scalar, MemorySpace> shape;
  shape.num_rows = A.num_rows();
  shape.num_cols = A.num_cols();
  return shape;
}

/// The forward product that belongs to a transposed one: `stored:X` and `op_t:X`, in whatever name
/// it stands, to X.
std::string forward_circulant_name(std::string variant) {
  for (const std::string mark : {"stored:", "_op_t"}) {
    const std::size_t at = variant.find(mark);
    if (at != std::string::npos) variant.erase(at, mark.size());
  }
  return variant == to_string(TransposeMethod::direct)
             ? std::string(to_string(CirculantVariant::automatic))
             : variant;
}

template <class ExecutionSpace, class Scalar>
IterationMatrix<ExecutionSpace, Scalar> iteration_matrix_of(
    CirculantCase<ExecutionSpace, Scalar>& matrix_case) {
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.matrix();
  IterationMatrix<ExecutionSpace, Scalar> result;
  result.exec = exec;
  result.num_rows = A.num_rows();
  result.num_cols = A.num_cols();
  result.values = A.values;
  result.longest = row_statistics(exec, matrix_case.rows_twice(false)).longest;
  result.x = matrix_case.x(false);
  result.forward = [exec, A](const auto& x) {
    return circulant_reference<ExecutionSpace, Scalar>(exec, A, x);
  };
  result.backward = [exec, A](const auto& y) {
    return circulant_transposed_reference<ExecutionSpace, Scalar>(exec, A, y);
  };
  return result;
}

bool has_own_matrix(const std::string& variant) { return variant.rfind("stored:", 0) == 0; }

}  // namespace

template <class ExecutionSpace, class Scalar>
CirculantCase<ExecutionSpace, Scalar>::CirculantCase(const ExecutionSpace& exec, matrix_type A,
                                                     std::uint64_t seed)
    : exec_(exec), A_(std::move(A)), seed_(seed), vectors_(exec, shape_of(A_), seed) {}

template <class ExecutionSpace, class Scalar>
auto CirculantCase<ExecutionSpace, Scalar>::matrix(bool transposed) -> const matrix_type& {
  if (!transposed) return A_;
  if (!transposed_)
    transposed_seconds_ = seconds_of([&] {
      transposed_ = transposed_block_circulant<ExecutionSpace, Scalar>(exec_, A_);
      exec_.fence();
    });
  return *transposed_;
}

template <class ExecutionSpace, class Scalar>
double CirculantCase<ExecutionSpace, Scalar>::transposed_seconds() {
  matrix(true);
  return transposed_seconds_;
}

template <class ExecutionSpace, class Scalar>
auto CirculantCase<ExecutionSpace, Scalar>::block_row(bool transposed) -> csr_case_type& {
  auto& made = block_row_[transposed];
  if (!made)
    made.emplace(exec_,
                 block_row_from_block_circulant<ExecutionSpace, Scalar>(exec_, matrix(transposed)),
                 seed_);
  return *made;
}

template <class ExecutionSpace, class Scalar>
auto CirculantCase<ExecutionSpace, Scalar>::rows_twice(bool transposed) -> csr_type {
  const matrix_type& M = matrix(transposed);
  const Offset columns = Offset{M.pitch} * M.block_cols;
  require(columns <= std::numeric_limits<Ordinal>::max(),
          Impl::text("X replicated has {} values, beyond 31 bits", columns));
  const Kokkos::View<const Ordinal*, memory_space> positions(
      reinterpret_cast<const Ordinal*>(M.positions.data()), M.positions.extent(0));
  return {M.block_rows, static_cast<Ordinal>(columns), M.row_offsets, positions, M.values};
}

template <class ExecutionSpace, class Scalar>
auto CirculantCase<ExecutionSpace, Scalar>::x(bool of_transpose, VectorLayout layout)
    -> Vector<Scalar, memory_space> {
  const auto plain = vectors_.x(of_transpose);
  if (layout == VectorLayout::as_it_is) return plain;
  auto& x = x_[{of_transpose, layout}];
  if (x.data() == nullptr) {
    const CirculantVector vector = x_shape(of_transpose);
    x = allocate<Vector<Scalar, memory_space>>(exec_, "Tomokkos::Bench::x", vector.size(layout));
    lay_out<ExecutionSpace, Scalar>(exec_, vector, plain, layout, x);
    exec_.fence();
  }
  return x;
}

template <class ExecutionSpace, class Scalar>
auto CirculantCase<ExecutionSpace, Scalar>::y(bool of_transpose, VectorLayout layout)
    -> Vector<Scalar, memory_space> {
  if (layout == VectorLayout::as_it_is) return vectors_.y(of_transpose);
  auto& y = y_[{of_transpose, layout}];
  if (y.data() == nullptr) {
    y = allocate<Vector<Scalar, memory_space>>(exec_, "Tomokkos::Bench::y",
                                               y_shape(of_transpose).size(layout));
    Kokkos::deep_copy(exec_, y, Scalar(0));
    exec_.fence();
  }
  return y;
}

template <class ExecutionSpace, class Scalar>
auto CirculantCase<ExecutionSpace, Scalar>::reference(bool of_transpose)
    -> const ProductReference<memory_space>& {
  auto& reference = reference_[of_transpose];
  if (!reference) {
    const auto wide = widen<ExecutionSpace, Scalar>(exec_, x(of_transpose));
    reference = of_transpose
                    ? circulant_transposed_reference<ExecutionSpace, Scalar>(exec_, A_, wide)
                    : circulant_reference<ExecutionSpace, Scalar>(exec_, A_, wide);
  }
  return *reference;
}

template <class ExecutionSpace, class Scalar>
Candidate CirculantCase<ExecutionSpace, Scalar>::candidate(const Product<Scalar>& product,
                                                           bool of_transpose) {
  Candidate candidate;
  candidate.setup_seconds = product.setup_seconds;
  candidate.choice = product.choice;
  candidate.memory_bytes = product.memory_bytes;
  candidate.bytes_model = product.matrix_bytes + vector_bytes(shape_of(A_));
  candidate.footprint_bytes = candidate.bytes_model;
  candidate.operations = 2.0 * static_cast<double>(A_.num_nonzeros());
  const auto x = this->x(of_transpose, product.x_layout);
  const auto y = this->y(of_transpose, product.y_layout);
  candidate.launch = [run = product.run, x, y] { run(x.data(), y.data()); };
  candidate.fence = [exec = exec_] { exec.fence(); };
  candidate.spread = [exec = exec_, launch = candidate.launch, y](int runs) {
    return spread_of<ExecutionSpace, Scalar>(exec, launch, y, runs);
  };
  candidate.poison = [exec = exec_, y] {
    Kokkos::deep_copy(exec, y, Scalar(1e30));  // large, but finite: see BenchCase
    exec.fence();
  };
  if (product.error) {
    candidate.error = [error = product.error, x, y] { return error(x.data(), y.data()); };
    return candidate;
  }
  candidate.error = [exec = exec_, y, layout = product.y_layout, plain = this->y(of_transpose),
                     vector = y_shape(of_transpose), reference = reference(of_transpose)] {
    if (layout == VectorLayout::blocks)
      rotations_from_blocks<ExecutionSpace, Scalar>(exec, vector, y, plain);
    return largest_error<ExecutionSpace, Scalar>(exec, reference, plain);
  };
  return candidate;
}

template <class ExecutionSpace, class Scalar>
Candidate CirculantCase<ExecutionSpace, Scalar>::alternating(const Product<Scalar>& forward,
                                                             const Product<Scalar>& backward,
                                                             int products) {
  const Candidate there = candidate(forward, false), back = candidate(backward, true);
  const int pairs = std::max(1, products / 2);
  Candidate both;
  both.setup_seconds = there.setup_seconds + back.setup_seconds;
  if (forward.choice == backward.choice) both.choice = forward.choice;
  const bool one_copy = !has_own_matrix(backward.variant);
  both.memory_bytes =
      there.memory_bytes + back.memory_bytes - (one_copy ? forward.matrix_bytes : 0);
  both.bytes_model = static_cast<std::size_t>(pairs) * (there.bytes_model + back.bytes_model);
  both.footprint_bytes = there.footprint_bytes + back.footprint_bytes -
                         (one_copy ? forward.matrix_bytes : 0) - vector_bytes(shape_of(A_));
  both.operations = pairs * (there.operations + back.operations);
  both.fence = there.fence;
  both.launch = [there = there.launch, back = back.launch, pairs] {
    for (int pair = 0; pair < pairs; ++pair) {
      there();
      back();
    }
  };
  both.poison = [there = there.poison, back = back.poison] {
    there();
    back();
  };
  both.error = [there = there.error, back = back.error] { return std::max(there(), back()); };
  return both;
}

template <class ExecutionSpace, class Scalar>
CandidateList circulant_candidates(CirculantCase<ExecutionSpace, Scalar>& matrix_case,
                                   Operation operation, const BenchOptions& options,
                                   const std::vector<Peer>& peers) {
  const bool is_iteration =
      operation == Operation::mlem_iteration || operation == Operation::sirt_iteration;
  require(operation == Operation::spmv || operation == Operation::spmv_transpose ||
              operation == Operation::alternating || is_iteration,
          std::string(to_string(operation)) +
              " is of matrices in CSR; block-circulant ones have spmv, spmv_transpose, alternating "
              "and the iterations");
  CandidateList list;
  const auto products = [&](bool of_transpose) {
    std::vector<ProductList<Scalar>> lists{
        own_circulant_products(matrix_case, options, of_transpose)};
    // Vectors of the others lie in orders of their own, which no solver of ours knows.
    for (const Peer peer : is_iteration ? std::vector<Peer>{} : peers)
      lists.push_back(circulant_peer_products(peer, matrix_case, options, of_transpose));
    for (const auto& of_library : lists)
      for (const RefusedCandidate& refused : of_library.refused())
        list.refuse(refused.library, refused.format, refused.variant, refused.reason);
    return lists;
  };
  if (is_iteration) {
    const IterationBench<ExecutionSpace, Scalar> iterations(iteration_matrix_of(matrix_case),
                                                            operation, options.timing);
    iterations.add(list, products(false).front(), products(true).front());
    return list;
  }
  if (operation != Operation::alternating) {
    const bool of_transpose = operation == Operation::spmv_transpose;
    for (const auto& of_library : products(of_transpose))
      for (const auto& product : of_library.products())
        list.attempt(of_library.library(), product.format, product.variant,
                     [&] { return matrix_case.candidate(product, of_transpose); });
    return list;
  }
  const auto forward = products(false), backward = products(true);
  for (std::size_t library = 0; library < forward.size(); ++library)
    for (const Product<Scalar>& back : backward[library].products())
      list.attempt(forward[library].library(), back.format, back.variant, [&] {
        const auto* there =
            forward[library].find_or_first(back.format, forward_circulant_name(back.variant));
        require(there != nullptr, "this library has no forward product of this matrix");
        return matrix_case.alternating(*there, back, options.products);
      });
  return list;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                             \
  template class CirculantCase<SPACE, SCALAR>;                                          \
  template CandidateList circulant_candidates(CirculantCase<SPACE, SCALAR>&, Operation, \
                                              const BenchOptions&, const std::vector<Peer>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
