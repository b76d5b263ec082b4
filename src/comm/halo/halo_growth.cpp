// SPDX-License-Identifier: BSD-3-Clause
// Adds layers to a halo plan. Each takes three rounds between neighbours: ask for the iterations
// that access the elements here, ask for the targets of these iterations, and publish the rows
// that are imported.
#include <algorithm>
#include <unordered_map>

#include <comm/halo/halo_plan.hpp>
#include <comm/messages/records.hpp>
#include <core/memory.hpp>

namespace op2::comm {
namespace {

using core::Level;
using NewElements = std::vector<std::vector<Element>>;   ///< [set]
using References = std::vector<std::vector<Reference>>;  ///< [map], ascending rows

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

/// Local rows by global index while halos grow: of owned elements, and of halos so far.
class Rows {
 public:
  explicit Rows(const HaloPlan& plan) : plan_(plan), halo_(plan.sets.size()) {
    for (std::size_t s = 0; s < plan.sets.size(); ++s) {
      const core::Layout& layout = plan.sets[s].layout;
      for (std::int32_t row = layout.owned(); row < layout.rows(); ++row)
        add(s, layout.global_id[at(row)], row);
    }
  }

  void add(std::size_t set, GlobalId id, std::int32_t row) { halo_[set].emplace(id, row); }

  bool has(std::size_t set, const Element& element) const {
    return element.owner == plan_.rank || halo_[set].contains(element.id);
  }

  std::int32_t of(std::size_t set, const Element& element) const {
    if (element.owner == plan_.rank) return plan_.sets[set].owned_row(element.id);
    const auto found = halo_[set].find(element.id);
    core::ensure(found != halo_[set].end(), "a halo element has no row");
    return found->second;
  }

