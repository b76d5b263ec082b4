// SPDX-License-Identifier: BSD-3-Clause
#include <jit/payload_form.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <core/value_type.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {
namespace {

/// As scan_source finds them.
using Tokens = std::span<const std::string_view>;

bool is_name(std::string_view token) {
  return std::isalpha(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_';
}

/// Reads expressions by the strength of their operators.
class ExpressionReader {
 public:
  explicit ExpressionReader(Tokens tokens) : rest_(tokens) {}

  /// Nothing if the expression has other operators than those of values and comparisons.
  std::optional<std::vector<std::string_view>> read_all() {
    Part whole = read(0);
    return is_known_ && rest_.empty() ? std::optional(std::move(whole.tokens)) : std::nullopt;
  }

 private:
  struct Part {
    std::vector<std::string_view> tokens;
    int binding;  ///< strength of the operator that it consists of
  };
  static constexpr int comparison = 1, sum = 2, product = 3, sign = 4, postfix = 5;

  static int binding_of(std::string_view sign) {
    if (sign == "<" || sign == ">") return comparison;
    if (sign == "+" || sign == "-") return sum;
    return sign == "*" || sign == "/" || sign == "%" ? product : 0;
  }

  std::string_view front() const { return rest_.empty() ? std::string_view(" ") : rest_.front(); }
  std::string_view take() {
    const std::string_view token = front();
    is_known_ = is_known_ && !rest_.empty();
    rest_ = rest_.subspan(rest_.empty() ? 0 : 1);
    return token;
  }

  /// With the parentheses that an operand of an operator needs.
  static void append(std::vector<std::string_view>& to, const Part& part, int weakest) {
    const bool is_signed =
        !to.empty() && (part.tokens.front() == "-" || part.tokens.front() == "+");
    const bool is_bracketed = part.binding < weakest || is_signed;
    if (is_bracketed) to.emplace_back("(");
    to.insert(to.end(), part.tokens.begin(), part.tokens.end());
    if (is_bracketed) to.emplace_back(")");
  }

  /// Operands that are bound more strongly than by `weaker`.
  Part read(int weaker) {
    Part left = read_operand();
    for (int binding = binding_of(front()); is_known_ && binding > weaker;
         binding = binding_of(front())) {
      Part both{{}, binding};
      append(both.tokens, left, binding);
      both.tokens.push_back(take());
      append(both.tokens, read(binding), binding + 1);
      left = std::move(both);
    }
    return left;
  }

  Part read_operand() {
    const std::string_view token = take();
    if (token == "*" || token == "-" || token == "!") {
      Part part{{token}, sign};
      append(part.tokens, read_operand(), sign);
      return part;
    }
    if (token == "(") {
      const Part inner = read(0);
      is_known_ = is_known_ && take() == ")" && !is_operand(front());
      return read_postfix(inner);
    }
    is_known_ = is_known_ && is_operand(token);
    return read_postfix({{token}, postfix});
  }

  static bool is_operand(std::string_view token) {
    return std::isalnum(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_' ||
           token.front() == '.';
  }

  /// Subscripts, calls and names in scopes: `p[2]`, `std::fabs(a)`.
  Part read_postfix(Part part) {
    while (is_known_ && (front() == "[" || front() == "(" || front() == ":" || front() == ".")) {
      Part longer{{}, postfix};
      append(longer.tokens, part, postfix);
      const std::string_view token = take();
      longer.tokens.push_back(token);
      if (token == ":" || token == ".") {
        if (token == ":") longer.tokens.push_back(take());
        longer.tokens.push_back(take());
        is_known_ = is_known_ && is_name(longer.tokens.back());
      } else {
        read_list(longer.tokens, token == "[" ? "]" : ")");
      }
      part = std::move(longer);
    }
    return part;
  }

  /// Expressions with commas between them, and the bracket that closes the list.
  void read_list(std::vector<std::string_view>& to, std::string_view end) {
    while (is_known_ && front() != end) {
      const Part part = read(0);
      to.insert(to.end(), part.tokens.begin(), part.tokens.end());
      if (front() == ",") to.push_back(take());
    }
    to.push_back(take());
  }

  Tokens rest_;
  bool is_known_ = true;
};

/// An expression without the parentheses that its operators do not need, so that expressions with
/// the same syntax tree have the same tokens. With other operators than those of values and
/// comparisons it stays as it is. Cost: linear in the length and the depth.
std::vector<std::string_view> without_needless_parentheses(Tokens tokens) {
  auto read = ExpressionReader(tokens).read_all();
  return read ? std::move(*read) : std::vector<std::string_view>(tokens.begin(), tokens.end());
}

bool contains(Tokens tokens, std::string_view token) {
  return std::ranges::find(tokens, token) != tokens.end();
}

/// The position of the bracket that closes the one at `open`; the end if there is none.
std::size_t closing(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < tokens.size(); ++k) {
    const char c = tokens[k].front();
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0) return k;
  }
  return tokens.size();
}

/// Macros could hide anything.
bool has_macros(const KernelCall& call) {
  const auto defines = [](std::string_view text) { return !macros_in(text).empty(); };
  return defines(call.source) || std::ranges::any_of(call.includes, [&](const IncludedFile& file) {
           return defines(file.text);
         });
}

/// The tokens between a pair of brackets.
Tokens inside(Tokens tokens, std::size_t open) {
  return tokens.subspan(open + 1, closing(tokens, open) - open - 1);
}

struct Function {
  Tokens parameters, body;
};

/// The only definition of the function; nothing if there is none, or more than one.
std::optional<Function> function_named(std::string_view name, Tokens tokens) {
  std::optional<Function> found;
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
    if (tokens[k] != name || tokens[k + 1] != "(") continue;
    const std::size_t body = closing(tokens, k + 1) + 1;
    if (body >= tokens.size() || tokens[body] != "{") continue;
    if (found || closing(tokens, body) == tokens.size()) return std::nullopt;
    found = Function{inside(tokens, k + 1), inside(tokens, body)};
  }
  return found;
}

