// SPDX-License-Identifier: BSD-3-Clause
#include <jit/payload_form.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/value_type.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {
namespace {

/// Reads an expression by the strength of its operators.
class ExpressionReader {
 public:
  explicit ExpressionReader(Tokens tokens) : rest_(tokens) {}

  /// The expression with parentheses around each operation and nowhere else. Nothing if it has
  /// other operators than those of values and comparisons.
  std::optional<std::string> read_all() {
    std::string whole = read(0);
    return is_known_ && rest_.empty() ? std::optional(std::move(whole)) : std::nullopt;
  }

 private:
  static int binding_of(std::string_view sign) {
    if (sign == "<" || sign == ">") return 1;
    if (sign == "+" || sign == "-") return 2;
    return sign == "*" || sign == "/" || sign == "%" ? 3 : 0;
  }
  static bool is_operand(std::string_view token) {
    return is_name(token) || token.front() == '.' ||
           std::isdigit(static_cast<unsigned char>(token.front())) != 0;
  }

  std::string_view front() const { return rest_.empty() ? std::string_view(" ") : rest_.front(); }
  std::string_view take() {
    const std::string_view token = front();
    is_known_ = is_known_ && !rest_.empty();
    rest_ = rest_.subspan(rest_.empty() ? 0 : 1);
    return token;
  }

  /// Operands that are bound more strongly than by `weaker`.
  std::string read(int weaker) {
    std::string left = read_operand();
    while (is_known_ && binding_of(front()) > weaker) {
      const std::string_view sign = take();
      left = fmt::format("({}{}{})", left, sign, read(binding_of(sign)));
    }
    return left;
  }

  std::string read_operand() {
    const std::string_view token = take();
    if (token == "*" || token == "-" || token == "!")
      return fmt::format("({}{})", token, read_operand());
    if (token == "(") {
      const std::string inner = read(0);
      is_known_ = is_known_ && take() == ")" && !is_operand(front());
      return read_postfix(inner);
    }
    is_known_ = is_known_ && is_operand(token);
    return read_postfix(std::string(token));
  }

  /// Subscripts, calls and names in scopes: `p[2]`, `std::fabs(a)`.
  std::string read_postfix(std::string text) {
    while (is_known_ && (front() == "[" || front() == "(" || front() == ":" || front() == ".")) {
      const std::string_view token = take();
      text += token;
      if (token == "[" || token == "(") {
        text += read_list(token == "[" ? "]" : ")");
        continue;
      }
      if (token == ":") text += take();
      is_known_ = is_known_ && is_name(front());
      text += take();
    }
    return text;
  }

  /// Expressions with commas between them, and the bracket that closes the list.
  std::string read_list(std::string_view end) {
    std::string list;
    while (is_known_ && front() != end) {
      list += read(0);
      if (front() == ",") list += take();
    }
    return list.append(take());
  }

