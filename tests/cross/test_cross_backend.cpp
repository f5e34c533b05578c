// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both backends in one program with the same input. Products and reconstructions must agree up to
// the order of summation, and row-action sweeps to the last bit.
#include <gtest/gtest.h>

#include <Tomokkos_Art.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_Sirt.hpp>

#include "CrossBackend.hpp"
#include "FlatFormat.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;
using namespace cross_backend;

namespace {

double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    norm += static_cast<double>(a[i]) * a[i];
  }
  return std::sqrt(difference / norm);
}

/// Operator of a matrix on one backend.
template <class Space>
struct Variant {
  std::string name;
  AnyOperator<Space, float> A;
  StoredPrecision values = StoredPrecision::plain;  ///< precision of the values in both products
  /// Whether a GPU computes the product as a sum of whole multiples of a unit.
  bool transposed_in_units = false, forward_in_units = false;
};

/// All variants that both backends support, under the same names. The tests compare their products
/// and reconstructions, and those with ordered subsets if a variant supports ranges of rows.
template <class Space>
std::vector<Variant<Space>> variants(const CsrMatrix<float, typename Space::memory_space>& csr) {
  const Space exec;
  std::vector<Variant<Space>> all;
  const auto add_csr = [&](const std::string& name, TransposeMethod method) {
    OperatorOptions options;
    options.transpose = method;
    all.push_back({name, CsrOperator<Space, float>(exec, csr, options), StoredPrecision::plain,
                   method == TransposeMethod::windowed});
  };
  const auto add = [&](const std::string& name, const FlatFormat& options) {
    const bool in_units = options.format == MatrixFormat::ray_tiles;
    all.push_back({name, make_format_operator<Space, float>(exec, csr, options).A, options.values,
                   in_units, in_units});
  };
  // Only hosts support an image for each thread. A GPU uses atomic additions instead.
  const TransposeMethod no_copy =
      Impl::is_host_space<Space> ? TransposeMethod::private_images : TransposeMethod::atomic;
  add_csr("csr, stored", TransposeMethod::stored);
  add_csr("csr, atomic", TransposeMethod::atomic);
  add_csr("csr, private or atomic", no_copy);
  add_csr("csr, windowed", TransposeMethod::windowed);
  FlatFormat options;
  options.largest_fill = 1e30;
  options.block = 3;
  for (const MatrixFormat format : {MatrixFormat::coo, MatrixFormat::ell_r, MatrixFormat::hyb,
                                    MatrixFormat::sell, MatrixFormat::bcsr})
    for (const TransposeMethod method : {TransposeMethod::stored, TransposeMethod::atomic}) {
      options.format = format;
      options.transpose = method;
      add(std::string(to_string(format)) + ", " + std::string(to_string(method)), options);
    }
  options.format = MatrixFormat::pair_blocked;
  for (const TransposeMethod method : {TransposeMethod::fixed_point, TransposeMethod::atomic}) {
    options.transpose = method;
    add("pair_blocked, " + std::string(to_string(method)), options);
  }
  for (const auto& [values, name] : EnumNames<StoredPrecision>::names) {
    options.values = values;
    options.transpose = TransposeMethod::stored;
    options.format = MatrixFormat::ray_tiles;
    add("ray_tiles, " + std::string(name), options);
    options.format = MatrixFormat::packed_csr;
    add("packed_csr, " + std::string(name) + ", stored", options);
    options.transpose = no_copy;
    add("packed_csr, " + std::string(name) + ", private or atomic", options);
  }
  return all;
}

/// Returns the matrix with its values rounded to 16 bits.
template <StoredPrecision Values>
PlainCsr rounded(const PlainCsr& plain) {
  const Host exec;
  const auto values = to_std_vector(
      to_csr<Host, float, Values>(
          exec, packed_csr_from_csr<Host, float, Values>(exec, to_device<Host, float>(exec, plain)))
          .values);
  PlainCsr result = plain;
  result.values.assign(values.begin(), values.end());
  return result;
}

PlainCsr rounded(const PlainCsr& plain, StoredPrecision values) {
  if (values == StoredPrecision::half) return rounded<StoredPrecision::half>(plain);
  if (values == StoredPrecision::scaled) return rounded<StoredPrecision::scaled>(plain);
  return plain;
}

/// Computes `A x`, or `A^T x` if \p transposed.
template <class Space>
std::vector<float> product(const AnyOperator<Space, float>& A, const std::vector<double>& x,
                           bool transposed) {
  using Memory = typename Space::memory_space;
  const Space exec;
  const auto input = to_device<Space, float>(exec, x);
  const Vector<float, Memory> y("y", transposed ? A.num_cols() : A.num_rows());
  const auto X = as_multivector(Kokkos::View<const float*, Memory>(input));
  if (transposed)
    A.apply_transpose(exec, 1.0F, X, 0.0F, as_multivector(y));
  else
    A.apply(exec, 1.0F, X, 0.0F, as_multivector(y));
  return to_std_vector(y);
}

