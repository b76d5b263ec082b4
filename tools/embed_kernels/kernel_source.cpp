// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_source.hpp"

#include <algorithm>
#include <utility>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/RecordLayout.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include "class_gaps.hpp"
#include "names.hpp"
#include "token_writer.hpp"

namespace op2::embed {
namespace {

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

class Writer {
 public:
  Writer(const Unit& unit, const Closure& closure)
      : unit_(unit), closure_(closure), out_(unit.sources(), closure.rewrites) {
    end_ = unit.tokens.expandedTokens().end();
  }

  void write(const std::vector<TopDeclaration>& declarations) {
    for (const TopDeclaration& each : declarations) {
      if (!is_wanted(*each.declaration)) continue;
      enter(each.namespaces);
      write(*each.declaration);
    }
    enter({});
  }

  TokenWriter& out() { return out_; }

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
    for (auto left = open_.size() - common; left > 0; --left) out_.write_line("}");
    for (std::size_t i = common; i < namespaces.size(); ++i)
      out_.write_line(opening(*namespaces[i]));
    open_ = namespaces;
  }

  void write(const clang::Decl& declaration) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
      const auto value = closure_.values.find(variable->getCanonicalDecl());
      if (value == closure_.values.end()) return write_statement(declaration);
      if (variable == variable->getCanonicalDecl()) out_.write_line(value->second);
      return;
    }
    if (const auto* tag = llvm::dyn_cast<clang::TagDecl>(&declaration)) return write_tag(*tag);
    const bool is_function =
        llvm::isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(declaration);
    if (!is_function && !llvm::isa<clang::ClassTemplateDecl>(declaration))
      return write_statement(declaration);
    const auto* function = declaration.getAsFunction();
    write_tokens(declaration);
    if (function == nullptr || !function->doesThisDeclarationHaveABody()) out_.append(";");
  }

  Tokens tokens_of(const clang::Decl& declaration) const {
    return unit_.tokens.expandedTokens(declaration.getSourceRange());
  }

  void write_tokens(const clang::Decl& declaration) {
    out_.write(tokens_of(declaration), gaps_in(declaration, unit_, closure_));
  }

  /// A declaration up to its semicolon, with all names that it declares; written once.
  void write_statement(const clang::Decl& declaration) {
    const auto tokens = tokens_of(declaration);
    if (tokens.empty() || !statements_.insert(tokens.begin()).second) return;
    const auto* last = std::max(tokens.end() - 1, tokens.begin());
    while (last != end_ && last->kind() != clang::tok::semi) ++last;
    out_.write(Tokens(tokens.begin(), last), gaps_in(declaration, unit_, closure_));
    out_.append(";");
  }

  /// A class or enumeration; one that is defined in a typedef is written with the typedef.
  void write_tag(const clang::TagDecl& tag) {
    if (const auto* outer = typedef_around(tag)) {
      write_statement(*outer);
    } else {
      write_tokens(tag);
      write_attributes(tag);
      out_.append(";");
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
    for (; after != end_; ++after) {
      if (depth == 0 && after->kind() != clang::tok::kw___attribute &&
          after->kind() != clang::tok::l_paren)
        break;
      depth += after->kind() == clang::tok::l_paren   ? 1
               : after->kind() == clang::tok::r_paren ? -1
                                                      : 0;
    }
    if (!tokens.empty() && begin != end_ && begin->kind() == clang::tok::kw___attribute)
      out_.write(Tokens(begin, after));
  }

  /// Classes must have the same layout as in the program.
  void write_layout(const clang::TagDecl& tag) {
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(&tag);
    if (record == nullptr || !record->isThisDeclarationADefinition() || record->isDependentType() ||
        record->isInvalidDecl() || llvm::isa<clang::ClassTemplateSpecializationDecl>(record))
      return;
    const auto type = unit_.context.getRecordType(record);
    const auto name = type.getAsString(names_policy(unit_.context));
    if (record->getIdentifier() == nullptr && record->getTypedefNameForAnonDecl() == nullptr)
      return;
    const auto& layout = unit_.context.getASTRecordLayout(record);
    out_.write_line(fmt::format("\nstatic_assert(sizeof({0}) == {1} && alignof({0}) == {2});", name,
                                layout.getSize().getQuantity(),
                                layout.getAlignment().getQuantity()));
  }

  const Unit& unit_;
  const Closure& closure_;
  TokenWriter out_;
  const clang::syntax::Token* end_;
  std::vector<const clang::NamespaceDecl*> open_;
  std::set<const clang::syntax::Token*> statements_;
};

/// Whether the source has exactly one function of the kernel's name, which an unqualified call
/// finds.
bool is_plain(const std::vector<TopDeclaration>& declarations, const Closure& closure,
              const clang::FunctionDecl& kernel) {
  const auto* scope = kernel.getDeclContext()->getRedeclContext();
  if (!scope->isTranslationUnit() || kernel.getPrimaryTemplate() != nullptr) return false;
  return std::none_of(declarations.begin(), declarations.end(), [&](const TopDeclaration& each) {
    const auto* function = each.declaration->getAsFunction();
    return function != nullptr && function->getDeclName() == kernel.getDeclName() &&
           closure.needed.contains(each.declaration->getCanonicalDecl()) &&
           function->getCanonicalDecl() != kernel.getCanonicalDecl();
  });
}

std::string forwarding_function(const clang::FunctionDecl& kernel, const std::string& name) {
  std::string parameters, values;
  const auto policy = names_policy(kernel.getASTContext());
  for (unsigned i = 0; i < kernel.getNumParams(); ++i) {
    std::string parameter = fmt::format("a{}", i);
    values += (i > 0 ? ", " : "") + parameter;
    kernel.getParamDecl(i)->getType().getCanonicalType().getAsStringInternal(parameter, policy);
    parameters += (i > 0 ? ", " : "") + parameter;
  }
  return fmt::format("void {}({}) {{ {}({}); }}", name, parameters, full_name(kernel).substr(2),
                     values);
}

/// @param declarations  of the unit; their using-directives are part of every source, since name
///                      lookup depends on them
std::string prelude(const Unit& unit, const std::vector<TopDeclaration>& declarations,
                    const Closure& closure) {
  auto spaces = closure.namespaces;
  for (const TopDeclaration& each : declarations)
    if (const auto* space = made_visible_by(*each.declaration, unit)) spaces.insert(space);
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
    while (writer.out().text().find(result.name) != std::string::npos) result.name += "_";
    writer.out().write_line(forwarding_function(kernel, result.name));
  }
  writer.out().write_line("");
  result.code = prelude(unit, declarations, closure) + writer.out().text();
  while (result.code.ends_with("\n\n")) result.code.pop_back();
  return result;
}

}  // namespace op2::embed
