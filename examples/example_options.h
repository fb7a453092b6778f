#pragma once

#include <antler/antler.h>

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

/// The command line of an example.
struct ExampleOptions {
  const char* about;
  int64_t epochs = 1;
  uint64_t seed = 1;
  int threads = 0;

  /// An option that only this program has; `value` holds the default.
  struct Extra {
    const char* name;
    std::variant<int64_t*, double*, std::string*> value;
    const char* help;
  };
  std::vector<Extra> extras = {};
};

/// Reads the command line into `options`, then calls program(). Returns the exit code of the
/// process. An Antler error becomes a message and exit code 1.
int run_example(int argc, char** argv, ExampleOptions& options,
                const std::function<void()>& program);
