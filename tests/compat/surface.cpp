// SPDX-License-Identifier: BSD-3-Clause
// Every type, macro, field and variable of OP2's headers once, and the functions that no other test
// of this folder calls.
#include "op_profile.h"
#include "op_seq.h"
#include "op_timing2.h"
#include "op_util.h"

#include <cstdint>

#include "expect.h"

namespace {

const int size = 12;

void twice(const double* from, double* to) {
  OP2_STRIDE(to, 0) = 2 * OP2_STRIDE(from, 0 * op2_stride);
}

void macros() {
  expect("access", OP_READ + 10 * OP_WRITE + 100 * OP_RW + 1000 * OP_INC, 3210);
  expect("reductions", OP_MIN + 10 * OP_MAX + 100 * OP_WORK, 654);
  expect("sorts", OP_ARG_GBL + 10 * OP_ARG_DAT + 100 * OP_ARG_IDX + 1000 * OP_ARG_INFO, 3210);
  expect("stages", OP_STAGE_NONE + OP_STAGE_INC + OP_STAGE_ALL + OP_STAGE_PERMUTE + OP_COLOR2, 10);
  expect("rounds", ROUND_UP(17) + 1000 * ROUND_UP_64(65), 128032);
  static_assert(round32(33) == 64 && round32(64) == 64, "the next multiple");
  expect("least and greatest", MIN(3, 4) + 10 * MAX(3, 4), 43);
  double zero = ZERO_double float small = ZERO_float int none = ZERO_int;
  uint positive = ZERO_uint;
  ll wide = ZERO_ll;
  ull wider = ZERO_ull;
  bool flag = ZERO_bool;
  expect("zeros", zero + small + none + positive, flag);
  expect("wide zeros", static_cast<double>(wide), static_cast<double>(wider));
  op_access access = OP_READ;
  op_arg_type sort = OP_ARG_DAT;
  idx_g_t global = 1;
  idx_l_t local = 2;
  expect("names of types", access + sort + static_cast<int>(global) + local, 4);
  op_map identity = OP_ID, no_map = OP_GBL;
  expect("no maps", identity == NULL && no_map == NULL, 1);
  expect("type errors", type_error(&zero, "double") + type_error(&zero, "double:soa"), 0);
  expect("type error", type_error(&none, "double"), 1);
}

void variables_without_session() {
  expect("sets before op_init", OP_set_index + OP_map_index + OP_diags, 0);
  expect("capacities", OP_set_max + OP_map_max + OP_hybrid_gpu, 0);
  expect("block size", OP_block_size, 64);
  expect("no dats", TAILQ_EMPTY(&OP_dat_list), 1);
}

void variables(const Ring& ring) {
  expect("diags", OP_diags, 1);
  expect("sizes", OP_part_size + OP_block_size + OP_cache_line_size, 24 + 32 + 128);
  expect("flags", OP_gpu_direct + OP_auto_soa + OP_partial_exchange + OP_disable_mpi_reductions, 0);
  expect("numbers", OP_mpi_test_frequency, 1 << 30);
  expect("shares", OP_hybrid_balance + OP_cuda_reductions_mib + OP_plan_time, 6);
  expect("sets", OP_set_index, 2);
  expect("maps", OP_map_index, 1);
  expect("lists", OP_set_max >= OP_set_index && OP_map_max >= OP_map_index, 1);
  OP_hybrid_gpu = 1;
  expect("assigned", OP_hybrid_gpu, 1);
  expect("first set", OP_set_list[0] == ring.edges && OP_map_list[0] == ring.ends, 1);
  int dats = 0;
  op_dat_entry* entry;
  TAILQ_FOREACH(entry, &OP_dat_list, entries) {
    if (entry->dat == ring.number) ++dats;
    expect("kept array", entry->orig_ptr == NULL, 1);
  }
  Double_linked_list* list = &OP_dat_list;
  expect("dats", dats, 1);
  expect("number of dats", list->tqh_first != NULL && OP_dat_index >= 1, 1);
}

void fields(const Ring& ring) {
  expect("set", ring.edges->index + ring.edges->stride, 1);
  expect("name of set", strcmp(ring.edges->name, "edges"), 0);
  expect("sizes", ring.cells->size, op_get_size_local(ring.cells));
  expect("core", ring.cells->core_size, op_get_size_local_core(ring.cells));
  expect("exec", ring.cells->size + ring.cells->exec_size, op_get_size_local_exec(ring.cells));
  expect("full", op_get_size_local_exec(ring.cells) + ring.cells->nonexec_size,
         op_get_size_local_full(ring.cells));
  expect("by name", op_size_of_set("cells"), op_get_size_local_full(ring.cells));
  const op_map map = ring.ends;
  expect("map", map->from == ring.edges && map->to == ring.cells && map->dim == 2, 1);
  expect("neutral", map->map_gbl == NULL && map->map_d == NULL && !map->force_part, 1);
  expect("index", map->index + map->user_managed, 0);
  expect("entries", map->map == static_cast<int*>(op_get_map_ptr(map)), 1);
  const op_dat dat = ring.number;
  expect("dat", dat->set == ring.cells && dat->dim == 1 && dat->size == 8, 1);
  expect("type", strcmp(dat->type, "double"), 0);
  expect("nulls",
         dat->data_d == NULL && dat->buffer_d == NULL && dat->buffer_d_r == NULL &&
             dat->mpi_buffer == NULL,
         1);
  expect("bits", dat->index + dat->dirtybit + dat->dirty_hd + dat->user_managed, 0);
  double* pointer = (double*)op_get_data_ptr(dat);
  unsigned long address = op_get_data_ptr(dat);
  expect("pointer", (char*)pointer == dat->data && (unsigned long)dat->data == address, 1);
}

void renamed(const Ring& ring) {
  ring.number->name = strdup("pressure");
  op_dat copy = op_decl_dat_temp(ring.cells, 1, "double", (double*)NULL, "copy");
  op_par_loop(twice, "twice", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(copy, -1, OP_ID, 3, "double", OP_WRITE));  // of another dim: a warning
  double three[3];
  op_fetch_data_idx_char(copy, (char*)three, 3, 5);
  expect("values", three[0] + three[1] + three[2], 2 * (3 + 4 + 5));
  expect("found", search_dat(ring.cells, 1, "double", 8, "pressure") == ring.number, 1);
  expect("not found", search_dat(ring.cells, 2, "double", 8, "pressure") == NULL, 1);
  expect("same set", compare_sets(ring.cells, ring.number->set), 1);
  op_dat whole = op_mpi_get_data(copy);
  expect("declared size", whole->set->size, op_is_root() ? size : 0);
  if (op_is_root()) expect("last value", ((double*)whole->data)[size - 1], 2 * (size - 1));
  free(whole->data);
  free(whole->set);
  free(whole);
  op_mpi_put_data(copy);
  op_dump_dat(copy);
  expect("freed", op_free_dat_temp(copy), 1);
  expect("freed twice", op_free_dat_temp_char(copy), -1);
  free((void*)ring.number->name);
  ring.number->name = "";
  op_timing_output();
}

void memory() {
  void* block = op_malloc(3);
  expect("aligned", (double)((std::uintptr_t)block % OP2_ALIGNMENT), 0);
  char* longer = (char*)op_realloc(block, 300);
  expect("still aligned", (double)((std::uintptr_t)longer % 64), 0);
  free(longer);
  char* zeros = (char*)op_calloc(10, 10);
  expect("zero", zeros[99], 0);
  op_free(zeros);
  int numbers[] = {4, 2, 2, 9};
  quickSort(numbers, 0, 3);
  expect("different", removeDups(numbers, 4), 3);
  expect("where", binary_search(numbers, 9, 0, 2) + linear_search(numbers, 5, 0, 2), 1);
  int order[] = {3, 1, 2, 1}, others[] = {30, 10, 20, 11};
  op_sort_2(order, others, 4);
  expect("together", others[0] + 100 * others[1] + 10000 * others[3], 301110);
  double reals[] = {2.5, -1};
  op_sort(reals, 2);
  expect("least", reals[0], -1);
  expect("blocks", compute_local_size(10, 3, 0) + 10 * compute_local_size(10, 3, 2), 34);
  free(xrealloc(xmalloc(8), 16));
  free(xcalloc(2, 8));
  expect("no such file", file_exist("/no/such/file"), 0);
}

void timing() {
  double cpu = 0, wall = 0, first = 0, second = 0;
  op_timers(&cpu, &wall);
  op_timers_core(&cpu, &wall);
  expect("clock", wall > 0, 1);
  op_timing_realloc(2);
  expect("rows", OP_kern_max + OP_kern_curr, 3);
  op_kernel& row = OP_kernels[1];
  row.name = "explicit";
  row.count += 1;
  row.time += 0.5;
  op_timing_realloc_manytime(1, 4);
  OP_kernels[1].times[3] = 1;
  expect("times", OP_kernels[1].ntimes, 4);
  expect("transfers", row.transfer + row.transfer2 + row.plan_time + row.mpi_time, 0);
  op_compute_moment(3, &first, &second);
  expect("moments", first * 10 + second, 39);
  double times[] = {0, 2, 4};
  op_compute_moment_across_times(times, 3, true, &first, &second);
  expect("moments of times", first * 10 + second, 40);
  op_timing_output();
  op_timing_output_2_file("surface_timing.txt");
  op_timings_to_csv("surface_timing.csv");
  op_mpi_barrier();
  expect("table", file_exist("surface_timing.txt") + file_exist("surface_timing.csv"), 2);
}

/// Sections under the older names, in objects and functions.
void sections() {
  op_timing2_start("older");
  op_timing2_enter("part");
  op_timing2_next("next part");
  op_timing2_enter_kernel("kernel", "cpu", "");
  op_timing2_exit();
  op_timing2_exit();
  op_timing2::instance().enter("object", false);
  op_profile::instance().exit(false);
  op_timing2_finish();
  op_timing2_output();
  op_timing2_output_json("surface_sections.json");
  if (op_is_root()) expect("sections", file_exist("surface_sections.json"), 1);
}

void checked(const Ring& ring) {
  int entries[2 * size];
  for (int e = 0; e < 2 * size; ++e) entries[e] = e % size;
  check_map("again", ring.edges, ring.cells, 2, entries);
}

void device() {
  op_upload_all();
  deviceSync();
  op_disable_device_execution(true);
  expect("device", op_check_whitelist("twice"), 0);
  op_check_fallback_mode("twice");
  op_disable_mpi_reductions(false);
  expect("equal types", op_type_equivalence("double", "double:soa"), 1);
}

}  // namespace

int main(int argc, char** argv) {
  op_printf("printed before op_init by one rank\n");
  op_print("and so is this");
  macros();
  variables_without_session();
  op_init(argc, argv, 1);
  const Ring ring(size);
  expect("size", (double)op_get_size(ring.cells), size);
  expect("before", op_is_partitioned(), 0);
  op_partition("NO SUCH LIBRARY", "", NULL, NULL, NULL);
  op_renumber(ring.ends);
  op_halo_create();
  expect("partitioned", op_is_partitioned() + OP_is_partitioned, 2);
  int rank = -1;
  op_rank(&rank);
  expect("offset", (double)op_get_global_set_offset(ring.cells), rank == 0 ? 0 : size);
  variables(ring);
  fields(ring);
  renamed(ring);
  op_upload_dat(ring.number);
  op_download_dat(ring.number);
  memory();
  checked(ring);
  timing();
  sections();
  device();
  op_halo_permap_create();
  op_halo_destroy();
  op_partition_destroy();
  op_partition_reverse();
  op_rt_exit();
  op_exit();
  expect("sets after op_exit", OP_set_index, 0);
  return faults == 0 ? 0 : 1;
}
