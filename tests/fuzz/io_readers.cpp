#include <algorithm>

#include "antler/base/error.h"
#include "antler/io/csv.h"
#include "antler/io/event_reader.h"
#include "antler/io/example.h"
#include "antler/io/hdf5.h"
#include "antler/io/idx.h"
#include "antler/io/image.h"
#include "antler/io/npy.h"
#include "antler/io/object_graph.h"
#include "antler/io/safetensors.h"
#include "antler/io/tar.h"
#include "antler/io/tensor_bundle.h"
#include "antler/io/tfrecord.h"
#include "antler/io/zip.h"
#include "fuzz/reader.h"
#include "fuzz/scratch_file.h"
#include "io/pickle.h"
#include "io/proto_text.h"
#include "io/tf_graph.h"
#include "io/tf_messages.h"

namespace antler::fuzz {
namespace {

void use_all(const io::NamedTensors& arrays) {
  for (const auto& [name, array] : arrays) use(array);
}

void read_zip(std::string_view bytes) {
  const ScratchFile file(bytes);
  const io::ZipReader zip = io::ZipReader::open(file.path());
  for (const std::string& name : zip.names()) (void)zip.read(name);
}

/// Groups may contain themselves; no file of weights is deep. The budget: an object costs 1, as
/// does a MiB of an array, which a file without such data may declare.
void read_group(const io::Hdf5Reader& file, const std::string& group, int depth, int64_t& budget) {
  constexpr int kMaxDepth = 6;
  (void)file.string_attribute(group, "backend");
  (void)file.string_list_attribute(group, "weight_names");
  for (const std::string& name : file.children(group)) {
    if (--budget < 0) return;
    const std::string path = group.empty() ? name : group + "/" + name;
    if (!file.contains(path)) continue;
    if (!file.is_group(path)) {
      // An array that cannot be read does not hide the next.
      try {
        const Tensor array = file.read(path);
        use(array);
        budget -= static_cast<int64_t>(array.bytes() >> 20);
      } catch (const IOError&) {
      } catch (const ValueError&) {
      } catch (const KeyError&) {
      }
    } else if (depth < kMaxDepth) {
      read_group(file, path, depth + 1, budget);
    }
  }
}

void read_hdf5(std::string_view bytes) {
  int64_t budget = 200;
  read_group(io::Hdf5Reader::parse(bytes), "", 0, budget);
}

void read_tfrecord(std::string_view bytes) {
  const ScratchFile file(bytes);
  io::TFRecordReader reader(file.path(), uint64_t{1} << 24);
  while (const auto record = reader.next()) {
    const io::Example example = io::parse_example(*record);
    io::FeatureSpecs specs;
    for (const auto& [name, feature] : example) specs.push_back({name, {.shape = {-1}}});
    (void)io::decode_example(example, specs);
  }
}

void read_example(std::string_view bytes) {
  (void)io::parse_sequence_example(bytes);
  (void)io::parse_example(bytes);
}

/// The length of the index in two bytes, the index, and the only shard.
void read_checkpoint(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const size_t length =
      static_cast<unsigned char>(bytes[0]) * size_t{256} + static_cast<unsigned char>(bytes[1]);
  bytes.remove_prefix(2);
  const std::string_view index = bytes.substr(0, length);
  const auto bundle =
      io::TensorBundle::parse(index, {std::string(bytes.substr(std::min(length, bytes.size())))});
  for (const std::string& key : bundle.keys()) {
    try {
      if (bundle.is_string(key)) {
        (void)bundle.read_text(key);
      } else {
        use(bundle.read(key));
      }
    } catch (const IOError&) {
    } catch (const ValueError&) {
    }
  }
}

void read_image(std::string_view bytes) {
  use(io::decode_image(bytes, {.expand_animations = true, .max_pixels = 1 << 18}));
}

void read_tar(std::string_view bytes) {
  const auto tar = io::TarReader::parse(std::string(bytes), {.max_bytes = uint64_t{1} << 24});
  for (size_t i = 0; i < tar.entries().size(); ++i) (void)tar.read(i);
}

void read_pickle(std::string_view bytes) {
  const io::pickle::Value value = io::pickle::parse(bytes, "x");
  if (const auto* array = std::get_if<std::shared_ptr<io::pickle::Array>>(&value)) {
    if ((*array)->numbers.defined()) use((*array)->numbers);
    if ((*array)->objects != nullptr) (void)io::pickle::integer_lists(value, "x");
  }
}

void read_events(std::string_view bytes) {
  const ScratchFile file(bytes);
  for (const io::Event& event : io::read_event_file(file.path())) {
    for (const io::SummaryValue& value : event.values) {
      if (value.tensor) use(*value.tensor);
    }
  }
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"npy", [](std::string_view bytes) { use(io::parse_npy(bytes)); }},
      {"npz", [](std::string_view bytes) { use_all(io::parse_npz(bytes)); }},
      {"idx", [](std::string_view bytes) { use(io::parse_idx(bytes)); }},
      {"csv", [](std::string_view bytes) { (void)io::parse_csv(bytes); }},
      {"safetensors", [](std::string_view bytes) { use_all(io::parse_safetensors(bytes)); }},
      {"hdf5", read_hdf5},
      {"zip", read_zip},
      {"tfrecord", read_tfrecord},
      {"example", read_example},
      {"checkpoint", read_checkpoint},
      {"object_graph", [](std::string_view bytes) { (void)io::parse_object_graph(bytes); }},
      {"image", read_image},
      {"tar", read_tar},
      {"pickle", read_pickle},
      {"events", read_events},
      {"saved_model_text",
       [](std::string_view bytes) {
         (void)io::parse_meta_graphs(io::proto_from_text(io::kSavedModelMessage, bytes));
       }},
      {"saved_model_pb", [](std::string_view bytes) { (void)io::parse_saved_model(bytes); }},
  };
  return all;
}

}  // namespace antler::fuzz
