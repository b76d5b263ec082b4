// SPDX-License-Identifier: BSD-3-Clause
// A program that exchanges halos itself, by OP2's lists of what is sent and received.
#include "expect.h"

#include <vector>

#include "op_mpi_core.h"

namespace {

const int size = 60;

int ranks() {
  int count = 0;
  MPI_Comm_size(OP_MPI_WORLD, &count);
  return count;
}

int rank() {
  int number = 0;
  op_rank(&number);
  return number;
}

void fill(const double* number, double* value) {
  *value = 100 + *number;
}

/// Sends owned rows of `dat` by `sent`, and puts what arrives behind row `first`.
void exchange(op_dat dat, halo_list sent, halo_list received, int first) {
  std::vector<MPI_Request> requests;
  std::vector<std::vector<char>> messages;
  const std::size_t bytes = static_cast<std::size_t>(dat->size);
  for (int k = 0; k < received->ranks_size; ++k) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(dat->data + bytes * static_cast<std::size_t>(first + received->disps[k]),
              received->sizes[k] * dat->size, MPI_CHAR, received->ranks[k], 7, OP_MPI_WORLD,
              &requests.back());
  }
  for (int k = 0; k < sent->ranks_size; ++k) {
    std::vector<char> message;
    for (int i = sent->disps[k]; i < sent->disps[k] + sent->sizes[k]; ++i) {
      const char* row = dat->data + bytes * static_cast<std::size_t>(sent->list[i]);
      message.insert(message.end(), row, row + bytes);
    }
    messages.push_back(message);
    MPI_Send(messages.back().data(), sent->sizes[k] * dat->size, MPI_CHAR, sent->ranks[k], 7,
             OP_MPI_WORLD);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// What one rank sends to another is what that receives, and parts follow each other.
void matches(halo_list sent, halo_list received) {
  std::vector<int> to(ranks()), from(ranks());
  for (int k = 0, next = 0; k < sent->ranks_size; next += sent->sizes[k++]) {
    expect("begin of a part", sent->disps[k], next);
    to[sent->ranks[k]] = sent->sizes[k];
  }
  MPI_Alltoall(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, OP_MPI_WORLD);
  for (int k = 0, next = 0; k < received->ranks_size; next += received->sizes[k++]) {
    expect("begin of a part", received->disps[k], next);
    expect("rows from a neighbour", received->sizes[k], from[received->ranks[k]]);
    from[received->ranks[k]] = 0;
  }
  for (const int rows : from) expect("rows of no neighbour", rows, 0);
}

/// All rows of `value` hold their numbers, halos too, after an explicit exchange.
void exchanged(op_dat value) {
  const op_set set = value->set;
  const int owned = set->size, executed = owned + set->exec_size;
  const int rows = executed + set->nonexec_size;
  op_download_dat(value);
  double* values = (double*)value->data;
  for (int row = owned; row < rows; ++row) values[row] = -1;
  exchange(value, OP_export_exec_list[set->index], OP_import_exec_list[set->index], owned);
  exchange(value, OP_export_nonexec_list[set->index], OP_import_nonexec_list[set->index], executed);
  const part held = OP_part_list[set->index];
  for (int row = 0; row < rows; ++row) {
    expect("value", values[row], 100 + static_cast<double>(held->g_index[row]));
    expect("owned here", held->elem_part[row] == rank(), row < owned);
  }
}

void sizes(op_set set) {
  halo_list_core* in = OP_import_exec_list[set->index];
  expect("execute halo", in->size, set->exec_size);
  expect("other halo", OP_import_nonexec_list[set->index]->size, set->nonexec_size);
  expect("sets", in->set == set && OP_part_list[set->index]->set == set, 1);
  for (int k = 0; k < in->size; ++k) expect("row", in->list[k], set->size + k);
  halo_list_core* read = OP_import_nonexec_list[set->index];
  for (int k = 0; k < read->size; ++k) expect("row", read->list[k], set->size + set->exec_size + k);
  matches(OP_export_exec_list[set->index], in);
  matches(OP_export_nonexec_list[set->index], read);
  int total = 0, all = 0;
  for (int k = 0; k < in->ranks_size; ++k) total += in->sizes[k];
  expect("rows of all neighbours", total, in->size);
  total += OP_import_nonexec_list[set->index]->size;
  MPI_Allreduce(&total, &all, 1, MPI_INT, MPI_SUM, OP_MPI_WORLD);
  expect("there are halos", all > 0, ranks() > 1);
}

/// Numbers of rows and entries of maps agree with the declaration.
void numbers(const Ring& ring) {
  part_core* edges = OP_part_list[ring.edges->index];
  part_core* cells = OP_part_list[ring.cells->index];
  for (int e = 0; e < ring.edges->size + ring.edges->exec_size; ++e)
    for (int k = 0; k < 2; ++k)
      expect("entry", static_cast<double>(cells->g_index[ring.ends->map[2 * e + k]]),
             static_cast<double>((edges->g_index[e] + k) % size));
  expect("partitioned", cells->is_partitioned, 1);
  for (int r = 0; r < ranks(); ++r) {  // the first rank has declared all
    expect("first", static_cast<double>(orig_part_range[ring.cells->index][2 * r]),
           r == 0 ? 0 : size);
    expect("last", static_cast<double>(orig_part_range[ring.cells->index][2 * r + 1]), size - 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  expect("no session", OP_part_list == NULL && OP_part_index == 0, 1);
  op_init(argc, argv, 2);
  const Ring ring(size);
  op_dat value = op_decl_dat_temp(ring.cells, 1, "double", (double*)NULL, "value");
  expect("not distributed", OP_import_exec_list == NULL, ranks() > 1);
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
  expect("sets", OP_part_index, 2);
  sizes(ring.cells);
  sizes(ring.edges);
  numbers(ring);
  op_par_loop(fill, "fill", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(value, -1, OP_ID, 1, "double", OP_WRITE));
  exchanged(value);
  op_decl_set(1, "more");  // the mesh is as declared again
  expect("new set", OP_part_index, ranks() > 1 ? 0 : 3);
  op_halo_create();
  expect("all sets", OP_part_index, 3);
  numbers(ring);
  exchanged(value);
  op_exit();
  expect("session ended", OP_part_list == NULL, 1);
  return faults == 0 ? 0 : 1;
}
