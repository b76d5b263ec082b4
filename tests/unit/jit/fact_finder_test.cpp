// SPDX-License-Identifier: BSD-3-Clause
// Where facts about kernels come from: memory, the program, the disk, the compiler; or nowhere.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <core/error.hpp>
#include <jit/jit.hpp>
#include <support/fake_backend.hpp>
#include <support/fake_target.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/stderr_capture.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Facts : testing::Test {
  test::TemporaryDirectory folder;
  test::StderrCapture captured;
  core::Log log{core::LogLevel::warning};
  std::shared_ptr<test::FakeBackend> backend = std::make_shared<test::FakeBackend>();
  op_kernel_core kernel{"k",        "void k(const double* x, double* y) { *y = *x; }",
                        "none.cpp", 1,
                        false,      nullptr,
                        nullptr,    nullptr,
                        -1};
  LoopRequest loop = request();

  Facts() { backend->proven = {{}, {.writes_all = true}}; }

  LoopRequest request(int dim = 1) const {
    return test::loop_request(kernel, {test::dat(0, 2, OP_READ), test::dat(1, dim, OP_WRITE)}, {});
  }
  /// Of a process that starts now.
  ArgumentFacts of_y(const LoopRequest& wanted) {
    Jit jit(test::jit_options(folder.path(), nullptr), log, [this] { return backend; });
    return jit.facts({{wanted}})[0][1];
  }
  /// The only entry on disk.
  std::filesystem::path entry() const {
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      if (file.path().extension() == ".op2") return file.path();
    return {};
  }
};

TEST_F(Facts, ComeFromTheCompilerOnceAndThenFromDisk) {
  EXPECT_TRUE(of_y(loop).writes_all);
  EXPECT_TRUE(of_y(loop).writes_all);
  EXPECT_EQ(backend->proofs, 1);
  EXPECT_EQ(backend->compilations, 0);
}

TEST_F(Facts, StayInMemory) {
  JitOptions options = test::jit_options(folder.path(), nullptr);
  options.cache.mode = CacheMode::off;
  Jit jit(options, log, [this] { return backend; });
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(jit.facts({{loop}})[0][1].writes_all);
  EXPECT_EQ(backend->proofs, 1);
}

TEST_F(Facts, AreThoseOfTheKernelWhicheverDatsItGets) {
  of_y(loop);
  LoopRequest other = loop;
  other.nest.args[0].dat = 7;
  other.nest.args[1].dat = 8;
  of_y(other);
  EXPECT_EQ(backend->proofs, 1);
  of_y(request(2));
  EXPECT_EQ(backend->proofs, 2) << "another dim";
}

TEST_F(Facts, OfTamperedEntriesAreProvenAgainWithAWarning) {
  of_y(loop);
  {
    std::fstream file(entry(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(120);
    file.put('\xff');
  }
  backend->proven[1].writes_all = false;
  EXPECT_FALSE(of_y(loop).writes_all);
  EXPECT_EQ(backend->proofs, 2);
  EXPECT_THAT(captured.news(), HasSubstr("is damaged"));
}

TEST_F(Facts, ThatContradictTheArgumentsAreNotUsed) {
  backend->proven = {{.writes_all = true}, {.only_adds = true}};
  EXPECT_EQ(of_y(loop), ArgumentFacts{}) << "from the compiler";
  EXPECT_EQ(entry(), "") << "and are not kept";
}

TEST_F(Facts, OfAnUnreadableEntryAreProvenAgain) {
  of_y(loop);
  const auto name = entry();
  std::filesystem::remove(name);
  std::filesystem::create_directory(name);
  EXPECT_TRUE(of_y(loop).writes_all);
  EXPECT_EQ(backend->proofs, 2);
}

TEST_F(Facts, InTheProgramNeedNoCompiler) {
  kernel.facts = "|write 1x1 all, proof 7";
  Jit jit(test::jit_options(folder.path(), nullptr), log, []() -> std::shared_ptr<Backend> {
    core::fail(ErrorCode::plugin_failure, "no compiler");
  });
  EXPECT_TRUE(jit.facts({{request()}})[0][1].writes_all);
}

TEST_F(Facts, InTheProgramAboutAnotherFormAreNotUsed) {
  kernel.facts = "|write 1x4 all, proof 7";
  backend->proven[1].writes_all = false;
  EXPECT_FALSE(of_y(request()).writes_all);
  EXPECT_EQ(backend->proofs, 1);
}

TEST_F(Facts, WithoutACompilerAreNone) {
  Jit jit(test::jit_options(folder.path(), nullptr), log, []() -> std::shared_ptr<Backend> {
    core::fail(ErrorCode::plugin_failure, "no compiler");
  });
  EXPECT_EQ(jit.facts({{loop}})[0][1], ArgumentFacts{});
  EXPECT_THAT(captured.news(), IsEmpty());
}

TEST_F(Facts, OfAKernelWithoutSourceAreNone) {
  kernel.source = "";
  EXPECT_EQ(of_y(request()), ArgumentFacts{});
  EXPECT_EQ(backend->proofs, 0);
}

TEST_F(Facts, OfATargetThatReadsNoSourceAreNone) {
  Jit jit(test::jit_options(folder.path(), nullptr), log,
          [] { return std::static_pointer_cast<Target>(std::make_shared<test::FakeTarget>("t")); });
  EXPECT_EQ(jit.facts({{loop}})[0][1], ArgumentFacts{});
}

TEST_F(Facts, AreNotAskedForWhereNoArgumentNeedsThem) {
  LoopRequest reads =
      test::loop_request(kernel, {test::dat(0, 2, OP_READ), test::dat(1, 1, OP_INC)}, {});
  EXPECT_EQ(of_y(reads), ArgumentFacts{});
  EXPECT_EQ(backend->proofs, 0);
}

TEST_F(Facts, OfASourceThatKnowsItIsOnADeviceAreNone) {
  kernel.source =
      "void k(const double* x, double* y) {\n#ifndef __CUDA_ARCH__\n*y = *x;\n#endif\n}";
  EXPECT_EQ(of_y(request()), ArgumentFacts{});
  EXPECT_EQ(backend->proofs, 0);
}

TEST_F(Facts, OfASourceThatKnowsTheProcessorAreProvenForEachProcessor) {
  kernel.source = "void k(const double* x, double* y) {\n#ifdef __AVX2__\n*y = *x;\n#endif\n}";
  of_y(request());
  backend->cpu = "another";
  of_y(request());
  EXPECT_EQ(backend->proofs, 2);
}

TEST_F(Facts, OfAVectorArgumentAreThoseOfEachOfItsColumns) {
  LoopRequest vector = loop;
  vector.nest.args.push_back(vector.nest.args[1]);
  vector.nest.calls[0].args[1].members = 2;
  vector.nest.calls[0].args.push_back({.position = 2, .access = OP_WRITE, .members = 0});
  Jit jit(test::jit_options(folder.path(), nullptr), log, [this] { return backend; });
  const KernelFacts facts = jit.facts({{vector}})[0];
  ASSERT_EQ(facts.size(), 3U);
  EXPECT_TRUE(facts[1].writes_all && facts[2].writes_all);
}

TEST_F(Facts, ThatAreNotProvenSayWhyAndWhere) {
  backend->proven[1] = {
      .why = "may read it before writing it", .file = "k", .line = 1, .column = 38};
  EXPECT_EQ(of_y(loop).why, "may read it before writing it (kernel 'k' line 1)");
}

}  // namespace
}  // namespace op2::jit
