// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/raw_ostream.h>

#include <jit/llvm/versions.hpp>

#include "spelling.hpp"

namespace op2::embed {
namespace {

using Tokens = llvm::ArrayRef<clang::syntax::Token>;

/// Whether two tokens are written without a space between them.
bool is_tight(clang::tok::TokenKind left, clang::tok::TokenKind right) {
  using namespace clang::tok;
  const auto is_one = [](TokenKind kind, std::initializer_list<TokenKind> list) {
    return std::ranges::find(list, kind) != list.end();
  };
  return is_one(left, {l_paren, l_square}) || is_one(right, {r_paren, r_square, comma, semi});
}

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

void collect(const Unit& unit, const clang::DeclContext& scope,
             const std::vector<const clang::NamespaceDecl*>& namespaces,
             std::vector<TopDeclaration>& list) {
  for (const auto* declaration : scope.decls()) {
    if (unit.is_standard(*declaration)) continue;
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declaration)) {
      auto inner = namespaces;
      inner.push_back(space);
      collect(unit, *space, inner, list);
    } else if (const auto* block = llvm::dyn_cast<clang::LinkageSpecDecl>(declaration)) {
      collect(unit, *block, namespaces, list);
    } else {
      list.push_back({declaration, namespaces});
    }
  }
}

std::string opening(const clang::NamespaceDecl& space) {
  const std::string name = space.getNameAsString();
  return fmt::format("{}namespace {}{{", space.isInline() ? "inline " : "",
                     name.empty() ? name : name + " ");
}

/// "namespace a { namespace b { } }"
std::string empty_namespace(const clang::NamespaceDecl& space) {
  std::string text = opening(space) + "}";
  const clang::DeclContext* scope = space.getParent();
  for (; scope != nullptr; scope = scope->getParent()) {
    const auto* outer = llvm::dyn_cast<clang::NamespaceDecl>(scope);
    if (outer != nullptr) text = opening(*outer) + " " + text + " }";
  }
  return text;
}

/// The program's namespace that a using-directive nominates; null if implicit or standard.
const clang::NamespaceDecl* made_visible_by(const clang::Decl& declaration, const Unit& unit) {
  const auto* directive = llvm::dyn_cast<clang::UsingDirectiveDecl>(&declaration);
  if (directive == nullptr || directive->isImplicit()) return nullptr;
  const auto* space = directive->getNominatedNamespace();
  return unit.is_standard(*space) ? nullptr : space;
}

/// Writes declarations as text, with the line breaks of the program's files.
class Writer {
 public:
  Writer(const Unit& unit, const Closure& closure) : unit_(unit), closure_(closure) {}

  void write(const std::vector<TopDeclaration>& declarations) {
    for (const TopDeclaration& top : declarations) {
      if (!is_wanted(*top.declaration)) continue;
      enter(top.namespaces);
      write(*top.declaration);
    }
    enter({});
  }

  /// Writes `line` on a separate line.
  void write_line(const std::string& line) {
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    text_ += line + "\n";
    file_ = {};
    line_ = 0;
  }

  const std::string& text() const { return text_; }

 private:
  bool is_wanted(const clang::Decl& declaration) const {
    if (made_visible_by(declaration, unit_) != nullptr) return true;
    return !declaration.isImplicit() && closure_.needed.contains(declaration.getCanonicalDecl());
  }

  /// Closes and opens namespaces until exactly `namespaces` are open.
  void enter(const std::vector<const clang::NamespaceDecl*>& namespaces) {
    const auto same = [](const auto* a, const auto* b) {
      return a->getCanonicalDecl() == b->getCanonicalDecl();
    };
    const auto common =
        std::mismatch(open_.begin(), open_.end(), namespaces.begin(), namespaces.end(), same)
            .first -
        open_.begin();
    for (auto left = open_.size() - common; left > 0; --left) write_line("}");
    for (std::size_t i = common; i < namespaces.size(); ++i) write_line(opening(*namespaces[i]));
    open_ = namespaces;
  }

