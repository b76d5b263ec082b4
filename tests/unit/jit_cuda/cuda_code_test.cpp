// SPDX-License-Identifier: BSD-3-Clause
// Generated kernels on the emulated device, which checks all their accesses, against loops of the
// host. All values are whole numbers, so that sums do not depend on their order.
#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <airfoil/kernels.hpp>

#include <core/value_type.hpp>
#include <gpu/nvrtc.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <jit/target/cuda/emit_cuda.hpp>
#include <support/device_nests.hpp>
#include <support/expect_error.hpp>
#include <support/jit_options.hpp>
#include <support/library_kernel.inc>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>
#include <unit/jit_cuda/loop_data.hpp>

namespace op2::jit {
namespace {

using test::bytes_of;
using test::dat;
using test::global;
using test::LoopData;
using test::values_of;

constexpr int elements = 4700, targets = 700;  ///< not whole blocks

std::vector<int> random_entries(int count, unsigned seed) {
  std::vector<int> entries(count);
  for (int& entry : entries)
    entry = static_cast<int>((seed = seed * 1664525 + 1013904223) >> 8) % targets;
  return entries;
}

/// Whole numbers of a type, from 0 to 6.
template <class T>
test::Bytes numbers(int count, int offset) {
  std::vector<T> values(count);
  for (int k = 0; k < count; ++k) values[k] = static_cast<T>((k * 5 + offset) % 7);
  return bytes_of(values);
}

JitOptions adding_to_rows() {
  JitOptions options;
  options.increments = core::Increments::rows;
  return options;
}

struct CudaCode : testing::Test {
  test::TemporaryDirectory folder;
  std::unique_ptr<gpu::Device> device = gpu::Device::open({EMULATED_CUDA, EMULATED_CUDA}, 0);
  core::Log log{core::LogLevel::off};
  std::vector<Constant> declared;
  std::unique_ptr<Jit> jit = std::make_unique<Jit>(
      test::jit_options(folder.path(), [this] { return declared; }), log, [this] {
        return make_cuda_target(
            device.get(), gpu::load_nvrtc({EMULATED_CUDA, EMULATED_CUDA}, device->driver_version()),
            adding_to_rows());
      });
  op_kernel_core kernel{"k", "", "none.cpp", 1, false, nullptr, nullptr, nullptr, -1};

