// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operator with no more than the members that a solver requires: Clang and GCC differ in which
// functions of a class template they compile. Options name some of their members, as users do.
#include <Tomokkos.hpp>
#include <iostream>
#include <string_view>

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using In = Tomokkos::MultiVectorView<const double, Space::memory_space>;
using Out = Tomokkos::MultiVectorView<double, Space::memory_space>;

struct Doubles {
  Tomokkos::Ordinal num_rows() const { return 5; }
  Tomokkos::Ordinal num_cols() const { return 5; }
  void apply(const Space& exec, double alpha, const In& X, double beta, const Out& Y) const {
    Tomokkos::axpby(exec, 2 * alpha, Tomokkos::as_vector(X), beta, Tomokkos::as_vector(Y));
  }
};

template <class Action>
bool refuses(const Action& action, std::string_view reason) {
  try {
    action();
  } catch (const Tomokkos::Refused& error) {
    if (std::string_view(error.what()).find(reason) != std::string_view::npos) return true;
    std::cout << "expected \"" << reason << "\", got: " << error.what() << '\n';
    return false;
  }
  std::cout << "expected \"" << reason << "\", got no error\n";
  return false;
}

bool options_may_be_named() {
  const Tomokkos::SellOptions sell{.sigma = 256};
  const Tomokkos::EllROptions ell_r{.sort_by_length = true};
  const Tomokkos::BcsrOptions bcsr{};
  const Tomokkos::DiaOptions dia{};
  const Tomokkos::PackedCsrOptions packed{.limit = {4}};
  const Tomokkos::PairBlockedOptions pairs{.limit = {4}};
  const Tomokkos::OperatorOptions matrix{.transpose = Tomokkos::TransposeMethod::atomic};
  const Tomokkos::ScanGeometry scan{.detectors = 8};
  const Tomokkos::StopRules stop{.relative_residual = 1e-3};
  const Tomokkos::MlemParams mlem{.iterations = 3};
  const Tomokkos::FbpParams fbp{.stop = {.relative_residual = 1e-3}};
  const Tomokkos::SirtParams sirt{.iterations = 3};
  const Tomokkos::SartParams sart{.relaxation = 0.5};
  const Tomokkos::ArtParams art{.sweeps = 3};
  const Tomokkos::BlockArtParams block_art{.sweeps = 3};
  const Tomokkos::LeastSquaresParams least_squares{.iterations = 3};
  const Tomokkos::PcgParams pcg{.iterations = 3};
  const Tomokkos::KrylovParams krylov{.iterations = 3};
  const Tomokkos::PreconditionerOptions preconditioner{.block = 3};
  const Tomokkos::SpmvOptions product{.team_size = 4};
  const Tomokkos::OrderingOptions order{};
  (void)ell_r, (void)bcsr, (void)dia, (void)packed, (void)pairs, (void)matrix, (void)scan;
  (void)stop, (void)mlem, (void)fbp, (void)sirt, (void)sart, (void)art, (void)block_art;
  (void)least_squares, (void)pcg, (void)krylov, (void)preconditioner, (void)product, (void)order;
  return sell.chunk == 0 && sell.limit.largest_fill == Tomokkos::PaddingLimit{}.largest_fill;
}

bool run() {
  const Space exec;
  const auto b = Tomokkos::copy_to_device(exec, std::vector<double>(5, 3.0));
  const auto x = Tomokkos::copy_to_device(exec, std::vector<double>(5, 0.0));
  Tomokkos::PcgParams params;
  params.preconditioner.kind = Tomokkos::PreconditionerKind::none;
  const auto result = Tomokkos::Pcg<Space, double>(exec, 5, params).solve(exec, Doubles(), b, x);
  bool good = result.reason == Tomokkos::StopReason::converged &&
              Tomokkos::copy_to_host(exec, x) == std::vector<double>(5, 1.5);
  params.preconditioner.kind = Tomokkos::PreconditionerKind::block_jacobi;
  good &=
      refuses([&] { Tomokkos::Pcg<Space, double>(exec, 5, params).solve(exec, Doubles(), b, x); },
              "blocks along its diagonal");
  good &= refuses([&] { Tomokkos::Cgls<Space, double>(exec, 5, 5).solve(exec, Doubles(), b, x); },
                  "transposed product");
  return good && options_may_be_named();
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const bool good = run();
  std::cout << (good ? "all as it should be\n" : "something is wrong\n");
  return good ? 0 : 1;
}
