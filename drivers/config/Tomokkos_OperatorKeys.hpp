// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the section `operator`: those that every format has, and those that give one its
// shape.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Describes the keys of `operator` for the format that \p section holds and the solver that
/// it is for.
void describe(Keys& key, OperatorSection& section, const SolverSection& solver);

/// \brief The keys of `operator` that some format has.
std::vector<std::string_view> operator_keys();

/// \brief How the format of \p section may be transposed; of `automatic` as all formats with a copy
/// may.
std::vector<TransposeMethod> methods_of(const OperatorSection& section);

/// \brief `stored`, where the format of \p section keeps copies, else `automatic`.
TransposeMethod usual_transpose(const OperatorSection& section);

/// \brief The names of `operator.format`: the stored formats, and ways that are none.
std::vector<std::string_view> format_names();

/// \brief The formats that have ranges of rows, as messages name them: `csr, ray_tiles and ...`.
std::string formats_with_row_ranges();

/// \brief Refuses the keys of other formats than that of \p section, and names those.
void refuse_other_formats(const ConfigReader& reader, const OperatorSection& section);

}  // namespace Tomokkos
