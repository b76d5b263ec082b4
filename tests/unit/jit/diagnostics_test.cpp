// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>

#include <gmock/gmock.h>

#include <jit/diagnostics.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* text = "void flux(double* a) {\n  a[0] = gma;\n}\n";

struct DiagnosticsTest : testing::Test {
  test::TemporaryDirectory folder;
  std::string file;
  std::vector<IncludedFile> includes;
  op_kernel_core kernel{"flux", text, "/no/such/file.cpp", 3, false, nullptr, nullptr, nullptr, -1};
  LoopOrigin origin{.loop = "flux loop", .call_site = "main.cpp:40", .kernel = &kernel};
  CompileResult result{.status = CompileStatus::rejected,
                       .message = {},
                       .diagnostics = {},
                       .signatures = {},
                       .object = {},
                       .ir = {},
                       .assembly = {}};

  void SetUp() override { add("use of undeclared identifier 'gma'", Diagnostic::Kind::other); }

  void add(const char* message, Diagnostic::Kind kind, const char* subject = "") {
    result.diagnostics = {{.severity = Diagnostic::Severity::error,
                           .kind = kind,
                           .file = "flux",
                           .line = 2,
                           .column = 10,
                           .text = message,
                           .source_line = "  a[0] = gma;",
                           .subject = subject}};
  }
  void declare_in_file(const std::string& content) {
    file = folder / "main.cpp";
    std::ofstream(file) << content;
    kernel.file = file.c_str();
  }
  Error error(std::vector<std::string> constants = {}) {
    return compile_error(result, {origin, constants, includes});
  }
  std::string what() { return error().what(); }
};

TEST_F(DiagnosticsTest, TheFirstLineNamesCodeLoopKernelAndMessage) {
  EXPECT_THAT(
      what(),
      StartsWith("OP2-E101 loop 'flux loop' (main.cpp:40): kernel 'flux' does not compile: "
                 "line 2: use of undeclared identifier 'gma'\nkernel 'flux' line 2: error: "));
}

TEST_F(DiagnosticsTest, ACaretStandsBelowTheColumn) {
  EXPECT_THAT(what(), HasSubstr("\n  a[0] = gma;\n         ^"));
}

TEST_F(DiagnosticsTest, ALongLineIsCutAroundTheColumn) {
  result.diagnostics[0].source_line = std::string(900, 'x') + "!" + std::string(900, 'y');
  result.diagnostics[0].column = 901;
  EXPECT_THAT(what(), HasSubstr("x!y"));
  EXPECT_THAT(what(), Not(HasSubstr(std::string(200, 'x'))));
  EXPECT_THAT(what(), HasSubstr("\n..." + std::string(73, 'x') + "!" + std::string(36, 'y') +
                                "...\n" + std::string(76, ' ') + "^"));
}

TEST_F(DiagnosticsTest, LinesOfARawLiteralAreFound) {
  declare_in_file(std::string("int i;\nauto k = R\"(") + text + ")\";\n");
  EXPECT_THAT(what(), HasSubstr(file + ":3:10: error: use of"));
}

TEST_F(DiagnosticsTest, TheFirstLineOfARawLiteralIsMovedByWhatStandsBeforeIt) {
  declare_in_file(std::string("auto k = R\"(") + text + ")\";\n");
  result.diagnostics[0].line = 1;
  result.diagnostics[0].column = 6;
  EXPECT_THAT(what(), HasSubstr(file + ":1:18: error"));
}

TEST_F(DiagnosticsTest, OfSeveralEqualSourcesTheNearestToTheDeclarationIsTaken) {
  const std::string literal = std::string("auto k = R\"(") + text + ")\";\n";
  declare_in_file(literal + literal + literal);
  kernel.line = 6;
  EXPECT_THAT(what(), HasSubstr(file + ":6:10: error"));
}

TEST_F(DiagnosticsTest, LinesOfOrdinaryLiteralsAreFound) {
  declare_in_file(
      "auto k =\n    \"void flux(double* a) {\\n\"\n    \"  a[0] = gma;\\n\"\n    \"}\\n\";\n");
  EXPECT_THAT(what(), HasSubstr(file + ":3:15: error"));
}

TEST_F(DiagnosticsTest, ALineOfAnotherKernelIsNotBelieved) {
  declare_in_file(
      "auto other =\n    \"void other(double* a) {\\n\"\n    \"  a[0] = gma;\\n\"\n    \"}\\n\";\n"
      "auto k = head() + \"  a[0] = gma;\\n}\\n\";\n");
  EXPECT_THAT(what(), HasSubstr("\nkernel 'flux' line 2: error"));
}

TEST_F(DiagnosticsTest, AnIncludeOfTheHostProgramIsNotBelieved) {
  kernel.source = "#include \"gas.h\"\nvoid flux(double* a) {}\n";
  declare_in_file("#include \"gas.h\"\nint main() {}\n");
  result.diagnostics[0].line = 1;
  EXPECT_THAT(what(), HasSubstr("\nkernel 'flux' line 1: error"));
}

