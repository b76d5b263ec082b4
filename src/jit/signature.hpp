// SPDX-License-Identifier: BSD-3-Clause
// Compares the functions that a kernel's source defines with the arguments of a loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jit/backend.hpp>

namespace op2::jit {

/// A parameter of a function in the source.
struct ParameterForm {
  std::string text;             ///< as written, e.g. "const double *q"
  std::string name;             ///< empty if it has none
  std::optional<Type> pointee;  ///< none: no pointer, or not to a type that can be stored
  bool to_const = false;
  bool is_vector = false;  ///< a pointer to pointers; `pointee` is what these point to
  Diagnostic place;        ///< a note there
};

/// A function that the source defines.
struct FunctionForm {
  std::string name;
  std::string scope;  ///< innermost namespace; empty at file scope
  bool is_template = false;
  bool is_variadic = false;
  std::string result;  ///< return type
  std::vector<ParameterForm> parameters;
  Diagnostic place;  ///< a note there
};

/// Why a source does not match its loop.
struct SignatureFault {
  std::string message;              ///< what is wrong, and what to write instead
  std::optional<Diagnostic> place;  ///< a note there; none if there is no such place
};

/// Whether `function` is what a loop with the kernel named `kernel` calls.
bool is_kernel(const FunctionForm& function, const std::string& kernel);

/// What is wrong with the last of `functions`; nothing if it matches, or is not the kernel.
/// Arguments count from 0.
std::optional<SignatureFault> signature_fault(const CompileUnit& unit,
                                              const std::vector<FunctionForm>& functions);

/// Why none of `functions` is the kernel.
SignatureFault missing_kernel(const std::string& kernel,
                              const std::vector<FunctionForm>& functions);

/// What a parameter must be, for compilers that know less than a FunctionForm: "arg 1 (OP_WRITE,
/// double x1) must be a pointer to double", or only whether to const.
std::string parameter_form_demand(std::size_t position, const ParameterShape& wanted);
std::string parameter_const_demand(std::size_t position, const ParameterShape& wanted);

/// "const double *x, double *q"
std::string parameter_list(const FunctionForm& function);

}  // namespace op2::jit
