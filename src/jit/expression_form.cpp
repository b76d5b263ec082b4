// SPDX-License-Identifier: BSD-3-Clause
#include <jit/expression_form.hpp>

#include <optional>
#include <utility>

namespace op2::jit {
namespace {

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
        is_known_ = is_known_ && is_word(longer.tokens.back());
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

}  // namespace

std::vector<std::string_view> without_needless_parentheses(Tokens tokens) {
  auto read = ExpressionReader(tokens).read_all();
  return read ? std::move(*read) : std::vector<std::string_view>(tokens.begin(), tokens.end());
}

}  // namespace op2::jit