TEST_F(DiagnosticsTest, OfEqualLinesThoseOfTheKernelAreFound) {
  kernel.source = "void flux(double* a) {\n\n  a[0] = gma;\n}\n";
  declare_in_file(
      "  a[0] = gma;\n"
      "\"void flux(double* a) {\\n\"\n\"\\n\"\n\"  a[0] = gma;\\n\"\n\"}\\n\"\n");
  result.diagnostics[0].line = 3;
  EXPECT_THAT(what(), HasSubstr(file + ":4:11: error"));
}

TEST_F(DiagnosticsTest, AnEditedSourceFileIsNotBelieved) {
  declare_in_file("something else\n");
  EXPECT_THAT(what(), HasSubstr("\nkernel 'flux' line 2: error"));
}

TEST_F(DiagnosticsTest, ASourceFromAFileHasItsOwnLines) {
  kernel.file = "kernels/flux.h";
  kernel.source_is_file = true;
  EXPECT_THAT(what(), HasSubstr("\nkernels/flux.h:2:10: error"));
}

TEST_F(DiagnosticsTest, IncludedFilesAreShownWithTheirFolder) {
  result.diagnostics[0].file = "gas.h";
  includes = {{"gas.h", ""}};
  EXPECT_THAT(what(), HasSubstr("\n/no/such/gas.h:2:10: error"));
}

TEST_F(DiagnosticsTest, StandardHeadersAndConstantsHavePlacesToo) {
  result.diagnostics[0].file = "math.h";
  EXPECT_THAT(what(), HasSubstr("\n<math.h>:2:10: error"));
  result.diagnostics[0].file = "";
  EXPECT_THAT(what(), HasSubstr("\nconstants of kernel 'flux': error"));
}

TEST_F(DiagnosticsTest, AnOpenBraceIsShownWhereItIsAndNotAfterTheSource) {
  add("expected '}'", Diagnostic::Kind::other);
  Diagnostic note = result.diagnostics[0];
  note.severity = Diagnostic::Severity::note;
  note.text = "to match this '{'";
  note.kind = Diagnostic::Kind::open_bracket;
  note.subject = "{";
  result.diagnostics[0].file = generated_file;
  result.diagnostics.push_back(note);
  EXPECT_THAT(what(), HasSubstr("does not compile: line 2: the source ends inside the "
                                "'{' that is opened here\n"));
}

TEST_F(DiagnosticsTest, AConstantThatTheSourceDefinesItselfIsNamed) {
  add("redefinition of 'eps' with a different type", Diagnostic::Kind::redefinition, "eps");
  Diagnostic note = result.diagnostics[0];
  note.severity = Diagnostic::Severity::note;
  note.file = "";
  result.diagnostics.push_back(note);
  EXPECT_THAT(error({"eps"}).what(), HasSubstr("line 2: it defines 'eps', but op_decl_const "
                                               "declares a constant of that name too; rename"));
  EXPECT_THAT(error({"gam"}).what(), HasSubstr("line 2: redefinition of 'eps'"));
}

TEST_F(DiagnosticsTest, FunctionsOfStandardHeadersNameTheHeader) {
  add("use of undeclared identifier 'printf'", Diagnostic::Kind::unknown_symbol, "printf");
  EXPECT_THAT(what(), HasSubstr("'printf'; add #include <cstdio>\n"));
  add("no template named 'numeric_limits' in namespace 'std'", Diagnostic::Kind::other,
      "numeric_limits");
  EXPECT_THAT(what(), HasSubstr("; add #include <limits>\n"));
}

TEST_F(DiagnosticsTest, AStandardHeaderThatIsNotOfferedListsThoseThatAre) {
  add("'vector' file not found", Diagnostic::Kind::missing_include, "vector");
  result.diagnostics[0].source_line = "#include <vector>";
  EXPECT_THAT(what(), HasSubstr("; kernels can include <algorithm>, <array>, <cassert>, "));
}

TEST_F(DiagnosticsTest, AnIncludeThroughAMacroIsExplained) {
  add("'gas.h' file not found", Diagnostic::Kind::missing_include, "gas.h");
  result.diagnostics[0].source_line = "#include GAS";
  EXPECT_THAT(what(), HasSubstr("; write the file's name in the #include itself"));
}

TEST_F(DiagnosticsTest, WarningsAreShownWithTheirPlaces) {
  result.status = CompileStatus::ok;
  result.diagnostics[0].severity = Diagnostic::Severity::warning;
  const KernelContext told{origin, {}, {}};
  EXPECT_EQ(compile_warnings(result, told),
            "loop 'flux loop' (main.cpp:40): the compiler warns of kernel 'flux':\nkernel 'flux' "
            "line 2: warning: use of undeclared identifier 'gma'\n  a[0] = gma;\n         ^");
  result.diagnostics[0].file = generated_file;
  EXPECT_EQ(compile_warnings(result, told), "");
}

