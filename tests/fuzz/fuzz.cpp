// The entry point for clang's libFuzzer. `--reader=NAME` chooses the reader; libFuzzer ignores
// arguments that begin with two dashes.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "fuzz/reader.h"

namespace {

const antler::fuzz::Reader* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kOption = "--reader=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (!argument.starts_with(kOption)) continue;
    try {
      chosen = &antler::fuzz::find_reader(std::string(argument.substr(kOption.size())));
    } catch (const std::invalid_argument& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  if (chosen == nullptr) std::exit(2);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  antler::fuzz::read_once(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
