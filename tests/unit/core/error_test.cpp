// SPDX-License-Identifier: BSD-3-Clause
#include <core/error.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <support/expect_error.hpp>

namespace op2::core {
namespace {

TEST(Fail, PutsValuesOfAllTypesIntoTheirPlaces) {
  EXPECT_EQ(test::error_text(ErrorCode::bad_size,
                             [] {
                               fail(ErrorCode::bad_size, "{} {} {} {} {} {} {}", "a",
                                    std::string("b"), -1, std::size_t{2}, 0.5, true, 'c');
                             }),
            "OP2-E202 a b -1 2 0.5 true c");
}

TEST(Fail, LeavesPlacesInsideAValueAsTheyAre) {
  EXPECT_EQ(
      test::error_text(ErrorCode::bad_size, [] { fail(ErrorCode::bad_size, "{}: {}", "{}", 3); }),
      "OP2-E202 {}: 3");
}

TEST(Fail, KnowsTheLargestNumbers) {
  EXPECT_EQ(
      test::error_text(ErrorCode::bad_size, [] { fail(ErrorCode::bad_size, "{}", UINT64_MAX); }),
      "OP2-E202 18446744073709551615");
}

using enum ErrorCode;

/// The codes of each hundred, from 1 on. Released numbers never change: new ones go to the end.
const std::map<int, std::vector<ErrorCode>> codes_by_hundred = {
    {100,
     {kernel_source, kernel_signature, kernel_include, unknown_symbol, kernel_limits,
      compiler_crash, kernel_access}},
    {200, {not_initialised,     bad_size,         bad_name,     bad_dim,       bad_type,
           null_data,           map_out_of_range, wrong_set,    bad_map_index, bad_access,
           conflicting_args,    bad_handle,       wrong_thread, wrong_process, already_initialised,
           bad_constant,        poisoned,         bad_range,    too_large,     inside_kernel,
           host_function_threw, not_supported}},
    {400, {collective_mismatch, kernel_differs, communication_failure, order_dependent}},
    {500,
     {bad_option, io_failure, not_compiled, plugin_failure, out_of_memory, link_failure,
      bad_dataset, device_failure, no_device, device_compiler, bad_checkpoint}},
    {900, {internal}}};

TEST(ErrorCodes, KeepTheirNumbers) {
  for (const auto& [hundred, codes] : codes_by_hundred)
    for (std::size_t k = 0; k < codes.size(); ++k)
      EXPECT_EQ(static_cast<int>(codes[k]), hundred + 1 + static_cast<int>(k));
}

}  // namespace
}  // namespace op2::core
