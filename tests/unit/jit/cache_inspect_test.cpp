// SPDX-License-Identifier: BSD-3-Clause
// op2-jitinspect as its user sees it: run as a program on a directory that was made for the test.
#include <algorithm>

#include <gmock/gmock.h>
#include <core/hash.hpp>

#include "inspect_support.hpp"

namespace op2::jit {
namespace {

using nlohmann::json;
using test::Answer;
using test::entry_number;
using test::file_of;
using test::Inspect;
using test::key_of;
using test::path_of;
using test::variant_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

TEST_F(Inspect, ListsOneLinePerEntry) {
  put(entry_number(1));
  put(entry_number(2));
  const Answer answer = run("list");
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(std::ranges::count(answer.text, '\n'), 3);
  EXPECT_THAT(answer.text, AllOf(HasSubstr(short_name_of(key_of(entry_number(1)))),
                                 HasSubstr("kernel2"), HasSubstr("loop2"), HasSubstr("znver5"),
                                 HasSubstr("1 read, 1 inc"), HasSubstr("125")));
}

TEST_F(Inspect, CountsTheArgumentsOfANestOnce) {
  CacheEntry entry = entry_number(1);
  entry.key.arguments += "kernel a: 0 inc, 1 read\nkernel b: 0 inc\n";
  put(entry);
  EXPECT_THAT(run("list").text, HasSubstr("1 read, 1 inc"));
}

TEST_F(Inspect, ListsAnEmptyDirectory) {
  EXPECT_EQ(run("list").code, 0);
  EXPECT_EQ(run_json("list"), json::array());
}

TEST_F(Inspect, ListsAsJson) {
  put(entry_number(1));
  const json entries = run_json("list");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["key"], name_of(key_of(entry_number(1))));
  EXPECT_EQ(entries[0]["compile_ms"], 125);
  EXPECT_EQ(entries[0]["bytes"], file_of(entry_number(1)).size());
}

TEST_F(Inspect, ListsTheEntriesOfATarget) {
  put(entry_number(1));
  CacheEntry other = entry_number(2);
  other.key.target = "cuda";
  put(other);
  const json entries = run_json("list --target cuda");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["target"], "cuda");
  EXPECT_EQ(entries[0]["kernel"], "kernel2");
  EXPECT_EQ(run_json("stats")["by_target"]["cpu"]["entries"], 1);
}

TEST_F(Inspect, NamesWhatIsNotACommandOrATarget) {
  const Answer unknown = run("shw kernel1");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.text, HasSubstr("unknown command: 'shw'; use list, show, stats, verify, "
                                      "prune, why-missed, diff; did you mean 'show'?"));
  const Answer target = run("list --target cudaa");
  EXPECT_EQ(target.code, 2);
  EXPECT_THAT(target.text, HasSubstr("cudaa not in {cpu,cuda,facts}"));
  EXPECT_EQ(run("list --target facts").code, 0);
}

TEST_F(Inspect, ShowsWhatKernelsOfAGpuNeed) {
  CacheEntry entry = entry_number(1);
  entry.key.target = "cuda";
  entry.assembly =
      ".visible .entry op2_loop()\n"
      "// ptxas info    : Compiling entry function 'op2_loop' for 'sm_90'\n"
      "// ptxas         .     24 bytes stack frame, 16 bytes spill stores, 8 bytes spill loads\n"
      "// ptxas info    : Used 46 registers, used 1 barriers, 11264 bytes smem\n";
  put(entry);
  EXPECT_THAT(run("show kernel1").text,
              AllOf(HasSubstr("op2_loop   46 registers, 16 bytes spilled and 24 of stack for a "
                              "thread; 11264 bytes of shared memory for a block"),
                    Not(HasSubstr("SIMD"))));
  EXPECT_EQ(run_json("show kernel1")["resources"][0]["spill_load_bytes"], 8);
}