  void write(const clang::Decl& declaration) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
      const auto value = closure_.values.find(variable->getCanonicalDecl());
      if (value == closure_.values.end()) return write_statement(declaration);
      if (variable == variable->getCanonicalDecl()) write_line(value->second);
      return;
    }
    if (const auto* tag = llvm::dyn_cast<clang::TagDecl>(&declaration)) return write_tag(*tag);
    const bool is_function =
        llvm::isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(declaration);
    if (!is_function && !llvm::isa<clang::ClassTemplateDecl>(declaration))
      return write_statement(declaration);
    const auto* function = declaration.getAsFunction();
    write_all(declaration);
    if (function == nullptr || !function->doesThisDeclarationHaveABody()) append(";");
  }

  Tokens tokens_of(const clang::Decl& declaration) const {
    return unit_.tokens.expandedTokens(declaration.getSourceRange());
  }

  void write_all(const clang::Decl& declaration) {
    find_gaps_in(declaration);
    write_tokens(tokens_of(declaration));
  }

  /// A declaration up to its semicolon, with all names that it declares; written once.
  void write_statement(const clang::Decl& declaration) {
    const auto tokens = tokens_of(declaration);
    if (tokens.empty() || !statements_.insert(tokens.begin()).second) return;
    const auto* last = std::max(tokens.end() - 1, tokens.begin());
    while (last != end_of_unit() && last->kind() != clang::tok::semi) ++last;
    find_gaps_in(declaration);
    write_tokens(Tokens(tokens.begin(), last));
    append(";");
  }

  /// A class or enumeration; one that is defined in a typedef is written with the typedef.
  void write_tag(const clang::TagDecl& tag) {
    if (const auto* outer = typedef_around(tag)) {
      write_statement(*outer);
    } else {
      write_all(tag);
      write_attributes(tag);
      append(";");
    }
    write_layout(tag);
  }

  const clang::Decl* typedef_around(const clang::TagDecl& tag) const {
    if (!tag.isEmbeddedInDeclarator()) return nullptr;
    const auto inside = tokens_of(tag);
    for (const clang::Decl* next = tag.getNextDeclInContext(); next != nullptr && !inside.empty();
         next = next->getNextDeclInContext()) {
      const auto tokens = tokens_of(*next);
      if (tokens.empty() || tokens.begin() > inside.begin()) return nullptr;
      if (llvm::isa<clang::TypedefDecl>(next)) return next;
    }
    return nullptr;
  }

  /// `} __attribute__((packed));`
  void write_attributes(const clang::TagDecl& tag) {
    const auto tokens = tokens_of(tag);
    const auto* begin = tokens.end();
    const auto* after = begin;
    int depth = 0;
    for (; after != end_of_unit(); ++after) {
      if (depth == 0 && after->kind() != clang::tok::kw___attribute &&
          after->kind() != clang::tok::l_paren)
        break;
      depth += after->kind() == clang::tok::l_paren   ? 1
               : after->kind() == clang::tok::r_paren ? -1
                                                      : 0;
    }
    if (!tokens.empty() && begin != end_of_unit() && begin->kind() == clang::tok::kw___attribute)
      write_tokens(Tokens(begin, after));
  }

  /// Classes must have the same layout as in the program.
  void write_layout(const clang::TagDecl& tag) {
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(&tag);
    if (record == nullptr || !record->isThisDeclarationADefinition() || record->isDependentType() ||
        record->isInvalidDecl() || llvm::isa<clang::ClassTemplateSpecializationDecl>(record))
      return;
    const clang::QualType type = jit::type_of_class(unit_.context, *record);
    const auto name = type.getAsString(names_policy(unit_.context));
    if (record->getIdentifier() == nullptr && record->getTypedefNameForAnonDecl() == nullptr)
      return;
    const auto& layout = unit_.context.getASTRecordLayout(record);
    write_line(fmt::format("\nstatic_assert(sizeof({0}) == {1} && alignof({0}) == {2});", name,
                           layout.getSize().getQuantity(), layout.getAlignment().getQuantity()));
  }

  void write_tokens(Tokens tokens) {
    for (const auto* token = tokens.begin(); token < tokens.end();) {
      if (const auto gap = gaps_.find(token); gap != gaps_.end()) {
        token = gap->second;
        end_ = {};
        continue;
      }
      separate(*token);
      const auto change = closure_.rewrites.find(token->location());
      if (change != closure_.rewrites.end()) {
        text_ += change->second.replacement;
        while (token < tokens.end() && token->location() != change->second.last) ++token;
      } else {
        text_ += token->text(sources()).str();
      }
      if (token == tokens.end()) break;
      last_ = token->kind();
      end_ = token->location().isFileID() ? token->endLocation() : clang::SourceLocation();
      ++token;
    }
  }

  /// Writes `text` without a separator.
  void append(const std::string& text) { text_ += text; }

  /// Writes the white space between the last token and the next one.
  void separate(const clang::syntax::Token& next) {
    const auto location = next.location();
    const auto offset = sources().getDecomposedExpansionLoc(location);
    const unsigned line = sources().getLineNumber(offset.first, offset.second);
    if (offset.first != file_ || line != line_) {
      constexpr unsigned deepest = 40;
      const unsigned column = sources().getColumnNumber(offset.first, offset.second);
      if (!text_.empty() && text_.back() != '\n') text_ += '\n';
      text_.append(std::min(column - 1, deepest), ' ');
    } else if (!(location.isFileID() && location == end_) && !is_tight(last_, next.kind())) {
      text_ += ' ';
    }
    file_ = offset.first;
    line_ = line;
  }

  /// Member functions that the kernel does not call, so that what they need is not needed either.
  /// @param declaration  of any kind; classes nested in it are searched
  void find_gaps_in(const clang::Decl& declaration) {
    if (const auto* record = class_of(declaration)) find_gaps(*record);
  }

  void find_gaps(const clang::CXXRecordDecl& record) {
    for (const auto* member : record.decls()) {
      if (member->isImplicit()) continue;
      if (const auto* inner = class_of(*member); inner != nullptr && inner != &record) {
        if (inner->getLexicalDeclContext() == &record) find_gaps(*inner);
      } else if (is_unused(*member)) {
        leave_out(*member);
      }
    }
  }

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
    if (after != all.end() && after->kind() == clang::tok::semi) ++after;
    gaps_[before_attributes(tokens.begin())] = after;
  }

  /// Moves `begin` in front of attributes: `[[nodiscard]] double f();` begins with one.
  const clang::syntax::Token* before_attributes(const clang::syntax::Token* begin) const {
    const auto* first = unit_.tokens.expandedTokens().begin();
    while (begin - first > 4 && begin[-1].kind() == clang::tok::r_square &&
           begin[-2].kind() == clang::tok::r_square) {
      const auto* open = begin - 3;
      while (open > first &&
             !(open[0].kind() == clang::tok::l_square && open[-1].kind() == clang::tok::l_square))
        --open;
      begin = open - 1;
    }
    return begin;
  }

  const clang::SourceManager& sources() const { return unit_.sources(); }
  const clang::syntax::Token* end_of_unit() const { return unit_.tokens.expandedTokens().end(); }

  const Unit& unit_;
  const Closure& closure_;
  std::vector<const clang::NamespaceDecl*> open_;
  std::set<const clang::syntax::Token*> statements_;
  /// Ranges of tokens to leave out: the first token, and the one after the last.
  std::map<const clang::syntax::Token*, const clang::syntax::Token*> gaps_;
  std::string text_;
  clang::FileID file_;
  unsigned line_ = 0;
  clang::SourceLocation end_;  ///< of the last token, if it stands in a file
  clang::tok::TokenKind last_ = clang::tok::unknown;
};

