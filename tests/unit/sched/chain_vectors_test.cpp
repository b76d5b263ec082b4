// SPDX-License-Identifier: BSD-3-Clause
// Every random chain of data/chains.jsonl, exactly.
#include <sched/analysis/chain_analysis.hpp>

#include <fstream>
#include <iostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace op2::test {
namespace {

using core::Level;
using Json = nlohmann::json;

std::vector<Json> read_chains() {
  std::ifstream file(OP2_TEST_DATA "/chains.jsonl");
  std::vector<Json> chains;
  for (std::string line; std::getline(file, line);) chains.push_back(Json::parse(line));
  return chains;
}

std::vector<Level> levels(const Json& list) {
  std::vector<Level> result;
  for (const Json& level : list)
    result.push_back(level.is_null() ? core::no_level : level.get<Level>());
  return result;
}

core::ChainLoop loop_from(const Json& list) {
  core::ChainLoop loop{{}, list.at(0) == 1};
  for (std::size_t k = 1; k < list.size(); ++k)
    loop.args.push_back({list[k].at(0), list[k].at(1), op_access(list[k].at(2).get<int>())});
  return loop;
}

core::ChainLevels analysed(const Json& vector) {
  std::vector<core::ChainLoop> chain;
  for (const Json& loop : vector.at("loops")) chain.push_back(loop_from(loop));
  const std::vector<Level> valid = levels(vector.at("v"));
  return sched::analyse_chain(chain, valid, std::vector<Level>(valid.size(), vector.at("final")));
}

TEST(ChainVectors, AllRandomChainsGetTheLevelsOfTheModel) {
  const std::vector<Json> chains = read_chains();
  ASSERT_EQ(chains.size(), 500u);
  int differ = 0;
  for (const Json& vector : chains) {
    const core::ChainLevels found = analysed(vector);
    const bool equal =
        found.extent == levels(vector.at("ext")) && found.need == levels(vector.at("need")) &&
        found.interior == levels(vector.at("core")) && found.valid == levels(vector.at("v_after"));
    if (!equal && differ++ < 5)
      ADD_FAILURE() << "the chain of seed " << vector.at("seed") << " differs";
  }
  EXPECT_EQ(differ, 0) << differ << " of " << chains.size() << " random chains differ";
  RecordProperty("random_chains", static_cast<int>(chains.size()));
  std::cout << "checked " << chains.size() << " random chains\n";
}

}  // namespace
}  // namespace op2::test
