// SPDX-License-Identifier: BSD-3-Clause
// Compares the parameters of a kernel with the arguments of a loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jit/loop_shape.hpp>

namespace op2::jit {

/// A parameter as the compiler sees it.
struct ParameterForm {
  std::string text;             ///< as written, e.g. "const double *q"
  std::string name;             ///< empty if it has none
  std::optional<Type> pointee;  ///< none: no pointer, or not to a type that can be stored
  bool to_const = false;
};

/// What is wrong, with what to write instead; empty if everything fits. Arguments count from 0.
std::string signature_fault(const std::string& kernel, const std::vector<ParameterForm>& parameters,
                            const std::vector<ArgShape>& args);

/// "const double *x, double *q"
std::string parameter_list(const std::vector<ParameterForm>& parameters);

}  // namespace op2::jit
