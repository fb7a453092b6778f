#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace antler::distribute {

/// How the devices of a process exchange values. All replicas of a process are one program, so the
/// choice makes no difference; the classes exist for programs that name one.
class CrossDeviceOps {
 public:
  CrossDeviceOps() = default;
  const std::string& name() const { return name_; }
  /// Throws ValueError for a negative number of packs.
  void check() const;

 protected:
  CrossDeviceOps(std::string name, int64_t num_packs)
      : name_(std::move(name)), num_packs_(num_packs) {}

 private:
  std::string name_ = "ReductionToOneDevice";
  int64_t num_packs_ = 0;
};

/// TensorFlow's name; the reduction is the same on every device that Antler has.
class NcclAllReduce : public CrossDeviceOps {
 public:
  explicit NcclAllReduce(int64_t num_packs = 1) : CrossDeviceOps("NcclAllReduce", num_packs) {}
};

/// TensorFlow's name; the same reduction.
class HierarchicalCopyAllReduce : public CrossDeviceOps {
 public:
  explicit HierarchicalCopyAllReduce(int64_t num_packs = 1)
      : CrossDeviceOps("HierarchicalCopyAllReduce", num_packs) {}
};

/// TensorFlow's name; the same reduction.
class ReductionToOneDevice : public CrossDeviceOps {
 public:
  ReductionToOneDevice() = default;
};

}  // namespace antler::distribute
