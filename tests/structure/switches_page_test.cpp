// SPDX-License-Identifier: BSD-3-Clause
// docs/switches.md is made from the table of switches. With UPDATE_DOCS=1 the test writes it.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <core/options.hpp>

namespace {

const std::string page = OP2_SOURCE_FOLDER "/docs/switches.md";

std::string wanted() {
  return "# Run-time switches\n\n"
         "Made from `src/core/options.cpp`; `--op2-help` on the command line of any program shows "
         "the\nfirst table. The variables are read by `op_init`. An unknown `OP2_*` variable or "
         "value is "
         "reported.\n\n" +
         op2::core::switches_as_markdown() +
         "\n## For tests and comparisons\n\nWords of `OP2_DEBUG`, e.g. "
         "`OP2_DEBUG=no_fuse,tile=4000`. The variables in the last column are read, too. A "
         "word and its\nvariable with different values are an error.\n\n" +
         op2::core::debug_words_as_markdown();
}

TEST(Documentation, ThePageOfSwitchesEqualsTheTable) {
  if (std::getenv("UPDATE_DOCS") != nullptr) std::ofstream(page) << wanted();
  std::stringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_EQ(text.str(), wanted()) << "run this test with UPDATE_DOCS=1";
}

}  // namespace
