// SPDX-License-Identifier: BSD-3-Clause
// The command line: options of the tool, and flags of the program's compiler.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace op2::embed {

/// An invalid command line; the message is shown to the user.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class AccessCheck { off, warn, error };

struct Options {
  std::string source;
  std::string output;           ///< wrapper unit; empty: none is written
  std::string dependencies;     ///< dependency file in the syntax of make; empty: none
  std::string resource_folder;  ///< of Clang; empty: the one found at configure time
  std::string table_header;     ///< op2_embedded.h; empty: beside the tool, or in the source tree
  bool list = false;            ///< print a table of the loops
  bool help = false;
  bool version = false;
  AccessCheck access = AccessCheck::warn;
  std::vector<std::string> flags;  ///< of the program's compiler
};

/// @throws std::runtime_error: there is no file, or it is a folder, FIFO or device, which may never
/// end
void check_file(const std::string& path);

/// @throws UsageError
Options parse_options(int argc, char** argv);

extern const char* const usage;

/// The flags that Clang's parser needs. Other flags of GCC or another compiler (optimisation,
/// warnings, output) are dropped. OpenMP directives are ignored, but _OPENMP is defined.
std::vector<std::string> parser_flags(const std::vector<std::string>& arguments);

/// The first flag that changes the meaning of kernels and is not applied at run time, e.g.
/// "-fwrapv"; empty: none.
std::string unsupported_flag(const std::vector<std::string>& arguments);

}  // namespace op2::embed