TEST_F(Inspect, SaysThatTheDriverKnowsTheRegistersOfPtx) {
  CacheEntry entry = entry_number(1);
  entry.key.target = "cuda";
  entry.key.cpu = "compute_90";
  entry.ir.clear();
  entry.assembly =
      ".visible .entry op2_loop()\n{\n\tmov.u32 \t%r1, %tid.x;\n\t@%p1 bra \t$L1;\n}\n";
  put(entry);
  EXPECT_THAT(run("show kernel1").text,
              AllOf(HasSubstr("registers  known to the driver only: the code is PTX"),
                    HasSubstr("PTX        70 B, 2 instructions"), Not(HasSubstr("SIMD"))));
}

TEST_F(Inspect, SaysThatCodeOfAGpuHasNoIr) {
  CacheEntry entry = entry_number(1);
  entry.key.target = "cuda";
  entry.ir.clear();
  put(entry);
  for (const char* command : {"show kernel1 --ir", "show kernel1 --ir --json"}) {
    const Answer answer = run(command);
    EXPECT_EQ(answer.code, 2);
    EXPECT_THAT(answer.text,
                HasSubstr("code for a GPU has no LLVM IR: NVRTC has compiled "
                          "'kernel1'; --source shows what it compiled, --asm the PTX"));
  }
  EXPECT_EQ(run("show kernel1 --asm").code, 0);
}

TEST_F(Inspect, ReportsWhyCodeIsScalar) {
  put(entry_number(3));
  EXPECT_THAT(
      run("show kernel3").text,
      HasSubstr("SIMD       scalar: 3 instructions to load and store vectors would save 1"));
  EXPECT_EQ(run_json("show kernel3")["simd"]["width"], 1);
}

TEST_F(Inspect, ShowsTheArithmeticOfAnElement) {
  CacheEntry entry = entry_number(1);
  EXPECT_TRUE(entry.flops < 0);
  put(entry);
  EXPECT_THAT(run("show kernel1").text, Not(HasSubstr("flops")));
  EXPECT_TRUE(run_json("show kernel1")["flops"].is_null());
  entry.flops = 74;
  put(entry);
  EXPECT_THAT(run("show kernel1").text,
              HasSubstr("flops      74 floating-point operations for an element\n"));
  EXPECT_EQ(run_json("show kernel1")["flops"], 74);
}

TEST_F(Inspect, ShowsASummaryByDigitsOfTheKeyOrByKernel) {
  put(entry_number(1));
  const std::string name = name_of(key_of(entry_number(1)));
  for (const std::string& key : {name, name.substr(0, 5), std::string("kernel1")})
    EXPECT_THAT(run("show " + key).text,
                AllOf(HasSubstr(name), HasSubstr("loop1"), HasSubstr("dat double x4 inc"),
                      HasSubstr("double gam[1]"), HasSubstr("LLVM 19"), HasSubstr("125.0 ms")));
}

TEST_F(Inspect, ShowsTheParts) {
  CacheEntry entry = entry_number(1);
  entry.ir = "define void @f() {\n  %a = load <4 x double>, ptr %p\n  ret void\n}\n";
  put(entry);
  EXPECT_EQ(run("show kernel1 --source").text, "// source\n");
  EXPECT_EQ(run("show kernel1 --ir").text, entry.ir);
  EXPECT_EQ(run("show kernel1 --asm").text, "# assembly\n");
  EXPECT_THAT(run("show kernel1 --key").text, HasSubstr("    void kernel1(double *x) {"));
  EXPECT_THAT(run("show kernel1 --stats").text,
              HasSubstr("2 instructions: 1 loads, 0 stores, 0 calls, 1 on vectors"));
}

TEST_F(Inspect, ShowsThePartsAsJson) {
  put(entry_number(1));
  EXPECT_EQ(run_json("show kernel1")["loop"], "loop1");
  EXPECT_EQ(run_json("show kernel1 --source")["source"], "// source\n");
  EXPECT_EQ(run_json("show kernel1 --ir")["ir"], "; ir\n");
  EXPECT_EQ(run_json("show kernel1 --asm")["assembly"], "# assembly\n");
  EXPECT_EQ(run_json("show kernel1 --key")["fields"]["cpu"], "znver5");
  EXPECT_EQ(run_json("show kernel1 --stats")["statistics"]["object_bytes"], 16);
}

