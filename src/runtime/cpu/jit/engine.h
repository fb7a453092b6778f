#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "runtime/cpu/jit/gen.h"
#include "runtime/cpu/jit/jit.h"

namespace llvm {
class TargetMachine;
namespace orc {
class LLJIT;
}
}  // namespace llvm

namespace antler::runtime::jit {

/// Compiles LLVM modules for one CPU and loads them. Not thread-safe.
class Engine {
 public:
  /// Adds functions with new names to a module.
  using Emit = std::function<void(llvm::Module&)>;

  explicit Engine(const CpuTarget& target);
  ~Engine();

  const TargetInfo& info() const { return info_; }

  /// Compiles and loads functions. Many functions are compiled by several threads, with a module
  /// per thread.
  void compile(std::span<const Emit> functions);
  /// Address of a compiled function. Throws InternalError if there is none.
  void* find(const std::string& name);
  /// The optimized LLVM IR, or the assembly.
  std::string dump(const Emit& function, bool assembly);

 private:
  void reserve_target_machines(size_t count);

  CpuTarget target_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> target_machines_;  ///< one per compiling thread
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  TargetInfo info_;
};

}  // namespace antler::runtime::jit