 private:
  const HaloPlan& plan_;
  std::vector<std::unordered_map<GlobalId, std::int32_t>> halo_;  ///< [set]
};

void add_if_new(const Rows& rows, int set, const Element& element, NewElements& found) {
  if (!rows.has(at(set), element)) found[at(set)].push_back(element);
}

/// Own iterations that access owned elements outside W_-depth. No such iteration is in
/// W_-(depth + 1), so only the boundary is searched.
References own_references(const HaloPlan& plan, Level depth) {
  References all;
  for (const LocalMap& map : plan.maps) {
    const core::Layout& from = plan.sets[at(map.from)].layout;
    const core::Layout& to = plan.sets[at(map.to)].layout;
    std::vector<Reference> references;
    for (std::int32_t row = from.within(-(depth + 1)); row < from.owned(); ++row)
      for (int column = 0; column < map.arity; ++column) {
        const std::int32_t target = map.entries[at(row) * at(map.arity) + at(column)];
        if (target >= to.within(-depth) && target < to.owned())
          references.push_back({target, {from.global_id[at(row)], plan.rank}});
      }
    std::sort(references.begin(), references.end(),
              [](const Reference& a, const Reference& b) { return a.row < b.row; });
    all.push_back(std::move(references));
  }
  return all;
}

void put_references(const std::vector<Reference>& references, std::int32_t row,
                    std::vector<Element>& out) {
  const auto first = std::partition_point(references.begin(), references.end(),
                                          [&](const Reference& r) { return r.row < row; });
  for (auto r = first; r != references.end() && r->row == row; ++r) out.push_back(r->iteration);
}

/// Asks the owners of rows [first, last) about them: for each set a count and the global indices.
Outbox ask_about(const HaloPlan& plan, Level first, Level last) {
  std::map<int, std::vector<std::vector<GlobalId>>> ids;
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    const core::Layout& layout = plan.sets[s].layout;
    for (std::int32_t row = layout.within(first); row < layout.within(last); ++row) {
      auto& wanted = ids[layout.owner[at(row)]];
      wanted.resize(plan.sets.size());
      wanted[s].push_back(layout.global_id[at(row)]);
    }
  }
  Outbox outbox;
  for (const auto& [owner, wanted] : ids)
    for (const auto& elements : wanted) {
      put(outbox[owner], static_cast<std::int32_t>(elements.size()));
      put_many(outbox[owner], std::span<const GlobalId>(elements));
    }
  return outbox;
}

/// Answers each question with what `answer_set(set, own rows, answer)` makes of its parts.
template <class AnswerSet>
std::vector<Message> ask(Communicator& communicator, const HaloPlan& plan, Outbox&& questions,
                         const AnswerSet& answer_set) {
  std::vector<Message> answers;
  for (const Message& question : communicator.exchange(messages_of(std::move(questions)))) {
    Reader reader(question.bytes);
    Bytes answer;
    for (std::size_t s = 0; s < plan.sets.size(); ++s) {
      std::vector<std::int32_t> rows;
      const auto count = reader.get<std::int32_t>();
      for (const GlobalId id : reader.get_many<GlobalId>(at(count)))
        rows.push_back(plan.sets[s].owned_row(id));
      answer_set(s, rows, answer);
    }
    answers.push_back({question.rank, std::move(answer)});
  }
  return communicator.exchange(std::move(answers));
}

/// First round: the iterations without a row here that access elements of W_depth.
NewElements ghost_iterations(Communicator& communicator, const HaloPlan& plan, const Rows& known) {
  NewElements found(plan.sets.size());
  if (plan.depth == 0) {
    for (const LocalMap& map : plan.maps)
      for (const Reference& r : map.remote_references)
        add_if_new(known, map.from, r.iteration, found);
    return found;
  }
  // An element that another rank has in W_depth is not in W_-depth here.
  const References own = own_references(plan, plan.depth);
  const auto answer_set = [&](std::size_t s, const std::vector<std::int32_t>& rows, Bytes& answer) {
    for (std::size_t m = 0; m < plan.maps.size(); ++m) {
      if (at(plan.maps[m].to) != s) continue;
      std::vector<Element> iterations;
      for (const std::int32_t row : rows) {
        put_references(own[m], row, iterations);
        put_references(plan.maps[m].remote_references, row, iterations);
      }
      put(answer, static_cast<std::int32_t>(m));
      put(answer, static_cast<std::int64_t>(iterations.size()));
      put_many(answer, std::span<const Element>(iterations));
    }
  };
  for (const Message& answer :
       ask(communicator, plan, ask_about(plan, plan.depth - 2, plan.depth), answer_set))
    for (Reader reader(answer.bytes); !reader.empty();) {
      const int from = plan.maps[at(reader.get<std::int32_t>())].from;
      const auto count = static_cast<std::size_t>(reader.get<std::int64_t>());
      for (const Element& iteration : reader.get_many<Element>(count))
        add_if_new(known, from, iteration, found);
    }
  return found;
}

Element target_of(const HaloPlan& plan, const LocalMap& map, std::size_t entry) {
  const std::int32_t target = map.entries[entry];
  if (target < 0) return map.remote_targets[at(-1 - target)];
  const core::Layout& to = plan.sets[at(map.to)].layout;
  return {to.global_id[at(target)], to.owner[at(target)]};
}

/// Second round: where do the iterations of levels (depth - 1, depth + 1] lead? Shape [map][rows of
/// these levels x arity].
std::vector<std::vector<Element>> targets_of_new_rows(Communicator& communicator,
                                                      const HaloPlan& plan) {
  const auto answer_set = [&](std::size_t s, const std::vector<std::int32_t>& rows, Bytes& answer) {
    for (const LocalMap& map : plan.maps) {
      if (at(map.from) != s) continue;
      std::vector<Element> targets;
      for (const std::int32_t row : rows)
        for (int column = 0; column < map.arity; ++column)
          targets.push_back(target_of(plan, map, at(row) * at(map.arity) + at(column)));
      put_many(answer, std::span<const Element>(targets));
    }
  };
  const Level first = plan.depth == 0 ? 0 : plan.depth - 1, last = plan.depth + 1;
  const auto answers = ask(communicator, plan, ask_about(plan, first, last), answer_set);
  std::map<int, Reader> readers;
  for (const Message& answer : answers) readers.emplace(answer.rank, Reader(answer.bytes));
  std::vector<std::vector<Element>> targets(plan.maps.size());
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    const core::Layout& layout = plan.sets[s].layout;
    std::map<int, std::vector<std::int32_t>> rows;  // of each owner, in the order of the question
    for (std::int32_t row = layout.within(first); row < layout.within(last); ++row)
      rows[layout.owner[at(row)]].push_back(row - layout.within(first));
    const std::size_t count = at(layout.within(last) - layout.within(first));
    for (std::size_t m = 0; m < plan.maps.size(); ++m) {
      if (at(plan.maps[m].from) != s) continue;
      const std::size_t arity = at(plan.maps[m].arity);
      targets[m].resize(count * arity);
      for (const auto& [owner, owned] : rows) {
        const auto values = readers.at(owner).get_many<Element>(owned.size() * arity);
        for (std::size_t k = 0; k < values.size(); ++k)
          targets[m][at(owned[k / arity]) * arity + k % arity] = values[k];
      }
    }
  }
  return targets;
}

