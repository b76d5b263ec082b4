// SPDX-License-Identifier: BSD-3-Clause
// The texts of a program's kernels, as op2-embed-kernels puts them into the program. C++11, and it
// includes nothing: it stands before the program's own source.
#pragma once

#if defined(__GNUC__)
#define OP2_EMBEDDED_API __attribute__((visibility("default")))
#else
#define OP2_EMBEDDED_API
#endif

namespace op2 {
namespace embedded {

/// A variable that a text names and does not define. It has to be declared before the text, as
/// `extern const <declaration>`.
struct Constant {
  const char* name;         ///< as the text names it
  const char* declaration;  ///< e.g. "double qinf[4]" or "int n"
  const void* address;      ///< of the variable in the program
  unsigned long size;       ///< bytes
};

struct Kernel {
  void (*function)();         ///< the kernel function of the program: its identity
  const char* name;           ///< of the function in the text that has to be called
  const char* text;           ///< C++ that defines it and all it needs, or null
  const char* reason;         ///< why there is no text, or null
  const char* file;           ///< of the kernel's definition
  int line;                   ///< of the kernel's definition
  const Constant* constants;  ///< shape [constant_count]; null if there are none
  int constant_count;
};

/// Makes the kernels of one unit known for as long as it lives; the table must live as long. Units
/// register while the program starts, in any order, and those of a shared library when it is
/// loaded.
class OP2_EMBEDDED_API Registration {
 public:
  /// @param kernels  shape [count]
  Registration(const Kernel* kernels, int count) noexcept;
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  const Kernel* kernels_;
  int count_;
};

}  // namespace embedded
}  // namespace op2
