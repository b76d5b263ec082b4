// SPDX-License-Identifier: BSD-3-Clause
// A checkpoint whose description was changed, with the right digest: it is refused or right, before
// anything is changed, and in bounded memory. TEST_MUTATIONS chooses how many.
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <comm/files/checkpoint_header.hpp>
#include <core/hash.hpp>
#include <support/checkpoint_program.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using State = CheckpointProgram::State;

class ChangedCheckpoint : public testing::Test {
 protected:
  ChangedCheckpoint() {
    op_init(0, nullptr, 0);
    {
      CheckpointProgram program;
      program.advance_one_step();
      op_checkpoint(path.c_str());
    }
    op_exit();
    good = content_of(path);
    text = comm::read_header(comm::OpenFile::existing(path, O_RDONLY, path));
    op_init(0, nullptr, 0);
  }
  ~ChangedCheckpoint() override { op_exit(); }

  /// Writes the file with another description, where the first one was.
  void describe(const std::string& other) const {
    const std::int64_t begin = std::ssize(good) - std::ssize(text), bytes = std::ssize(other);
    std::string file = good.substr(0, static_cast<std::size_t>(begin)) + other;
    const core::Digest digest =
        core::Hasher().bytes(std::as_bytes(std::span(std::string_view(other)))).finish();
    std::memcpy(file.data() + 16, &begin, sizeof begin);
    std::memcpy(file.data() + 24, &bytes, sizeof bytes);
    std::memcpy(file.data() + 32, &digest, sizeof digest);
    std::ofstream(path, std::ios::binary) << file;
  }
  /// @return the error
  std::string refused(const std::function<void(json&)>& change) const {
    json all = json::parse(text);
    change(all);
    describe(all.dump());
    return error_text(ErrorCode::bad_checkpoint, [&] { op_restore(path.c_str()); });
  }

  const TemporaryDirectory folder;
  const std::string path = folder / "a.ckpt";
  std::string good, text;
};

TEST_F(ChangedCheckpoint, ThatIsNotChangedIsRead) {
  const CheckpointProgram program;
  describe(text);
  EXPECT_TRUE(op_restore(path.c_str()));
  EXPECT_EQ(program.step, 1);
}

TEST_F(ChangedCheckpoint, WithValuesOfAnotherLengthIsRefused) {
  CheckpointProgram program;
  const State before = program.state();
  for (const char* const values : {"kept", "globals"})
    for (const std::size_t bytes : {0U, 7U, 9U, 1'000'000U})
      EXPECT_THAT(refused([&](json& all) {
                    all[values][0]["bytes"] = std::vector<std::uint8_t>(bytes, 1);
                  }),
                  HasSubstr("of dim 1 and type \"" + std::string(*values == 'k' ? "ll" : "double") +
                            "\" has " + std::to_string(bytes) + " bytes"));
  EXPECT_THAT(refused([](json& all) { all["kept"][0]["dim"] = -1; }), HasSubstr("of dim -1"));
  EXPECT_THAT(refused([](json& all) { all["kept"][0]["type"] = "real"; }), HasSubstr("\"real\""));
  EXPECT_EQ(program.state(), before);
}

TEST_F(ChangedCheckpoint, WithRowsElsewhereIsRefused) {
  const CheckpointProgram program;
  for (const std::int64_t offset :
       {std::int64_t{-8}, std::int64_t{8}, std::numeric_limits<std::int64_t>::max()})
    EXPECT_THAT(refused([&](json& all) { all["dats"][0]["offset"] = offset; }),
                HasSubstr("the rows of dat 'u' are at byte " + std::to_string(offset) +
                          " and not at 4096"));
}

TEST_F(ChangedCheckpoint, ThatIsNotADescriptionIsRefused) {
  const CheckpointProgram program;
  for (const std::string& other :
       {std::string("{}"), std::string("[1"), std::string("{\"sets\":1e999}"), std::string("\xff"),
        std::string(1'000'000, '['), text + text}) {
    describe(other);
    EXPECT_THAT(error_text(ErrorCode::bad_checkpoint, [&] { op_restore(path.c_str()); }),
                HasSubstr("its description is not understood"));
  }
}

/// Changes a random value somewhere.
void change(json& all, std::mt19937& random) {
  std::vector<json::json_pointer> places;
  const json flat = all.flatten();
  for (const auto& [place, value] : flat.items())
    for (json::json_pointer at(place); !at.empty(); at.pop_back()) places.push_back(at);
  json::json_pointer at = places[random() % places.size()];
  json& value = all[at];
  static const json others[] = {
      nullptr,        -1,  0, 1, std::int64_t{1} << 62, 1.5e300, "other", json::array(),
      json::object(), true};
  switch (random() % 3) {
    case 0:
      value = others[random() % std::size(others)];
      break;
    case 1:
      if (value.is_array() && !value.empty())
        value.erase(random() % value.size());
      else
        value = others[random() % std::size(others)];
      break;
    default:
      if (value.is_array() && !value.empty())
        value.push_back(json(value[random() % value.size()]));
      else if (value.is_number())
        value = value.get<double>() + 1;
      break;
  }
}

std::int64_t peak_of_process() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss * 1024;
}

TEST_F(ChangedCheckpoint, IsRefusedOrReadInBoundedMemory) {
  const char* const wanted = std::getenv("TEST_MUTATIONS");
  const int mutations = wanted == nullptr ? 200 : std::atoi(wanted);
  std::mt19937 random(1);
  CheckpointProgram program;
  int refused = 0;
  std::int64_t before_all = 0;
  for (int k = 0; k < mutations; ++k) {
    json all = json::parse(text);
    change(all, random);
    describe(all.dump());
    program.advance_one_step();
    const State before = program.state();
    if (k == 0) before_all = peak_of_process();
    try {
      EXPECT_TRUE(op_restore(path.c_str()));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_checkpoint) << error.what();
      EXPECT_EQ(program.state(), before) << k;
      ++refused;
    }
  }
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory for a while
  EXPECT_LT(peak_of_process() - before_all, 64 << 20);
#endif
  std::cout << "checked " << mutations << " changes of a description, " << refused << " refused\n";
  EXPECT_GT(refused, mutations / 2);
}

}  // namespace
}  // namespace op2::test
