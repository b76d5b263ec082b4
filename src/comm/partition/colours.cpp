// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/colours.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <comm/messages/records.hpp>
#include <comm/partition/rendezvous.hpp>
#include <core/arithmetic.hpp>

namespace op2::comm {
namespace {

/// Some of the colours that are given at present: bit k for the k-th.
using ColourSet = std::uint64_t;
constexpr int given_at_once = 64;

/// An undecided element wants to choose next among those that share a target.
struct Claim {
  std::uint64_t priority;  ///< distinct
  std::int32_t rank, element;
};

/// It may, as far as that target goes.
struct Grant {
  ColourSet taken;  ///< by elements that share the target
  std::int64_t element;
};

class Rounds {
 public:
  Rounds(Communicator& ranks, std::span<const GlobalId> elements,
         std::span<const SharedTargets> targets)
      : ranks_(ranks), elements_(elements), targets_(targets), colour_(elements.size()) {
    for (const SharedTargets& some : targets) {
      taken_.emplace_back(static_cast<std::size_t>(some.set->count(ranks.rank())), 0);
      arity_ += some.arity;
    }
    for (std::size_t k = 0; k < elements.size(); ++k) undecided_.push_back(k);
  }

  /// Nothing if that takes more than most_colours_in_order.
  std::optional<Colours> in_declared_order() {
    const auto index = [this](std::size_t element) {
      return ~static_cast<std::uint64_t>(elements_[element]);
    };
    int colours = 0;
    for (; number_of(undecided_) > 0; ++colours) {
      if (colours == most_colours_in_order) return {};
      const std::vector<Permission> permissions = ask(index);
      std::erase_if(undecided_, [&](std::size_t element) {
        const bool is_next = permissions[element].grants == arity_;
        if (is_next) colour_[element] = static_cast<std::uint16_t>(colours);
        return is_next;
      });
    }
    return Colours{std::move(colour_), std::max(colours, 1)};
  }

  std::optional<Colours> run() {
    for (; number_of(undecided_) > 0; first_ += given_at_once) {
      if (first_ == most_colours) return {};
      while (number_of(undecided_) > 0) {
        const std::vector<Permission> permissions =
            ask([this](std::size_t element) { return core::splitmix64(elements_[element]); });
        tell(choose(permissions));
      }
      for (auto& taken : taken_) std::ranges::fill(taken, 0);
      undecided_ = std::exchange(too_late_, {});
    }
    const std::int64_t count = ranks_.maximum(most_ + 1, "counting colours");
    return Colours{std::move(colour_), static_cast<int>(count)};
  }

 private:
  /// What the targets of an element say.
  struct Permission {
    int grants = 0;
    ColourSet taken = 0;
  };

  /// On all ranks.
  std::int64_t number_of(const std::vector<std::size_t>& elements) {
    return ranks_.sum(std::ssize(elements), "counting elements without a colour");
  }

  std::span<const GlobalId> targets_of(const SharedTargets& some, std::size_t element) const {
    const auto arity = static_cast<std::size_t>(some.arity);
    return std::span(some.targets).subspan(element * arity, arity);
  }

  /// Every undecided element claims its targets; each target grants the claim that comes first.
  /// @param priority  of an element: the greatest comes first
  std::vector<Permission> ask(const auto& priority) {
    std::vector<Permission> permissions(elements_.size());
    for (std::size_t g = 0; g < targets_.size(); ++g) {
      Rendezvous<Claim> claims(ranks_, *targets_[g].set);
      for (const std::size_t element : undecided_)
        for (const GlobalId target : targets_of(targets_[g], element))
          claims.send(target,
                      {priority(element), ranks_.rank(), static_cast<std::int32_t>(element)});
      const auto grants = grant(claims.deliver(ranks_), taken_[g]);
      for (const Message& message : ranks_.exchange(messages_of(grants)))
        for (const Grant& one : from_bytes<Grant>(message.bytes)) {
          Permission& permission = permissions[one.element];
          ++permission.grants;
          permission.taken |= one.taken;
        }
    }
    return permissions;
  }

  /// For each rank.
  std::vector<std::vector<Grant>> grant(const Ragged<Claim>& claims,
                                        const std::vector<ColourSet>& taken) const {
    std::vector<std::vector<Grant>> grants(static_cast<std::size_t>(ranks_.size()));
    for (std::size_t row = 0; row < claims.rows(); ++row) {
      const std::span<const Claim> here = claims.row(row);
      if (here.empty()) continue;
      const std::uint64_t first = std::ranges::max(here, {}, &Claim::priority).priority;
      for (const Claim& claim : here)
        if (claim.priority == first) grants[claim.rank].push_back({taken[row], claim.element});
    }
    return grants;
  }

  /// Elements with all grants take the lowest colour that is free, if there is one.
  std::vector<std::size_t> choose(const std::vector<Permission>& permissions) {
    std::vector<std::size_t> decided, others;
    for (const std::size_t element : undecided_) {
      const Permission& permission = permissions[element];
      const int lowest = std::countr_one(permission.taken);
      if (permission.grants < arity_) {
        others.push_back(element);
      } else if (lowest == given_at_once) {
        too_late_.push_back(element);
      } else {
        most_ = std::max<std::int64_t>(most_, first_ + lowest);
        colour_[element] = static_cast<std::uint16_t>(first_ + lowest);
        decided.push_back(element);
      }
    }
    undecided_ = std::move(others);
    return decided;
  }

  void tell(const std::vector<std::size_t>& decided) {
    for (std::size_t g = 0; g < targets_.size(); ++g) {
      Rendezvous<std::uint8_t> chosen(ranks_, *targets_[g].set);
      for (const std::size_t element : decided)
        for (const GlobalId target : targets_of(targets_[g], element))
          chosen.send(target, static_cast<std::uint8_t>(colour_[element] - first_));
      const Ragged<std::uint8_t> arrived = chosen.deliver(ranks_);
      for (std::size_t row = 0; row < arrived.rows(); ++row)
        for (const std::uint8_t colour : arrived.row(row)) taken_[g][row] |= ColourSet{1} << colour;
    }
  }

  Communicator& ranks_;
  std::span<const GlobalId> elements_;
  std::span<const SharedTargets> targets_;
  int arity_ = 0;                              ///< claims of an element in a round
  std::vector<std::uint16_t> colour_;          ///< of each element
  std::vector<std::vector<ColourSet>> taken_;  ///< at each target that this rank declares
  std::vector<std::size_t> undecided_;
  std::vector<std::size_t> too_late_;  ///< all that are given now are taken
  int first_ = 0;                      ///< of the colours that are given now
  std::int64_t most_ = 0;
};

}  // namespace

std::optional<Colours> colour_elements(Communicator& ranks, std::span<const GlobalId> elements,
                                       std::span<const SharedTargets> targets) {
  if (auto in_order = Rounds(ranks, elements, targets).in_declared_order()) return in_order;
  return Rounds(ranks, elements, targets).run();
}

}  // namespace op2::comm
