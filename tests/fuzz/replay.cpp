// Reads the kept inputs of the fuzzers, DIR/READER/FILE: each file whole, truncated at several
// places, and with single bytes changed. With --mutate, one reader gets mutations of its files for
// some seconds; equal seeds give equal sequences. The current input is in READER.input, so that it
// is left after a crash; an input that causes a wrong error is saved as READER.failed. usage:
// replay DIR [--mutate READER SECONDS [SEED]]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/base/file.h"
#include "fuzz/mutate.h"
#include "fuzz/reader.h"

namespace fs = std::filesystem;
using antler::fuzz::Reader;

namespace {

/// An input of some kilobytes must take fewer seconds than this, even on a busy machine.
constexpr double kSlow = 60;

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

int mutate(const Reader& reader, const fs::path& folder, double seconds, uint64_t seed) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  inputs.reserve(files.size());
  for (const fs::path& file : files) inputs.push_back(antler::read_file(file.string()));
  antler::fuzz::Mutator mutator(std::move(inputs), seed);
  const std::string present = reader.name + ".input";
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (failures == 0 && Clock::now() < end) {
    const std::string bytes = mutator.next();
    std::ofstream(present, std::ios::binary) << bytes;
    const auto start = Clock::now();
    read_one(reader, bytes, present, "mutated");
    const std::chrono::duration<double> took = Clock::now() - start;
    if (took.count() > kSlow) {
      ++failures;
      std::printf("%s took %.0f s\n", present.c_str(), took.count());
    }
  }
  if (failures > 0) {
    fs::rename(present, reader.name + ".failed");
  } else {
    fs::remove(present);
  }
  std::printf("%s, seed %llu: %d reads, %d failures\n", reader.name.c_str(),
              static_cast<unsigned long long>(seed), reads, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if ((argc == 5 || argc == 6) && std::string_view(argv[2]) == "--mutate") {
    const Reader& reader = antler::fuzz::find_reader(argv[3]);
    return mutate(reader, fs::path(argv[1]) / reader.name, std::stod(argv[4]),
                  argc == 6 ? std::stoull(argv[5]) : 0);
  }
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR [--mutate READER SECONDS [SEED]]\n", argv[0]);
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
