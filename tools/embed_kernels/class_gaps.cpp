// SPDX-License-Identifier: BSD-3-Clause
#include "class_gaps.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>

namespace op2::embed {
namespace {

using clang::tok::TokenKind;

/// The class that a declaration at namespace scope defines, or null.
const clang::CXXRecordDecl* class_of(const clang::Decl& declaration) {
  if (const auto* general = llvm::dyn_cast<clang::ClassTemplateDecl>(&declaration))
    return general->getTemplatedDecl();
  if (const auto* alias = llvm::dyn_cast<clang::TypedefDecl>(&declaration)) {
    const auto* tag = alias->getUnderlyingType()->getAsTagDecl();
    return llvm::dyn_cast_or_null<clang::CXXRecordDecl>(tag);
  }
  return llvm::dyn_cast<clang::CXXRecordDecl>(&declaration);
}

class Finder {
 public:
  Finder(const Unit& unit, const Closure& closure) : unit_(unit), closure_(closure) {}

  void visit(const clang::CXXRecordDecl& record) {
    for (const auto* member : record.decls()) {
      if (member->isImplicit()) continue;
      if (const auto* inner = class_of(*member); inner != nullptr && inner != &record) {
        if (inner->getLexicalDeclContext() == &record) visit(*inner);
      } else if (is_unused(*member)) {
        leave_out(*member);
      }
    }
  }

  Gaps gaps;

 private:
  bool is_unused(const clang::Decl& member) const {
    const clang::FunctionDecl* function = member.getAsFunction();
    if (const auto* friendship = llvm::dyn_cast<clang::FriendDecl>(&member)) {
      if (friendship->getFriendDecl() == nullptr) return false;
      function = friendship->getFriendDecl()->getAsFunction();
    }
    if (function == nullptr) return false;
    return !function->isExplicitlyDefaulted() && !function->isDeleted() &&
           !closure_.members.contains(function->getCanonicalDecl());
  }

  void leave_out(const clang::Decl& member) {
    const auto all = unit_.tokens.expandedTokens();
    const auto tokens = unit_.tokens.expandedTokens(member.getSourceRange());
    if (tokens.empty()) return;
    const auto* after = tokens.end();
    if (after != all.end() && after->kind() == TokenKind::semi) ++after;
    gaps[before_attributes(tokens.begin())] = after;
  }

  /// Moves `begin` in front of attributes: `[[nodiscard]] double f();` begins with one.
  const clang::syntax::Token* before_attributes(const clang::syntax::Token* begin) const {
    const auto* first = unit_.tokens.expandedTokens().begin();
    while (begin - first > 4 && begin[-1].kind() == TokenKind::r_square &&
           begin[-2].kind() == TokenKind::r_square) {
      const auto* open = begin - 3;
      while (open > first &&
             !(open[0].kind() == TokenKind::l_square && open[-1].kind() == TokenKind::l_square))
        --open;
      begin = open - 1;
    }
    return begin;
  }

  const Unit& unit_;
  const Closure& closure_;
};

}  // namespace

Gaps gaps_in(const clang::Decl& declaration, const Unit& unit, const Closure& closure) {
  Finder finder(unit, closure);
  if (const auto* record = class_of(declaration)) finder.visit(*record);
  return finder.gaps;
}

}  // namespace op2::embed
