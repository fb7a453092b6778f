#include <cstdint>
#include <cstdlib>
#include <random>

/// LLVM's archives name this function of glibc 2.36, for the names of temporary files. Defined
/// here, it leaves the module good for glibc 2.35.
extern "C" uint32_t arc4random() noexcept { return std::random_device{}(); }
