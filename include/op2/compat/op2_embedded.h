// SPDX-License-Identifier: BSD-3-Clause
// The table of a program's kernels and their sources, which op2-embed-kernels generates. C++11, and
// it includes nothing, because it precedes the program's own source.
#pragma once

/// Before a declaration: the library exports it.
#if defined(__GNUC__)
#define OP2_EMBEDDED_API __attribute__((visibility("default")))
#else
#define OP2_EMBEDDED_API
#endif

namespace op2 {
namespace embedded {

/// A variable that a source names and does not define. It must be declared before the source, as
/// `extern const <declaration>`.
struct Constant {
  const char* name;         ///< as the source names it
  const char* declaration;  ///< e.g. "double qinf[4]" or "int n"
  const void* address;      ///< of the variable in the program
  unsigned long size;       ///< bytes
};

/// A kernel of a unit: its function in the program, and its source or why there is none.
struct Kernel {
  void (*function)();         ///< the kernel function of the program: its identity
  const char* name;           ///< of the function in the source to call
  const char* source;         ///< C++ that defines it and all it needs, or null
  const char* reason;         ///< why there is no source, or null
  const char* file;           ///< of the kernel's definition
  int line;                   ///< of the kernel's definition
  const Constant* constants;  ///< shape [constant_count]; null if there are none
  int constant_count;
  const char* facts;  ///< what is proven of the kernel in each loop of the unit, or null
};

/// Registers the kernels of one unit for its own lifetime; the table must live as long. Units
/// register during static initialisation, in any order, those of a shared library when it is
/// loaded.
class OP2_EMBEDDED_API Registration {
 public:
  /// @param kernels  shape [count]
  Registration(const Kernel* kernels, int count) noexcept;
  /// Removes them: loops with these kernels can no longer be compiled.
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  const Kernel* kernels_;
  int count_;
};

}  // namespace embedded
}  // namespace op2
