#pragma once

#include <antler/antler.h>
#include <antler/base/file.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// Helpers that the programs of the gallery share: command line, data set paths, pictures.
namespace gallery {

/// The file or folder `name` below $ANTLER_DATASETS. Throws NotFoundError, which says how to get
/// it.
inline std::string dataset(const std::string& name, const std::string& how_to_get_it) {
  const char* root = std::getenv("ANTLER_DATASETS");
  std::string path = (root == nullptr ? "." : std::string(root)) + "/" + name;
  if (std::filesystem::exists(path)) return path;
  throw antler::NotFoundError("There is no {}. {} Set ANTLER_DATASETS to the folder that has {}.",
                              path, how_to_get_it, name);
}

/// Random numbers for generated data: equal seeds give equal data.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// An integer in [0, n).
  int64_t below(int64_t n) { return static_cast<int64_t>(engine_()) % n; }
  bool chance(double p) { return uniform() < p; }
  float uniform(double low = 0, double high = 1) {
    return static_cast<float>(low + (high - low) * static_cast<double>(engine_()) / 0x1p32);
  }
  /// Mean 0, standard deviation 1.
  float normal() { return static_cast<float>(normal_(engine_)); }
  template <class T>
  const T& pick(const std::vector<T>& values) {
    return values[static_cast<size_t>(below(static_cast<int64_t>(values.size())))];
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<> normal_;
};

/// Writes images [n, height, width, channels] in [0, 1] as one PNG, `columns` side by side, each
/// pixel as `zoom` x `zoom`, with a grey line between them.
inline void save_grid(const std::string& path, const antler::Tensor& images, int64_t columns,
                      int64_t zoom = 4) {
  namespace ops = antler::ops;
  const int64_t rows = (images.dim(0) + columns - 1) / columns;
  const int64_t missing = rows * columns - images.dim(0);
  antler::Tensor x = ops::repeat(ops::repeat(images, zoom, 1), zoom, 2);
  x = ops::pad(x, {0, 0, 0, 0}, {missing, 2, 2, 0}, {}, 0.5);
  x = ops::rearrange(x, "(r c) h w d -> (r h) (c w) d", {{"c", columns}});
  antler::utils::save_img(path, 255.0 * ops::clip(x, 0.0, 1.0), {.scale = false});
  std::printf("picture: %s\n", path.c_str());
}

/// Writes charts as a PNG.
inline void save_chart(const std::string& path, const std::vector<antler::io::LineChart>& charts) {
  antler::save_charts(charts, path);
  std::printf("picture: %s\n", path.c_str());
}

/// `PROGRAM [EPOCHS]`: calls program(epochs) with a fixed random seed. An error of Antler becomes a
/// message and exit code 1.
template <class Program>
int run(int argc, char** argv, int64_t epochs, Program program) {
  if (argc > 1) {
    char* end = nullptr;
    epochs = std::strtoll(argv[1], &end, 10);
    if (*end != '\0') epochs = 0;
  }
  if (argc > 2 || epochs < 1) {
    const bool help = argc == 2 && std::string(argv[1]) == "--help";
    std::fprintf(help ? stdout : stderr, "usage: %s [EPOCHS]\n", argv[0]);
    return help ? 0 : 2;
  }
  try {
    antler::set_random_seed(1);
    program(epochs);
    return 0;
  } catch (const antler::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.class_name(), error.what());
    return 1;
  }
}

}  // namespace gallery
