#include <cstdint>
#include <cstdlib>
#include <random>

/// LLVM's archives use this function of glibc 2.36 for the names of temporary files. Because it is
/// defined here, the module also works with glibc 2.35.
extern "C" uint32_t arc4random() noexcept { return std::random_device{}(); }