TEST_F(Inspect, PrefersTheCodeOfAKernelToItsFacts) {
  CacheEntry facts = entry_number(1);
  facts.key.target = "facts";
  facts.symbol.clear();
  facts.object.clear();
  put(facts);
  EXPECT_THAT(run("show kernel1").text, HasSubstr("target     facts"));
  put(entry_number(1));
  EXPECT_THAT(run("show kernel1").text, HasSubstr("target     cpu"));
  EXPECT_THAT(run("why-missed kernel1").text, HasSubstr("first time"));
}

TEST_F(Inspect, ShowsTheFactsOfTheKernelsOfCode) {
  CacheEntry facts = entry_number(1);
  facts.key.target = "facts";
  facts.key.arguments = "dat double x4 inc through a map\ndat double x1 read\n";
  facts.key.compiler = facts.key.triple = facts.key.cpu = facts.key.features = "";
  facts.symbol = facts.signature = facts.source = facts.assembly = "";
  facts.object.clear();
  facts.findings.clear();
  facts.facts = {{.writes_all = true}, {.why = "reads it"}};
  put(facts);
  EXPECT_THAT(
      run("show kernel1").text,
      AllOf(HasSubstr("facts      argument 0: is written in full\n"),
            HasSubstr("facts      argument 1: reads it\n"), Not(HasSubstr("SIMD")),
            Not(HasSubstr("machine")), Not(HasSubstr("assembly")), Not(HasSubstr("signature"))));
  CacheEntry code = entry_number(1);
  code.facts.clear();
  put(code);
  EXPECT_THAT(run("show kernel1").text,
              AllOf(HasSubstr("target     cpu\n"), HasSubstr("facts      argument 1: reads it\n")));
  code.key.kernel = "kernel1+kernel2";
  put(code);
  EXPECT_EQ(run_json("show kernel1+kernel2")["facts"][0],
            "kernel kernel1: argument 0: is written in full");
  code.key.kernel = "kernel1";
  code.key.arguments = "dat double x4 read dat=0\n";
  put(code);
  EXPECT_TRUE(run_json("show " + name_of(key_of(code)))["facts"].empty());
}

TEST_F(Inspect, ReportsThatThereIsNoSuchEntry) {
  const Answer answer = run("show nothing");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("'nothing'"), HasSubstr("op2-jitinspect list")));
}

TEST_F(Inspect, DoesNotLetAnEntrySteerTheTerminal) {
  CacheEntry entry = entry_number(1);
  entry.loop = "\x1b[2Jloop";
  entry.source = "\x1b[31m\n";
  put(entry);
  EXPECT_THAT(run("list").text + run("show kernel1 --source").text, Not(HasSubstr("\x1b")));
}

TEST_F(Inspect, PrintsBytesThatAreNoTextAsJson) {
  CacheEntry entry = entry_number(1);
  entry.source = "\xff\xfe";
  put(entry);
  EXPECT_EQ(run_json("show kernel1 --source")["source"], "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_F(Inspect, CountsByKernelAndByCpu) {
  put(entry_number(1));
  put(variant_of(1));
  damage(entry_number(2));
  const json all = run_json("stats");
  EXPECT_EQ(all["entries"], 2);
  EXPECT_EQ(all["bad"], 1);
  EXPECT_EQ(all["by_kernel"]["kernel1"]["entries"], 2);
  EXPECT_EQ(all["by_cpu"]["skylake"]["entries"], 1);
  EXPECT_THAT(run("stats").text, AllOf(HasSubstr("kernel1"), HasSubstr("skylake")));
}

TEST_F(Inspect, VerifyIsContentWithGoodEntries) {
  put(entry_number(1));
  const Answer answer = run("verify");
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.text, HasSubstr("1 good"));
}

