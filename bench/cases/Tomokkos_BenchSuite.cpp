// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchSuite.hpp"

#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>

#include "Tomokkos_BenchCirculantPeers.hpp"
#include "Tomokkos_BenchIterations.hpp"
#include "Tomokkos_BenchMachine.hpp"
#include "Tomokkos_BenchOurProducts.hpp"
#include "Tomokkos_BenchPcg.hpp"
#include "Tomokkos_BenchVectorCandidates.hpp"

namespace Tomokkos::Bench {
namespace {

bool is_iteration(Operation operation) {
  return operation == Operation::mlem_iteration || operation == Operation::sirt_iteration;
}

bool is_transposed(Operation operation) {
  return operation == Operation::spmv_transpose || operation == Operation::spmm_transpose;
}

bool has_several_vectors(Operation operation) {
  return operation == Operation::spmm || operation == Operation::spmm_transpose;
}

/// Makes the candidates of one case, ours and those of the other libraries.
template <class ExecutionSpace, class Scalar>
class CandidateMaker {
 public:
  using Case = BenchCase<ExecutionSpace, Scalar>;

  CandidateMaker(Case& matrix_case, const BenchOptions& options,
                 const PeerLibraries<ExecutionSpace, Scalar>& peers)
      : case_(matrix_case), options_(options), peers_(peers) {}

  /// Makes all candidates for \p operation, with \p vectors vectors or `single_vector`.
  CandidateList make(Operation operation, int vectors) {
    vectors_ = vectors;
    if (case_.is_circulant()) require_circulant(operation);
    if (operation == Operation::transpose)
      add_transpositions();
    else if (is_iteration(operation))
      add_iterations(operation);
    else if (operation == Operation::pcg)
      add_pcg();
    else if (operation == Operation::alternating)
      add_alternating();
    else
      add_products(is_transposed(operation));
    return std::move(list_);
  }

 private:
  static void require_circulant(Operation operation) {
    require(
        operation == Operation::spmv || operation == Operation::spmv_transpose ||
            operation == Operation::alternating || is_iteration(operation),
        std::string(to_string(operation)) +
            " applies only to matrices in CSR; block-circulant ones support spmv, spmv_transpose, "
            "alternating and the iterations");
  }

  ProductList<Scalar> own(bool of_transpose) const {
    if (case_.is_circulant()) return our_circulant_products(case_, options_, of_transpose);
    if (vectors_ == single_vector) return our_products(case_, options_, of_transpose);
    return our_multiproducts(case_, options_, vectors_, of_transpose);
  }

  /// Makes the products of each library, ours first.
  std::vector<ProductList<Scalar>> products(bool of_transpose, bool with_peers = true) {
    std::vector<ProductList<Scalar>> lists{own(of_transpose)};
    if (with_peers)
      for (const auto& peer : peers_)
        lists.push_back(case_.is_circulant()
                            ? circulant_peer_products(*peer, case_, options_, of_transpose)
                            : peer->products(case_, options_, vectors_, of_transpose));
    for (const auto& of_library : lists) list_.append_refused(of_library);
    return lists;
  }

  void add_products(bool of_transpose) {
    for (const auto& of_library : products(of_transpose))
      for (const auto& product : of_library.entries())
        list_.attempt(of_library.library(), product.format, product.variant,
                      [&] { return case_.candidate(product, of_transpose); });
  }

  void add_transpositions() {
    add_our_transpositions(list_, case_, options_);
    for (const auto& peer : peers_) peer->add_transpositions(list_, case_);
  }

  void add_iterations(Operation operation) {
    const IterationBench<ExecutionSpace, Scalar> iterations(case_, operation, options_.timing);
    // Other libraries store the vectors of a block-circulant matrix in other orders, which our
    // solvers do not support.
    const auto forward = products(false, !case_.is_circulant());
    const auto backward = products(true, !case_.is_circulant());
    for (std::size_t i = 0; i < forward.size(); ++i) iterations.add(list_, forward[i], backward[i]);
  }

