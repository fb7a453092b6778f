#include <algorithm>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/keras_datasets.h"
#include "antler/io/idx.h"
#include "antler/io/npy.h"
#include "antler/io/tar.h"
#include "data/keras/dataset_file.h"
#include "data/mnist_arrays.h"
#include "io/pickle.h"

namespace antler::datasets {
namespace {

Tensor array_of(const io::NamedTensors& arrays, const std::string& name, const std::string& path) {
  for (const auto& [key, array] : arrays) {
    if (key == name) return array;
  }
  throw IOError("'{}' has no array '{}'.", path, name);
}

/// The images and labels of one or more of CIFAR's pickled batches.
class Cifar {
 public:
  Cifar(const std::string& path, std::string folder)
      : path_(path), folder_(std::move(folder)), archive_(io::TarReader::open(path)) {}

  Split read(const std::vector<std::string>& files, const std::string& label_key) const {
    std::vector<Tensor> images;
    std::vector<int64_t> labels;
    int64_t count = 0;
    for (const std::string& file : files) {
      const std::string where = "'" + path_ + "', " + file;
      const std::string bytes = archive_.read(index_of(file));
      const io::pickle::Value batch = io::pickle::parse(bytes, where);
      const auto& dict = io::pickle::as<io::pickle::Dict>(batch, where);
      images.push_back(io::pickle::as<io::pickle::Array>(dict.at("data"), where).numbers);
      const auto& list = io::pickle::as<io::pickle::List>(dict.at(label_key), where);
      const Tensor& last = images.back();
      const bool fits = last.defined() && last.dtype() == DType::uint8 && last.rank() == 2 &&
                        last.shape()[1] == kBytes && last.shape()[0] == std::ssize(list.integers);
      if (!fits) throw IOError("{}: expected uint8 images [n, 3072] with n labels.", where);
      labels.insert(labels.end(), list.integers.begin(), list.integers.end());
      count += last.shape()[0];
    }
    Split split = {Tensor::empty(DType::uint8, {count, kSide, kSide, kChannels}),
                   Tensor::empty(DType::uint8, {count, 1})};
    auto* to = split.x.mutable_data<uint8_t>();
    for (const Tensor& batch : images) to = interleave(batch, to);
    std::transform(labels.begin(), labels.end(), split.y.mutable_data<uint8_t>(),
                   [](int64_t label) { return static_cast<uint8_t>(label); });
    return split;
  }

 private:
  static constexpr int64_t kSide = 32;
  static constexpr int64_t kChannels = 3;
  static constexpr int64_t kPixels = kSide * kSide;
  static constexpr int64_t kBytes = kPixels * kChannels;

  size_t index_of(const std::string& file) const {
    const auto& entries = archive_.entries();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].name == folder_ + "/" + file) return i;
    }
    throw IOError("'{}' has no file '{}/{}'.", path_, folder_, file);
  }

  /// [n, channels, pixels] to [n, pixels, channels]; returns the end of what was written.
  static uint8_t* interleave(const Tensor& batch, uint8_t* to) {
    const auto* from = batch.data<uint8_t>();
    for (int64_t image = 0; image < batch.shape()[0]; ++image, from += kBytes) {
      for (int64_t pixel = 0; pixel < kPixels; ++pixel) {
        for (int64_t c = 0; c < kChannels; ++c) *to++ = from[c * kPixels + pixel];
      }
    }
    return to;
  }

  std::string path_;
  std::string folder_;
  io::TarReader archive_;
};

}  // namespace

TrainTest mnist::load_data(const std::string& path) {
  const DatasetFile keras_file{
      .name = path,
      .origin = kKerasOrigin + "mnist.npz",
      .hash = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"};
  if (own_dataset_path(keras_file).empty()) {
    if (auto arrays = data::mnist_arrays()) return *std::move(arrays);
  }
  const std::string file = dataset_path(keras_file);
  const io::NamedTensors arrays = io::load_npz(file);
  const auto array = [&](const char* name) { return array_of(arrays, name, file); };
  return {{array("x_train"), array("y_train")}, {array("x_test"), array("y_test")}};
}

TrainTest fashion_mnist::load_data() {
  const auto load = [](const std::string& name) {
    return io::load_idx(
        dataset_path({.name = name, .origin = kKerasOrigin + name, .folder = "fashion-mnist"}));
  };
  return {{load("train-images-idx3-ubyte.gz"), load("train-labels-idx1-ubyte.gz")},
          {load("t10k-images-idx3-ubyte.gz"), load("t10k-labels-idx1-ubyte.gz")}};
}

// Keras stores the archives under these names, beside the folders that it unpacks them into.
TrainTest cifar10::load_data() {
  const Cifar cifar(
      dataset_path({.name = "cifar-10-batches-py-target_archive",
                    .origin = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
                    .hash = "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
                    .name_elsewhere = "cifar-10-python.tar.gz"}),
      "cifar-10-batches-py");
  return {
      cifar.read({"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"},
                 "labels"),
      cifar.read({"test_batch"}, "labels")};
}

TrainTest cifar100::load_data(const std::string& label_mode) {
  if (label_mode != "fine" && label_mode != "coarse") {
    throw ValueError("`label_mode` must be one of \"fine\", \"coarse\". Received: label_mode={}.",
                     label_mode);
  }
  const Cifar cifar(
      dataset_path({.name = "cifar-100-python-target_archive",
                    .origin = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
                    .hash = "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
                    .name_elsewhere = "cifar-100-python.tar.gz"}),
      "cifar-100-python");
  return {cifar.read({"train"}, label_mode + "_labels"),
          cifar.read({"test"}, label_mode + "_labels")};
}

}  // namespace antler::datasets
