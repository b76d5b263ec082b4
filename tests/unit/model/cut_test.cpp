// SPDX-License-Identifier: BSD-3-Clause
// `op2-model cut`: what it reads and writes, and what it refuses.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include <core/hash.hpp>
#include <support/block_meshes.hpp>
#include <support/failing_calls.hpp>
#include <support/temporary_directory.hpp>
#include <support/terminal.hpp>
#include <unit/model/failure_of.hpp>

#include "commands.hpp"
#include "cut.hpp"
#include "files.hpp"

namespace op2::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string bytes_of(const comm::BlockMesh& mesh) {
  std::vector<std::int32_t> entries;
  for (const comm::BlockMap& map : mesh.maps)
    entries.insert(entries.end(), map.targets.begin(), map.targets.end());
  return {reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(std::int32_t)};
}

/// A record of the sets and maps of Airfoil, without loops.
core::RunRecord record_of(const comm::BlockMesh& mesh) {
  core::RunRecord record;
  record.program = "grid";
  const char* const names[] = {"nodes", "edges", "bedges", "cells"};
  for (std::size_t set = 0; set < mesh.sets.size(); ++set)
    record.sets.push_back({names[set], mesh.sets[set].size()});
  for (const comm::BlockMap& map : mesh.maps)
    record.maps.push_back({"map", map.from, map.to, map.arity});
  record.partition = {"ptscotch", 3, 1, 0};
  record.maps_file = "run.maps";
  const std::string bytes = bytes_of(mesh);
  core::Hasher hash;
  hash.bytes(std::as_bytes(std::span(bytes)));
  record.maps_hash = core::to_hex(hash.finish());
  return record;
}

class CutCommand : public testing::Test {
 protected:
  CutCommand() { write(mesh_, record_of(mesh_)); }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const comm::BlockMesh& mesh, const core::RunRecord& record) const {
    write_file(path("run.maps"), bytes_of(mesh));
    write_file(path("run.json"), core::as_json(record));
  }
  int run(std::vector<int> parts) const {
    testing::internal::CaptureStdout();
    const auto end = [&] { output_ = testing::internal::GetCapturedStdout(); };
    try {
      const int code = cut({path("run.json"), std::move(parts), "", folder_.path().string(), 0});
      end();
      return code;
    } catch (...) {
      end();
      throw;
    }
  }

  test::TemporaryDirectory folder_;
  const comm::BlockMesh mesh_ = test::grid_mesh(30, 20);
  mutable std::string output_;
};

TEST_F(CutCommand, WritesTheHalosForEachNumberOfRanks) {
  EXPECT_EQ(run({3, 1}), 0);
  EXPECT_THAT(output_,
              AllOf(HasSubstr("Scotch k-way of set 'cells' by map 'map', halos of 6 layers"),
                    HasSubstr("cut_3.json"), HasSubstr("cut_1.json")));
  const core::RunRecord record = read_run(path("run.json"));
  const Cut three = read_cut(path("cut_3.json"), record);
  const Parts parts = parts_of(record, mesh_, 3);
  EXPECT_EQ(three.ranks, halo_sizes(mesh_, parts.owners, 3, 12));
  const Cut one = read_cut(path("cut_1.json"), record);
  EXPECT_EQ(one.ranks.front().rows(3, 0), 600);
  EXPECT_TRUE(one.ranks.front().imports.empty());
}

TEST_F(CutCommand, KeepsAllOfACut) {
  run({2});
  const core::RunRecord record = read_run(path("run.json"));
  const Cut cut = read_cut(path("cut_2.json"), record);
  write_file(path("again.json"), as_json(cut));
  EXPECT_EQ(read_cut(path("again.json"), record), cut);
}

TEST_F(CutCommand, ShowsOnATerminalThatItTakesLong) {
  setenv("OP2_DEBUG", "patience=20", 1);
  const test::Terminal terminal;
  test::HeldRenaming held(folder_.path().string());
  std::string shown;
  std::thread reader([&] {
    shown = terminal.wait_for("so far");
    held.release();
  });
  run({2});
  reader.join();
  unsetenv("OP2_DEBUG");
  EXPECT_THAT(shown, testing::StartsWith("op2-model: cutting the mesh into 2 parts, 0 s so far"));
}

TEST_F(CutCommand, RefusesMorePartsThanElements) {
  EXPECT_THAT(failure_of([&] { run({601}); }),
              AllOf(HasSubstr("more parts than elements: -P 601"), HasSubstr("'cells' has 600")));
}

TEST_F(CutCommand, ChecksAllNumbersOfRanksBeforeItCutsForAny) {
  EXPECT_THAT(failure_of([&] { run({2, 601}); }), HasSubstr("more parts than elements: -P 601"));
  EXPECT_FALSE(std::filesystem::exists(path("cut_2.json")));
}

TEST_F(CutCommand, CutsOnceForANumberThatIsGivenTwice) {
  EXPECT_EQ(run({2, 3, 2}), 0);
  const std::size_t first = output_.find("cut_2.json");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(output_.find("cut_2.json", first + 1), std::string::npos);
}

TEST_F(CutCommand, RefusesARecordThatWasChanged) {
  std::string text = text_of_file(path("run.json"));
  text.replace(text.find("\"nodes\""), 7, "\"edges\"");
  write_file(path("run.json"), text);
  EXPECT_THAT(failure_of([&] { run({2}); }), HasSubstr("it was changed"));
}

TEST_F(CutCommand, RefusesTheMapsOfAnotherRun) {
  std::string maps = bytes_of(mesh_);
  write_file(path("run.maps"), maps.substr(4));
  EXPECT_THAT(failure_of([&] { run({2}); }), HasSubstr("the maps do not fit the record"));
  maps[0] ^= 1;
  write_file(path("run.maps"), maps);
  EXPECT_THAT(failure_of([&] { run({2}); }), HasSubstr("the maps are those of another run"));
  std::filesystem::remove(path("run.maps"));
  EXPECT_THAT(failure_of([&] { run({2}); }), HasSubstr("cannot read"));
}

