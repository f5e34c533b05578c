// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchCirculantCase.hpp"
#include "Tomokkos_BenchSuite.hpp"

namespace Tomokkos::Bench {
namespace {

/// Of the expanded matrix, which has k rows for each of A, and what A is made of.
template <class ExecutionSpace, class Scalar>
MatrixInfo info_of(const ExecutionSpace& exec, const std::string& name, const std::string& origin,
                   const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  CsrMatrix<Scalar, typename ExecutionSpace::memory_space> lengths;
  lengths.num_rows = A.block_rows;
  lengths.num_cols = A.num_cols();
  lengths.row_offsets = A.row_offsets;
  lengths.values = A.values;
  MatrixInfo info{name, origin, row_statistics(exec, lengths), {}};
  info.rows.rows = A.num_rows();
  info.rows.nonzeros = A.num_nonzeros();
  info.rows.empty_rows *= A.blocks;
  CirculantInfo circulant;
  circulant.blocks = A.blocks;
  circulant.block_rows = A.block_rows;
  circulant.block_columns = A.block_cols;
  circulant.stored = A.num_stored();
  circulant.reuse = circulant_reuse<ExecutionSpace, Scalar>(exec, A);
  circulant.bytes = A.memory_bytes();
  circulant.csr_bytes =
      static_cast<std::size_t>(A.num_nonzeros()) * (sizeof(Ordinal) + sizeof(Scalar)) +
      (static_cast<std::size_t>(A.num_rows()) + 1) * sizeof(Offset);
  info.circulant = circulant;
  return info;
}

}  // namespace

template <class ExecutionSpace>
template <class Scalar>
void Suite<ExecutionSpace>::measure_circulant(
    const std::string& name,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const std::string& origin) {
  if (report_.find_matrix(name) == nullptr)
    report_.matrices.push_back(info_of<ExecutionSpace, Scalar>(exec_, name, origin, A));
  CandidateName common;
  common.matrix = name;
  common.scalar = scalar_name<Scalar>();
  common.backend = backend_name<ExecutionSpace>();
  // One for all operations: the references take longest.
  CirculantCase<ExecutionSpace, Scalar> matrix_case(exec_, A, options_.timing.seed);
  for (const Operation operation : options_.operations) {
    if (is_on_vectors(operation)) continue;
    common.operation = to_string(operation);
    try {
      const CandidateList list = circulant_candidates(matrix_case, operation, options_, peers_);
      if (progress_)
        progress_(Impl::text("{}, {}, {}: {} candidates", name, common.scalar, common.operation,
                             list.candidates().size()));
      measure(list, common, options_.timing, report_, options_.spread_runs);
    } catch (const std::exception& problem) {
      CandidateName skipped = common;
      skipped.library = "tomokkos";
      skipped.format = "block_circulant";
      report_.skipped.push_back({skipped, problem.what()});
    }
  }
  sample_bandwidth();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                         \
  template void Suite<SPACE>::measure_circulant<SCALAR>(                            \
      const std::string&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, \
      const std::string&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
