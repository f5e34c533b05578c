// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections `problem`, `solver` and `operator`: their keys, and the rules that connect keys. A
// description (Tomokkos_Keys.hpp) says what a key accepts and which kind has it; the tables of
// rules say which values go together.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Calls `visit(name, section, ...)` with each section of \p config and the further
/// arguments of its `describe`.
template <class Visit>
void for_each_section(const RunConfig& config, const Visit& visit) {
  visit("run", config.run);
  visit("problem", config.problem, ConfigUse::run);
  visit("operator", config.matrix_operator, config.solver);
  visit("solver", config.solver, config.problem.kind);
  visit("output", config.output, config.problem.kind);
}

// `problem`.

/// \brief Reason why `problem.blocks` is refused.
inline constexpr const char* blocks_are_of_block_row =
    "applies only to problem.block_row; for problem.matrix give operator.blocks";

/// \brief Describes the keys of `problem` for its type and geometry.
///
/// \param use purpose of the configuration, which decides which keys are required
void describe(Keys& key, ProblemSection& problem, ConfigUse use);

void describe(Keys& key, MeshConfig& mesh);
void describe(Keys& key, CrystalLayer& layer);
void describe(Keys& key, PolarVolume& polar);
void describe(Keys& key, ScannerConfig& config);
void describe(Keys& key, GeometryConfig& geometry);
void describe(Keys& key, StencilRows& stencil);

/// \brief Reads a share of the vertices, `1/10` or `0.1`. Empty if \p node is not a number.
///
/// \throws ConfigError unless the share is above 0 and at most 1
std::optional<double> read_locked_share(const ConfigNode& node, const std::string& path);
/// \brief Writes the pins of a chart as in a configuration.
ConfigNode pins_node(const std::optional<PinsConfig>& pins);

/// \brief Describes the keys of `problem` for a tomography, except `type`.
void describe_tomography(Keys& key, ProblemSection& problem);

/// \brief Describes the keys of `problem.volume`.
void describe_volume(Keys& key, ProblemSection& problem);

/// \brief Refuses an unknown `type` in the section \p geometry.
void check_geometry_type(const ConfigReader& geometry);

/// \brief Reason why `problem.projector` has no effect on a geometry other than a scan.
std::string why_no_projector(const ProblemSection& problem);

/// \brief A geometry in the help: the key and its value that choose it, with its defaults, and the
/// lines of `problem` after its type.
struct GeometryExample {
  const char* selector;
  const char* kind;
  GeometryConfig geometry;
  const char* example;
};
std::vector<GeometryExample> geometry_examples();

/// \brief Geometry that the section `problem` of \p root names, with its defaults.
GeometryConfig default_geometry(const ConfigReader& root);

// `solver`.

/// \brief Describes the keys of `solver` for the solver in \p section and a problem of kind \p
/// problem.
void describe(Keys& key, SolverSection& section, ProblemKind problem);

/// \brief Solvers of a kind of problem, solvers of square systems first.
std::vector<SolverKind> solvers_of(ProblemKind problem);

/// \brief Names of the solvers for which \p test is true, or of a kind of problem, solvers of
/// square systems first.
std::vector<std::string_view> solver_names(const std::function<bool(SolverKind)>& test);
std::vector<std::string_view> solver_names(ProblemKind problem);

/// \brief Solver with its defaults for a kind of problem.
SolverSection default_solver(SolverKind kind, ProblemKind problem);

/// \brief Keys that at least one solver of a kind of problem has.
std::vector<std::string_view> solver_keys(ProblemKind problem);

// `operator`.

/// \brief Describes the keys of `operator` for the format in \p section and for \p solver.
void describe(Keys& key, OperatorWish& section, const SolverSection& solver);

/// \brief Keys of `operator` that at least one format has.
std::vector<std::string_view> operator_keys();

/// \brief Methods of the transposed product for the format of \p section. For `automatic`: the
/// methods that all formats with a copy have.
std::vector<TransposeMethod> methods_of(const OperatorWish& section);

/// \brief Default method: `stored` if the format of \p section keeps a copy, otherwise `automatic`.
TransposeMethod usual_transpose(const OperatorWish& section);

/// \brief Values of `operator.format`: the stored formats, and `scsr`, `block_circulant` and
/// `automatic`.
std::vector<std::string_view> format_names();

/// \brief Formats with \p property, and the formats \p parts, for messages: `csr, ray_tiles and
/// ...`.
std::string names_of_formats(bool (*property)(MatrixFormat),
                             const std::vector<StoredPart>& parts = {});

/// \brief Other ways to store the matrix of \p wish and to multiply with it, each with a name such
/// as `variant: crs_vector`. Keeps the ordering of \p section where the way allows it, and no other
/// key.
///
/// \param section `operator` of the effective configuration
std::vector<std::pair<std::string, ConfigNode>> other_operators(const ConfigNode& section,
                                                                const OperatorWish& wish,
                                                                const SolverSection& solver,
                                                                const ProblemSection& problem);

/// \brief Name of the phase of a run that prepares the products with a matrix.
std::string preparation_of(const OperatorWish& wish, bool uses_transpose);

// The key `ordering`, which `bench` has, too.

/// \brief Completes \p ordering, read from \p reader, and refuses invalid combinations.
void complete_ordering(const ConfigReader& reader, OrderingOptions& ordering, int subsets);

/// \brief Reads the key `ordering` of \p reader.
OrderingOptions read_ordering(const ConfigReader& reader, int subsets = 1);

/// \brief Writes \p ordering as in a configuration: as a single name if possible.
ConfigNode ordering_node(const OrderingOptions& ordering);

/// \brief Describes the order of columns and rows on one line: `tiles`, `columns hilbert, rows
/// by_length`.
std::string describe(const OrderingOptions& ordering);

// The tables of rules. Each is checked when its section is read, and knows the sections
// before it.

/// \brief Checks which data may be given together, before they are read.
void check_keys_of_data(const ConfigReader& root);
/// \brief Checks `problem` of a tomography.
void check_tomography(const ConfigReader& root, const ProblemSection& problem, ConfigUse use);
/// \brief Checks `problem` of a linear system or a mesh.
void check_system(const ConfigReader& root, const ProblemSection& problem);
/// \brief Refuses a grid with more unknowns than a 32-bit index can number. \p path is that of its
/// size.
void check_stencil(const ConfigReader& root, std::string_view path, const StencilRows& stencil);
/// \brief Checks `solver.type` of a tomography, before the keys of the solver are read.
void check_image_solver_type(const ConfigReader& root, const RunConfig& config);
/// \brief Checks the other keys of `solver`, and those of `run` that connect with it.
void check_solver(const ConfigReader& root, const RunConfig& config);
/// \brief Checks `operator.format` and `stored_format` of any problem, before the keys of the
/// format are read.
void check_format(const ConfigReader& root, const RunConfig& config);
/// \brief Checks the other keys of `operator` of any problem.
void check_operator(const ConfigReader& root, const RunConfig& config);
/// \brief Checks `output`.
void check_output(const ConfigReader& root, const RunConfig& config);

}  // namespace Tomokkos