/// Appends the rows of the next level to every set: grouped by owner, inside by global index.
void append_level(HaloPlan& plan, Rows& rows, NewElements& found) {
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    IndexMap& set = plan.sets[s];
    auto& elements = found[s];
    std::sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
      return std::pair(a.owner, a.id) < std::pair(b.owner, b.id);
    });
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    HaloLevel& level = set.levels.emplace_back();
    set.layout.global_id.reserve(set.layout.global_id.size() + elements.size());
    set.layout.owner.reserve(set.layout.owner.size() + elements.size());
    for (const Element& element : elements) {
      const auto row = static_cast<std::int32_t>(set.layout.global_id.size());
      if (level.imports.empty() || level.imports.back().rank != element.owner)
        level.imports.push_back({element.owner, row, 0});
      ++level.imports.back().count;
      set.layout.global_id.push_back(element.id);
      set.layout.owner.push_back(element.owner);
      rows.add(s, element.id, row);
    }
    set.layout.prefix.push_back(static_cast<std::int32_t>(set.layout.global_id.size()));
  }
}

/// Third round: each owner learns which of its rows are here at the levels depth + 1 and depth + 2.
void publish_imports(Communicator& communicator, HaloPlan& plan) {
  Outbox outbox;
  for (std::size_t s = 0; s < plan.sets.size(); ++s)
    for (Level h = plan.depth + 1; h <= plan.depth + 2; ++h)
      for (const ImportRange& run : plan.sets[s].levels[at(h - 1)].imports) {
        Bytes& bytes = outbox[run.rank];
        put(bytes, static_cast<std::int32_t>(s));
        put(bytes, h);
        put(bytes, run.count);
        put_many<GlobalId>(
            bytes, std::span(plan.sets[s].layout.global_id).subspan(at(run.begin), at(run.count)));
      }
  for (const Message& message : communicator.exchange(messages_of(std::move(outbox))))
    for (Reader reader(message.bytes); !reader.empty();) {
      IndexMap& set = plan.sets[at(reader.get<std::int32_t>())];
      const auto h = reader.get<Level>();
      ExportList list{message.rank, {}};
      const auto count = reader.get<std::int32_t>();
      for (const GlobalId id : reader.get_many<GlobalId>(at(count)))
        list.rows.push_back(set.owned_row(id));
      set.levels[at(h - 1)].exports.push_back(std::move(list));
    }
}

/// Local rows of the targets of the new iterations, and of targets that had no row before.
void append_entries(HaloPlan& plan, const Rows& rows,
                    const std::vector<std::vector<Element>>& targets) {
  for (std::size_t m = 0; m < plan.maps.size(); ++m) {
    LocalMap& map = plan.maps[m];
    if (plan.depth == 0)
      for (std::int32_t& entry : map.entries)
        if (entry < 0) entry = rows.of(at(map.to), map.remote_targets[at(-1 - entry)]);
    core::release(map.remote_targets);
    map.entries.reserve(map.entries.size() + targets[m].size());
    for (const Element& target : targets[m]) map.entries.push_back(rows.of(at(map.to), target));
  }
}

void grow_layer(Communicator& communicator, HaloPlan& plan, Rows& rows) {
  NewElements found = ghost_iterations(communicator, plan, rows);
  append_level(plan, rows, found);
  const auto targets = targets_of_new_rows(communicator, plan);
  for (auto& elements : found) elements.clear();
  for (std::size_t m = 0; m < plan.maps.size(); ++m) {
    const LocalMap& map = plan.maps[m];
    for (const Element& target : targets[m]) add_if_new(rows, map.to, target, found);
    for (const Element& target : map.remote_targets) add_if_new(rows, map.to, target, found);
  }
  append_level(plan, rows, found);
  append_entries(plan, rows, targets);
  publish_imports(communicator, plan);
  plan.depth += 2;
}

}  // namespace

void grow_halo_plan(Communicator& communicator, HaloPlan& plan, Level level) {
  if (level <= plan.depth) return;
  Rows rows(plan);
  while (plan.depth < level) grow_layer(communicator, plan, rows);
}

}  // namespace op2::comm