  const CudaLoop* loop_of(const LoopNest& nest) {
    const LoopRequest request{
        nest, {nest.calls.size(), {.loop = "loop", .call_site = "main.cpp:7", .kernel = &kernel}}};
    const LoopCode outcome = jit->compile({{request}})[0];
    if (outcome.error) ADD_FAILURE() << outcome.error->what();
    return outcome.code != nullptr ? &cuda_loop_of(*outcome.code) : nullptr;
  }
  void run(const LoopNest& nest, LoopData& data) {
    const CudaLoop* loop = loop_of(nest);
    if (loop != nullptr) test::run_on_device(*device, *loop, nest, data);
  }
};

/// Kernels would compute with zeros.
TEST_F(CudaCode, AConstantUnderAnotherNameIsAFaultAndNotARemovedOne) {
  LoopNest nest = nest_of({.name = "work", .source = "void work(double* x) { *x *= gam; }"},
                          {dat(0, 1, OP_RW)});
  const auto load = [&](const LoopNest& compiled, const char* name) {
    CudaTarget target(device.get(), gpu::load_nvrtc({EMULATED_CUDA, EMULATED_CUDA}, 0),
                      {device->architecture()}, {});
    EmittedLoop loop = target.emit(compiled);
    const CompileResult result = target.compile({compiled, {}}, loop);
    double value = 2;
    const LinkResult linked = target.load(result.object, loop.symbol, {{name, &value}});
    return static_cast<const CudaLoop*>(linked.code->entry())->constants.size();
  };
  nest.calls[0].constants = {{"gam"}};
  EXPECT_EQ(load(nest, "op2_const_gam"), 1U);
  EXPECT_THAT(test::error_text(ErrorCode::internal, [&] { load(nest, "op2_const_gm"); }),
              testing::HasSubstr("under another name than _ZN14op2_constants02gmE"));
  nest.calls[0].source = "void work(double* x) {}";
  nest.calls[0].constants.clear();
  EXPECT_EQ(load(nest, "op2_const_gam"), 0U);
}

/// The emulated device counts every question for what a module lacks as a mistake. NVIDIA's driver
/// may make nothing of variables of PTX that are only defined.
TEST_F(CudaCode, ConstantsOfPtxAreThoseThatItReads) {
  LoopNest nest = nest_of({.name = "work", .source = "void work(double* x) { *x *= gam; }"},
                          {dat(0, 1, OP_RW)});
  nest.calls[0].constants = {{"gam"}};
  CudaTarget target(device.get(), gpu::load_nvrtc({EMULATED_CUDA, EMULATED_CUDA}, 0),
                    {device->architecture(), true}, {});
  EmittedLoop loop = target.emit(nest);
  std::vector<std::byte> code = target.compile({nest, {}}, loop).object;
  double value = 2;
  const auto constants = [&] {
    const LinkResult linked = target.load(code, loop.symbol, {{"op2_const_gam", &value}});
    return static_cast<const CudaLoop*>(linked.code->entry())->constants.size();
  };
  EXPECT_EQ(constants(), 1U);
  const std::string reads = "[_ZN14op2_constants03gamE]";
  const auto place = std::ranges::search(code, std::as_bytes(std::span(reads)));
  ASSERT_FALSE(place.empty());
  std::ranges::fill(place, std::byte{' '});
  EXPECT_EQ(constants(), 0U);
}

TEST(CudaSymbols, AreNamedByTheirWholeNames) {
  const std::string ptx = ".visible .entry op2_loop_k(\n.const .f64 gE;\nld.const.f64 %f, [gE];\n";
  EXPECT_TRUE(names_symbol(ptx, "op2_loop_k"));
  EXPECT_FALSE(names_symbol(ptx, "op2_loop"));
  EXPECT_FALSE(names_symbol(ptx, "op2_fold_k"));
  EXPECT_TRUE(names_symbol(ptx, "gE", 2));
  EXPECT_FALSE(names_symbol(ptx, "gE", 3));
  EXPECT_TRUE(names_symbol("op2_fold_k", "op2_fold_k"));
}

/// The kernel of `nest_of_all_accesses`.
template <class T, int dim>
void all(const T* a, const T* b, T* written, T* changed, T* increased, T* first, T* second,
         const T* const* corners, T** sums, T* here, T* there, const T* absent, const int* index,
         const int* far, const T* factor, T* sum, T* least, T* greatest) {
  for (int k = 0; k < dim; ++k) {
    const T value = static_cast<T>(a[k] + b[k] * factor[k]);
    written[k] = absent == nullptr ? value : absent[k];
    changed[k] = static_cast<T>(changed[k] + value);
    increased[k] = static_cast<T>(increased[k] + value);
    first[k] = static_cast<T>(first[k] + value);
    second[k] = static_cast<T>(second[k] + *index - *far);
    for (int c = 0; c < 3; ++c) sums[c][k] = static_cast<T>(sums[c][k] + corners[c][k]);
    here[k] = static_cast<T>(here[k] + value);
    there[k] = static_cast<T>(there[k] + value);
    sum[k] = static_cast<T>(sum[k] + value);
    least[k] = std::min(least[k], value);
    greatest[k] = std::max(greatest[k], value);
  }
}

template <class... P>
test::HostKernel host_kernel(void (*function)(P...)) {
  return [function](char* const* arguments) {
    HostFunction<P...>::call(reinterpret_cast<void (*)()>(function), arguments);
  };
}

template <class T, int dim>
LoopData data_of_all(const LoopNest& nest) {
  LoopData data{.begin = 3, .end = elements - 2, .counted = elements - 100};
  for (int number = 0; number < 8; ++number) data.dats[number] = numbers<T>(elements * dim, number);
  data.maps[0] = {2, random_entries(2 * elements, 1)};
  data.maps[1] = {3, random_entries(3 * elements, 2)};
  for (std::size_t i = 0; i < nest.args.size(); ++i)
    if (nest.args[i].kind == OP_ARG_GBL) data.globals[i] = numbers<T>(dim, static_cast<int>(i));
  std::vector<int>& far = data.numbers[nest.args.size() - 5];
  far.resize(targets);
  std::iota(far.begin(), far.end(), 100);
  return data;
}

template <class T, int dim>
void expect_same_as_host(CudaCode& test) {
  const LoopNest nest = test::nest_of_all_accesses(type_of<T>(), dim).nest;
  LoopData expected = data_of_all<T, dim>(nest), found = expected;
  test::run_on_host(nest, {host_kernel(&all<T, dim>)}, expected);
  test.run(nest, found);
  for (const auto& [number, bytes] : expected.dats)
    EXPECT_EQ(values_of<T>(found.dats[number]), values_of<T>(bytes)) << "dat " << number;
  for (const auto& [position, bytes] : expected.globals)
    EXPECT_EQ(values_of<T>(found.globals[position]), values_of<T>(bytes)) << "arg " << position;
}

TEST_F(CudaCode, AllAccessesToDoublesAreThoseOfTheHost) {
  expect_same_as_host<double, 1>(*this);
  expect_same_as_host<double, 3>(*this);
  expect_same_as_host<double, 4>(*this);
  expect_same_as_host<double, 17>(*this);
}

TEST_F(CudaCode, AllAccessesToFloatsAreThoseOfTheHost) {
  expect_same_as_host<float, 1>(*this);
  expect_same_as_host<float, 3>(*this);
  expect_same_as_host<float, 4>(*this);
}

TEST_F(CudaCode, AllAccessesToIntegersOf32BitsAreThoseOfTheHost) {
  expect_same_as_host<std::int32_t, 1>(*this);
  expect_same_as_host<std::int32_t, 3>(*this);
  expect_same_as_host<std::uint32_t, 2>(*this);
}

TEST_F(CudaCode, AllAccessesToIntegersOf64BitsAreThoseOfTheHost) {
  expect_same_as_host<std::int64_t, 1>(*this);
  expect_same_as_host<std::int64_t, 3>(*this);
  expect_same_as_host<std::uint64_t, 2>(*this);
}

TEST_F(CudaCode, AllAccessesToTruthValuesAreThoseOfTheHost) {
  expect_same_as_host<bool, 1>(*this);
  expect_same_as_host<bool, 3>(*this);
}

TEST_F(CudaCode, KernelsWithEqualNamesInsideStayApart) {
  double first = 3;
  std::vector<float> second(9000, 2.0F);
  const LoopNest nest = test::nest_of_clashing_kernels().nest;
  declared = {{"gam", Type::f64, 1, &first}, {"gam", Type::f32, 9000, second.data()}};
  LoopData data{.begin = 0, .end = 10, .counted = 10};
  data.dats[0] = bytes_of(std::vector<double>(10, 4));
  data.dats[1] = bytes_of(std::vector<double>(10, 0));
  data.dats[2] = bytes_of(std::vector<float>(targets, 100));
  data.maps[0] = {2, random_entries(20, 3)};
  run(nest, data);
  const double after_first = 2 * ((4 + 1) * 3) + 1 + std::sqrt(M_PI);
  EXPECT_DOUBLE_EQ(values_of<double>(data.dats[1])[9], after_first + 2 * 1 + M_E + 100);
}

TEST_F(CudaCode, AVariableOfTheProgramIsReadWhereverItsPointersAreConst) {
  const LoopNest nest = test::nest_of_lenient_kernel().nest;
  const ConstantShape& table = nest.calls[0].constants[0];
  declared = {{table.name, table.type, table.dim, const_cast<void*>(table.variable),
               table.declaration, table.variable}};
  LoopData data{.begin = 0, .end = 3, .counted = 3};
  data.dats[0] = bytes_of(std::vector<double>{1, 2, 3});
  data.dats[1] = bytes_of(std::vector<double>(3, 0));
  data.dats[2] = bytes_of(std::vector<long>(3, 0));
  data.dats[3] = bytes_of(std::vector<long>{10, 20, 30, 40});
  data.maps[0] = {2, {0, 1, 1, 2, 2, 3}};
  run(nest, data);
  EXPECT_THAT(values_of<double>(data.dats[1]), testing::ElementsAre(6, 12, 18));
  EXPECT_THAT(values_of<long>(data.dats[2]), testing::ElementsAre(30, 50, 70));
}

/// Data for any nest: values from 1 to 2, every fourth from 5 to 6, so that rows are states of a
/// gas.
LoopData random_data(const LoopNest& nest) {
  LoopData data{.begin = 0, .end = elements, .counted = elements};
  unsigned seed = 1;
  const auto values = [&](int count) {
    std::vector<double> list(count);
    for (int k = 0; k < count; ++k) {
      seed = seed * 1664525 + 1013904223;
      list[k] = (k % 4 == 3 ? 5 : 1) + (seed >> 8) % 1000 / 1e3;
    }
    return bytes_of(list);
  };
  for (std::size_t i = 0; i < nest.args.size(); ++i) {
    const ArgShape& arg = nest.args[i];
    if (arg.kind == OP_ARG_GBL) data.globals[i] = values(arg.dim);
    if (arg.dat >= 0)
      data.dats[arg.dat] =
          arg.type == Type::i32 ? numbers<int>(elements, 1) : values(elements * arg.dim);
    if (arg.map >= 0) data.maps[arg.map] = {arg.arity, random_entries(arg.arity * elements, 7)};
  }
  return data;
}

TEST_F(CudaCode, TheLoopsOfAirfoilAreThoseOfTheHostAlsoFused) {
  using namespace airfoil;
  const std::map<std::string, op_kernel> kernels = {{"save_soln", save_soln},
                                                    {"adt_calc", adt_calc},
                                                    {"res_calc", res_calc},
                                                    {"bres_calc", bres_calc},
                                                    {"update", update}};
  const auto constant = [](const char* name, const double& value, int dim = 1) {
    return Constant{name, Type::f64, dim, const_cast<double*>(&value)};
  };
  declared = {constant("gam", gam), constant("gm1", gm1),   constant("cfl", cfl),
              constant("eps", eps), constant("mach", mach), constant("qinf", qinf[0], 4)};
  for (const test::NamedNest& each : test::airfoil_nests()) {
    std::vector<test::HostKernel> on_host;
    for (const KernelCall& call : each.nest.calls)
      on_host.push_back(
          [k = kernels.at(call.name)](char* const* arguments) { k->call(k->host, arguments); });
    LoopData expected = random_data(each.nest), found = expected;
    test::run_on_host(each.nest, on_host, expected);
    run(each.nest, found);
    for (const auto& [number, bytes] : expected.dats)
      EXPECT_THAT(
          values_of<double>(found.dats[number]),
          testing::Pointwise(testing::NanSensitiveDoubleNear(1e-9), values_of<double>(bytes)))
          << each.name << ", dat " << number;
  }
}

TEST_F(CudaCode, HeadersHaveWhatKernelsMayUse) {
  LoopData data{.begin = 0, .end = 1, .counted = 1};
  data.dats[0] = bytes_of(std::vector<double>{4, 0.25});
  data.dats[1] = bytes_of(std::vector<std::int64_t>{0});
  data.dats[2] = bytes_of(std::vector<std::uint64_t>{0});
  run(test::nest_of_library_names().nest, data);
  EXPECT_GT(values_of<std::int64_t>(data.dats[1])[0], 4294967290);
  EXPECT_EQ(values_of<std::uint64_t>(data.dats[2])[0], UINT64_MAX - 3 + 4);
}

TEST_F(CudaCode, TheLibraryOfKernelsIsThatOfTheHost) {
  const LoopNest nest = test::nest_of_library_kernel().nest;
  LoopData data{.begin = 0, .end = 50, .counted = 50};
  std::vector<double> x;
  for (int k = 0; k < 100; ++k) x.push_back(0.1 + 0.37 * ((7 * k) % 11));
  data.dats[0] = bytes_of(x);
  data.dats[1] = bytes_of(std::vector<double>(8 * 50));
  run(nest, data);
  const std::vector<double> y = values_of<double>(data.dats[1]);
  for (std::size_t k = 0; k < 50; ++k) {
    double expected[8];
    library_kernel(&x[2 * k], expected);
    for (std::size_t n = 0; n < 8; ++n)
      EXPECT_NEAR(y[8 * k + n], expected[n], 1e-12 * std::fabs(expected[n])) << k << ", " << n;
  }
}

TEST_F(CudaCode, AnOpKernelHasTheHeaderOfTheProgramAndTheLibrary) {
  LoopData data{.begin = 0, .end = 50, .counted = 50};
  data.dats[0] = numbers<double>(50, 1);
  data.dats[1] = bytes_of(std::vector<double>(50));
  run(test::nest_of_headers().nest, data);
  const std::vector<double> x = values_of<double>(data.dats[0]),
                            y = values_of<double>(data.dats[1]);
  for (std::size_t k = 0; k < 50; ++k) EXPECT_NEAR(y[k], x[k] / 2 + 0.25, 1e-12) << k;
}

TEST_F(CudaCode, ReductionsOfTheSameElementsHaveTheSameBits) {
  const LoopNest nest = nest_of(
      {.name = "add", .source = "void add(const double* x, double* sum) { *sum += 1 / (1 + *x); }"},
      {dat(0, 1, OP_READ), global(1, OP_INC)});
  LoopData data{.begin = 0, .end = elements, .counted = elements};
  data.dats[0] = numbers<double>(elements, 1);
  data.globals[1] = bytes_of(std::vector<double>{0.1});
  LoopData again = data;
  run(nest, data);
  run(nest, again);
  EXPECT_EQ(data.globals[1], again.globals[1]);
}

TEST_F(CudaCode, APayloadIsThatOfTheFirstOfEqualElements) {
  ArgShape where = global(1, OP_WRITE, Type::i32);
  where.extreme = 1;
  const LoopNest nest =
      nest_of({.name = "most",
               .source = "void most(const double* q, double* m, const int* i, int* at) {\n"
                         "  if (*q > *m) { *m = *q; *at = *i; }\n}\n"},
              {dat(0, 1, OP_READ), global(1, OP_MAX), test::element_number(), where});
  LoopData data{.begin = 40, .end = elements, .counted = elements - 100};
  std::vector<double> values(elements, 1);
  values[20] = values[elements - 5] = 9;  // before the range; does not count
  values[4100] = values[2300] = values[2301] = 5;
  data.dats[0] = bytes_of(values);
  data.globals[1] = bytes_of<double>({-1});
  data.globals[3] = bytes_of<int>({-1, 0, -1, -1});  // the value, and the index of its element
  run(nest, data);
  EXPECT_THAT(values_of<double>(data.globals[1]), testing::ElementsAre(5));
  EXPECT_THAT(values_of<int>(data.globals[3]), testing::ElementsAre(2300, 0, 2300, 0));
}

template <class T>
void expect_extremes(const std::function<void(const LoopNest&, LoopData&)>& run, Type type) {
  const char* name = core::cxx_name_of(type);
  const LoopNest nest = nest_of(
      {.name = "widen",
       .source = fmt::format("void widen(const {0}* q, {0}* lo, {0}* hi) {{\n"
                             "  for (int k = 0; k < 2; ++k) if (q[k] < lo[k]) lo[k] = q[k];\n"
                             "  *hi = *hi < *q ? *q : *hi;\n}}\n",
                             name)},
      {dat(0, 2, OP_READ, -1, type), dat(1, 2, OP_MIN, 0, type), dat(2, 1, OP_MAX, 1, type)});
  LoopData data{.begin = 30, .end = elements, .counted = elements};
  data.dats[0] = numbers<T>(2 * elements, 1);
  data.dats[1] = numbers<T>(2 * targets, 4);
  data.dats[2] = numbers<T>(targets, 2);
  data.maps[0] = {2, random_entries(2 * elements, 3)};
  auto q = values_of<T>(data.dats[0]), low = values_of<T>(data.dats[1]),
       high = values_of<T>(data.dats[2]);
  for (int e = 30; e < elements; ++e) {
    const int first = data.maps[0].entries[2 * e], second = data.maps[0].entries[2 * e + 1];
    for (int k = 0; k < 2; ++k)
      if (q[2 * e + k] < low[2 * first + k]) low[2 * first + k] = q[2 * e + k];
    if (high[second] < q[2 * e]) high[second] = q[2 * e];
  }
  run(nest, data);
  EXPECT_EQ(values_of<T>(data.dats[1]), low) << name;
  EXPECT_EQ(values_of<T>(data.dats[2]), high) << name;
}

TEST_F(CudaCode, ExtremesOfRowsAreThoseOfAllElements) {
  const auto run_one = [this](const LoopNest& nest, LoopData& data) { run(nest, data); };
  expect_extremes<double>(run_one, Type::f64);
  expect_extremes<float>(run_one, Type::f32);
  expect_extremes<int>(run_one, Type::i32);
  expect_extremes<unsigned>(run_one, Type::u32);
  expect_extremes<long>(run_one, Type::i64);
  expect_extremes<unsigned long>(run_one, Type::u64);
}

TEST_F(CudaCode, ExtremesOfTruthValuesLeaveTheirNeighboursInAWord) {
  const LoopNest nest = nest_of(
      {.name = "widen",
       .source = "void widen(const bool* q, bool* lo, bool* hi) { *lo = *lo && *q; *hi |= *q; }"},
      {dat(0, 1, OP_READ, -1, Type::b8), dat(1, 1, OP_MIN, 0, Type::b8, 1),
       dat(2, 1, OP_MAX, 0, Type::b8, 1)});
  LoopData data{.begin = 0, .end = 3, .counted = 3};
  const auto bytes = [](std::initializer_list<bool> values) {
    test::Bytes all;
    for (const bool value : values) all.push_back(static_cast<std::byte>(value));
    return all;
  };
  data.dats[0] = bytes({false, true, true});
  data.dats[1] = bytes({true, true, true, true, false});
  data.dats[2] = bytes({false, false, false, false, true});
  data.maps[0] = {1, {1, 2, 1}};
  run(nest, data);
  EXPECT_EQ(data.dats[1], bytes({true, false, true, true, false}));
  EXPECT_EQ(data.dats[2], bytes({false, true, true, false, true}));
}

/// -0 is less than 0, whichever comes first; NaN of an element is as in the source, and so is that
/// of a row.
TEST_F(CudaCode, ExtremesOfRowsHaveAnOrderOfZerosAndNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const LoopNest nest = nest_of(
      {.name = "widen",
       .source = "void widen(const double* q, double* lo, double* hi) {\n"
                 "  if (*q < *lo) *lo = *q;\n"
                 "  *hi = fmax(*hi, *q);\n}\n"},
      {dat(0, 1, OP_READ), dat(1, 1, OP_MIN, 0, Type::f64, 1), dat(2, 1, OP_MAX, 0, Type::f64, 1)});
  LoopData data{.begin = 0, .end = 5, .counted = 5};
  data.dats[0] = bytes_of<double>({-0.0, 0.0, nan, 3, 3});
  data.dats[1] = bytes_of<double>({0.0, 5, nan});
  data.dats[2] = bytes_of<double>({-0.0, 1, nan});
  data.maps[0] = {1, {0, 0, 1, 1, 2}};
  run(nest, data);
  const auto low = values_of<double>(data.dats[1]), high = values_of<double>(data.dats[2]);
  EXPECT_TRUE(low[0] == 0 && std::signbit(low[0]));
  EXPECT_TRUE(high[0] == 0 && !std::signbit(high[0]));
  EXPECT_EQ(low[1], 3);
  EXPECT_EQ(high[1], 3);
  EXPECT_TRUE(std::isnan(low[2]));
  EXPECT_EQ(high[2], 3);
}

TEST_F(CudaCode, AnEmptyRangeLeavesAReductionAsItWas) {
  const LoopNest nest =
      nest_of({.name = "low",
               .source = "void low(const int* x, int* least) { if (*x < *least) *least = *x; }"},
              {dat(0, 1, OP_READ, -1, Type::i32), global(1, OP_MIN, Type::i32)});
  LoopData data{.begin = 0, .end = 1, .counted = 0};
  data.dats[0] = bytes_of(std::vector<int>{-5});
  data.globals[1] = bytes_of(std::vector<int>{7});
  run(nest, data);
  EXPECT_EQ(values_of<int>(data.globals[1])[0], 7);
}

}  // namespace
}  // namespace op2::jit