  void add_pcg() {
    const PcgBench<ExecutionSpace, Scalar> solves(case_, options_);
    solves.add(list_, our_pcg_loops(solves.problem(), options_));
    for (const auto& peer : peers_) solves.add(list_, peer->pcg_loops(solves.problem()));
  }

  void add_alternating() {
    if (!case_.is_circulant()) throw Error("alternating applies only to block-circulant matrices");
    const auto forward = products(false), backward = products(true);
    for (std::size_t library = 0; library < forward.size(); ++library)
      for (const Product<Scalar>& back : backward[library].entries())
        list_.attempt(forward[library].library(), back.format, back.variant, [&] {
          const auto* there =
              forward[library].find_or_first(back.format, forward_name(back.variant));
          require(there != nullptr, "this library has no forward product with this matrix");
          return case_.alternating(*there, back, options_.products);
        });
  }

  Case& case_;
  const BenchOptions& options_;
  const PeerLibraries<ExecutionSpace, Scalar>& peers_;
  int vectors_ = single_vector;
  CandidateList list_;
};

/// Describes the expanded matrix, which has k rows for each row of the first block row, and the
/// blocks of C.
template <class ExecutionSpace, class Scalar>
MatrixInfo info_of(const ExecutionSpace& exec, const std::string& name, const std::string& origin,
                   const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& C) {
  CsrMatrix<Scalar, typename ExecutionSpace::memory_space> lengths;
  lengths.num_rows = C.block_rows;
  lengths.num_cols = C.num_cols();
  lengths.row_offsets = C.row_offsets;
  lengths.values = C.values;
  MatrixInfo info{name, origin, row_statistics(exec, lengths), {}};
  info.rows.rows = C.num_rows();
  info.rows.nonzeros = C.num_nonzeros();
  info.rows.empty_rows *= C.blocks;
  CirculantInfo circulant;
  circulant.blocks = C.blocks;
  circulant.block_rows = C.block_rows;
  circulant.block_columns = C.block_cols;
  circulant.stored = C.num_stored();
  circulant.reuse = circulant_reuse<ExecutionSpace, Scalar>(exec, C);
  circulant.bytes = C.memory_bytes();
  circulant.csr_bytes =
      static_cast<std::size_t>(C.num_nonzeros()) * (sizeof(Ordinal) + sizeof(Scalar)) +
      (static_cast<std::size_t>(C.num_rows()) + 1) * sizeof(Offset);
  info.circulant = circulant;
  return info;
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
CandidateName Suite<ExecutionSpace>::name_of(const std::string& matrix, Operation operation,
                                             int vectors) {
  CandidateName name;
  name.matrix = matrix;
  name.operation = to_string(operation);
  name.scalar = scalar_name<Scalar>();
  name.backend = backend_name<ExecutionSpace>();
  name.vectors = std::max(1, vectors);
  return name;
}

template <class ExecutionSpace>
void Suite<ExecutionSpace>::attempt(const CandidateName& name, const std::string& format,
                                    const std::function<CandidateList()>& make) {
  try {
    const CandidateList list = make();
    if (progress_)
      progress_(Impl::text("{}, {}, {}{}: {} candidates", name.matrix, name.scalar, name.operation,
                           name.vectors > 1 ? Impl::text(", {} vectors", name.vectors) : "",
                           list.entries().size()));
    measure(list, name, options_.timing, report_, options_.spread_runs);
  } catch (const std::exception& problem) {
    skip(name, format, problem.what());
  }
}

template <class ExecutionSpace>
void Suite<ExecutionSpace>::skip(CandidateName name, const std::string& format,
                                 const std::string& reason) {
  name.library = "tomokkos";
  name.format = format;
  report_.skipped.push_back({std::move(name), reason});
}

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::measure_matrix(
    const std::string& name, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const std::string& why_no_iterations, const std::string& origin, RayGrid rays,
    const ConfiguredRun<ExecutionSpace, Scalar>* run) {
  if (report_.find_matrix(name) == nullptr)
    report_.matrices.push_back({name, origin, row_statistics(exec_, A)});
  const auto libraries = make_peers<ExecutionSpace, Scalar>(peers_);
  for (const Operation operation : options_.operations) {
    if (is_on_vectors(operation)) continue;
    if (operation == Operation::iteration) {
      measure_solvers(name, A, rays, run);
      continue;
    }
    if (is_iteration(operation) && !why_no_iterations.empty()) {
      skip(name_of<Scalar>(name, operation), "csr", why_no_iterations);
      continue;
    }
    for (const int vectors :
         has_several_vectors(operation) ? options_.vectors : std::vector<int>{single_vector}) {
      // Each operation has its own case, so that its copies of the matrix are freed before the next
      // one.
      std::optional<BenchCase<ExecutionSpace, Scalar>> matrix_case;
      attempt(name_of<Scalar>(name, operation, vectors), "csr", [&] {
        matrix_case.emplace(exec_, A, options_.timing.seed, rays);
        return CandidateMaker<ExecutionSpace, Scalar>(*matrix_case, options_, libraries)
            .make(operation, vectors);
      });
    }
  }
  sample_bandwidth();
}

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::measure_solvers(
    const std::string& name, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RayGrid& rays, const ConfiguredRun<ExecutionSpace, Scalar>* run) {
  const auto& wanted = options_.solvers;
  for (NamedSolver solver : all_solvers()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), solver.name) == wanted.end())
      continue;
    if (run != nullptr && run->solver.name == solver.name) solver = run->solver;
    CandidateName full = name_of<Scalar>(name, Operation::iteration);
    full.operation.append(":").append(solver.name);
    std::optional<BenchCase<ExecutionSpace, Scalar>> matrix_case;
    attempt(full, "csr", [&] {
      matrix_case.emplace(exec_, A, options_.timing.seed, rays);
      return solver_candidates(*matrix_case, solver, options_, run);
    });
  }
}

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::measure_circulant(
    const std::string& name,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const std::string& origin) {
  if (report_.find_matrix(name) == nullptr)
    report_.matrices.push_back(info_of<ExecutionSpace, Scalar>(exec_, name, origin, A));
  const auto libraries = make_peers<ExecutionSpace, Scalar>(peers_);
  // All operations share one case, because the references take longest.
  BenchCase<ExecutionSpace, Scalar> matrix_case(exec_, A, options_.timing.seed);
  for (const Operation operation : options_.operations)
    if (!is_on_vectors(operation))
      attempt(name_of<Scalar>(name, operation), "block_circulant", [&] {
        return CandidateMaker<ExecutionSpace, Scalar>(matrix_case, options_, libraries)
            .make(operation, single_vector);
      });
  sample_bandwidth();
}

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::measure_vectors(Ordinal length) {
  const std::string name = Impl::text("vector_{}", length);
  if (report_.find_matrix(name) == nullptr) {
    RowStatistics column;
    column.rows = length;
    column.columns = 1;
    column.nonzeros = length;
    column.shortest = column.longest = 1;
    column.mean = 1;
    report_.matrices.push_back({name, "vector", column});
  }
  const auto libraries = make_peers<ExecutionSpace, Scalar>(peers_);
  for (const Operation operation : options_.operations)
    if (is_on_vectors(operation))
      attempt(name_of<Scalar>(name, operation), "vector", [&] {
        return vector_candidates<ExecutionSpace, Scalar>(exec_, operation, length, options_,
                                                         libraries);
      });
}

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::skip_matrix(const std::string& name, const std::string& reason) {
  for (const Operation operation : options_.operations)
    if (!is_on_vectors(operation)) skip(name_of<Scalar>(name, operation), "csr", reason);
}

#define TOMOKKOS_INSTANTIATE(SPACE) template class Suite<SPACE>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template void Suite<SPACE>::measure_matrix<SCALAR>(                                        \
      const std::string&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const std::string&, \
      const std::string&, RayGrid, const ConfiguredRun<SPACE, SCALAR>*);                     \
  template void Suite<SPACE>::measure_circulant<SCALAR>(                                     \
      const std::string&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&,          \
      const std::string&);                                                                   \
  template void Suite<SPACE>::measure_vectors<SCALAR>(Ordinal);                              \
  template void Suite<SPACE>::skip_matrix<SCALAR>(const std::string&, const std::string&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
