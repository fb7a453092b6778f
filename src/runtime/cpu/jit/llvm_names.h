#pragma once

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/TargetParser/Host.h>

/// Common names for what LLVM 16 to 19 name differently.
namespace antler::runtime::jit {

#if LLVM_VERSION_MAJOR >= 18
constexpr auto kLittleOptimization = llvm::CodeGenOptLevel::Less;
constexpr auto kObjectFile = llvm::CodeGenFileType::ObjectFile;
constexpr auto kAssemblyFile = llvm::CodeGenFileType::AssemblyFile;
#else
constexpr auto kLittleOptimization = llvm::CodeGenOpt::Less;
constexpr auto kObjectFile = llvm::CodeGenFileType::CGFT_ObjectFile;
constexpr auto kAssemblyFile = llvm::CodeGenFileType::CGFT_AssemblyFile;
#endif

/// The features of this CPU: name -> whether it has it.
inline llvm::StringMap<bool> host_cpu_features() {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> features;
  llvm::sys::getHostCPUFeatures(features);
  return features;
#endif
}

/// A function of this program that generated code may call.
inline auto callable_symbol(const void* address) {
  const auto flags = llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
#if LLVM_VERSION_MAJOR >= 17
  return llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(address), flags);
#else
  return llvm::JITEvaluatedSymbol(llvm::pointerToJITTargetAddress(address), flags);
#endif
}

}  // namespace antler::runtime::jit
