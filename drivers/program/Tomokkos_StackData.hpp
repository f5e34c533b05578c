// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ReconstructionRun.hpp>

namespace Tomokkos {

/// \brief Completes the data of a stack, which `RunInput` holds as far as they were measured:
/// simulates those of a phantom, reads the terms of the model, treats negative values, and checks
/// that the stack fits into memory. Prints what the data are. Collective.
///
/// \return the data, with the start of the iteration
/// \throws ConfigError, InputError, DimensionMismatch, MemoryError
template <class ExecutionSpace, class Scalar>
SliceData<Scalar> read_stack(ReconstructionRun<ExecutionSpace, Scalar>& parts);

/// \brief Start of the slices of `parts.input`: from the checkpoint that the run resumes from, a
/// file, a number, the counts of the data, or their filtered back projection. Collective.
template <class ExecutionSpace, class Scalar>
SliceStart start_of_slices(ReconstructionRun<ExecutionSpace, Scalar>& parts);

}  // namespace Tomokkos
