// SPDX-License-Identifier: BSD-3-Clause
// During the recursion, the owner of an element is the first rank of its part. Cuts are exact: the
// element at which to cut is found one byte of its key at a time, from a histogram of that byte
// over the elements. A part's first rank adds the histograms up and decides; all parts of a level
// are cut at the same time.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <comm/messages/records.hpp>
#include <comm/partition/partition.hpp>

namespace op2::comm {

namespace {

/// The bounding box of elements.
struct Box {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 3> low{infinity, infinity, infinity};
  std::array<double, 3> high{-infinity, -infinity, -infinity};

  Box& operator+=(const Box& other) {
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], other.low[d]);
      high[d] = std::max(high[d], other.high[d]);
    }
    return *this;
  }
  void include(std::size_t d, double coordinate) {
    low[d] = std::min(low[d], coordinate);
    high[d] = std::max(high[d], coordinate);
  }
  std::size_t longest_side() const {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < 3; ++d)
      if (high[d] - low[d] > high[longest] - low[longest]) longest = d;
    return longest;
  }
};

/// The number of elements for each value of one byte of their keys.
struct Histogram {
  std::array<std::int64_t, 256> count{};
  Histogram& operator+=(const Histogram& other) {
    std::transform(count.begin(), count.end(), other.count.begin(), count.begin(), std::plus());
    return *this;
  }
};

/// The value of a byte at which to cut: elements with smaller values are below, with larger ones
/// above; of those with exactly this value, `below` more belong below, which the next byte decides.
struct Cut {
  std::int64_t byte;
  std::int64_t below;
};

/// @param below  of the elements counted, how many belong below the cut
Cut cut_of(const Histogram& histogram, std::int64_t below) {
  std::int64_t byte = 0;
  for (; byte < 256; ++byte) {
    const std::int64_t here = histogram.count[byte];
    if (here > below) break;
    below -= here;
  }
  return {byte, below};
}

/// An unsigned integer with the order of the number; -0 and 0 are equal.
std::uint64_t sortable(double number) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// A declared element whose side of the cut is not known yet.
struct Candidate {
  std::array<std::uint64_t, 2> key;  ///< coordinate and global index: what elements are sorted by
  std::size_t declared;              ///< position among the declared elements

  std::int64_t byte(int number) const {
    return static_cast<std::int64_t>(key[number < 8 ? 0 : 1] >> (8 * (7 - number % 8)) & 255);
  }
};

/// Elements that go to the ranks [first, last).
struct Part {
  int first, last;
  int middle() const { return first + (last - first) / 2; }
  bool is_final() const { return last - first == 1; }
};

/// A part that is being cut in two, [first, middle) and [middle, last).
struct Cutting {
  Part part;
  std::int64_t below;                 ///< candidates of all ranks that belong to the lower half
  std::vector<Candidate> candidates;  ///< of this rank
};

/// Elements that the ranks before this one own in the end.
std::int64_t elements_before(const Blocks& set, int ranks, int rank) {
  return set.size() / ranks * rank + set.size() % ranks * rank / ranks;
}

std::vector<Cutting> begin_cuttings(const std::vector<Part>& parts, const Blocks& set, int ranks,
                                    GlobalId begin, const Owners& owners) {
  std::vector<Cutting> cuttings;
  std::vector<std::size_t> cutting_of(ranks);  // by first rank
  for (const Part& part : parts) {
    cutting_of[part.first] = cuttings.size();
    const auto below =
        elements_before(set, ranks, part.middle()) - elements_before(set, ranks, part.first);
    cuttings.push_back({part, below, {}});
  }
  for (std::size_t i = 0; i < owners.size(); ++i) {
    Cutting& cutting = cuttings[cutting_of[owners[i]]];
    const auto id = static_cast<std::uint64_t>(begin) + i;
    if (!cutting.part.is_final()) cutting.candidates.push_back({{0, id}, i});
  }
  return cuttings;
}

/// For each part, its first rank combines what ranks with candidates know of it, and answers them.
/// Collective. Cost: two exchanges between the ranks of each part.
/// @param table_of   what this rank knows of a part
/// @param answer_of  made once on the first rank of a part, also if nobody asks
/// @param take       called for each part of which this rank has candidates
template <class Table, class TableOf, class AnswerOf, class Take>
void ask_parts(Communicator& communicator, std::vector<Cutting>& cuttings, const TableOf& table_of,
               const AnswerOf& answer_of, const Take& take) {
  std::vector<Message> messages;
  for (const Cutting& cutting : cuttings) {
    if (cutting.candidates.empty()) continue;
    const Table table = table_of(cutting);
    messages.push_back({cutting.part.first, to_bytes<Table>({&table, 1})});
  }
  Table sum;
  messages = communicator.exchange(std::move(messages));
  for (const Message& message : messages) sum += from_bytes<Table>(message.bytes).front();
  const auto answer = answer_of(sum);
  using Answer = std::remove_const_t<decltype(answer)>;
  for (Message& message : messages) message.bytes = to_bytes<Answer>({&answer, 1});
  auto cutting = cuttings.begin();  // parts and answers ascend with the first ranks
  for (const Message& message : communicator.exchange(std::move(messages))) {
    while (cutting->part.first != message.rank) ++cutting;
    take(*cutting, from_bytes<Answer>(message.bytes).front());
  }
}

