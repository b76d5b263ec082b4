// SPDX-License-Identifier: BSD-3-Clause
// Calls that cannot be given a meaning: each ends the program with a message. The first argument
// says which.
#include "expect.h"

namespace {

void store(const double* value, double* own) {
  *own = *value;
}

/// Writes row 0 and row `row`.
void scatter(int row, op_dat dat, int column, op_map map) {
  op_buff values = op_create_buff("values", "double", 2, 1);
  op_buff rows = op_create_buff("rows", "int", 2, 1);
  ((int*)rows->data)[1] = row;
  op_par_scatter(values, rows, store, "store", op_arg_dat(dat, column, map, 1, "double", OP_RW));
}

void plan(const Ring& ring) {
  op_arg arg = op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ);
  int indirect = -1;
  op_plan_get("loop", ring.cells, 0, 1, &arg, 0, &indirect);
}
void overlay(const Ring& ring) {
  op_decl_dat_overlay(ring.cells, ring.number);
}
void constant(const Ring&) {
  double wrong = 0;
  op_decl_const(1, "int", &wrong);
}
void dat(const Ring& ring) {
  op_decl_dat(ring.cells, 1, "float", (double*)NULL, "wrong");
}
void unknown_type(const Ring& ring) {
  op_decl_dat(ring.cells, 1, "dubble", (double*)NULL, "wrong");
}
void global_of_type(const Ring&) {
  double value = 0;
  op_arg_gbl(&value, 1, "float", OP_READ);
}
void reductions(const Ring&) {
  op_disable_mpi_reductions(true);
}
void unknown_set(const Ring&) {
  op_size_of_set("none");
}
/// The other ranks wait for the last one.
void unknown_set_on_one(const Ring& ring) {
  int rank = 0;
  op_rank(&rank);
  if (rank == 1) unknown_set(ring);
  op_mpi_barrier();
}

void twice(double* value) {
  *value *= 2;
}
void loop_name(const Ring& ring) {
  op_par_loop(twice, NULL, ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW));
}
void loop_kernel(const Ring& ring) {
  void (*const none)(double*) = NULL;
  op_par_loop(none, "none", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW));
}
void dat_type(const Ring& ring) {
  op_par_loop(twice, "twice", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "dubble", OP_RW));
}
/// Not refused, but warned of: the kernel gets whole rows.
void other_dim(const Ring& ring) {
  op_par_loop(twice, "twice", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 3, "double", OP_RW));
}
/// Not refused either.
void force_part(const Ring& ring) {
  ring.ends->force_part = true;
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
}
void after_exit(const Ring& ring) {
  op_exit();
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
}
void partitioner(const Ring& ring) {
  op_partition("PTSCOCH", "KWAY", ring.cells, ring.ends, NULL);
}
void dat_type_on_one(const Ring& ring) {
  int rank = 0;
  op_rank(&rank);
  op_par_loop(twice, "twice", ring.cells,
              op_arg_dat(ring.number, -1, OP_ID, 1, rank == 1 ? "dubble" : "double", OP_RW));
  op_mpi_barrier();
}
void global_type(const Ring& ring) {
  double value = 0;
  op_par_loop(twice, "twice", ring.cells, op_arg_gbl_char((char*)&value, 1, NULL, 8, OP_INC));
}
void file_type(const Ring& ring) {
  op_decl_dat_hdf5(ring.cells, 1, "banana", "some.h5", "q");
}
void size_of_null(const Ring&) {
  op_size_of_set(NULL);
}
void local_size_of_null(const Ring&) {
  op_get_size_local(NULL);
}
void map_pointer_of_null(const Ring&) {
  op_get_map_ptr(NULL);
}
void search_of_null(const Ring& ring) {
  search_dat(ring.cells, 1, "double", 8, NULL);
}
void reduce_nothing(const Ring&) {
  double value = 0;
  op_arg arg = op_arg_gbl(&value, 0, "double", OP_INC);
  op_mpi_reduce_combined(&arg, 1);
}
void reduce_null(const Ring&) {
  op_mpi_reduce_combined(NULL, 1);
}
void rank_into_null(const Ring&) {
  op_rank(NULL);
}

void map_entry(const Ring& ring) {
  int pairs[] = {0, 1, 2, 3, 4, 3, 2, 1};
  check_map("pairs", ring.edges, ring.cells, 2, pairs);
}
void scatter_row(const Ring& ring) {
  scatter(4, ring.number, 0, OP_ID);
}
void scatter_column(const Ring& ring) {
  scatter(3, ring.number, 1, OP_ID);
}
void scatter_map(const Ring& ring) {
  scatter(3, ring.number, 0, ring.ends);
}

struct Case {
  const char* name;
  void (*run)(const Ring& ring);
};
const Case cases[] = {{"plan", plan},
                      {"overlay", overlay},
                      {"constant", constant},
                      {"dat", dat},
                      {"reductions", reductions},
                      {"unknown_set", unknown_set},
                      {"unknown_set_on_one", unknown_set_on_one},
                      {"loop_name", loop_name},
                      {"unknown_type", unknown_type},
                      {"global_of_type", global_of_type},
                      {"loop_kernel", loop_kernel},
                      {"dat_type", dat_type},
                      {"other_dim", other_dim},
                      {"force_part", force_part},
                      {"after_exit", after_exit},
                      {"partitioner", partitioner},
                      {"dat_type_on_one", dat_type_on_one},
                      {"global_type", global_type},
                      {"file_type", file_type},
                      {"size_of_null", size_of_null},
                      {"local_size_of_null", local_size_of_null},
                      {"map_pointer_of_null", map_pointer_of_null},
                      {"search_of_null", search_of_null},
                      {"reduce_nothing", reduce_nothing},
                      {"reduce_null", reduce_null},
                      {"rank_into_null", rank_into_null},
                      {"map_entry", map_entry},
                      {"scatter_row", scatter_row},
                      {"scatter_column", scatter_column},
                      {"scatter_map", scatter_map}};

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const Ring ring(4);
  for (const Case& each : cases)
    if (strcmp(argv[1], each.name) == 0) each.run(ring);
  op_exit();
  return 0;
}
