// SPDX-License-Identifier: BSD-3-Clause
// One kernel, one loop: what the tests of the plug-in compile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <core/loop_abi.hpp>
#include <jit/backend.hpp>
#include <support/jit_options.hpp>

namespace op2::jit::test {

inline std::unique_ptr<Backend> load(const std::string& cpu = "") {
  return load_plugin(op2::test::plugin_folder(), cpu).backend;
}

inline ArgShape arg(op_access access, Type type = Type::f64, std::int32_t dim = 1) {
  ArgShape shape;
  shape.access = access;
  shape.type = type;
  shape.dim = dim;
  return shape;
}

/// A loop over directly accessed doubles, one per argument; the kernel is "work" and its source
/// begins in line 10 of user.cpp.
inline CompileRequest request(const std::string& text, const std::vector<ParameterShape>& args) {
  CompileRequest request;
  request.symbol = "op2_range_work";
  CompileUnit& unit = request.units.emplace_back();
  unit.kernel = "work";
  unit.parameters = args;
  unit.source =
      "struct Binding { void* base; const int* index; long stride; };\n"
      "#line 10 \"user.cpp\"\n" +
      text +
      "\n#line 1 \"generated code\"\n"
      "extern \"C\" void op2_range_work(long begin, long end, const Binding* args) {\n"
      "  for (long i = begin; i < end; ++i) ::work(";
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (i > 0) unit.source += ", ";
    unit.source += "(double*)args[" + std::to_string(i) + "].base + i";
  }
  unit.source += ");\n}\n";
  return request;
}

/// A kernel `void work(const double* x, double* y)` with this body.
inline CompileRequest work(const std::string& body) {
  return request("static void work(const double* x, double* y) {" + body + "}",
                 {arg(OP_READ), arg(OP_WRITE)});
}

/// A loop that hands each element to a kernel of this body, then multiplies y by `factor`.
inline CompileRequest loop_of(const std::string& body, const std::string& factor) {
  CompileRequest request = work(body);
  CompileUnit& kernel = request.units[0];
  kernel.source =
      "#line 10 \"user.cpp\"\nstatic void work(const double* x, double* y) {" + body +
      "}\n#line 1 \"generated code\"\n"
      "extern \"C\" void __op2_kernel(void* x, void* y) { ::work((double*)x, (double*)y); }\n";
  CompileUnit loop;
  loop.source =
      "struct Binding { void* base; const int* index; long stride; };\n"
      "extern \"C\" void __op2_kernel0(void*, void*);\n"
      "extern \"C\" void op2_range_work(long begin, long end, const Binding* args) {\n"
      "  for (long i = begin; i < end; ++i) {\n"
      "    double* y = (double*)args[1].base + i;\n"
      "    __op2_kernel0((double*)args[0].base + i, y);\n    *y *= " +
      factor + ";\n  }\n}\n";
  request.units.push_back(loop);
  return request;
}

/// The first error of a text that must be rejected.
inline Diagnostic first_error(const CompileRequest& request) {
  const auto result = load()->compile(request);
  EXPECT_EQ(result.status, CompileStatus::rejected) << result.message;
  for (const auto& message : result.diagnostics) {
    if (message.severity == Diagnostic::Severity::error) return message;
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// What linked code makes of y = 0 for one x.
inline double run(const LinkedCode& code, double x) {
  double y = 0;
  const core::ArgBinding args[] = {{&x, nullptr, 0}, {&y, nullptr, 0}};
  reinterpret_cast<core::RangeFunction>(code.entry())(0, 1, args);
  return y;
}

}  // namespace op2::jit::test