/// Sets the first word of the keys: the coordinate along the longest side of the part. Collective.
void choose_sides(Communicator& communicator, std::span<const double> coordinates, std::size_t dim,
                  std::vector<Cutting>& cuttings) {
  const auto coordinate = [&](const Candidate& candidate, std::size_t d) {
    return coordinates[candidate.declared * dim + d];
  };
  const auto box_of = [&](const Cutting& cutting) {
    Box box;
    for (const Candidate& candidate : cutting.candidates)
      for (std::size_t d = 0; d < dim; ++d) box.include(d, coordinate(candidate, d));
    return box;
  };
  const auto longest_side = [](const Box& box) { return box.longest_side(); };
  ask_parts<Box>(communicator, cuttings, box_of, longest_side,
                 [&](Cutting& cutting, std::size_t side) {
                   for (Candidate& candidate : cutting.candidates)
                     candidate.key[0] = sortable(coordinate(candidate, side));
                 });
}

/// Settles the candidates that a byte decides; those above get the first rank of the upper half.
void settle(Cutting& cutting, int byte, const Cut& cut, Owners& owners) {
  cutting.below = cut.below;
  std::erase_if(cutting.candidates, [&](const Candidate& candidate) {
    const std::int64_t value = candidate.byte(byte);
    const bool is_above = value > cut.byte || (value == cut.byte && cut.below == 0);
    if (is_above) owners[candidate.declared] = cutting.part.middle();
    return is_above || value < cut.byte;
  });
}

/// One byte of the keys. Collective.
/// @return whether every cut is complete, on all ranks
bool narrow(Communicator& communicator, int byte, std::vector<Cutting>& cuttings, Owners& owners) {
  const auto histogram_of = [&](const Cutting& cutting) {
    Histogram histogram;
    for (const Candidate& candidate : cutting.candidates) ++histogram.count[candidate.byte(byte)];
    return histogram;
  };
  const auto own = std::find_if(cuttings.begin(), cuttings.end(), [&](const Cutting& cutting) {
    return cutting.part.first == communicator.rank();
  });
  WordReduction open{{}, {}, {0}};  // candidates that belong below, of any part
  const auto cut_own_part = [&](const Histogram& histogram) {
    if (own == cuttings.end()) return Cut{0, 0};
    const Cut cut = cut_of(histogram, own->below);
    own->below = open.maxima[0] = cut.below;
    return cut;
  };
  ask_parts<Histogram>(
      communicator, cuttings, histogram_of, cut_own_part,
      [&](Cutting& cutting, const Cut& cut) { settle(cutting, byte, cut, owners); });
  communicator.reduce(open, "whether all parts are cut");
  return open.maxima[0] == 0;
}

/// Whether a byte of all keys is zero: the last eight are a global index below `size`.
bool is_always_zero(int byte, GlobalId size) {
  return byte >= 8 && (size - 1) >> (8 * (15 - byte)) == 0;
}

std::vector<Part> halves(const std::vector<Part>& parts) {
  std::vector<Part> result;
  for (const Part& part : parts) {
    if (!part.is_final()) result.push_back({part.first, part.middle()});
    result.push_back({part.is_final() ? part.first : part.middle(), part.last});
  }
  return result;
}

}  // namespace

Owners rcb_owners(Communicator& communicator, const Blocks& set,
                  std::span<const double> coordinates, int dim) {
  const int ranks = communicator.size(), rank = communicator.rank();
  Owners owners(set.count(rank), 0);
  std::vector<Part> parts{{0, ranks}};
  while (static_cast<int>(parts.size()) < ranks) {
    auto cuttings = begin_cuttings(parts, set, ranks, set.begin[rank], owners);
    choose_sides(communicator, coordinates, dim, cuttings);
    bool complete = false;
    for (int byte = 0; byte < 16 && !complete; ++byte)
      if (!is_always_zero(byte, set.size()))
        complete = narrow(communicator, byte, cuttings, owners);
    parts = halves(parts);
  }
  return owners;
}

}  // namespace op2::comm
