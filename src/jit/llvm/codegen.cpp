// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/codegen.hpp>

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/Internalize.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>
#include <llvm/Transforms/Instrumentation/ThreadSanitizer.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

#include <jit/llvm/math_libraries.hpp>
#include <jit/llvm/passes/passes.hpp>
#include <jit/llvm/versions.hpp>

namespace op2::jit {
namespace {

/// Collects the diagnostics of the optimiser and the code generator.
class MessageHandler : public llvm::DiagnosticHandler {
 public:
  MessageHandler(std::vector<Diagnostic>& messages, const Diagnostic& kernel,
                 const std::string& blocks)
      : messages_(messages), kernel_(kernel), blocks_(blocks) {}

  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override { return is_vectoriser(pass); }
  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override { return is_vectoriser(pass); }
  bool isAnyRemarkEnabled() const override { return !blocks_.empty(); }

  /// Why the loop over lanes is not vector code; without a reason if it is.
  SimdChoice scalar() const {
    if (blocks_.empty() || (vectorised_ && !refused_)) return {};
    return {.reason = ScalarReason::not_vectorised, .detail = reason_};
  }

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (const auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info)) {
      add_frame(*frame);
    } else if (const auto* remark = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info)) {
      note(*remark);
    } else if (info.getSeverity() == llvm::DS_Error) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      messages_.push_back(error_at(kernel_, text));
    }
    return true;
  }

 private:
  static bool is_vectoriser(llvm::StringRef pass) { return pass == "loop-vectorize"; }

  /// A loop over two elements is unrolled, and its instructions are paired by another pass.
  static bool is_slp(llvm::StringRef pass) { return pass == "slp-vectorizer"; }

  /// Remarks about loops that must be vectorised have no name of a pass.
  void note(const llvm::DiagnosticInfoOptimizationBase& remark) {
    if (remark.getFunction().getName() != blocks_) return;
    if (llvm::isa<llvm::DiagnosticInfoOptimizationFailure>(remark)) refused_ = true;
    if (const auto* done = llvm::dyn_cast<llvm::OptimizationRemark>(&remark))
      vectorised_ = vectorised_ || is_slp(done->getPassName()) ||
                    (is_vectoriser(done->getPassName()) && is_of_elements(done->getCodeRegion()));
    if (llvm::isa<llvm::OptimizationRemarkAnalysis>(remark) &&
        remark.getPassName() == llvm::OptimizationRemarkAnalysis::AlwaysPrint && reason_.empty())
      reason_ = reason_in(remark.getMsg());
  }

  /// Whether a block begins the loop over elements, which has a pragma, and not one in a kernel.
  static bool is_of_elements(const llvm::Value* region) {
    const auto* header = llvm::dyn_cast_or_null<llvm::BasicBlock>(region);
    return header != nullptr &&
           llvm::any_of(llvm::predecessors(header), [](const llvm::BasicBlock* before) {
             return llvm::findOptionMDForLoopID(before->getTerminator()->getMetadata("llvm.loop"),
                                                "llvm.loop.vectorize.enable") != nullptr;
           });
  }

  /// One line, without the advice to users of Clang that follows in some remarks.
  static std::string reason_in(llvm::StringRef message) {
    message.consume_front("loop not vectorized: ");
    return message.split('\n').first.split(". Use ").first.str();
  }

  void add_frame(const llvm::DiagnosticInfoStackSize& frame) {
    messages_.push_back(error_at(
        kernel_,
        fmt::format("the local variables of the kernel need {} bytes of stack, but the limit is {}",
                    frame.getStackSize(), frame.getStackLimit()),
        Diagnostic::Kind::limit));
  }

  std::vector<Diagnostic>& messages_;
  const Diagnostic& kernel_;
  const std::string& blocks_;
  bool vectorised_ = false, refused_ = false;
  std::string reason_;
};

std::unique_ptr<llvm::TargetMachine> target_machine(const Machine& machine) {
  std::string error;
  const auto* target = llvm::TargetRegistry::lookupTarget(TargetTriple(machine.info.triple), error);
  if (target == nullptr) return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      MachineTriple(machine.info.triple), machine.info.cpu, machine.features, llvm::TargetOptions{},
      llvm::Reloc::PIC_, llvm::CodeModel::Small, all_optimisations));
}

