// SPDX-License-Identifier: BSD-3-Clause
// Compiled loops have names in gdb and perf with OP2_DEBUG=gdb,perf.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include <op2/op2.hpp>

#include <jit/debugger_symbols.hpp>
#include <support/temporary_directory.hpp>

struct jit_code_entry {
  jit_code_entry* next;
  jit_code_entry* before;
  const char* file;
  std::uint64_t bytes;
};
struct jit_descriptor {
  std::uint32_t version, action;
  jit_code_entry* relevant;
  jit_code_entry* first;
};
extern "C" jit_descriptor __jit_debug_descriptor;

namespace op2::jit {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

OP_KERNEL(grow, (double* a), { *a += 1; });

void run(const char* words) {
  setenv("OP2_DEBUG", words, 1);
  setenv("OP2_JIT", "require", 1);
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(10, "set");
  op_par_loop(grow, "grow it", set, op_arg_dat(op_decl_dat<double>(set, 1, nullptr, "dat"), OP_RW));
  op_flush();
  unsetenv("OP2_DEBUG");
}

std::string perf_map() {
  std::stringstream text;
  text << std::ifstream(perf_map_path()).rdbuf();
  return text.str();
}

struct DebugSymbols : testing::Test {
  void TearDown() override {
    op_exit();
    unlink(perf_map_path().c_str());
  }
};

TEST_F(DebugSymbols, AreInTheFileOfPerfWithAddressAndSize) {
  run("perf");
  EXPECT_THAT(perf_map(), ContainsRegex("[0-9a-f]+ [0-9a-f]+ op2_loop_grow_it\n"));
  EXPECT_EQ(__jit_debug_descriptor.first, nullptr);
}

TEST_F(DebugSymbols, AreKnownToGdbUntilTheSessionEnds) {
  run("gdb");
  const jit_code_entry* entry = __jit_debug_descriptor.first;
  ASSERT_NE(entry, nullptr);
  const std::string file(entry->file, entry->bytes);
  EXPECT_THAT(file, HasSubstr("op2_loop_grow_it"));
  op_exit();
  EXPECT_EQ(__jit_debug_descriptor.first, nullptr);
}

TEST_F(DebugSymbols, AreOffByDefault) {
  run("");
  EXPECT_EQ(perf_map(), "");
  EXPECT_EQ(__jit_debug_descriptor.first, nullptr);
}

TEST(CodeSymbols, AreNotReadFromDamagedObjects) {
  EXPECT_FALSE(code_symbols({}, "entry", 0, "name"));
  std::string text("\177ELF\2\1\1 and nothing that follows");
  text.resize(80);
  EXPECT_FALSE(code_symbols(std::as_bytes(std::span(text)), "entry", 0, "name"));
}

TEST(PerfMap, IsNotWrittenThroughALink) {
  const test::TemporaryDirectory folder;
  const std::string link = folder / "map", target = folder / "target";
  ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
  EXPECT_FALSE(register_with_perf({}, link));
}

}  // namespace
}  // namespace op2::jit