/// The last word of each parameter.
std::vector<std::string_view> names_of(Tokens parameters) {
  std::vector<std::string_view> names;
  std::string_view name;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (is_name(parameters[k])) name = parameters[k];
    const bool is_last = k + 1 == parameters.size();
    if (is_last || parameters[k] == ",") names.push_back(name);
  }
  return names;
}

/// The function that another one does nothing but call, with its own parameters in their order;
/// empty if there is none. Wrappers of embedded sources are such.
std::string_view forwarded_to(const Function& function) {
  const Tokens body = function.body;
  if (body.size() < 4 || !is_name(body[0]) || body[1] != "(") return {};
  const std::size_t end = closing(body, 1);
  if (end + 2 != body.size() || body[end + 1] != ";") return {};
  std::vector<std::string_view> call;
  for (const std::string_view name : names_of(function.parameters)) {
    if (!call.empty()) call.emplace_back(",");
    call.push_back(name);
  }
  return std::ranges::equal(inside(body, 1), call) ? body[0] : std::string_view();
}

/// The function that does the work of a kernel.
std::optional<Function> worker_named(std::string_view name, Tokens tokens) {
  constexpr int most_wrappers = 2;
  std::optional<Function> function = function_named(name, tokens);
  for (int k = 0; k < most_wrappers && function; ++k) {
    const std::string_view next = forwarded_to(*function);
    if (next.empty()) break;
    function = function_named(next, tokens);
  }
  return function;
}

/// Functions without effects whose result depends on nothing but their arguments.
bool is_pure(std::string_view function) {
  constexpr std::array names{"abs",  "fabs", "fabsf", "sqrt",   "sqrtf", "fmin",
                             "fmax", "min",  "max",   "pow",    "exp",   "log",
                             "sin",  "cos",  "hypot", "double", "float", "int"};
  return std::ranges::find(names, function) != names.end();
}

/// Whether an expression may be evaluated once or twice, here or there, and calls nothing unknown.
bool is_plain(Tokens expression) {
  if (expression.empty()) return false;
  for (std::size_t k = 0; k < expression.size(); ++k) {
    const std::string_view token = expression[k];
    const std::string_view next = k + 1 < expression.size() ? expression[k + 1] : " ";
    if (std::string_view("=&|{};#").find(token.front()) != std::string_view::npos) return false;
    if ((token == "+" || token == "-") && next == token) return false;
    if (is_name(token) && next == "(" && !is_pure(token)) return false;
  }
  return true;
}

/// Looks for statements that replace extremes in the body of one kernel.
class FormReader {
 public:
  FormReader(const Function& function, std::span<const PayloadParameter> parameters)
      : body_(function.body), parameters_(parameters), names_(names_of(function.parameters)) {}

