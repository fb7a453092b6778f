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

/// LLVM's machinery for one CPU: modules go in, addresses come out. Not thread-safe.
class Engine {
 public:
  using Fill = std::function<void(llvm::Module&)>;

  explicit Engine(const CpuTarget& target);
  ~Engine();

  const TargetInfo& info() const { return info_; }

  /// Compiles functions and loads their code: each call writes functions of new names to the module
  /// it is given, and nothing else. Many functions are shared between threads, each with a module
  /// of its own.
  void add(std::span<const Fill> functions);
  /// Address of a function that was added. Throws InternalError when there is none.
  void* find(const std::string& name);
  /// The module's text after optimisation, or its assembly.
  std::string dump(const Fill& function, bool assembly);

 private:
  void reserve_machines(size_t count);

  CpuTarget target_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines_;  ///< one per compiling thread
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  TargetInfo info_;
};

}  // namespace antler::runtime::jit
