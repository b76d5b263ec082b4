// SPDX-License-Identifier: BSD-3-Clause
// Runs every feature on three meshes, in one session. The root prints a line for each, "feature
// NAME MESH: ok" or "... FAILED: what, found, wanted"; ranks with a failure print it
// too.
//
//     features [NAME ...]     only these, or, with a first argument "without", all but these
//     features list           prints the names
#include <algorithm>

#include "features.hpp"

namespace {

/// The first fault of the feature that is running.
std::string& fault() {
  static std::string text;
  return text;
}

void worst_of(const int* mine, int* worst) {
  *worst = MAX(*worst, *mine);
}

/// Whether any rank has a fault.
bool failed_anywhere(const features::Part& ranks) {
  int mine = fault().empty() ? 0 : 1, worst = 0;
  op_dat faults = op_decl_dat(ranks.set, 1, "int", &mine, "faults");
  op_par_loop(worst_of, "worst_of", ranks.set, op_arg_dat(faults, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&worst, 1, "int", OP_MAX));
  return worst != 0;
}

bool run(const features::Feature& feature, const features::Mesh& mesh,
         const features::Part& ranks) {
  fault().clear();
  feature.run(mesh);
  const bool failed = failed_anywhere(ranks);
  const std::string name = std::string(feature.name) + " " + mesh.name;
  if (!failed) op_printf("feature %s: ok\n", name.c_str());
  if (failed && (op_is_root() || !fault().empty()))
    printf("feature %s: FAILED: %s\n", name.c_str(),
           fault().empty() ? "on another rank" : fault().c_str());
  fflush(stdout);
  return !failed;
}

features::Features all_features() {
  features::Features all;
  for (const features::Features& some :
       {features::argument_features(), features::vector_features(), features::index_features(),
        features::global_features(), features::control_features(), features::dat_features(),
        features::lifetime_features(), features::constant_features(), features::kernel_features(),
        features::mesh_features(), features::set_features()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

bool is_wanted(const features::Feature& feature, const std::vector<std::string>& named) {
  if (named.empty()) return true;
  const bool is_named = std::find(named.begin(), named.end(), feature.name) != named.end();
  return is_named == (named.front() != "without");
}

}  // namespace

void features::fail(const std::string& text) {
  if (fault().empty()) fault() = text;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "list") == 0) {
    for (const features::Feature& feature : all_features()) printf("%s\n", feature.name);
    return 0;
  }
  op_printf("features: not begun\n");
  op_init(argc, argv, 1);
  const std::vector<std::string> named(argv + 1, argv + argc);
  features::declare_early_constants();
  const features::Part ranks = {op_decl_set(1, "ranks"), features::number_of_ranks(),
                                features::rank_of_this(), 1};
  int failures = 0;
  for (const char* partitioner : {"none", "PTSCOTCH", "EXTERNAL"}) {
    const features::Mesh mesh = features::declare_mesh(partitioner);
    for (const features::Feature& feature : all_features())
      if (is_wanted(feature, named) && !run(feature, mesh, ranks)) ++failures;
  }
  op_printf("features: %d failed\n", failures);
  op_exit();
  return failures == 0 ? 0 : 1;
}
