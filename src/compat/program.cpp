// SPDX-License-Identifier: BSD-3-Clause
#include <compat/program.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

#include <op2/compat/op2_functions.h>

#include <api/session.hpp>
#include <comm/messages/communicator.hpp>
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

void add_level(const comm::HaloLevel& level, HaloRows& exported, HaloRows& imported) {
  const auto begin = [](HaloRows& rows, int rank, std::size_t size) {
    rows.ranks.push_back(rank);
    rows.disps.push_back(static_cast<int>(rows.list.size()));
    rows.sizes.push_back(static_cast<int>(size));
  };
  for (const comm::ExportList& sent : level.exports) {
    begin(exported, sent.rank, sent.rows.size());
    exported.list.insert(exported.list.end(), sent.rows.begin(), sent.rows.end());
  }
  for (const comm::ImportRange& run : level.imports) {
    begin(imported, run.rank, static_cast<std::size_t>(run.count));
    for (std::int32_t row = 0; row < run.count; ++row) imported.list.push_back(run.begin + row);
  }
}

void add_set(SetLists& lists, const core::Set& set, comm::DistributedMesh& rows) {
  const auto count = static_cast<std::size_t>(set.size + set.exec_size + set.nonexec_size);
  lists.numbers.resize(count);
  if (set.global_indices.empty())
    std::iota(lists.numbers.begin(), lists.numbers.end(), wide_index{0});
  else
    std::copy_n(set.global_indices.begin(), count, lists.numbers.begin());
  lists.owners.assign(count, rows.communicator().rank());
  if (!set.layout->owner.empty())
    std::copy_n(set.layout->owner.begin(), count, lists.owners.begin());
  const auto& begin = rows.declared_blocks(set).begin;
  for (std::size_t rank = 0; rank + 1 < begin.size(); ++rank)
    lists.declared.insert(lists.declared.end(), {begin[rank], begin[rank + 1] - 1});
  if (!rows.has_halo_plan()) return;
  const auto& levels = rows.halo_plan().index_map(set).levels;
  for (std::size_t k = 0; k < std::min<std::size_t>(levels.size(), 2); ++k)
    add_level(levels[k], lists.exported[k], lists.imported[k]);
}

void show(SetLists& lists, op_set set) {
  for (auto* halos : {&lists.exported, &lists.imported})
    for (HaloRows& rows : *halos)
      rows.shown = {set,
                    static_cast<int>(rows.list.size()),
                    rows.ranks.data(),
                    static_cast<int>(rows.ranks.size()),
                    rows.disps.data(),
                    rows.sizes.data(),
                    rows.list.data()};
  lists.part = {set, lists.numbers.data(), lists.owners.data(), 1};
}

/// Whether it is known who owns what.
bool has_owners(const core::Mesh& mesh, const comm::DistributedMesh& rows) {
  return rows.has_halo_plan() ||
         std::ranges::all_of(mesh.sets(), [](const auto& set) { return set->is_single_rank; });
}

}  // namespace

Program& program() {
  std::shared_ptr<void>& kept = api::compatibility_state();
  if (kept == nullptr) {
    const auto fresh = std::make_shared<Program>();
    fresh->values = fresh_values(0);
    fresh->rank = comm::this_launch().rank;
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

void HaloLists::show_all() {
  for (SetLists& lists : sets_) {
    parts_.push_back(&lists.part);
    declared_.push_back(lists.declared.data());
    for (std::size_t k = 0; k < 2; ++k) {
      exported_[k].push_back(&lists.exported[k].shown);
      imported_[k].push_back(&lists.imported[k].shown);
    }
  }
  shown_ = {static_cast<int>(sets_.size()),
            parts_.data(),
            declared_.data(),
            exported_[0].data(),
            imported_[0].data(),
            exported_[1].data(),
            imported_[1].data()};
}

HaloLists::HaloLists(const core::Mesh& mesh, comm::DistributedMesh& rows)
    : arrangement_(rows.arrangement()) {
  if (!has_owners(mesh, rows)) return;
  sets_.resize(mesh.sets().size());
  for (const auto& set : mesh.sets()) {
    SetLists& lists = sets_[static_cast<std::size_t>(set->index)];
    add_set(lists, *set, rows);
    show(lists, set.get());
  }
  show_all();
}

bool HaloLists::are_of(const core::Mesh& mesh, const comm::DistributedMesh& rows) const {
  const auto is_of = [](const SetLists& lists, const auto& set) {
    return lists.part.set == set.get();
  };
  return arrangement_ == rows.arrangement() &&
         (has_owners(mesh, rows) ? std::ranges::equal(sets_, mesh.sets(), is_of) : sets_.empty());
}

}  // namespace op2::compat
