// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/level_keys.hpp>

#include <algorithm>
#include <limits>

#include <comm/order/breadth_first.hpp>
#include <comm/order/dense_places.hpp>

namespace op2::comm {
namespace {

class LevelKeys {
 public:
  LevelKeys(const DeclaredMaps& mesh, const DeclaredGraph& graph)
      : ranks_(mesh.ranks),
        begin_(mesh.first_of(mesh.ordered)),
        graph_(graph),
        search_(mesh.ranks, graph, most_search_rounds),
        keys_(graph.vertices(), last_key),
        level_(graph.vertices(), none),
        nearest_(graph.vertices(), none) {}

  std::optional<std::vector<std::int64_t>> run() {
    for (GlobalId root = next_root(); root != none; root = next_root())
      if (!add_part(root)) return {};
    return std::move(keys_);
  }

 private:
  static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

  /// The lowest index of an element that has neighbours and no key; `none` if there is none.
  GlobalId next_root() {
    while (next_ < keys_.size() && (keys_[next_] != last_key || graph_.of(next_).empty())) ++next_;
    WordReduction words{
        {}, {next_ < keys_.size() ? begin_ + static_cast<GlobalId>(next_) : none}, {}};
    ranks_.reduce(words, "the next part of the mesh");
    return words.minima[0];
  }

  /// Its vertex on the rank that declares it; -1 on others.
  std::int32_t vertex_of(GlobalId element) const {
    const GlobalId vertex = element - begin_;
    return vertex >= 0 && vertex < std::ssize(keys_) ? static_cast<std::int32_t>(vertex) : -1;
  }

  /// The element of the part with the largest value; of several, that with the lowest index.
  GlobalId farthest(const std::vector<std::int32_t>& values) {
    WordReduction words{{}, {}, {-1}};
    for (const std::int32_t v : search_.reached()) {
      const std::int64_t value = values[static_cast<std::size_t>(v)];
      words.maxima[0] = std::max(words.maxima[0], value << 31 | (none - (begin_ + v)));
    }
    ranks_.reduce(words, "the farthest element");
    return none - (words.maxima[0] & none);
  }

  /// Searches from a root, which counts for `nearest_` from now on.
  std::optional<std::int32_t> search_from(GlobalId root) {
    const auto depth = search_.search(vertex_of(root));
    for (const std::int32_t vertex : search_.reached()) {
      const auto v = static_cast<std::size_t>(vertex);
      nearest_[v] = std::min(nearest_[v], search_.distances()[v]);
    }
    return depth;
  }

  /// Gives keys to all that are connected with an element. @return whether rounds sufficed
  bool add_part(GlobalId lowest) {
    if (!search_.search(vertex_of(lowest))) return false;
    const auto depth = search_from(farthest(search_.distances()));
    if (!depth) return false;
    for (const std::int32_t v : search_.reached())
      level_[static_cast<std::size_t>(v)] = search_.distances()[static_cast<std::size_t>(v)];
    for (int root = 0; root < 3; ++root)
      if (!search_from(farthest(nearest_))) return false;
    for (const std::int32_t vertex : search_.reached()) {
      const auto v = static_cast<std::size_t>(vertex);
      keys_[v] = (levels_ + level_[v]) << 32 | search_.distances()[v];
    }
    levels_ += *depth + 1;
    return true;
  }

  Communicator& ranks_;
  const GlobalId begin_;
  const DeclaredGraph& graph_;
  BreadthFirst search_;
  std::vector<std::int64_t> keys_;
  std::vector<std::int32_t> level_;    ///< of each vertex: the distance from the first root
  std::vector<std::int32_t> nearest_;  ///< and that from the nearest root
  std::int64_t levels_ = 0;            ///< of the parts so far
  std::size_t next_ = 0;               ///< the vertices before it have keys or no neighbours
};

}  // namespace

std::optional<std::vector<std::int64_t>> level_keys(const DeclaredMaps& mesh,
                                                    const DeclaredGraph& graph) {
  return LevelKeys(mesh, graph).run();
}

}  // namespace op2::comm