TEST_F(Inspect, VerifyNamesTheEntryWithAFlippedBit) {
  put(entry_number(1));
  damage(entry_number(2));
  const Answer answer = run("verify");
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.text, AllOf(HasSubstr(name_of(key_of(entry_number(2)))), HasSubstr("checksum"),
                                 HasSubstr("1 good"), HasSubstr("1 bad"),
                                 Not(HasSubstr(name_of(key_of(entry_number(1)))))));
  const json document = run_json("verify");
  EXPECT_EQ(document["bad"][0]["file"], entry_name(key_of(entry_number(2))));
}

TEST_F(Inspect, VerifyNamesAnEntryUnderTheNameOfAnother) {
  test::write_file(path_of(place_.path(), entry_number(1)), file_of(entry_number(2)));
  EXPECT_EQ(run("verify").code, 1);
}

TEST_F(Inspect, VerifyDoesNotCallAnotherVersionBad) {
  test::write_file(path_of(place_.path(), entry_number(1)),
                   test::file_of_another_version(entry_number(1)));
  const Answer answer = run("verify");
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.text, HasSubstr("1 of other versions"));
}

TEST_F(Inspect, PrunesToASize) {
  const auto now = fs::file_time_type::clock::now();
  for (const int number : {1, 2, 3}) {
    CacheEntry entry = entry_number(number);
    entry.object.resize(500'000);
    put(entry);
    fs::last_write_time(path_of(place_.path(), entry), now - std::chrono::hours(number));
  }
  const std::string dry = run("prune --max-mb 1 --dry-run").text;
  EXPECT_THAT(dry, HasSubstr("would remove 1 file, 500."));
  EXPECT_THAT(dry, testing::Not(HasSubstr("removed")));
  EXPECT_EQ(run_json("prune --max-mb 1")["removed"],
            json::array({entry_name(key_of(entry_number(3)))}));
  EXPECT_EQ(run_json("list").size(), 2u);
}

TEST_F(Inspect, PrunesWhatIsOldOrBadOrAll) {
  for (const int number : {1, 2}) put(entry_number(number));
  damage(entry_number(3));
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(path_of(place_.path(), entry_number(2)), now - std::chrono::hours(72));
  test::write_file(place_ / "README", {});
  EXPECT_EQ(run_json("prune --bad")["removed"].size(), 1u);
  EXPECT_EQ(run_json("prune --older-than 2")["removed"],
            json::array({entry_name(key_of(entry_number(2)))}));
  EXPECT_EQ(run_json("prune --all")["removed"].size(), 1u);
  EXPECT_TRUE(fs::exists(place_ / "README"));
}

TEST_F(Inspect, PruneWantsToKnowWhat) {
  put(entry_number(1));
  const Answer answer = run("prune");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.text, HasSubstr("--older-than"));
  EXPECT_EQ(run_json("list").size(), 1u);
}

TEST_F(Inspect, ReportsWhyAKernelWasCompiledAgain) {
  put(entry_number(1));
  put(variant_of(1));
  put(entry_number(2));
  const Answer answer = run("why-missed kernel1");
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.text,
              AllOf(HasSubstr("3 of the 12 fields"), HasSubstr("- znver5\n    + skylake"),
                    HasSubstr("+ +fma"), HasSubstr("source, from line 2"),
                    HasSubstr("-   *x = 1;\n    +   *x = 2;"), Not(HasSubstr("triple"))));
}

TEST_F(Inspect, DoesNotNameTheHashOfTheEmittedCodeBesidesItsCause) {
  CacheEntry first = entry_number(1), second = entry_number(1);
  first.key.generator = "op2 1.0, format 20, source 0011";
  second.key.generator = "op2 1.0, format 20, source 2233";
  second.created += 1;
  put(first);
  put(second);
  EXPECT_THAT(run("why-missed kernel1").text, HasSubstr("+ op2 1.0, format 20, source 2233"));
  second.key.options = "simd=off";
  second.created += 1;
  put(second);
  const std::string both = name_of(key_of(second)) + " " + name_of(key_of(first));
  EXPECT_THAT(
      run("why-missed " + both).text,
      AllOf(HasSubstr("1 of the 12 fields"), HasSubstr("+ simd=off"), Not(HasSubstr("generator"))));
}