/// Whether the source has exactly one function of the kernel's name, which an unqualified call
/// finds.
bool is_plain(const std::vector<TopDeclaration>& declarations, const Closure& closure,
              const clang::FunctionDecl& kernel) {
  const auto* scope = kernel.getDeclContext()->getRedeclContext();
  if (!scope->isTranslationUnit() || kernel.getPrimaryTemplate() != nullptr) return false;
  return std::ranges::none_of(declarations, [&](const TopDeclaration& top) {
    const auto* function = top.declaration->getAsFunction();
    return function != nullptr && function->getDeclName() == kernel.getDeclName() &&
           closure.needed.contains(top.declaration->getCanonicalDecl()) &&
           function->getCanonicalDecl() != kernel.getCanonicalDecl();
  });
}

/// @param declarations  of the unit; their using-directives are part of every source, since name
///                      lookup depends on them
std::string prelude(const Unit& unit, const std::vector<TopDeclaration>& declarations,
                    const Closure& closure) {
  auto spaces = closure.namespaces;
  for (const TopDeclaration& top : declarations)
    if (const auto* space = made_visible_by(*top.declaration, unit)) spaces.insert(space);
  std::string text;
  for (const auto& header : closure.headers) text += fmt::format("#include <{}>\n", header);
  for (const auto& helper : closure.helpers) text += helper;
  for (const auto* space : spaces) {
    if (!space->isAnonymousNamespace()) text += empty_namespace(*space) + "\n";
  }
  return text;
}

}  // namespace

std::vector<TopDeclaration> top_declarations(const Unit& unit) {
  std::vector<TopDeclaration> list;
  collect(unit, *unit.context.getTranslationUnitDecl(), {}, list);
  return list;
}

KernelSource source_of(const Unit& unit, const std::vector<TopDeclaration>& declarations,
                       const Closure& closure, const clang::FunctionDecl& kernel) {
  Writer writer(unit, closure);
  writer.write(declarations);
  KernelSource result{kernel.getNameAsString(), {}, closure.variables};
  if (!is_plain(declarations, closure, kernel)) {
    result.name += "_kernel";
    while (writer.text().find(result.name) != std::string::npos) result.name += "_";
    writer.write_line(
        forwarding_function("void " + result.name, kernel, full_name(kernel).substr(2)));
  }
  writer.write_line("");
  result.code = prelude(unit, declarations, closure) + writer.text();
  while (result.code.ends_with("\n\n")) result.code.pop_back();
  return result;
}

}  // namespace op2::embed
