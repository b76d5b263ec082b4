// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a kernel must fit the loop's arguments.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using testing::HasSubstr;

std::string fault(const std::string& text, const std::vector<ParameterShape>& args) {
  const auto result = load()->compile(request(text, args));
  EXPECT_EQ(result.status, CompileStatus::wrong_signature);
  return result.message;
}

TEST(Signature, NeedsAPointerToConstForARead) {
  EXPECT_EQ(fault("void work(double* q) {}", {arg(OP_READ, Type::f64, 4)}),
            "arg 0 (OP_READ, double x4): parameter 'double *q' must be a pointer to const; "
            "write 'const double *q'");
}

TEST(Signature, FaultsPointToTheParameterOrTheFunction) {
  const auto place = [](const std::string& text) {
    const auto notes = load()->compile(request(text, {arg(OP_READ)})).diagnostics;
    EXPECT_EQ(notes.size(), 1U);
    return notes.empty() ? std::pair(0, 0) : std::pair(notes[0].line, notes[0].column);
  };
  EXPECT_EQ(place("\nvoid work(double* q) {}"), std::pair(11, 19));
  EXPECT_EQ(place("void work() {}"), std::pair(10, 6));
  EXPECT_EQ(place("namespace a {\nvoid work(double* q) {}\n}"), std::pair(11, 6));
}

TEST(Signature, DoesNotMistakeTheGeneratedPartForTheSource) {
  auto missing = request("void work() {}", {});
  missing.units[0].kernel = "op2_range_work";
  EXPECT_THAT(load()->compile(missing).message, HasSubstr("it defines 'work'"));
}

TEST(Signature, NeedsAPointerToNonConstForAnIncrement) {
  EXPECT_THAT(
      fault("void work(const double* x, const double* q) {}", {arg(OP_READ), arg(OP_INC)}),
      HasSubstr(
          "arg 1 (OP_INC, double x1): parameter 'const double *q' must not be a pointer to const"));
}

TEST(Signature, NeedsTheTypeOfTheArgument) {
  EXPECT_THAT(fault("void work(float* q) {}", {arg(OP_RW)}),
              HasSubstr("parameter 'float *q' must be a pointer to double; write 'double *q'"));
  EXPECT_THAT(fault("void work(double q) {}", {arg(OP_RW)}),
              HasSubstr("must be a pointer to double"));
  EXPECT_THAT(fault("void work(double& q) {}", {arg(OP_RW)}),
              HasSubstr("must be a pointer to double"));
  EXPECT_THAT(fault("void work(unsigned* q) {}", {arg(OP_RW, Type::i32)}),
              HasSubstr("must be a pointer to int"));
}

TEST(Signature, NeedsAPointerToConstIntForAnIndex) {
  ArgShape index;
  index.kind = OP_ARG_IDX;
  EXPECT_THAT(fault("void work(int* i) {}", {index}), HasSubstr("write 'const int *i'"));
}

TEST(Signature, NeedsOneParameterPerArgument) {
  EXPECT_THAT(fault("void work(const double* x) {}", {arg(OP_READ), arg(OP_READ)}),
              HasSubstr("'work(const double *x)' has 1 parameter, but the loop has 2 arguments"));
}

TEST(Signature, NeedsVoid) {
  EXPECT_THAT(fault("int work(double* q) { return 0; }", {arg(OP_RW)}), HasSubstr("returns 'int'"));
}

TEST(Signature, ListsWhatTheSourceDefinesIfTheKernelIsMissing) {
  EXPECT_THAT(fault("void wrok(double* q) {}\nvoid help() {}", {arg(OP_RW)}),
              HasSubstr("does not define a function 'work'; it defines 'wrok', 'help'"));
  EXPECT_THAT(fault("void work(double* q);", {arg(OP_RW)}), HasSubstr("it defines none"));
}

TEST(Signature, RefusesTemplatesNamespacesAndOverloads) {
  EXPECT_THAT(fault("template <class T> void work(T* q) {}", {arg(OP_RW)}), HasSubstr("template"));
  EXPECT_THAT(fault("namespace mine { void work(double* q) {} }", {arg(OP_RW)}),
              HasSubstr("namespace 'mine'"));
  EXPECT_THAT(fault("void work(double* q) {}\nvoid work(double* q, int) {}", {arg(OP_RW)}),
              HasSubstr("overloaded"));
}

TEST(Signature, AcceptsBothSpellingsOf64BitIntegers) {
  for (const char* type : {"long", "long long", "int64_t"}) {
    auto integer = request("", {arg(OP_RW, Type::i64)});
    integer.units[0].source =
        "#include <stdint.h>\nvoid work(" + std::string(type) + "* q) { *q = 1; }\n";
    EXPECT_EQ(load()->compile(integer).status, CompileStatus::ok) << type;
  }
}

TEST(Signature, IsCheckedBeforeTheGeneratedCodeIsSeen) {
  auto wrong = request("void work(double* q) {}", {arg(OP_READ)});
  wrong.units[0].source += "this is not C++";
  EXPECT_EQ(load()->compile(wrong).status, CompileStatus::wrong_signature);
}

TEST(Signature, GivesWayToErrorsOfTheSource) {
  EXPECT_EQ(first_error(request("void work(doubel* q) {}", {arg(OP_READ)})).file, "user.cpp");
}

}  // namespace
}  // namespace op2::jit::test
