// SPDX-License-Identifier: BSD-3-Clause
// The tables of docs/switches.md are made from the table of switches; with UPDATE_DOCS=1 the test
// writes them, with links to the pages that it names. Below them is a table of what is not read by
// op_init alone, and an example of each entry of all tables.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <core/options.hpp>

namespace {

const std::string page = OP2_SOURCE_FOLDER "/docs/switches.md";

std::string with_links(const std::string& table) {
  return std::regex_replace(table, std::regex("share/doc/op2/docs/(\\w+)\\.md"), "[$1]($1.md)");
}

std::string wanted() {
  return "# Run-time switches\n\n"
         "Made from `src/core/options.cpp`; `--op2-help` on the command line of any program shows "
         "the\nfirst table. The variables are read by `op_init`. An unknown `OP2_*` variable or "
         "value is reported, and so is\na variable whose name nearly is one: `op2_chain`, "
         "`OP_CHAIN`.\n\n" +
         with_links(op2::core::switches_as_markdown()) +
         "\n## For tests and comparisons\n\nWords of `OP2_DEBUG`, e.g. "
         "`OP2_DEBUG=no_fuse,queue_max=1`. They count after the other switches.\n\n" +
         with_links(op2::core::debug_words_as_markdown());
}

/// The page before and after the tables of the library.
struct Page {
  std::string tables, others;
};

Page present() {
  std::stringstream text;
  text << std::ifstream(page).rdbuf();
  const std::string all = text.str();
  const std::size_t begin = std::min(all.find("\n## Arguments and other variables\n"), all.size());
  return {all.substr(0, begin), all.substr(begin)};
}

std::vector<std::string> all_matches(const std::string& text, const char* pattern) {
  std::vector<std::string> found;
  const std::regex form(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

TEST(Documentation, TheTablesOfSwitchesAreThoseOfTheLibrary) {
  const Page found = present();
  if (std::getenv("UPDATE_DOCS") != nullptr) std::ofstream(page) << wanted() << found.others;
  EXPECT_EQ(present().tables, wanted()) << "run this test with UPDATE_DOCS=1";
}

TEST(Documentation, EverySwitchHasAnExampleThatUsesIt) {
  const std::string others = present().others;
  const std::vector<std::string> switches =
      all_matches(wanted() + others, "\\n\\| `([\\w-]+)` \\|");
  EXPECT_GT(switches.size(), 40U);
  EXPECT_EQ(all_matches(others, "\\n### ([\\w-]+)\\n\\n    [^\\n]+\\n\\n\\S"), switches);
  for (const std::string& name : switches)
    EXPECT_FALSE(
        all_matches(others, ("\\n### " + name + "\\n\\n   [^\\n]*[ =,](" + name + ")\\b").c_str())
            .empty())
        << name;
}

}  // namespace
