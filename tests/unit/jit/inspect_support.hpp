// SPDX-License-Identifier: BSD-3-Clause
// What the tests of op2-jitinspect share: the program, run on a directory that was made for the
// test.
#pragma once

#include <array>
#include <cstdio>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cache_support.hpp"

namespace op2::jit::test {

struct Answer {
  int code;
  std::string text;  ///< standard output and errors
};

class Inspect : public testing::Test {
 protected:
  void put(const CacheEntry& entry) { write_file(path_of(place_.path(), entry), file_of(entry)); }
  void damage(const CacheEntry& entry) {
    std::vector<std::byte> file = file_of(entry);
    file[file.size() / 2] ^= std::byte{4};
    write_file(path_of(place_.path(), entry), file);
  }
  Answer run(const std::string& arguments) const { return run_in(place_.path(), arguments); }
  static Answer run_in(const fs::path& directory, const std::string& arguments) {
    return run_plain(arguments + " --dir '" + directory.string() + "'");
  }
  static Answer run_plain(const std::string& arguments) {
    FILE* pipe = popen((OP2_JITINSPECT " " + arguments + " 2>&1").c_str(), "r");
    Answer answer{0, {}};
    std::array<char, 4096> buffer;
    while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
      answer.text.append(buffer.data(), count);
    answer.code = WEXITSTATUS(pclose(pipe));
    return answer;
  }
  nlohmann::json run_json(const std::string& arguments) const {
    return nlohmann::json::parse(run(arguments + " --json").text);
  }

  TemporaryDirectory place_;
};

/// An entry of the same kernel for another CPU and with another text.
inline CacheEntry variant_of(int number) {
  CacheEntry entry = entry_number(number);
  entry.key.cpu = "skylake";
  entry.key.features = "+avx2,+fma";
  entry.key.source.replace(entry.key.source.find("= 1"), 3, "= 2");
  entry.created += 1000;
  return entry;
}

}  // namespace op2::jit::test