  bool is_recognised() const {
    if (names_.size() != parameters_.size() || has_repeated_names()) return false;
    for (std::size_t k = 0; k < body_.size();) {
      const std::size_t end = body_[k] == "if" ? end_of_replacement(k) : 0;
      if (end == 0 && is_watched(body_[k])) return false;
      k = std::max(end, k + 1);
    }
    return true;
  }

 private:
  bool has_repeated_names() const {
    return std::set<std::string_view>(names_.begin(), names_.end()).size() != names_.size();
  }

  bool has_payloads(std::size_t parameter) const {
    return std::ranges::any_of(parameters_, [&](const PayloadParameter& other) {
      return other.extreme == static_cast<int>(parameter);
    });
  }

  /// Whether a token names an extreme with payloads, or a payload.
  bool is_watched(std::string_view token) const {
    for (std::size_t p = 0; p < names_.size(); ++p)
      if (names_[p] == token && (parameters_[p].extreme >= 0 || has_payloads(p))) return true;
    return false;
  }

  bool mentions_watched(Tokens tokens) const {
    return std::ranges::any_of(tokens,
                               [this](std::string_view token) { return is_watched(token); });
  }

  /// A value of a parameter, as `*p` or `p[2]`.
  struct Place {
    std::size_t parameter;
    int component;
    std::size_t tokens;  ///< its length
  };

  /// The place with which some tokens begin.
  std::optional<Place> place_at(Tokens tokens) const {
    const bool is_star = !tokens.empty() && tokens.front() == "*";
    if (tokens.size() < (is_star ? 2U : 4U)) return std::nullopt;
    const auto name = std::ranges::find(names_, tokens[is_star ? 1 : 0]);
    if (name == names_.end()) return std::nullopt;
    const auto parameter = static_cast<std::size_t>(name - names_.begin());
    if (is_star) return Place{parameter, 0, 2};
    int component = 0;
    const std::string_view number = tokens[2];
    const auto [end, error] = std::from_chars(number.begin(), number.end(), component);
    const bool is_number = error == std::errc() && end == number.end();
    if (tokens[1] != "[" || !is_number || tokens[3] != "]") return std::nullopt;
    return Place{parameter, component, 4};
  }

  /// `x > *largest` or `*largest < x`; for a minimum with the other sign.
  struct Comparison {
    std::size_t extreme;
    std::vector<std::string_view> value;
  };

  std::optional<Comparison> comparison_in(Tokens text) const {
    const std::vector<std::string_view> simplest = without_needless_parentheses(text);
    const Tokens condition = simplest;
    for (const std::size_t length : {2U, 4U}) {
      if (condition.size() < length + 2) continue;
      const std::size_t rest = condition.size() - length;
      for (const bool extreme_first : {true, false}) {
        const auto place = place_at(condition.subspan(extreme_first ? 0 : rest, length));
        if (!place || place->tokens != length || place->component != 0) continue;
        const PayloadParameter& extreme = parameters_[place->parameter];
        const bool is_least = extreme.access == OP_MIN;
        const std::string_view sign = is_least == extreme_first ? ">" : "<";
        if (condition[extreme_first ? length : rest - 1] != sign) continue;
        const Tokens value = condition.subspan(extreme_first ? length + 1 : 0, rest - 1);
        if (has_payloads(place->parameter) && is_candidate(value, extreme.type))
          return Comparison{place->parameter, {value.begin(), value.end()}};
      }
    }
    return std::nullopt;
  }

  bool is_candidate(Tokens value, Type type) const {
    const bool compares = contains(value, "<") || contains(value, ">") || contains(value, "?") ||
                          contains(value, ",");
    return is_plain(value) && !compares && !mentions_watched(value) &&
           (type == Type::f64 ? !contains(body_, "long") : has_type(value, type));
  }

  /// Whether an expression is a value of a parameter of the type, or a variable that is declared
  /// once, with that type.
  bool has_type(Tokens value, Type type) const {
    if (type == Type::b8) return false;
    const std::size_t star = value.front() == "*" ? 1 : 0;
    if (value.size() <= star || !is_name(value[star])) return false;
    const std::string_view name = value[star];
    const bool is_row = value.size() > star + 1 && value[star + 1] == "[" &&
                        closing(value, star + 1) == value.size() - 1;
    if (star + is_row == 2 || (value.size() > star + 1 && !is_row)) return false;
    const auto parameter = std::ranges::find(names_, name);
    if (parameter == names_.end())
      return star == 0 && !is_row && declarations_of(name) == 1 && is_declared_as(name, type);
    return (star == 1 || is_row) && declarations_of(name) == 0 &&
           parameters_[static_cast<std::size_t>(parameter - names_.begin())].type == type;
  }