void add_own_passes(llvm::PassBuilder& builder, const std::string& blocks) {
  builder.registerScalarOptimizerLateEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel, auto...) {
        passes.addPass(LoadBeforeChoice());
      });
  builder.registerVectorizerStartEPCallback(
      [&blocks](llvm::FunctionPassManager& passes, llvm::OptimizationLevel, auto...) {
        passes.addPass(PrepareBranches{{}, blocks});
      });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel, auto...) {
        llvm::FunctionPassManager cleanup;
        cleanup.addPass(NegateLate());
        cleanup.addPass(llvm::EarlyCSEPass());
        cleanup.addPass(llvm::InstCombinePass());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(cleanup)));
      });
}

/// Globals are not instrumented: that needs a constructor in the object, and none is ever run.
void add_sanitizers(llvm::PassBuilder& builder, const CompileRequest& request) {
  builder.registerOptimizerLastEPCallback(
      [&request](llvm::ModulePassManager& passes, llvm::OptimizationLevel, auto...) {
        if (request.sanitizers.address) {
          llvm::AddressSanitizerOptions options;
          options.Recover = false;
          options.UseAfterScope = true;
          options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
          leave_out_version_check(options);
          passes.addPass(llvm::AddressSanitizerPass(options, false, false, llvm::AsanDtorKind::None,
                                                    llvm::AsanCtorKind::None));
        }
        if (request.sanitizers.thread) {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
        }
      });
}

/// @param vectors  functions that may be called with several numbers at once
/// @param may_trap_elsewhere  set if vector code would compute what elements do not compute
/// @return the floating-point operations of an element
double optimise(llvm::Module& module, llvm::TargetMachine& machine, const CompileRequest& request,
                const std::vector<VectorFunction>& vectors, bool& may_trap_elsewhere) {
  double flops = core::unknown_flops;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  add_own_passes(builder, request.blocks);
  add_sanitizers(builder, request);
  builder.registerOptimizerEarlyEPCallback(
      [&](llvm::ModulePassManager& passes, llvm::OptimizationLevel, auto...) {
        passes.addPass(CountFlops{{}, request, flops});
      });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  std::vector<llvm::VecDesc> descriptions;
  for (const VectorFunction& function : vectors)
    descriptions.push_back(description_of(function.scalar, function.vector,
                                          static_cast<unsigned>(function.width), function.shape));
  library.addVectorizableFunctions(descriptions);
  functions.registerPass([&library] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);

  llvm::ModulePassManager passes;
  passes.addPass(llvm::InternalizePass(
      [&request](const llvm::GlobalValue& value) { return value.getName() == request.symbol; }));
  flatten_kernels(passes, request);
  if (request.traps && !request.blocks.empty())
    passes.addPass(FindTraps{{}, request.blocks, may_trap_elsewhere});
  passes.addPass(builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
  passes.run(module, modules);
  return flops;
}

/// Consumes `module`. @return empty if the target has no assembly
std::string assembly_of(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, assembly_file)) return {};
  passes.run(module);
  return {text.begin(), text.end()};
}

/// Writes machine code to an object.
std::unique_ptr<llvm::MCStreamer> streamer_to(llvm::raw_pwrite_stream& stream,
                                              const llvm::TargetMachine& machine,
                                              llvm::MCContext& context) {
  const llvm::Target& target = machine.getTarget();
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target.createMCAsmBackend(features, *machine.getMCRegisterInfo(), machine.Options.MCOptions));
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  auto writer = backend->createObjectWriter(stream);
  return std::unique_ptr<llvm::MCStreamer>(
      object_streamer(target, features, machine.getTargetTriple(), context, std::move(backend),
                      std::move(writer), std::move(emitter)));
}

/// From assembly to a relocatable file, with LLVM's assembler inside the process.
/// @param machine  that the assembly was generated for
/// @param message  set to the first error; then the result is empty
std::vector<std::byte> assemble(const std::string& assembly, const llvm::TargetMachine& machine,
                                std::string& message) {
  const llvm::Target& target = machine.getTarget();
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  const llvm::MCTargetOptions& options = machine.Options.MCOptions;
  llvm::SourceMgr sources;
  const auto keep_first = [](const llvm::SMDiagnostic& found, void* text) {
    auto& first = *static_cast<std::string*>(text);
    if (first.empty() && found.getKind() == llvm::SourceMgr::DK_Error)
      first = found.getMessage().str();
  };
  sources.setDiagHandler(keep_first, &message);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(assembly), {});
  llvm::MCContext context(machine.getTargetTriple(), machine.getMCAsmInfo(),
                          machine.getMCRegisterInfo(), &features, &sources, &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(
      target.createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(sections.get());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  const auto streamer = streamer_to(stream, machine, context);
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *machine.getMCAsmInfo()));
  const std::unique_ptr<llvm::MCTargetAsmParser> instructions(
      target.createMCAsmParser(features, *parser, *machine.getMCInstrInfo(), options));
  parser->setTargetParser(*instructions);
  if (parser->Run(false)) return {};
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

