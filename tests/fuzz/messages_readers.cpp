// Messages between the tasks of a cluster.
#include <string>
#include <vector>

#include <training.pb.h>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "cluster/graph_codec.h"
#include "cluster/row_packing.h"
#include "fuzz/reader.h"

namespace antler::fuzz {
namespace {

template <class Message>
Message parsed(std::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw ValueError("Not a message.");
  return message;
}

/// A message that can be decoded is a valid graph, also after another encoding and decoding.
void read_graph(std::string_view bytes) {
  const auto small_variable = [](uint64_t id, const TensorSpec& spec) {
    if (spec.shape.num_elements() > 1000) throw KeyError("There is no variable {}.", id);
    return Variable(Tensor::zeros(spec.dtype, spec.shape));
  };
  const ir::Graph graph = cluster::decode(parsed<cluster::Graph>(bytes), small_variable);
  ir::verify(graph);
  cluster::Graph again;
  cluster::encode(graph, again);
  const auto any_variable = [](uint64_t, const TensorSpec& spec) {
    return Variable(Tensor::zeros(spec.dtype, spec.shape));
  };
  if (ir::print(cluster::decode(again, any_variable)) != ir::print(graph))
    throw InternalError("A graph differs after it was written and read.");
}

void read_array(std::string_view bytes) { use(cluster::decode(parsed<cluster::Array>(bytes))); }

void read_structure(std::string_view bytes) {
  const Nest nest = cluster::decode(parsed<cluster::Structure>(bytes));
  cluster::Structure again;
  cluster::encode(nest, again);
  if (cluster::decode(again).structure() != nest.structure())
    throw InternalError("A structure differs after it was written and read.");
}

/// Two bytes with the number of rows and their size, then the rows.
void read_rows(std::string_view bytes) {
  if (bytes.size() < 2) throw ValueError("No rows.");
  const auto rows = static_cast<unsigned char>(bytes[0]);
  const std::vector<TensorSpec> specs = {
      {DType::uint8, {rows, static_cast<unsigned char>(bytes[1])}}};
  google::protobuf::RepeatedPtrField<cluster::RowFilter> filters;
  filters.Add()->set_rows(rows);
  use(cluster::split_rows(bytes.substr(2), specs, cluster::filters_of(filters, specs, 0))[0]);
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"graph_message", read_graph},
      {"array_message", read_array},
      {"structure_message", read_structure},
      {"rows_message", read_rows},
  };
  return all;
}

}  // namespace antler::fuzz
