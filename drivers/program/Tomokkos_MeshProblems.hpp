// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems on meshes. A program built without meshes refuses them.
#pragma once

#include <Tomokkos_Commands.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <memory>
#include <string>

namespace Tomokkos {

struct SystemSections;

/// \brief Runs `problem.type: parameterization`, which flattens a mesh and writes it with its
/// chart, or `smoothing`, which writes the smoothed mesh; both with pictures and a report. Writes
/// nothing before the solver has accepted its input.
///
/// \return exit status: 1 if the solver did not converge
template <class ExecutionSpace, class Scalar>
int run_mesh_problem(const SystemSections& sections, const RunOptions& options);

/// \brief Mesh of a problem of type parameterization or smoothing, ready for the assembly of its
/// matrix.
class MeshMatrixSource {
 public:
  /// \brief Reads or generates the mesh, and chooses its pins or locks.
  ///
  /// \param run has the seed of the locks, and the precision that has to hold the mesh
  /// \throws the errors of `run_mesh_problem` for its input
  MeshMatrixSource(const ProblemSection& problem, const RunSection& run);

  /// \brief Number of unknowns of the linear system.
  double num_rows() const;
  /// \brief Approximate number of nonzeros of the matrix.
  double num_entries() const;

  /// \brief Describes the mesh as the report of a run does, with the number of locked vertices of a
  /// smoothing.
  Description mesh_description() const;

  /// \brief Adds the bytes of the matrix of a chart in the forms `shared` and `complex`, in each
  /// precision. Adds nothing for a smoothing.
  void add_form_bytes(Description& bytes) const;

  /// \brief Makes the matrix that the solver multiplies with, in CSR.
  ///
  /// For a chart `problem.form` decides: `shared` gives the entries of one Laplacian for u, the
  /// same for v, and the couplings; `complex` gives all four entries of every block [a -b; b a];
  /// `equations` gives the entries of the assembled normal matrix.
  ///
  /// \throws MemoryError before the assembly; InputError for a mesh that single precision does not
  /// hold
  template <class ExecutionSpace, class Scalar>
  CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_matrix(
      const ExecutionSpace& exec, const OrderingOptions& ordering = {}) const;

 private:
  struct Mesh;
  std::shared_ptr<const Mesh> mesh_;
};

/// \brief Adds vertices, borders and bounding box of a mesh, and the reason if it cannot be
/// flattened.
///
/// \throws InputError
void add_mesh_info(const std::string& file, Description& result);

}  // namespace Tomokkos
