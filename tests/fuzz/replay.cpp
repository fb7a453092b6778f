// Reads what is kept of the fuzzers' finds: DIR/READER/FILE, each file whole, cut off at several
// places, and with single bytes changed. usage: replay DIR
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "antler/base/file.h"
#include "fuzz/reader.h"

namespace fs = std::filesystem;
using antler::fuzz::Reader;

namespace {

int failures = 0;
int reads = 0;

void read_one(const Reader& reader, std::string_view bytes, const fs::path& file, const char* how) {
  ++reads;
  try {
    antler::fuzz::read_once(reader, bytes);
  } catch (const std::exception& error) {
    ++failures;
    std::printf("%s, %s: %s\n", file.c_str(), how, error.what());
  }
}

void replay(const Reader& reader, const fs::path& file) {
  constexpr size_t kVariants = 64;
  const std::string bytes = antler::read_file(file.string());
  read_one(reader, bytes, file, "whole");
  const size_t step = std::max<size_t>(1, bytes.size() / kVariants);
  for (size_t at = 0; at < bytes.size(); at += step) {
    read_one(reader, std::string_view(bytes).substr(0, at), file, "cut off");
    std::string changed = bytes;
    for (const unsigned mask : {0xffU, 0x80U, 0x01U}) {
      changed[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ mask);
      read_one(reader, changed, file, "changed");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR\n", argv[0]);
    return 2;
  }
  for (const Reader& reader : antler::fuzz::readers()) {
    const fs::path folder = fs::path(argv[1]) / reader.name;
    if (!fs::is_directory(folder)) {
      std::printf("no corpus for %s\n", reader.name.c_str());
      ++failures;
      continue;
    }
    for (const auto& file : fs::directory_iterator(folder)) replay(reader, file.path());
  }
  std::printf("%d reads, %d failures\n", reads, failures);
  return failures == 0 ? 0 : 1;
}