TEST_F(CutCommand, RefusesMapsThatLeadOutOfTheirSets) {
  comm::BlockMesh wrong = mesh_;
  wrong.maps[1].targets[7] = 600;
  write(wrong, record_of(wrong));
  EXPECT_THAT(failure_of([&] { run({2}); }), HasSubstr("entry 7 is 600, there are 600"));
}

TEST_F(CutCommand, RefusesWhatIsNotARecord) {
  write_file(path("run.json"), "{}");
  EXPECT_THAT(failure_of([&] { run({2}); }),
              AllOf(HasSubstr("run.json"), HasSubstr("OP2_MODEL has written")));
}

TEST_F(CutCommand, IsRefusedWithAnotherMeshOrDamaged) {
  run({2});
  core::RunRecord record = record_of(mesh_);
  record.maps_hash[0] = record.maps_hash[0] == '0' ? '1' : '0';
  EXPECT_THAT(failure_of([&] { read_cut(path("cut_2.json"), record); }),
              HasSubstr("the cut is that of another mesh"));
  const std::string text = text_of_file(path("cut_2.json"));
  std::string other = text;
  other[other.find("\"within\"") + 11] ^= 1;  // another digit of a number
  write_file(path("cut_2.json"), other);
  EXPECT_THAT(failure_of([&] { read_cut(path("cut_2.json"), record_of(mesh_)); }),
              HasSubstr("its hash is wrong"));
  write_file(path("cut_2.json"), text.substr(0, text.size() / 2));
  EXPECT_THAT(failure_of([&] { read_cut(path("cut_2.json"), record_of(mesh_)); }),
              HasSubstr("damaged"));
  write_file(path("cut_2.json"), "{\"form\": \"libop2 cut\", \"version\": 9}");
  EXPECT_THAT(failure_of([&] { read_cut(path("cut_2.json"), record_of(mesh_)); }),
              HasSubstr("version 9"));
}

TEST(PartsOf, AProgramWithoutPartitionAreBlocks) {
  const comm::BlockMesh mesh = test::grid_mesh(5, 4);
  core::RunRecord record = record_of(mesh);
  record.partition = {};
  const Parts parts = parts_of(record, mesh, 3);
  EXPECT_THAT(parts.how, HasSubstr("no op_partition"));
  EXPECT_EQ(parts.owners[3],
            (comm::Owners{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
}

/// Their set has the most elements, whatever set was declared first.
TEST(PartsOf, AProgramWithoutPartitionMayHaveSmallSets) {
  const comm::BlockMesh mesh = test::grid_mesh(5, 4);
  core::RunRecord record = record_of(mesh);
  record.partition = {};
  record.sets[0].size = 2;
  EXPECT_EQ(set_to_divide(record), 1);
  EXPECT_EQ(parts_of(record, mesh, 10).owners.size(), mesh.sets.size());
}

/// No map leads to the set, as to the elements of finite elements: their nodes are divided.
TEST(PartsOf, ASetToWhichNoMapLeadsFollowsTheTargetsOfItsMap) {
  const comm::BlockMesh mesh = test::grid_mesh(12, 10);
  core::RunRecord record = record_of(mesh);
  constexpr int edges = 1;
  record.partition = {"rcb", edges, -1, 0};
  const Parts parts = parts_of(record, mesh, 4);
  const core::RecordedMap& by = record.maps[0];
  ASSERT_EQ(by.from, edges);
  EXPECT_EQ(parts.how, "Scotch k-way of set '" + record.sets[static_cast<std::size_t>(by.to)].name +
                           "' by map 'map', which set 'edges' follows");
  const comm::Owners &of_edges = parts.owners[edges],
                     &of_targets = parts.owners[static_cast<std::size_t>(by.to)];
  for (std::size_t e = 0; e < of_edges.size(); ++e)
    EXPECT_TRUE(of_edges[e] == of_targets[static_cast<std::size_t>(mesh.maps[0].targets[2 * e])] ||
                of_edges[e] ==
                    of_targets[static_cast<std::size_t>(mesh.maps[0].targets[2 * e + 1])])
        << e;
}

/// That of the materials of edges shows no neighbours, although it was declared first.
TEST(PartsOf, TheLargestMapThatShowsNeighboursCounts) {
  comm::BlockMesh mesh = test::grid_mesh(12, 10);
  core::RunRecord record = record_of(mesh);
  constexpr int edges = 1;
  const auto materials = static_cast<int>(mesh.sets.size());
  record.partition = {"rcb", edges, -1, 0};
  record.sets.push_back({"materials", 2});
  mesh.sets.push_back({{0, 2}});
  record.maps.insert(record.maps.begin(), {"material", edges, materials, 1});
  comm::BlockMap material{edges, materials, 1, {}};
  material.targets.assign(static_cast<std::size_t>(record.sets[edges].size), 1);
  mesh.maps.insert(mesh.maps.begin(), material);
  EXPECT_THAT(parts_of(record, mesh, 4).how, HasSubstr("by map 'map', which set 'edges' follows"));
}

TEST(PartsOf, SetsWithoutMapsAreBlocks) {
  const comm::BlockMesh mesh{{{{0, 10}}}, {}};
  core::RunRecord record;
  record.sets = {{"particles", 10}};
  record.partition = {"rcb", 0, -1, 0};
  EXPECT_THAT(parts_of(record, mesh, 2).how, HasSubstr("block of set 'particles', because no map"));
}

}  // namespace
}  // namespace op2::model
