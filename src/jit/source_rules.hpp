// SPDX-License-Identifier: BSD-3-Clause
// What the source of a kernel must have: a function that fits the arguments of its loop. And what
// it should not have although a compiler accepts it: the messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

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

/// A limit of constant evaluation is reported by a note to an error, which then is about the limit.
void add_message(std::vector<Diagnostic>& messages, Diagnostic message);

// What a source should not contain.

/// A warning.
inline std::string keeps_state(std::string_view variable) {
  return fmt::format(
      "a kernel must not keep state: variable '{}', which several threads change at once; pass it "
      "as an argument, or make it const",
      variable);
}

/// A warning.
inline constexpr const char* has_assembly =
    "inline assembly: it is for one kind of processor only; write the operation in C++";

inline constexpr const char* allocates =
    "a kernel must not allocate or free memory: new, delete; use local arrays of fixed size";

inline constexpr const char* is_virtual =
    "kernels compiled at run time do not support virtual functions; use a template or a condition";

inline constexpr std::string_view redefines_library =
    "the source redefines a function of the library";

inline std::string redefines(std::string_view function) {
  return fmt::format("{}: '{}', which compilers take to be that of the library; rename it",
                     redefines_library, function);
}

/// Whether a message is one of the errors above.
inline bool is_source_rule(std::string_view message) {
  return message == allocates || message == is_virtual || message.starts_with(redefines_library);
}

}  // namespace op2::jit
