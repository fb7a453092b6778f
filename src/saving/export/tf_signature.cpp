#include "saving/export/tf_signature.h"

#include "antler/base/error.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

constexpr size_t kMaxMessageBytes = size_t{2} << 30;

}  // namespace

io::WireWriter tensor_info(const std::string& value, int64_t type, const Dims& dims) {
  io::WireWriter info;
  info.bytes(1, value.find(':') == std::string::npos ? value + ":0" : value);
  info.integer(2, type);
  info.message(3, shape_proto(dims));
  return info;
}

std::string saved_model_message(const std::vector<io::WireWriter>& meta_graphs) {
  io::WireWriter saved_model;
  saved_model.integer(1, 1);
  for (const io::WireWriter& meta_graph : meta_graphs) saved_model.message(2, meta_graph);
  if (saved_model.str().size() >= kMaxMessageBytes) {
    throw ValueError(
        "The graph is too large for a SavedModel with the constants of the graph in it, which is "
        "limited to 2 GB.");
  }
  return saved_model.str();
}

}  // namespace antler::saving
