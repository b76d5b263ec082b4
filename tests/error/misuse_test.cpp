// SPDX-License-Identifier: BSD-3-Clause
// Everything that a program can get wrong at a declaration or at a call: the error comes at that
// call, with its code, and names what the user named.
#include <climits>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <op2/op2.hpp>

namespace {

using op2::ErrorCode;
using testing::AllOf;
using testing::HasSubstr;

OP_KERNEL(read_one, (const double* a), { (void)a; });
OP_KERNEL(write_one, (double* a), { *a = 1; });
OP_KERNEL(add_one, (const double* a, double* b), { *b += *a; });
OP_KERNEL(sum_index, (const int* i, double* b), { *b += *i; });

/// Two edges between three nodes, and a cell set without a map.
struct World {
  op_set nodes, edges, cells;
  op_map ends;
  op_dat x, flow, flag;
};

World declare_world() {
  const int ends[] = {0, 1, 1, 2};
  const double zeros[6] = {};
  const bool flags[3] = {};
  World w{};
  w.nodes = op_decl_set(3, "nodes");
  w.edges = op_decl_set(2, "edges");
  w.cells = op_decl_set(4, "cells");
  w.ends = op_decl_map(w.edges, w.nodes, 2, ends, "ends");
  w.x = op_decl_dat(w.nodes, 2, "double", zeros, "x");
  w.flow = op_decl_dat(w.edges, 1, "double", zeros, "flow");
  w.flag = op_decl_dat(w.nodes, 1, "bool", flags, "flag");
  return w;
}

struct Misuse {
  const char* name;
  ErrorCode code;
  std::vector<std::string> words;  ///< all of them in the message
  std::function<void(World&)> act;
};

void PrintTo(const Misuse& misuse, std::ostream* out) {
  *out << misuse.name;
}

class MisuseTest : public testing::TestWithParam<Misuse> {
 protected:
  void SetUp() override { op_init(0, nullptr, 0); }
  void TearDown() override { op_exit(); }
};

TEST_P(MisuseTest, IsRefusedAtTheCall) {
  World world = declare_world();
  try {
    GetParam().act(world);
    FAIL() << "nothing was thrown";
  } catch (const op2::Error& error) {
    EXPECT_EQ(error.code(), GetParam().code) << error.what();
    EXPECT_THAT(error.what(),
                HasSubstr("OP2-E" + std::to_string(static_cast<int>(GetParam().code))));
    for (const std::string& word : GetParam().words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

const int bad_ends[] = {0, 1, 1, 7};
const int negative_ends[] = {0, -1, 1, 2};
double number = 0;
int whole = 0;
const double fixed = 0;

// clang-format off: one case a line or two reads better
std::vector<Misuse> declarations() {
  return {
      {"NegativeSetSize", ErrorCode::bad_size, {"'s'", "-1"}, [](World&) { op_decl_set(-1, "s"); }},
      {"SetWithoutName", ErrorCode::bad_name, {"op_decl_set"}, [](World&) { op_decl_set(1, nullptr); }},
      {"SetWithEmptyName", ErrorCode::bad_name, {"op_decl_set"}, [](World&) { op_decl_set(1, ""); }},
      {"MapEntryTooLarge", ErrorCode::map_out_of_range, {"'m'[1][1] = 7", "'nodes'", "3 elements", "1 of 4"},
       [](World& w) { op_decl_map(w.edges, w.nodes, 2, bad_ends, "m"); }},
      {"MapEntryNegative", ErrorCode::map_out_of_range, {"'m'[0][1] = -1", "0 .. 2"},
       [](World& w) { op_decl_map(w.edges, w.nodes, 2, negative_ends, "m"); }},
      {"MapFromNullSet", ErrorCode::bad_handle, {"'m'", "from", "null"}, [](World& w) { op_decl_map(nullptr, w.nodes, 2, bad_ends, "m"); }},
      {"MapToNullSet", ErrorCode::bad_handle, {"'m'", "to", "null"}, [](World& w) { op_decl_map(w.edges, nullptr, 2, bad_ends, "m"); }},
      {"MapOfArityZero", ErrorCode::bad_dim, {"'m'", "0"}, [](World& w) { op_decl_map(w.edges, w.nodes, 0, bad_ends, "m"); }},
      {"MapWithoutValues", ErrorCode::null_data, {"'m'", "'edges'", "2"}, [](World& w) { op_decl_map(w.edges, w.nodes, 2, nullptr, "m"); }},
      {"MapWithoutName", ErrorCode::bad_name, {"op_decl_map"}, [](World& w) { op_decl_map(w.edges, w.nodes, 2, bad_ends, nullptr); }},
      {"DatOfDimZero", ErrorCode::bad_dim, {"'d'", "0"}, [](World& w) { op_decl_dat(w.nodes, 0, "double", &number, "d"); }},
      {"DatOfHugeDim", ErrorCode::bad_dim, {"'d'", "65537", "65536"}, [](World& w) { op_decl_dat(w.nodes, 65537, "double", &number, "d"); }},
      {"DatOfUnknownType", ErrorCode::bad_type, {"'d'", "doulbe", "; did you mean 'double'?"},
       [](World& w) { op_decl_dat(w.nodes, 1, "doulbe", &number, "d"); }},
      {"DatTypeAgainstData", ErrorCode::bad_type, {"'d'", "float", "double"}, [](World& w) { op_decl_dat(w.nodes, 1, "float", &number, "d"); }},
      {"DatOnNullSet", ErrorCode::bad_handle, {"'d'", "null"}, [](World&) { op_decl_dat(nullptr, 1, "double", &number, "d"); }},
      {"DatWithoutName", ErrorCode::bad_name, {"op_decl_dat"}, [](World& w) { op_decl_dat(w.nodes, 1, "double", &number, ""); }},
      {"DatLargerThanMemory", ErrorCode::out_of_memory, {"'huge'", "'large'", "bytes"},
       [](World&) { op_decl_dat<double>(op_decl_set(2'000'000'000, "large"), 65536, nullptr, "huge"); }},
      {"DatOfTypeUnlikeAny", ErrorCode::bad_type, {"\"real\"; use double, float, int, uint, ll, ull or bool"}, [](World& w) { op_decl_dat(w.nodes, 1, "real", &number, "d"); }},
      {"TemporaryOfUnknownType", ErrorCode::bad_type, {"'t'", "integer"}, [](World& w) { op_decl_dat_temp(w.nodes, 1, "integer", "t"); }},
      {"TemporaryWithoutType", ErrorCode::bad_type, {"'t'"}, [](World& w) { op_decl_dat_temp(w.nodes, 1, nullptr, "t"); }},
      {"ConstantThatIsNotAnIdentifier", ErrorCode::bad_constant, {"'2gam'", "identifier"}, [](World&) { op_decl_const(1, &number, "2gam"); }},
      {"ConstantOfDimZero", ErrorCode::bad_dim, {"'gam'"}, [](World&) { op_decl_const(0, &number, "gam"); }},
      {"ConstantWithoutValue", ErrorCode::null_data, {"'gam'"}, [](World&) { op_decl_const<double>(1, nullptr, "gam"); }},
      {"ConstantRedeclaredWithOtherType", ErrorCode::bad_constant, {"'gam'", "double", "int"},
       [](World&) { op_decl_const(1, &number, "gam"); op_decl_const(1, &whole, "gam"); }},
      {"ConstantRedeclaredWithOtherDim", ErrorCode::bad_constant, {"'gam'", "1", "2"},
       [](World&) { const double two[2] = {}; op_decl_const(1, &number, "gam"); op_decl_const(2, two, "gam"); }},
      {"ConstantNamedLikeAKeyword", ErrorCode::bad_constant, {"'double'"}, [](World&) { op_decl_const(1, &number, "double"); }},
      {"ConstantNamedLikeAFunction", ErrorCode::bad_constant, {"'log'"}, [](World&) { op_decl_const(1, &number, "log"); }},
      {"ConstantNamedLikeAMacro", ErrorCode::bad_constant, {"'M_PI'"}, [](World&) { op_decl_const(1, &number, "M_PI"); }},
      {"ConstantNamedLikeGeneratedCode", ErrorCode::bad_constant, {"'op2_x'"}, [](World&) { op_decl_const(1, &number, "op2_x"); }},
      {"KernelNamedMain", ErrorCode::bad_name, {"'main'"}, [](World&) { op_decl_kernel("main", "void main() {}"); }},
      {"GlobalWithoutValue", ErrorCode::null_data, {"'g'"}, [](World&) { op_decl_global<double>(1, nullptr, "g"); }},
      {"GlobalOfDimZero", ErrorCode::bad_dim, {"'g'"}, [](World&) { op_decl_global(0, &number, "g"); }},
      {"GlobalSetWithOtherType", ErrorCode::bad_type, {"op_set_global", "'g'", "double", "int"},
       [](World&) { op_set_global(op_decl_global(1, &number, "g"), &whole); }},
      {"GlobalFetchedAsOtherType", ErrorCode::bad_type, {"op_fetch_global", "'g'"},
       [](World&) { op_fetch_global(op_decl_global(1, &number, "g"), &whole); }},
      {"NullGlobalFetched", ErrorCode::bad_handle, {"op_fetch_global", "null"}, [](World&) { op_fetch_global(nullptr, &number); }},
      {"KernelWithoutText", ErrorCode::null_data, {"'k'"}, [](World&) { op_decl_kernel("k", nullptr); }},
      {"KernelNameThatIsNotAnIdentifier", ErrorCode::bad_name, {"'a b'"}, [](World&) { op_decl_kernel("a b", "void a(){}"); }},
      {"KernelFileThatIsMissing", ErrorCode::io_failure, {"'k'", "file '/no/such/file.h', No such file"},
       [](World&) { op_decl_kernel_file("k", "/no/such/file.h"); }},
      {"KernelFileThatIsMissingHere", ErrorCode::io_failure, {"file 'no/such.h' in the working directory '/", "No such file"},
       [](World&) { op_decl_kernel_file("k", "no/such.h"); }},
      {"KernelFileThatIsAFolder", ErrorCode::io_failure, {"'k'", "/tmp"}, [](World&) { op_decl_kernel_file("k", "/tmp"); }},
      {"KernelFileThatIsADevice", ErrorCode::io_failure, {"'k'", "/dev/null", "it is a device, not a regular file"},
       [](World&) { op_decl_kernel_file("k", "/dev/null"); }},
  };
}

std::vector<Misuse> loops() {
  return {
      {"NullKernel", ErrorCode::bad_handle, {"loop 'l'", "misuse_test.cpp", "kernel", "null"},
       [](World& w) { op_par_loop(op_kernel{nullptr}, "l", w.nodes, op_arg_dat(w.x, OP_READ)); }},
      {"NullSet", ErrorCode::bad_handle, {"loop 'l'", "set", "null"}, [](World& w) { op_par_loop(read_one, "l", nullptr, op_arg_dat(w.x, OP_READ)); }},
      {"LoopWithoutName", ErrorCode::bad_name, {"misuse_test.cpp"}, [](World& w) { op_par_loop(read_one, "", w.nodes, op_arg_dat(w.x, OP_READ)); }},
      {"NullDat", ErrorCode::bad_handle, {"loop 'l'", "arg 0", "dat", "null"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(nullptr, OP_READ)); }},
      {"DirectDatOfOtherSet", ErrorCode::wrong_set, {"loop 'l'", "arg 0", "'flow'", "'edges'", "'nodes'"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(w.flow, OP_READ)); }},
      {"MapFromOtherSet", ErrorCode::wrong_set, {"arg 0", "'ends'", "'edges'", "'nodes'"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(w.x, 0, w.ends, OP_READ)); }},
      {"MapToOtherSet", ErrorCode::wrong_set, {"arg 0", "'ends'", "'nodes'", "'flow'", "'edges'"},
       [](World& w) { op_par_loop(read_one, "l", w.edges, op_arg_dat(w.flow, 0, w.ends, OP_READ)); }},
      {"MapIndexTooLarge", ErrorCode::bad_map_index, {"arg 0, index 2 for map 'ends' of arity 2; use one of 0 .. 1, or -2 for both columns at once"},
       [](World& w) { op_par_loop(read_one, "l", w.edges, op_arg_dat(w.x, 2, w.ends, OP_READ)); }},
      {"MapIndexNegative", ErrorCode::bad_map_index, {"arg 0", "-1", "'ends'"},
       [](World& w) { op_par_loop(read_one, "l", w.edges, op_arg_dat(w.x, -1, w.ends, OP_READ)); }},
      {"NullMapWithIndex", ErrorCode::bad_map_index, {"the map is null: loop 'l'", "arg 0, index 0; pass a declared map, or OP_ID"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(w.x, 0, OP_ID, 2, "double", OP_READ)); }},
      {"WrongDim", ErrorCode::bad_dim, {"arg 0", "dim 3", "'x'", "2"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(w.x, -1, OP_ID, 3, "double", OP_READ)); }},
      {"WrongType", ErrorCode::bad_type, {"arg 0", "\"float\"", "'x'", "\"double\""},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(w.x, -1, OP_ID, 2, "float", OP_READ)); }},
      {"UnknownType", ErrorCode::bad_type, {"arg 0", "flaot", "; did you mean 'float'?"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(w.x, -1, OP_ID, 2, "flaot", OP_READ)); }},
      {"UnknownTypeOfArgumentThatIsOff", ErrorCode::bad_type, {"arg 0", "flaot"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_opt_arg_dat(0, nullptr, -1, OP_ID, 2, "flaot", OP_READ)); }},
      {"ArgumentThatIsOffWithUnknownAccess", ErrorCode::bad_access, {"arg 0", "unknown"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_opt_arg_dat(0, nullptr, -1, OP_ID, 1, "double", static_cast<op_access>(1717))); }},
      {"ArgumentThatIsOffWithBadDim", ErrorCode::bad_dim, {"arg 0", "-7"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_opt_arg_dat(0, nullptr, -1, OP_ID, -7, "double", OP_WRITE)); }},
      {"ArgumentThatIsOffWithoutAnyType", ErrorCode::bad_type, {"arg 0", "type string"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_opt_arg_dat(0, nullptr, -1, OP_ID, 1, nullptr, OP_WRITE)); }},
      {"GlobalOfAbsurdDim", ErrorCode::bad_dim, {"arg 0", "-2147483648"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_arg_gbl(&number, INT_MIN, "double", OP_INC)); }},
      {"PayloadOfADat", ErrorCode::bad_access, {"arg 1, the last value of op_arg_info is 0, but arg 0 is a dat with OP_RW; give the number of the op_arg_gbl"},
       [](World& w) { op_par_loop(op_decl_kernel("k", "void k(double*, int*) {}"), "l", w.nodes, op_arg_dat(w.x, OP_RW), op_arg_info(&whole, 1, "int", 0)); }},
      {"PayloadOfNoArgument", ErrorCode::bad_access, {"arg 1, the last value of op_arg_info is 7, but the arguments have the numbers 0 .. 1"},
       [](World& w) { op_par_loop(op_decl_kernel("k", "void k(double*, int*) {}"), "l", w.nodes, op_arg_dat(w.x, OP_RW), op_arg_info(&whole, 1, "int", 7)); }},
      {"UnknownAccess", ErrorCode::bad_access, {"arg 0", "'x'"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_arg_dat(w.x, static_cast<op_access>(17))); }},
      {"LazyGlobalWritten", ErrorCode::bad_access, {"arg 0", "OP_WRITE"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_arg_gbl(op_decl_global(1, &number, "g"), OP_WRITE)); }},
      {"GlobalReadAndWritten", ErrorCode::bad_access, {"arg 0", "OP_RW"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_arg_gbl(&number, 1, "double", OP_RW)); }},
      {"ReductionIntoConst", ErrorCode::bad_access, {"arg 0", "OP_INC", "const"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_arg_gbl(&fixed, 1, "double", OP_INC)); }},
      {"NullGlobal", ErrorCode::null_data, {"arg 0", "null"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_gbl(static_cast<double*>(nullptr), 1, "double", OP_READ)); }},
      {"GlobalOfZeroValues", ErrorCode::bad_dim, {"arg 0", "dim 0"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_gbl(&number, 0, "double", OP_READ)); }},
      {"GlobalTypeAgainstData", ErrorCode::bad_type, {"arg 0", "\"int\" for data of a global of type \"double\"; write \"double\""},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_gbl(&number, 1, "int", OP_READ)); }},
      {"GlobalTooLargeToCopy", ErrorCode::too_large, {"arg 0", "24000000", "16777216"},
       [](World& w) { const std::vector<double> many(3000000); op_par_loop(read_one, "l", w.nodes, op_arg_gbl(many.data(), 3000000, "double", OP_READ)); }},
      {"SameRowsWrittenTwice", ErrorCode::conflicting_args, {"arg 1", "arg 0", "OP_WRITE"},
       [](World& w) { op_par_loop(op_decl_kernel("k", "void k(double*, double*) {}"), "l", w.nodes, op_arg_dat(w.x, OP_WRITE), op_arg_dat(w.x, OP_WRITE)); }},
      {"SameGlobalReducedTwice", ErrorCode::conflicting_args, {"arg 1", "arg 0", "OP_INC"},
       [](World& w) { op_par_loop(op_decl_kernel("k", "void k(double*, double*) {}"), "l", w.nodes, op_arg_gbl(&number, 1, "double", OP_INC), op_arg_gbl(&number, 1, "double", OP_INC)); }},
      {"SameGlobalReadAndReduced", ErrorCode::conflicting_args, {"arg 1", "arg 0"},
       [](World& w) { op_par_loop(op_decl_kernel("k", "void k(const double*, double*) {}"), "l", w.nodes, op_arg_gbl(&number, 1, "double", OP_READ), op_arg_gbl(&number, 1, "double", OP_INC)); }},
      {"TooFewParameters", ErrorCode::kernel_signature, {"'read_one'", "1 parameter, but", "2 arguments"},
       [](World& w) { op_par_loop(op_kernel(read_one), "l", w.nodes, op_arg_dat(w.x, OP_READ), op_arg_dat(w.x, OP_READ)); }},
      {"ParameterOfOtherType", ErrorCode::kernel_signature, {"arg 0", "'read_one'", "double", "bool"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(w.flag, OP_READ)); }},
      {"ConstParameterOfWrittenDat", ErrorCode::kernel_signature, {"arg 0", "'read_one'", "const", "OP_WRITE"},
       [](World& w) { op_par_loop(read_one, "l", w.nodes, op_arg_dat(w.x, OP_WRITE)); }},
      {"WritableParameterOfReadDat", ErrorCode::kernel_signature, {"arg 0", "'write_one'", "const double*", "OP_READ"},
       [](World& w) { op_par_loop(write_one, "l", w.nodes, op_arg_dat(w.x, OP_READ)); }},
      {"ParameterOfIndexArgument", ErrorCode::kernel_signature, {"arg 0", "'add_one'", "int"},
       [](World& w) { op_par_loop(add_one, "l", w.nodes, op_arg_idx(-1, OP_ID), op_arg_dat(w.x, OP_INC)); }},
      {"IndexThroughMapOfOtherSet", ErrorCode::wrong_set, {"arg 0", "'ends'"},
       [](World& w) { op_par_loop(sum_index, "l", w.nodes, op_arg_idx(0, w.ends), op_arg_dat(w.x, OP_INC)); }},
      {"IndexOfColumnThatIsMissing", ErrorCode::bad_map_index, {"arg 0, index 5", "'ends'", "use one of 0 .. 1"},
       [](World& w) { op_par_loop(sum_index, "l", w.edges, op_arg_idx(5, w.ends), op_arg_dat(w.flow, OP_INC)); }},
      {"FreedTemporary", ErrorCode::bad_handle, {"arg 0", "session"},
       [](World& w) { op_dat t = op_decl_dat_temp(w.nodes, 1, "double", "t"); op_free_dat_temp(t); op_par_loop(read_one, "l", w.nodes, op_arg_dat(t, OP_READ)); }},
  };
}