TEST_F(Inspect, ReportsTheSameAsJson) {
  put(entry_number(1));
  put(variant_of(1));
  const json document = run_json("why-missed " + name_of(key_of(variant_of(1))));
  EXPECT_EQ(document["other"], name_of(key_of(entry_number(1))));
  ASSERT_EQ(document["differences"].size(), 3u);
  EXPECT_EQ(
      document["differences"][0],
      json::parse(
          R"({"field": "cpu", "unit": "line", "first": 1, "this": ["skylake"], "other": ["znver5"]})"));
}

TEST_F(Inspect, ComparesASourceOfOneLineByStatements) {
  CacheEntry one = entry_number(1), two = entry_number(1);
  one.key.source = "void kernel1(double *x) { int i = 0; *x = 1; }";
  two.key.source = "void kernel1(double *x) { int i = 0; *x = 2; }";
  two.created += 1;
  put(one);
  put(two);
  EXPECT_THAT(run("why-missed kernel1").text,
              HasSubstr("source, from statement 2\n    -  *x = 1\n    +  *x = 2\n"));
}

TEST_F(Inspect, ComparesWithTheEntryThatTheUserNames) {
  put(entry_number(1));
  put(entry_number(2));
  const json document = run_json("why-missed kernel1 kernel2");
  EXPECT_EQ(document["other"], name_of(key_of(entry_number(2))));
}

TEST_F(Inspect, ReportsThatAnEntryIsTheFirstOfItsKernel) {
  put(entry_number(1));
  EXPECT_THAT(run("why-missed kernel1").text, HasSubstr("first time"));
  EXPECT_TRUE(run_json("why-missed kernel1")["other"].is_null());
}

TEST_F(Inspect, ReadsADirectoryThatTheLibraryWouldRefuseWithAWarning) {
  put(entry_number(1));
  chmod(place_.path().c_str(), 0777);
  const Answer answer = run("list");
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.text,
              AllOf(HasSubstr("warning:"), HasSubstr("mode 777"), HasSubstr("kernel1")));
}

TEST_F(Inspect, ReadsACacheThatRootSharesWithAllUsersWithoutAWarning) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  put(entry_number(1));
  chmod(path_of(place_.path(), entry_number(1)).c_str(), 0644);
  chmod(place_.path().c_str(), 0755);
  EXPECT_EQ(test::in_child([&] {
              if (!test::become_nobody()) return 2;
              const Answer answer = run("list");
              const bool is_listed = answer.text.find("kernel1") != answer.text.npos;
              return is_listed && answer.text.find("warning") == answer.text.npos ? 0 : 1;
            }),
            0);
}

TEST_F(Inspect, ReportsThatThereIsNoDirectory) {
  const Answer answer = run_in(place_.path() / "none", "list");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.text, HasSubstr("No such file or directory"));
}

TEST_F(Inspect, FindsNoCacheForAProgramWithMoreRightsThanItsUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make such a program";
  const fs::path program = place_.path() / "setuid";
  fs::copy_file(OP2_JITINSPECT, program);
  chmod(program.c_str(), 04755);
  chmod(place_.path().c_str(), 0755);
  EXPECT_EQ(test::in_child([&] {
              if (freopen((place_ / "answer").c_str(), "w", stderr) == nullptr) return 1;
              if (!test::become_nobody() || setenv("HOME", "/usr", 1) != 0) return 1;
              return execl(program.c_str(), "op2-jitinspect", "list", nullptr);
            }),
            2);
  EXPECT_THAT(op2::test::content_of(place_ / "answer"),
              HasSubstr("the cache directory is unknown"));
}

