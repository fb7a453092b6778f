#include "runtime/cpu/jit/engine.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <thread>

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "antler/base/error.h"
#include "runtime/cpu/jit/llvm_names.h"
#include "runtime/cpu/jit/scalar_functions.h"

namespace antler::runtime::jit {

namespace {

using Code = llvm::SmallVector<char, 0>;

[[noreturn]] void fail(const char* what, llvm::Error error) {
  throw InternalError("Code generation: {}: {}", what, llvm::toString(std::move(error)));
}

template <class T>
T get(const char* what, llvm::Expected<T> value) {
  if (!value) fail(what, value.takeError());
  return std::move(*value);
}

void check(const char* what, llvm::Error error) {
  if (error) fail(what, std::move(error));
}

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

llvm::orc::JITTargetMachineBuilder machine_builder(const CpuTarget& target) {
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
  builder.setCPU(target.cpu);
  builder.setFeatures(target.features);
  // This level uses the same register allocator and scheduler as the higher ones, whose additional
  // passes are slow and gain nothing here.
  builder.setCodeGenOptLevel(kLittleOptimization);
  return builder;
}

TargetInfo describe(const llvm::TargetMachine& machine) {
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  TargetInfo info;
  if (machine.getTargetTriple().isX86()) {
    const bool avx512 = features.checkFeatures("+avx512f,+avx512bw,+avx512dq,+avx512vl");
    info.vector_bytes = avx512 ? 64 : features.checkFeatures("+avx2") ? 32 : 16;
    info.vector_registers = avx512 ? 32 : 16;
    info.masked_bytes = avx512 ? 1 : features.checkFeatures("+avx2") ? 4 : 0;
    info.masked_stores = avx512;
    info.fma = features.checkFeatures("+fma");
    info.half_conversion = features.checkFeatures("+f16c");
    info.bfloat16_rounding = avx512 && features.checkFeatures("+avx512bf16");
    info.scaling = avx512;
  } else if (machine.getTargetTriple().isAArch64()) {
    info.vector_registers = 32;
    info.fma = true;
    info.half_conversion = true;
  }
  return info;
}

/// CSE and CFG cleanup. The emitted code is already vectorized and unrolled.
void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, functions);
  }
}

std::unique_ptr<llvm::Module> make_module(llvm::LLVMContext& context, llvm::TargetMachine& machine,
                                          std::span<const Engine::Emit> functions) {
  auto module = std::make_unique<llvm::Module>("antler", context);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  for (const Engine::Emit& emit_to : functions) emit_to(*module);
#ifndef NDEBUG
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream)) {
    throw InternalError("Code generation: invalid module: {}", problem);
  }
#endif
  optimize(*module, machine);
  return module;
}

/// Calls a protected method of TargetPassConfig.
struct InstructionSelection : llvm::TargetPassConfig {
  static bool add(llvm::TargetPassConfig& config) {
    return (config.*&InstructionSelection::addCoreISelPasses)();
  }
};

/// Emits machine code or assembly. Skips the IR passes that LLVM's standard pipeline runs before
/// instruction selection (loop strength reduction, addressing modes, branch layout). They take a
/// quarter of the compile time and gain nothing here: our code has incremental addresses and few
/// branches.
void emit(llvm::Module& module, llvm::TargetMachine& target, Code& out,
          llvm::CodeGenFileType kind) {
  auto& machine = static_cast<llvm::LLVMTargetMachine&>(target);
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  auto* info = new llvm::MachineModuleInfoWrapperPass(&machine);  // owned by the pass manager
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(info);
  config->addISelPrepare();
  bool failed = InstructionSelection::add(*config);
  config->addMachinePasses();
  config->setInitialized();
  failed =
      failed || machine.addAsmPrinter(passes, stream, nullptr, kind, info->getMMI().getContext());
  if (failed) throw InternalError("Code generation: the target cannot emit code");
  passes.run(module);
}

}  // namespace

CpuTarget CpuTarget::host() {
  llvm::SubtargetFeatures features;
  for (const auto& feature : host_cpu_features()) {
    features.AddFeature(feature.getKey(), feature.getValue());
  }
  return {llvm::sys::getHostCPUName().str(), features.getString()};
}

CpuTarget CpuTarget::baseline() {
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  return {triple.isX86() ? "x86-64" : "generic", ""};
}

Engine::Engine(const CpuTarget& target) : target_(target) {
  initialize_llvm();
  reserve_target_machines(1);
  info_ = describe(*target_machines_[0]);
  jit_ = get("start", llvm::orc::LLJITBuilder()
                          .setJITTargetMachineBuilder(machine_builder(target))
                          .setDataLayout(target_machines_[0]->createDataLayout())
                          .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                          .create());
  llvm::orc::SymbolMap symbols;
  for (const ScalarFunction& function : scalar_functions()) {
    symbols[jit_->mangleAndIntern(function.name)] = callable_symbol(function.address);
  }
  check("symbols", jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))));
}

Engine::~Engine() = default;

void Engine::reserve_target_machines(size_t count) {
  while (target_machines_.size() < count) {
    target_machines_.push_back(get("target", machine_builder(target_).createTargetMachine()));
  }
}

void Engine::compile(std::span<const Emit> functions) {
  // Starting a thread pays off for three functions or more.
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const size_t parts = std::clamp<size_t>(functions.size() / 3, 1, cores);
  reserve_target_machines(parts);
  auto compile_part = [&](size_t part) {
    const size_t first = functions.size() * part / parts;
    const size_t last = functions.size() * (part + 1) / parts;
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module =
        make_module(context, *target_machines_[part], functions.subspan(first, last - first));
    Code code;
    emit(*module, *target_machines_[part], code, kObjectFile);
    return code;
  };
  std::vector<std::future<Code>> others;
  for (size_t part = 1; part < parts; ++part) {
    others.push_back(std::async(std::launch::async, compile_part, part));
  }
  std::vector<Code> objects = {compile_part(0)};
  for (auto& other : others) objects.push_back(other.get());
  for (Code& object : objects) {
    check("load", jit_->addObjectFile(
                      std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), false)));
  }
}

void* Engine::find(const std::string& name) {
  return get("link", jit_->lookup(name)).toPtr<void*>();
}

std::string Engine::dump(const Emit& function, bool assembly) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module =
      make_module(context, *target_machines_[0], std::span(&function, 1));
  Code text;
  if (assembly) {
    emit(*module, *target_machines_[0], text, kAssemblyFile);
  } else {
    llvm::raw_svector_ostream stream(text);
    module->print(stream, nullptr);
  }
  return {text.data(), text.size()};
}

}  // namespace antler::runtime::jit