/// Half a unit for each term of an entry. It is given as a magnitude, which the bound of a row
/// multiplies by the rounding of float.
double unit_as_magnitude(const PlainCsr& A, const std::vector<double>& x, bool transposed) {
  double vector = 0, matrix = 0;
  for (const double value : x) vector = std::max(vector, std::abs(value));
  for (std::int32_t i = 0; i < A.rows; ++i) {
    double sum = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) sum += std::abs(A.values[k]);
    matrix = std::max(matrix, sum);
  }
  return (transposed ? 0x1p-29 : 0x1p-59) / 0x1p-24 * vector * matrix;
}

/// Adds the error of `scaled` values, which are read as `least + code step` and rounded once or
/// twice. An entry may be wrong by a rounding of the least value, however small the entry is.
void add_least_values(ReferenceProduct& reference, const PlainCsr& A,
                      const std::vector<double>& x) {
  double largest = 0;
  for (const double value : A.values) largest = std::max(largest, std::abs(value));
  for (std::int32_t i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      reference.magnitude[i] += largest * std::abs(x[A.indices[k]]);
}

/// Disc, its projection by the matrix, and a reconstruction of the disc on one backend.
template <class ExecutionSpace>
class Reconstruction {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  Reconstruction()
      : Reconstruction(AnyOperator<ExecutionSpace, float>(
            CsrOperator<ExecutionSpace, float>(ExecutionSpace(), matrix()))) {}
  explicit Reconstruction(const AnyOperator<ExecutionSpace, float>& A)
      : A_(A), b_("b", A_.num_rows()), x_("x", A_.num_cols()) {
    std::vector<double> disc(static_cast<std::size_t>(A_.num_cols()));
    for (int i = 0; i < volume.rows; ++i)
      for (int j = 0; j < volume.columns; ++j)
        disc[i * volume.columns + j] =
            (i - 17) * (i - 17) + (j - 25) * (j - 25) < 140 ? 1.0 + 0.01 * i : 0.0;
    const auto image = to_device<ExecutionSpace, float>(exec_, disc);
    A_.apply(exec_, 1.0F, as_multivector(Kokkos::View<const float*, MemorySpace>(image)), 0.0F,
             as_multivector(b_));
  }

  static CsrMatrix<float, MemorySpace> matrix() {
    return build_system_matrix<ExecutionSpace, float>(ExecutionSpace(), volume,
                                                      scan(Beam::parallel), Projector::linear);
  }

  bool supports_ranges() const { return A_.supports_ranges(); }

  template <class Solver, class Params>
  std::vector<float> solve(const Params& params, float start) {
    fill<ExecutionSpace, float>(exec_, x_, start);
    Solver solver(exec_, A_.num_rows(), A_.num_cols(), params);
    solver.solve(exec_, A_, b_, x_);
    return to_std_vector(x_);
  }

 private:
  ExecutionSpace exec_;
  AnyOperator<ExecutionSpace, float> A_;
  Vector<float, MemorySpace> b_, x_;
};

TEST(CrossBackend, products_agree_within_their_bounds) {
  for (const auto& plain : battery::matrices()) {
    const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
    const auto run = [&](auto exec) {
      using Space = decltype(exec);
      return product<Space>(CsrOperator<Space, float>(exec, to_device<Space, float>(exec, plain)),
                            x, false);
    };
    const auto host = run(Host());
    auto reference = reference_product(plain, 1, x, 0, {});
    reference.y.assign(host.begin(), host.end());
    // The errors of the backends may have opposite signs.
    EXPECT_LE(worst_row_error(run(Device()), reference), 2) << plain.name;
  }
}

TEST(CrossBackend, products_of_every_variant_agree_within_their_bounds) {
  auto matrices = battery::matrices();
  matrices.push_back(plain_scan());
  for (const auto& original : matrices) {
    // With one huge row, ELLPACK-R would consist almost entirely of padding.
    if (original.name == "rows in no order" ||
        static_cast<double>(original.rows) * original.columns > 2e7)
      continue;
    const auto on_host = variants<Host>(to_device<Host, float>(Host(), original));
    const auto on_device = variants<Device>(to_device<Device, float>(Device(), original));
    ASSERT_EQ(on_host.size(), on_device.size());
    const auto x = random_vector(static_cast<std::size_t>(original.columns), 1);
    const auto y = random_vector(static_cast<std::size_t>(original.rows), 2);
    for (std::size_t w = 0; w < on_host.size(); ++w) {
      const std::string what = original.name + ", " + on_host[w].name;
      ASSERT_EQ(on_host[w].name, on_device[w].name);
      const PlainCsr plain = rounded(original, on_host[w].values);
      for (const bool transposed : {false, true}) {
        const PlainCsr A = transposed ? plain.transposed() : plain;
        const auto& input = transposed ? y : x;
        const auto host = product(on_host[w].A, input, transposed);
        auto reference = reference_product(A, 1, input, 0, {});
        reference.y.assign(host.begin(), host.end());
        if (on_host[w].values == StoredPrecision::scaled) add_least_values(reference, A, input);
        if (transposed ? on_device[w].transposed_in_units : on_device[w].forward_in_units)
          for (auto& magnitude : reference.magnitude)
            magnitude += unit_as_magnitude(A, input, transposed);
        // The errors of the backends may have opposite signs.
        EXPECT_LE(worst_row_error(product(on_device[w].A, input, transposed), reference), 2)
            << what << (transposed ? ", transposed" : "");
      }
    }
  }
}

TEST(CrossBackend, reconstructions_agree) {
  Reconstruction<Host> host;
  Reconstruction<Device> device;
  MlemParams mlem;
  mlem.iterations = 20;
  EXPECT_LE(relative_difference(host.solve<Mlem<Host, float>>(mlem, 1.0F),
                                device.solve<Mlem<Device, float>>(mlem, 1.0F)),
            2e-6);
  SirtParams sirt;
  sirt.iterations = 20;
  EXPECT_LE(relative_difference(host.solve<Sirt<Host, float>>(sirt, 0.0F),
                                device.solve<Sirt<Device, float>>(sirt, 0.0F)),
            2e-6);
  CglsParams cgls;
  cgls.iterations = 4;  // in float, the iterates diverge after about 6
  EXPECT_LE(relative_difference(host.solve<Cgls<Host, float>>(cgls, 0.0F),
                                device.solve<Cgls<Device, float>>(cgls, 0.0F)),
            1e-4);
  ArtParams art;
  art.sweeps = 2;
  EXPECT_LE(relative_difference(host.solve<Art<Host, float>>(art, 0.0F),
                                device.solve<Art<Device, float>>(art, 0.0F)),
            2e-5);
}

template <class Space, class Scalar>
std::vector<Scalar> swept_by_levels(const PlainCsr& A, KaczmarzVariant variant) {
  const Space exec;
  const auto device = to_device<Space, Scalar>(exec, A);
  const auto schedule = make_csr_kaczmarz_schedule<Space, Scalar>(
      exec, device, {}, csr_row_squared_norms<Space, Scalar>(exec, device));
  const auto b = to_device<Space, Scalar>(exec, random_vector(A.rows, 1));
  const auto x = to_device<Space, Scalar>(exec, random_vector(A.columns, 2));
  KaczmarzCoefficients<Scalar> by;
  by.relaxation = Scalar(0.7);
  by.maximum = Scalar(0.4);
  for (int k = 0; k < 3; ++k)
    csr_kaczmarz_sweep_levels<Space, Scalar>(exec, device, schedule, by, b, x, variant);
  return to_std_vector(x);
}

template <class Scalar>
void expect_equal_sweeps() {
  const PlainCsr A =
      battery::make("sweeps", 400, 1500, [](int i) { return i % 13 == 4 ? 500 : (i * 7) % 40; });
  const auto host = swept_by_levels<Host, Scalar>(A, KaczmarzVariant::automatic);
  for (const KaczmarzVariant variant : {KaczmarzVariant::per_level, KaczmarzVariant::one_launch})
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    EXPECT_EQ((swept_by_levels<Device, Scalar>(A, variant)), host);
#else
    EXPECT_EQ((swept_by_levels<Device, Scalar>(A, variant)),
              (swept_by_levels<Device, Scalar>(A, KaczmarzVariant::automatic)));
#endif
  EXPECT_NE(host, std::vector<Scalar>(host.size()));
}

TEST(CrossBackend, kaczmarz_sweeps_have_equal_bits) {
  expect_equal_sweeps<float>();
  expect_equal_sweeps<double>();
}

/// Compares all variants, and with ordered subsets those that support ranges of rows.
TEST(CrossBackend, reconstructions_with_every_variant_agree) {
  const auto on_host = variants<Host>(Reconstruction<Host>::matrix());
  const auto on_device = variants<Device>(Reconstruction<Device>::matrix());
  ASSERT_EQ(on_host.size(), on_device.size());
  for (std::size_t w = 0; w < on_host.size(); ++w) {
    Reconstruction<Host> host(on_host[w].A);
    Reconstruction<Device> device(on_device[w].A);
    EXPECT_EQ(host.supports_ranges(), device.supports_ranges()) << on_host[w].name;
    for (const int subsets : {1, 4}) {
      if (subsets > 1 && !host.supports_ranges()) continue;
      const std::string what = on_host[w].name + ", subsets " + std::to_string(subsets);
      MlemParams mlem;
      mlem.iterations = 10;
      mlem.subsets = subsets;
      EXPECT_LE(relative_difference(host.solve<Mlem<Host, float>>(mlem, 1.0F),
                                    device.solve<Mlem<Device, float>>(mlem, 1.0F)),
                5e-6)
          << "mlem, " << what;
      SirtParams sirt;
      sirt.iterations = 10;
      sirt.subsets = subsets;
      EXPECT_LE(relative_difference(host.solve<Sirt<Host, float>>(sirt, 0.0F),
                                    device.solve<Sirt<Device, float>>(sirt, 0.0F)),
                5e-6)
          << "sirt, " << what;
    }
  }
}

}  // namespace