  Tokens rest_;
  bool is_known_ = true;
};

/// Equal for expressions with the same syntax tree, whatever parentheses they have; of others, the
/// tokens with blanks between them.
std::string canonical(Tokens tokens) {
  auto read = ExpressionReader(tokens).read_all();
  return read ? std::move(*read) : fmt::format("{}", fmt::join(tokens, " "));
}

bool contains(Tokens tokens, std::string_view token) {
  return std::ranges::find(tokens, token) != tokens.end();
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

Tokens without_outer_parentheses(Tokens tokens) {
  while (!tokens.empty() && tokens.front() == "(" && closing(tokens, 0) == tokens.size() - 1)
    tokens = inside(tokens, 0);
  return tokens;
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
  Tokens body = function.body;
  if (!body.empty() && body.front() == "return") body = body.subspan(1);
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
  FormReader(const Function& function, std::span<const ArgShape> parameters)
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
    return std::ranges::any_of(parameters_, [&](const ArgShape& other) {
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

  /// A value of a parameter: its number and the component.
  using Place = std::pair<std::size_t, int>;

  /// The place that a canonical expression is: `(*p)` or `p[2]`.
  std::optional<Place> place_in(std::string_view text) const {
    std::string_view name = text.substr(0, text.find('['));
    int component = 0;
    if (text.starts_with("(*")) {
      name = text.substr(2, text.size() - 3);
    } else if (name.size() < text.size()) {
      const auto [end, error] =
          std::from_chars(text.data() + name.size() + 1, text.end(), component);
      if (error != std::errc() || std::string_view(end, text.end()) != "]") return std::nullopt;
    } else {
      return std::nullopt;
    }
    const auto known = std::ranges::find(names_, name);
    if (known == names_.end()) return std::nullopt;
    return Place{static_cast<std::size_t>(known - names_.begin()), component};
  }

  /// `x > *largest` or `*largest < x`; for a minimum with the other sign.
  struct Comparison {
    std::size_t extreme;
    std::string value;
  };

  std::optional<Comparison> comparison_in(Tokens text) const {
    const Tokens condition = without_outer_parentheses(text);
    const auto is_sign = [](std::string_view token) { return token == "<" || token == ">"; };
    if (std::ranges::count_if(condition, is_sign) != 1) return std::nullopt;
    const auto sign =
        static_cast<std::size_t>(std::ranges::find_if(condition, is_sign) - condition.begin());
    const Tokens left = condition.first(sign), right = condition.subspan(sign + 1);
    for (const bool extreme_first : {true, false}) {
      const auto place = place_in(canonical(extreme_first ? left : right));
      if (!place || place->second != 0 || !has_payloads(place->first)) continue;
      const ArgShape& extreme = parameters_[place->first];
      const Tokens value = extreme_first ? right : left;
      const bool is_least = extreme.access == OP_MIN;
      if (condition[sign] == (is_least == extreme_first ? ">" : "<") &&
          is_candidate(value, extreme.type))
        return Comparison{place->first, canonical(value)};
    }
    return std::nullopt;
  }

  bool is_candidate(Tokens value, Type type) const {
    return is_plain(value) && !contains(value, "?") && !contains(value, ",") &&
           !mentions_watched(value) &&
           (type == Type::f64 ? !contains(body_, "long") : has_type(canonical(value), type));
  }

  /// Whether a canonical expression is a value of a parameter of the type, or a variable that is
  /// declared once, with that type.
  bool has_type(std::string_view value, Type type) const {
    const bool is_star = value.starts_with("(*"), is_row = !is_star && value.ends_with("]");
    const std::string_view name =
        is_star ? value.substr(2, value.size() - 3) : value.substr(0, value.find('['));
    const auto parameter = std::ranges::find(names_, name);
    if (type == Type::b8) return false;
    if (parameter == names_.end())
      return !is_star && !is_row && declarations_of(name) == 1 && is_declared_as(name, type);
    return (is_star || is_row) && declarations_of(name) == 0 &&
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
    std::set<Place> set;
    while (!block.empty()) {
      const auto end = static_cast<std::size_t>(std::ranges::find(block, ";") - block.begin());
      const auto sign = static_cast<std::size_t>(std::ranges::find(block, "=") - block.begin());
      if (end == block.size() || end < sign + 2) return false;
      const Tokens value = block.subspan(sign + 1, end - sign - 1);
      const auto place = place_in(canonical(block.first(sign)));
      if (!place) return false;
      const bool is_extreme = place->first == comparison.extreme;
      const bool belongs =
          is_extreme || parameters_[place->first].extreme == static_cast<int>(comparison.extreme);
      const bool fits = is_extreme ? canonical(value) == comparison.value
                                   : is_plain(value) && !mentions_watched(value);
      if (!belongs || !fits || !set.insert(*place).second) return false;
      block = block.subspan(end + 1);
    }
    return set == values_of(comparison.extreme);
  }

  /// All values of an extreme and of its payloads.
  std::set<Place> values_of(std::size_t extreme) const {
    std::set<Place> values{{extreme, 0}};
    for (std::size_t p = 0; p < parameters_.size(); ++p)
      for (int k = 0; parameters_[p].extreme == static_cast<int>(extreme) && k < parameters_[p].dim;
           ++k)
        values.emplace(p, k);
    return values;
  }

  const Tokens body_;
  const std::span<const ArgShape> parameters_;
  const std::vector<std::string_view> names_;
};

}  // namespace

bool sets_payloads_in_any_order(const KernelCall& call, std::span<const ArgShape> parameters) {
  if (has_macros(call)) return false;
  const SourceScan scan = scan_source(call.source);
  const auto function = worker_named(call.name, scan.tokens);
  return function && FormReader(*function, parameters).is_recognised();
}

}  // namespace op2::jit
