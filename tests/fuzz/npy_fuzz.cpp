#include <cstddef>
#include <cstdint>
#include <string_view>

#include "antler/base/error.h"
#include "antler/io/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    antler::io::parse_npy(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const antler::IOError&) {
    return 0;
  } catch (const antler::ValueError&) {
    return 0;
  }
  return 0;
}