TEST_F(Inspect, ExplainsEveryCommand) {
  EXPECT_THAT(run_plain("--version").text, testing::MatchesRegex("op2-jitinspect [0-9.]+\n"));
  for (const char* command : {"", "list", "show", "stats", "verify", "prune", "why-missed"}) {
    const Answer answer = run_plain(std::string(command) + " --help");
    EXPECT_EQ(answer.code, 0) << command;
    EXPECT_THAT(answer.text, HasSubstr("Usage:")) << command;
  }
}

TEST_F(Inspect, RefusesWhatItDoesNotKnow) {
  for (const char* arguments :
       {"", "explode", "list --wrong", "show", "show a --ir --asm", "prune --max-mb much"})
    EXPECT_EQ(run_plain(arguments).code, 2) << arguments;
}

/// Files of OP2_HASH.
class InspectValues : public Inspect {
 protected:
  static void write_text(const fs::path& path, std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    test::write_file(path, {bytes.begin(), bytes.end()});
  }
  std::string file(const std::string& name, const std::string& lines) {
    const fs::path path = place_.path() / name;
    write_text(path, core::first_line_of_hashes() + lines);
    return path.string();
  }
  const std::string mesh_ = core::line_of({}, "declared: set 'cells' of 4 elements") +
                            core::line_of(1, "declared: map 'ends'");
  const std::string one_ = file("one", mesh_ + core::line_of(2, "fetch of dat 'x'"));
};

TEST_F(InspectValues, AreTheSame) {
  const Answer answer =
      run_plain("diff " + one_ + " " + file("two", mesh_ + core::line_of(2, "fetch of dat 'x'")));
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.text, "the same bits: 3 values\n");
}

TEST_F(InspectValues, NamesTheFirstDifference) {
  const std::string other = file("two", mesh_ + core::line_of(0xabc, "fetch of dat 'x'"));
  const Answer answer = run_plain("diff " + one_ + " " + other);
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.text, "1 of 3 values differ; the first:\n  " + one_ +
                             ":4  0000000000000002  fetch of dat 'x'\n  " + other +
                             ":4  0000000000000abc  fetch of dat 'x'\na value is not the same\n");
  const json found = json::parse(run_plain("diff --json " + one_ + " " + other).text);
  EXPECT_EQ(found["different"], 1);
  EXPECT_EQ(found["first"], 2);
  EXPECT_EQ(found["other"]["hash"], "0000000000000abc");
}

TEST_F(InspectValues, TellsAnotherMeshFromAnotherProgram) {
  const std::string mesh = file("mesh", core::line_of({}, "declared: set 'cells' of 5 elements"));
  EXPECT_THAT(run_plain("diff " + one_ + " " + mesh).text,
              HasSubstr("do not declare and ask for the same values"));
  const std::string map = file("map", core::line_of({}, "declared: set 'cells' of 4 elements") +
                                          core::line_of(7, "declared: map 'ends'"));
  EXPECT_THAT(run_plain("diff " + one_ + " " + map).text,
              AllOf(HasSubstr("2 of 3 values differ"), HasSubstr(":3  0000000000000001"),
                    HasSubstr("do not declare the same mesh")));
  const std::string shorter = file("shorter", mesh_);
  EXPECT_THAT(run_plain("diff " + shorter + " " + one_).text, HasSubstr(":4  no more values"));
}

TEST_F(InspectValues, RefusesOtherFiles) {
  for (const std::string& name : {std::string("/dev/null"), place_.path().string() + "/missing"}) {
    const Answer answer = run_plain("diff " + one_ + " " + name);
    EXPECT_EQ(answer.code, 2) << name;
    EXPECT_THAT(answer.text, AllOf(HasSubstr("cannot read"), HasSubstr(name)));
  }
  write_text(place_.path() / "text", "something else\n");
  const Answer answer = run_plain("diff " + one_ + " " + (place_.path() / "text").string());
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.text, HasSubstr("not a file that OP2_HASH has written"));
}

}  // namespace
}  // namespace op2::jit