TEST_F(DiagnosticsTest, UnknownSymbolsListTheConstantsAndSuggestTheNearest) {
  add("use of undeclared identifier 'gma'", Diagnostic::Kind::unknown_symbol, "gma");
  const Error unknown = error({"cfl", "gam"});
  EXPECT_EQ(unknown.code(), ErrorCode::unknown_symbol);
  EXPECT_THAT(unknown.what(), HasSubstr("; declared constants: cfl, gam; did you mean 'gam'?\n"));
  EXPECT_THAT(error({"viscosity"}).what(), Not(HasSubstr("did you mean")));
  EXPECT_THAT(error().what(),
              HasSubstr("no constants are declared (op_decl_const declares them)\n"));
}

TEST_F(DiagnosticsTest, OfAnUnknownNameThatIsCalledTheHintIsAboutFunctions) {
  add("use of undeclared identifier 'gma'", Diagnostic::Kind::unknown_symbol, "gma");
  result.diagnostics[0].source_line = "  a[0] = gma (a[1]);";
  for (const Error& each : {error(), error({"gam"})}) {
    EXPECT_THAT(each.what(), HasSubstr("; a kernel cannot call functions of the program: write "
                                       "'gma' in its source\n"));
    EXPECT_THAT(each.what(), Not(HasSubstr("constants")));
  }
  const Parameter parameter{Type::f64, false, false};
  kernel.parameters = &parameter;  // of an OP_KERNEL
  EXPECT_THAT(what(), HasSubstr("; a kernel sees functions of the program only in a header that "
                                "OP2_KERNEL_HEADER names: define 'gma' there, or write it as a "
                                "lambda in the kernel\n"));
}

TEST_F(DiagnosticsTest, OfAnUnknownTypeTheHintIsWhereToDefineIt) {
  add("unknown type name 'State'", Diagnostic::Kind::unknown_type, "State");
  EXPECT_THAT(what(),
              HasSubstr("; define it in the source, or in a file that the source includes\n"));
  const Parameter parameter{Type::f64, false, false};
  kernel.parameters = &parameter;
  EXPECT_THAT(what(), HasSubstr("; a kernel sees types of the program only in a header that "
                                "OP2_KERNEL_HEADER names: define it there\n"));
}

TEST_F(DiagnosticsTest, OfAnOpKernelANameMayBelongInAHeader) {
  const Parameter parameter{Type::f64, false, false};
  kernel.parameters = &parameter;
  add("use of undeclared identifier 'limit'", Diagnostic::Kind::unknown_symbol, "limit");
  EXPECT_THAT(what(), HasSubstr("; other names of the program belong in a header that "
                                "OP2_KERNEL_HEADER names\n"));
}

TEST_F(DiagnosticsTest, ClassesThatAllocateAreReplacedByArrays) {
  add("no template named 'vector' in namespace 'std'", Diagnostic::Kind::other, "vector");
  EXPECT_THAT(what(), HasSubstr("; kernels allocate no memory: use arrays of fixed size"));
  add("use of undeclared identifier 'list'", Diagnostic::Kind::unknown_symbol, "list");
  EXPECT_THAT(what(), HasSubstr("; no constants are declared"));
  add("no member named 'set' in 'Cell'", Diagnostic::Kind::other, "set");
  EXPECT_THAT(what(), HasSubstr("no member named 'set' in 'Cell'\n"));
}

TEST_F(DiagnosticsTest, MissingIncludesListTheFoldersSearched) {
  declare_in_file("");
  add("'gas.h' file not found", Diagnostic::Kind::missing_include, "gas.h");
  result.diagnostics[0].source_line = "#include \"gas.h\"";
  EXPECT_EQ(error().code(), ErrorCode::kernel_include);
  EXPECT_THAT(what(), HasSubstr("; folders searched for \"gas.h\": " + folder.path().string()));
}

TEST_F(DiagnosticsTest, LimitsSignaturesAndCrashesHaveTheirCodes) {
  add("bracket nesting level exceeded", Diagnostic::Kind::limit);
  EXPECT_EQ(error().code(), ErrorCode::kernel_limits);
  result.status = CompileStatus::wrong_signature;
  result.message = "arg 1: must be a pointer to const";
  EXPECT_EQ(error().code(), ErrorCode::kernel_signature);
  EXPECT_THAT(what(), HasSubstr("loop 'flux loop' (main.cpp:40): arg 1: must be"));
  result.status = CompileStatus::crashed;
  EXPECT_EQ(error().code(), ErrorCode::compiler_crash);
  result.status = CompileStatus::unavailable;
  EXPECT_EQ(error().code(), ErrorCode::plugin_failure);
  EXPECT_THAT(what(), HasSubstr("; install all of libop2, and the libraries of LLVM and Clang"));
}

TEST_F(DiagnosticsTest, AKernelThatCostsTooMuchNamesTheSwitch) {
  result.status = CompileStatus::over_limit;
  result.message = "more than 60 s of CPU time";
  EXPECT_EQ(error().code(), ErrorCode::kernel_limits);
  EXPECT_THAT(what(), HasSubstr("kernel 'flux': more than 60 s of CPU time; simplify the kernel, "
                                "or set OP2_JIT_LIMIT"));
}

}  // namespace
}  // namespace op2::jit
