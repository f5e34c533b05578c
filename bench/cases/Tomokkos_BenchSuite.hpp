// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Tomokkos_BenchBandwidth.hpp"
#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"
#include "Tomokkos_BenchSolvers.hpp"

namespace Tomokkos::Bench {

/// \brief Measures matrices one after the other on one backend and collects the report.
template <class ExecutionSpace>
class Suite {
 public:
  /// \brief Describes the machine, finds the peers and takes the first samples of the bandwidths.
  ///
  /// \param progress called with a description of the next step; may be empty
  Suite(const ExecutionSpace& exec, BenchOptions options,
        std::function<void(const std::string&)> progress = {});

  /// \brief Times every operation on \p A, except those on vectors. The rows of A must be sorted.
  ///
  /// \param why_no_iterations reason why MLEM and SIRT make no sense for A; empty: they do
  /// \param origin see `MatrixInfo`
  /// \param rays order of the rays that are the rows of A, if known
  /// \param run run with the matrix A, whose iteration is timed among those of the solvers; may be
  /// nullptr
  template <class Scalar>
  void measure_matrix(const std::string& name,
                      const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                      const std::string& why_no_iterations, const std::string& origin = "generated",
                      RayGrid rays = {},
                      const ConfiguredRun<ExecutionSpace, Scalar>* run = nullptr);

  /// \brief Times the operations of block-circulant matrices on \p A. Other operations are skipped
  /// with the reason.
  template <class Scalar>
  void measure_circulant(
      const std::string& name,
      const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
      const std::string& origin = "generated");

  /// \brief Times `axpy` and `dot` on vectors of \p length. Each is reported as a "matrix" of one
  /// column.
  template <class Scalar>
  void measure_vectors(Ordinal length);

  /// \brief Records that a matrix could not be made.
  template <class Scalar>
  void skip_matrix(const std::string& name, const std::string& reason);

  /// \brief Report of everything measured so far.
  const BenchReport& report() const { return report_; }

 private:
  void sample_bandwidth();
  template <class Scalar>
  static CandidateName name_of(const std::string& matrix, Operation operation, int vectors = 1);
  /// Measures the candidates that \p make returns. If it throws, the message is the reason why
  /// nothing is measured.
  void attempt(const CandidateName& name, const std::string& format,
               const std::function<CandidateList()>& make);
  template <class Scalar>
  void measure_solvers(const std::string& name,
                       const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                       const RayGrid& rays, const ConfiguredRun<ExecutionSpace, Scalar>* run);
  void skip(CandidateName name, const std::string& format, const std::string& reason);

  ExecutionSpace exec_;
  BenchOptions options_;
  std::function<void(const std::string&)> progress_;
  std::vector<Peer> peers_;  // peers that are available
  BandwidthProbe<ExecutionSpace> probe_;
  BenchReport report_;
};

}  // namespace Tomokkos::Bench
