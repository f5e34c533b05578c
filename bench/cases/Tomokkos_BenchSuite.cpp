// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchSuite.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>

#include "Tomokkos_BenchIterations.hpp"
#include "Tomokkos_BenchMachine.hpp"
#include "Tomokkos_BenchOwn.hpp"
#include "Tomokkos_BenchPcg.hpp"
#include "Tomokkos_BenchPeers.hpp"
#include "Tomokkos_BenchVectors.hpp"

namespace Tomokkos::Bench {
namespace {

/// Everything that can do \p operation on one matrix, with \p vectors vectors or `single_vector`.
template <class ExecutionSpace, class Scalar>
CandidateList make_candidates(BenchCase<ExecutionSpace, Scalar>& matrix_case, Operation operation,
                              int vectors, const BenchOptions& options,
                              const std::vector<Peer>& peers) {
  CandidateList list;
  const auto products = [&](bool of_transpose) {
    std::vector<ProductList<Scalar>> lists{
        vectors == single_vector ? own_products(matrix_case, options, of_transpose)
                                 : own_multiproducts(matrix_case, options, vectors, of_transpose)};
    for (const Peer peer : peers)
      lists.push_back(
          peer_products<ExecutionSpace, Scalar>(peer, matrix_case, options, vectors, of_transpose));
    for (const auto& of_library : lists)
      for (const RefusedCandidate& refused : of_library.refused())
        list.refuse(refused.library, refused.format, refused.variant, refused.reason);
    return lists;
  };

  switch (operation) {
    case Operation::spmv:
    case Operation::spmm:
    case Operation::spmv_transpose:
    case Operation::spmm_transpose: {
      const bool of_transpose =
          operation == Operation::spmv_transpose || operation == Operation::spmm_transpose;
      for (const auto& of_library : products(of_transpose))
        for (const auto& product : of_library.products())
          list.attempt(of_library.library(), product.format, product.variant,
                       [&] { return matrix_case.candidate(product, of_transpose); });
      break;
    }
    case Operation::transpose:
      add_own_transpositions(list, matrix_case, options);
      for (const Peer peer : peers)
        add_peer_transpositions<ExecutionSpace, Scalar>(peer, list, matrix_case);
      break;
    case Operation::mlem_iteration:
    case Operation::sirt_iteration: {
      const IterationBench<ExecutionSpace, Scalar> iterations(iteration_matrix(matrix_case),
                                                              operation, options.timing);
      const auto forward = products(false);
      const auto backward = products(true);
      for (std::size_t i = 0; i < forward.size(); ++i)
        iterations.add(list, forward[i], backward[i]);
      break;
    }
    case Operation::pcg: {
      const PcgBench<ExecutionSpace, Scalar> solves(matrix_case, options);
      solves.add(list, own_pcg_loops(solves.problem(), options));
      for (const Peer peer : peers)
        solves.add(list, peer_pcg_loops(peer, solves.problem(), options));
      break;
    }
    case Operation::alternating:
      throw Error("alternating is of block-circulant matrices");
    case Operation::axpy:
    case Operation::dot:
      break;
  }
  return list;
}

}  // namespace

template <class ExecutionSpace>
Suite<ExecutionSpace>::Suite(const ExecutionSpace& exec, BenchOptions options,
                             std::function<void(const std::string&)> progress)
    : exec_(exec),
      options_(std::move(options)),
      progress_(std::move(progress)),
      probe_(exec, describe_machine(exec).last_cache_bytes,
             std::min(options_.available_bytes, describe_machine(exec).memory_bytes)) {
  report_.machine = describe_machine(exec);
  for (const Peer peer : options_.peers) {
    const std::string name(to_string(peer));
    if (const auto version = peer_version<ExecutionSpace>(peer)) {
      peers_.push_back(peer);
      report_.machine.versions.emplace_back(name, *version);
    } else {
      report_.absent_peers.push_back(name);
    }
  }
  sample_bandwidth();
}

template <class ExecutionSpace>
void Suite<ExecutionSpace>::sample_bandwidth() {
  probe_.sample();
  report_.bandwidth = probe_.result();
}

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::measure_matrix(
    const std::string& name, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const std::string& why_no_iterations, const std::string& origin, RayGrid rays) {
  if (report_.find_matrix(name) == nullptr)
    report_.matrices.push_back({name, origin, row_statistics(exec_, A)});
  CandidateName common;
  common.matrix = name;
  common.scalar = scalar_name<Scalar>();
  common.backend = backend_name<ExecutionSpace>();
  const auto skip = [&](const std::string& reason) {
    common.library = "tomokkos";
    common.format = "csr";
    common.variant = "";
    report_.skipped.push_back({common, reason});
  };
  for (const Operation operation : options_.operations) {
    if (is_on_vectors(operation)) continue;
    common.operation = to_string(operation);
    const bool is_iteration =
        operation == Operation::mlem_iteration || operation == Operation::sirt_iteration;
    if (is_iteration && !why_no_iterations.empty()) {
      skip(why_no_iterations);
      continue;
    }
    const bool is_multiple = operation == Operation::spmm || operation == Operation::spmm_transpose;
    for (const int vectors : is_multiple ? options_.vectors : std::vector<int>{single_vector}) {
      common.vectors = std::max(1, vectors);
      try {
        // One case per operation: copies that only one operation needs are gone before the next.
        BenchCase<ExecutionSpace, Scalar> matrix_case(exec_, A, options_.timing.seed, rays);
        const CandidateList list =
            make_candidates(matrix_case, operation, vectors, options_, peers_);
        if (progress_)
          progress_(Impl::text("{}, {}, {}{}{} candidates", name, common.scalar, common.operation,
                               is_multiple ? Impl::text(", {} vectors: ", vectors) : ": ",
                               list.candidates().size()));
        measure(list, common, options_.timing, report_, options_.spread_runs);
      } catch (const std::exception& problem) {
        skip(problem.what());
      }
    }
    common.vectors = 1;
  }
  sample_bandwidth();
}

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::measure_vectors(Ordinal length) {
  CandidateName common;
  common.matrix = Impl::text("vector_{}", length);
  common.scalar = scalar_name<Scalar>();
  common.backend = backend_name<ExecutionSpace>();
  if (report_.find_matrix(common.matrix) == nullptr) {
    RowStatistics column;
    column.rows = length;
    column.columns = 1;
    column.nonzeros = length;
    column.shortest = column.longest = 1;
    column.mean = 1;
    report_.matrices.push_back({common.matrix, "vector", column});
  }
  for (const Operation operation : options_.operations) {
    if (!is_on_vectors(operation)) continue;
    common.operation = to_string(operation);
    try {
      const CandidateList list =
          vector_candidates<ExecutionSpace, Scalar>(exec_, operation, length, options_, peers_);
      if (progress_)
        progress_(Impl::text("{}, {}, {}: {} candidates", common.matrix, common.scalar,
                             common.operation, list.candidates().size()));
      measure(list, common, options_.timing, report_);
    } catch (const std::exception& problem) {
      common.library = "tomokkos";
      common.format = "vector";
      common.variant = "";
      report_.skipped.push_back({common, problem.what()});
    }
  }
}

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::skip_matrix(const std::string& name, const std::string& reason) {
  for (const Operation operation : options_.operations)
    if (!is_on_vectors(operation))
      report_.skipped.push_back(
          {{name, std::string(to_string(operation)), "csr", "", scalar_name<Scalar>(),
            backend_name<ExecutionSpace>(), "tomokkos"},
           reason});
}

#define TOMOKKOS_INSTANTIATE(SPACE) template class Suite<SPACE>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template void Suite<SPACE>::measure_matrix<SCALAR>(                                        \
      const std::string&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const std::string&, \
      const std::string&, RayGrid);                                                          \
  template void Suite<SPACE>::measure_vectors<SCALAR>(Ordinal);                              \
  template void Suite<SPACE>::skip_matrix<SCALAR>(const std::string&, const std::string&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
