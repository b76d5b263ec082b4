// SPDX-License-Identifier: BSD-3-Clause
#include <compat/program.hpp>

#include <algorithm>
#include <cstring>

#include <op2/compat/op2_functions.h>

#include <api/session.hpp>
#include <comm/messages/launcher.hpp>
#include <compat/errors.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>

namespace op2::compat {
namespace {

/// An argument of OP2's command line and where its value goes. OP2 accepts a word anywhere inside
/// an argument.
struct Word {
  const char* text;  ///< if it ends in '=', a number follows
  int variables::* value;
};

constexpr Word words[] = {{"OP_MAPS_BASE_INDEX=", &variables::maps_base_index},
                          {"OP_BLOCK_SIZE=", &variables::block_size},
                          {"OP_PART_SIZE=", &variables::part_size},
                          {"OP_CACHE_LINE_SIZE=", &variables::cache_line_size},
                          {"OP_TEST_FREQ=", &variables::mpi_test_frequency},
                          {"OP_CUDA_REDUCTIONS_MIB=", &variables::cuda_reductions_mib},
                          {"OP_PARTIAL_EXCHANGE", &variables::partial_exchange},
                          {"OP_AUTO_SOA", &variables::auto_soa},
                          {"-gpudirect", &variables::gpu_direct},
                          {"OP_HYBRID_BALANCE=", nullptr},
                          {"OP_NO_REALLOC", nullptr}};

/// What follows `word` in an argument, or null.
const char* found_in(const char* argument, const char* word) {
  const char* const place = argument == nullptr ? nullptr : std::strstr(argument, word);
  return place == nullptr ? nullptr : place + std::strlen(word);
}

void take_word(variables& values, const Word& word, const char* rest) {
  const bool has_number = word.text[std::strlen(word.text) - 1] == '=';
  if (word.value != nullptr) values.*word.value = has_number ? std::atoi(rest) : 1;
  if (std::strcmp(word.text, "OP_HYBRID_BALANCE=") == 0) values.hybrid_balance = std::atof(rest);
}

/// OP2's defaults.
variables fresh_values(int diags) {
  variables values{};
  values.diags = diags;
  values.block_size = 64;
  values.cache_line_size = 128;
  values.hybrid_balance = 1;
  values.mpi_test_frequency = 1 << 30;
  values.cuda_reductions_mib = 5;
  return values;
}

template <class Handle, class Records>
void list_all(std::vector<Handle>& list, const Records& records) {
  const auto is_of = [](Handle handle, const auto& record) { return handle == record.get(); };
  if (std::ranges::equal(list, records, is_of)) return;
  list.clear();
  for (const auto& record : records) list.push_back(record.get());
}

/// Entries move only if a dat was declared or freed.
void list_dats(Program& of, const std::vector<op_dat>& live) {
  const auto same = [](const dat_entry& entry, op_dat dat) { return entry.dat == dat; };
  if (!std::ranges::equal(of.dats, live, same)) {
    of.dats.clear();
    for (const op_dat dat : live) of.dats.push_back({dat, nullptr, {}});
  }
  TAILQ_INIT(&of.values.dats);
  for (dat_entry& entry : of.dats) TAILQ_INSERT_TAIL(&of.values.dats, &entry, entries);
}

void list_mesh(Program& of, const api::Runtime* runtime) {
  std::vector<op_dat> live;
  if (runtime == nullptr) {
    of.sets.clear();
    of.maps.clear();
  } else {
    list_all(of.sets, runtime->mesh.sets());
    list_all(of.maps, runtime->mesh.maps());
    for (const auto& dat : runtime->mesh.dats())
      if (runtime->mesh.knows(dat.get())) live.push_back(dat.get());
    of.values.dat_index = static_cast<int>(runtime->mesh.dats().size());
  }
  list_dats(of, live);
}

}  // namespace

Program& program() {
  std::shared_ptr<void>& kept = api::compatibility_state();
  if (kept == nullptr) {
    const auto fresh = std::make_shared<Program>();
    fresh->values = fresh_values(0);
    fresh->rank = comm::launched_rank();
    kept = fresh;
  }
  return *static_cast<Program*>(kept.get());
}

void begin_program(int argc, char** argv, int diags) {
  core::check_words("op_init", argc, argv);
  variables values = fresh_values(diags);
  for (int k = 1; k < argc; ++k)
    for (const Word& word : words)
      if (const char* rest = found_in(argv[k], word.text)) take_word(values, word, rest);
  if (values.maps_base_index != 0 && values.maps_base_index != 1)
    core::fail(ErrorCode::bad_option,
               "the value is not accepted: OP_MAPS_BASE_INDEX={}; use 0 or 1",
               values.maps_base_index);
  Program& of = program();
  of.values = values;
  of.partitioned = false;
  of.lists.reset();
}

void report_words(int argc, char** argv) {
  core::Log& log = api::running().log;
  if (!log.logs(core::LogLevel::debug)) return;
  for (int k = 1; k < argc; ++k)
    for (const Word& word : words)
      if (word.value != &variables::maps_base_index && found_in(argv[k], word.text) != nullptr)
        log.debug(
            fmt::format("'{}' is ignored: the library chooses how loops are executed", argv[k]));
}

variables& values() {
  Program& of = program();
  const api::Runtime* const runtime = api::session_or_null();
  list_mesh(of, runtime);
  variables& values = of.values;
  values.set_list = of.sets.data();
  values.set_index = static_cast<int>(of.sets.size());
  values.map_list = of.maps.data();
  values.map_index = static_cast<int>(of.maps.size());
  values.kernels = of.kernels.empty() ? nullptr : of.kernels.data();
  values.kern_max = static_cast<int>(of.kernels.size());
  const bool moved = runtime != nullptr && !runtime->rows.as_declared();
  values.is_partitioned = of.partitioned || moved ? 1 : 0;
  return values;
}

const halo_lists& lists() {
  std::optional<HaloLists>& kept = program().lists;
  api::Runtime* const runtime = api::session_or_null();
  if (runtime == nullptr)
    kept.emplace();
  else if (!kept || !kept->are_of(runtime->mesh, runtime->rows))
    kept.emplace(runtime->mesh, runtime->rows);
  return kept->shown();
}

int op_is_partitioned() {
  return values().is_partitioned;
}

void use_mpi(void (*begin)(int, char**), void (*end)()) {
  program().mpi_user = MpiUser{begin, end};
}

bool given_communicators(int* global, int* local) {
  const auto& given = program().communicators;
  if (!given) return false;
  *global = given->global;
  *local = given->local;
  return true;
}

}  // namespace op2::compat