  /// Mentions of a name after a word, or after one and a declarator, or in a list of declarators.
  int declarations_of(std::string_view name) const {
    int count = 0;
    for (std::size_t k = 1; k < body_.size(); ++k) {
      if (body_[k] != name) continue;
      const std::string_view before = body_[k - 1];
      const bool after_word = is_name(before) && before != "return" && before != "else";
      const bool in_list = before == "," || before == "[";
      const bool after_declarator = (before == "*" || before == "&") && k > 1 &&
                                    is_name(body_[k - 2]) && body_[k - 2] != "return";
      count += after_word || in_list || after_declarator ? 1 : 0;
    }
    return count;
  }

  bool is_declared_as(std::string_view name, Type type) const {
    const std::string_view wanted = core::cxx_name_of(type);
    for (std::size_t k = 2; k < body_.size(); ++k)
      if (body_[k] == name && body_[k - 1] == wanted)
        return !is_name(body_[k - 2]) || body_[k - 2] == "const";
    return !body_.empty() && body_.size() > 1 && body_[0] == wanted && body_[1] == name;
  }

  /// The end of a statement that replaces an extreme and all its payloads; 0: it is something else.
  std::size_t end_of_replacement(std::size_t begin) const {
    const Tokens all = body_.subspan(begin);
    if (all.size() < 2 || all[1] != "(") return 0;
    const std::size_t block = closing(all, 1) + 1;
    if (block >= all.size() || all[block] != "{") return 0;
    const std::size_t end = closing(all, block) + 1;
    if (end < all.size() && all[end] == "else") return 0;
    const auto comparison = comparison_in(inside(all, 1));
    return comparison && sets_all(*comparison, inside(all, block)) ? begin + end : 0;
  }

  /// Whether a block assigns the compared value to the extreme, and once every value of its
  /// payloads.
  bool sets_all(const Comparison& comparison, Tokens block) const {
    std::set<std::pair<std::size_t, int>> set;
    while (!block.empty()) {
      const auto end = static_cast<std::size_t>(std::ranges::find(block, ";") - block.begin());
      const auto sign = static_cast<std::size_t>(std::ranges::find(block, "=") - block.begin());
      if (end == block.size() || end < sign + 2) return false;
      const std::vector<std::string_view> target = without_needless_parentheses(block.first(sign)),
                                          value = without_needless_parentheses(
                                              block.subspan(sign + 1, end - sign - 1));
      const auto place = place_at(target);
      if (!place || place->tokens != target.size()) return false;
      const bool is_extreme = place->parameter == comparison.extreme;
      const bool belongs = is_extreme || parameters_[place->parameter].extreme ==
                                             static_cast<int>(comparison.extreme);
      const bool fits = is_extreme ? std::ranges::equal(value, comparison.value)
                                   : is_plain(value) && !mentions_watched(value);
      if (!belongs || !fits || !set.emplace(place->parameter, place->component).second)
        return false;
      block = block.subspan(end + 1);
    }
    return set == values_of(comparison.extreme);
  }

  /// All values of an extreme and of its payloads.
  std::set<std::pair<std::size_t, int>> values_of(std::size_t extreme) const {
    std::set<std::pair<std::size_t, int>> values{{extreme, 0}};
    for (std::size_t p = 0; p < parameters_.size(); ++p)
      for (int k = 0; parameters_[p].extreme == static_cast<int>(extreme) && k < parameters_[p].dim;
           ++k)
        values.emplace(p, k);
    return values;
  }

  const Tokens body_;
  const std::span<const PayloadParameter> parameters_;
  const std::vector<std::string_view> names_;
};

}  // namespace

bool sets_payloads_in_any_order(const KernelCall& call,
                                std::span<const PayloadParameter> parameters) {
  if (has_macros(call)) return false;
  const SourceScan scan = scan_source(call.source);
  const auto function = worker_named(call.name, scan.tokens);
  return function && FormReader(*function, parameters).is_recognised();
}

}  // namespace op2::jit
