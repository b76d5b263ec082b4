// SPDX-License-Identifier: BSD-3-Clause
// Asks the compiler what a kernel's source proves.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <support/loop_shapes.hpp>
#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {

/// `text` begins at line 10 of "user.cpp"; it may use <cmath> and <algorithm>.
inline CompileRequest proof_request(const std::string& text,
                                    const std::vector<ParameterShape>& args) {
  CompileRequest asked = request("", args);
  asked.only_facts = true;
  asked.units[0].source =
      "#include <cmath>\n#include <algorithm>\n#line 10 \"user.cpp\"\n" + text + "\n";
  return asked;
}

inline std::vector<ArgumentFacts> facts_of(const CompileRequest& asked) {
  static const std::unique_ptr<Backend> backend = load();
  return backend->compile(asked).facts;
}

inline std::vector<ArgumentFacts> facts_of(const std::string& text,
                                           const std::vector<ParameterShape>& args) {
  return facts_of(proof_request(text, args));
}

/// Of y in `void work(const double* x, TYPE* y)`, after helper functions; x has 4 components.
inline ArgumentFacts of_y(const std::string& body, const ParameterShape& y,
                          const std::string& helpers = "", const char* type = "double") {
  const auto facts =
      facts_of(helpers + "\nvoid work(const double* x, " + type + "* y) {\n" + body + "\n}",
               {op2::test::dat(0, 4, OP_READ), y});
  EXPECT_EQ(facts.size(), 2U) << body;
  return facts.size() == 2 ? facts[1] : ArgumentFacts{};
}

}  // namespace op2::jit::test