std::vector<Misuse> results() {
  return {
      {"FetchAsOtherType", ErrorCode::bad_type, {"op_fetch_data", "'x'", "double", "float"},
       [](World& w) { float values[6]; op_fetch_data(w.x, values); }},
      {"FetchOfNull", ErrorCode::bad_handle, {"op_fetch_data", "null"}, [](World&) { op_fetch_data(nullptr, &number); }},
      {"FetchIntoNull", ErrorCode::null_data, {"op_fetch_data", "'x'"}, [](World& w) { op_fetch_data<double>(w.x, nullptr); }},
      {"FetchOfRangeBeyondTheSet", ErrorCode::bad_range, {"1 .. 3", "'x'", "'nodes'", "3"},
       [](World& w) { double values[6]; op_fetch_data_idx(w.x, values, 1, 3); }},
      {"FetchOfNegativeRange", ErrorCode::bad_range, {"-1 .. 1"}, [](World& w) { double values[6]; op_fetch_data_idx(w.x, values, -1, 1); }},
      {"FetchOfEmptyRange", ErrorCode::bad_range, {"2 .. 1"}, [](World& w) { double values[6]; op_fetch_data_idx(w.x, values, 2, 1); }},
      {"SizeOfNull", ErrorCode::bad_handle, {"op_get_size"}, [](World&) { op_get_size(nullptr); }},
      {"PrintIntoMissingFolder", ErrorCode::io_failure, {"/no/such/folder/x.txt"}, [](World& w) { op_print_dat_to_txtfile(w.x, "/no/such/folder/x.txt"); }},
      {"PrintWithoutPath", ErrorCode::bad_name, {"op_print_dat_to_binfile"}, [](World& w) { op_print_dat_to_binfile(w.x, nullptr); }},
      {"VtuOfCellsWithoutShape", ErrorCode::bad_dim, {"arity 7"},
       [](World& w) {
         const int seven[14] = {};
         op_write_vtu("/tmp/never.vtu", op_decl_map(w.edges, w.nodes, 7, seven, "seven"), w.x, {});
       }},
      {"VtuFieldOnAnotherSet", ErrorCode::wrong_set, {"'cells'", "'temperature'"},
       [](World& w) {
         const op_dat field[] = {op_decl_dat<double>(w.cells, 1, nullptr, "temperature")};
         op_write_vtu("/tmp/never.vtu", w.ends, w.x, field);
       }},
      {"VtuCoordinatesOnAnotherSet", ErrorCode::wrong_set, {"'ends'", "'nodes'", "'flow'", "'edges'"},
       [](World& w) { op_write_vtu("/tmp/never.vtu", w.ends, w.flow, {}); }},
      {"NullInArgv", ErrorCode::null_data, {"op_init, word 1 of 3 in argv", "pass argc and argv of main"},
       [](World&) { op_exit(); char* words[] = {nullptr, nullptr, nullptr}; op_init(3, words, 0); }},
      {"InitTwice", ErrorCode::already_initialised, {"op_init", "op_exit"}, [](World&) { op_init(0, nullptr, 0); }},
  };
}

// clang-format on
std::string name_of(const testing::TestParamInfo<Misuse>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Declarations, MisuseTest, testing::ValuesIn(declarations()), name_of);
INSTANTIATE_TEST_SUITE_P(Loops, MisuseTest, testing::ValuesIn(loops()), name_of);
INSTANTIATE_TEST_SUITE_P(Results, MisuseTest, testing::ValuesIn(results()), name_of);

}  // namespace