/// Nothing runs the constructors of an object that is linked at run time.
void refuse_constructors(const llvm::Module& module, const SourceMarks& marks,
                         std::vector<Diagnostic>& diagnostics) {
  const auto* constructors = module.getNamedGlobal("llvm.global_ctors");
  if (constructors == nullptr || constructors->isDeclaration()) return;
  const Diagnostic place = marks.constructed.empty() ? Diagnostic{} : marks.constructed.front();
  diagnostics.push_back(
      error_at(place,
               "the source has a global variable whose initial value is not a constant expression; "
               "compute it in the kernel, or declare it with op_decl_const"));
}

void refuse_undefined(const llvm::Module& module, const SourceMarks& marks,
                      std::vector<Diagnostic>& diagnostics) {
  for (const auto& function : module) {
    const auto mark = marks.undefined.find(function.getName().str());
    if (mark == marks.undefined.end()) continue;
    diagnostics.push_back(error_at(
        mark->second,
        fmt::format("function '{}' is declared but not defined; define it in the source or "
                    "in a file that the source includes",
                    mark->second.subject),
        Diagnostic::Kind::unknown_symbol));
  }
}

/// Replaces calls of elementary functions.
void refuse_inconsistent(llvm::Module& module, const SourceMarks& marks,
                         std::vector<Diagnostic>& diagnostics) {
  for (const std::string& name : make_calls_consistent(module))
    diagnostics.push_back(error_at(
        marks.kernel,
        fmt::format("OP2_REPRODUCIBLE=on: no variant of '{}' as it is called here has the same "
                    "bits on all processors; call functions of one double or float, such as sin, "
                    "cos and pow",
                    name)));
}

std::vector<VectorFunction> vector_functions(const TargetInfo& target,
                                             const CompileRequest& request) {
  if (request.consistent_math) return consistent_vector_functions(target);
  return request.vector_math ? fast_vector_functions(target) : std::vector<VectorFunction>();
}

}  // namespace

void SourceMarks::set_unit(std::int32_t unit) {
  kernel.unit = unit;
  for (Diagnostic& mark : constructed) mark.unit = unit;
  for (auto& [symbol, mark] : undefined) mark.unit = unit;
}

void SourceMarks::add(SourceMarks other) {
  if (kernel.line == 0) kernel = std::move(other.kernel);
  constructed.insert(constructed.end(), other.constructed.begin(), other.constructed.end());
  undefined.merge(other.undefined);
}

void generate_code(llvm::Module& module, const SourceMarks& marks, const Machine& machine,
                   const CompileRequest& request, CompileResult& result) {
  const std::size_t before = result.diagnostics.size();
  const auto fail = [&](const Diagnostic& place, const std::string& text) {
    result.diagnostics.push_back(error_at(place, text));
  };
  const auto target = target_machine(machine);
  if (target == nullptr) return fail({}, "LLVM has no code generator for " + machine.info.triple);
  auto handler = std::make_unique<MessageHandler>(result.diagnostics, marks.kernel, request.blocks);
  const MessageHandler& messages = *handler;
  module.getContext().setDiagnosticHandler(std::move(handler));
  if (request.consistent_math) refuse_inconsistent(module, marks, result.diagnostics);
  bool may_trap_elsewhere = false;
  const std::vector<VectorFunction> vectors = vector_functions(machine.info, request);
  result.flops = optimise(module, *target, request, vectors, may_trap_elsewhere);
  const auto is_vector = [&] { return result.scalar.reason == ScalarReason::none; };
  result.scalar = calls_in(module, request);
  if (is_vector()) result.scalar = messages.scalar();
  if (may_trap_elsewhere) result.scalar = {.reason = ScalarReason::traps};
  if (is_vector() && request.must_gain)
    result.scalar = loss_in(module, request.blocks, machine.info);
  refuse_constructors(module, marks, result.diagnostics);
  refuse_undefined(module, marks, result.diagnostics);
  if (result.diagnostics.size() > before || !is_vector()) return;

  call_libraries(module, vectors);
  llvm::raw_string_ostream(result.ir) << module;
  result.assembly = assembly_of(module, *target);
  std::string message;
  result.object = assemble(result.assembly, *target, message);
  if (result.assembly.empty())
    fail({}, "LLVM cannot write assembly for " + machine.info.triple);
  else if (!message.empty())
    fail(marks.kernel, "the assembler rejects the generated code: " + message);
}

}  // namespace op2::jit
