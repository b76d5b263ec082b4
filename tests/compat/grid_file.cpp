// SPDX-License-Identifier: BSD-3-Clause
// Writes two quadrilaterals with a field for ParaView, and looks at what is in the files:
// grid_file NAME makes NAME.vtu, NAME.pvtu and its pieces.
#include <fstream>
#include <iterator>
#include <string>

#include "op_seq.h"
#include "op_vtu.h"

static bool file_has(const std::string& path, const std::string& words) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.find(words) != std::string::npos) return true;
  op_printf("%s: no %s\n", path.c_str(), words.c_str());
  return false;
}

int main(int argc, char** argv) {
  op_init(argc, argv, 1);
  const std::string name = argv[1];
  const bool root = op_is_root() != 0;
  double x[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1}, pressure[] = {3, 4};
  int corners[] = {0, 1, 4, 3, 1, 2, 5, 4};
  op_set nodes = op_decl_set(root ? 6 : 0, "nodes"), cells = op_decl_set(root ? 2 : 0, "cells");
  op_map pcell = op_decl_map(cells, nodes, 4, corners, "pcell");
  op_dat p_x = op_decl_dat(nodes, 2, "double", x, "x");
  op_dat p_p = op_decl_dat(cells, 1, "double", pressure, "pressure");
  op_write_vtu((name + ".vtu").c_str(), pcell, p_x, &p_p, 1);
  op_write_pvtu((name + ".pvtu").c_str(), pcell, p_x, &p_p, 1);
  bool good = true;
  if (root)
    good = file_has(name + ".vtu", "NumberOfPoints=\"6\" NumberOfCells=\"2\"") &&
           file_has(name + ".vtu", "Name=\"pressure\"") &&
           file_has(name + ".pvtu", "Name=\"pressure\"");
  op_exit();
  return good ? 0 : 1;
}
