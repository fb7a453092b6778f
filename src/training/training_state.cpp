#include "training/training_state.h"

#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/json.h"

namespace antler::training {
namespace {

/// Appends a tensor's elements to `bytes`; returns its dtype and shape.
Json put(const Tensor& t, std::string& bytes) {
  if (!t.defined()) return nullptr;
  bytes.append(static_cast<const char*>(t.data()), t.bytes());
  return {dtype_name(t.dtype()), std::vector<int64_t>(t.shape().begin(), t.shape().end())};
}

/// Reads tensors in the order in which they were written.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Tensor tensor(const Json& spec) {
    if (spec.is_null()) return {};
    Tensor t = Tensor::empty(parse_dtype(spec.at(0).get<std::string>()),
                             Shape(spec.at(1).get<std::vector<int64_t>>()));
    if (t.bytes() > bytes_.size()) throw ValueError("The training state is truncated.");
    std::memcpy(t.mutable_data(), bytes_.data(), t.bytes());
    bytes_.remove_prefix(t.bytes());
    return t;
  }

  Nest nest(const Json& spec) {
    if (!spec.is_object()) return tensor(spec);
    if (spec.contains("list")) {
      std::vector<Nest> list;
      for (const Json& child : spec.at("list")) list.push_back(nest(child));
      return list;
    }
    Nest::Items items;
    for (const Json& entry : spec.at("dict"))
      items.emplace_back(entry.at(0).get<std::string>(), nest(entry.at(1)));
    return Nest::dict(std::move(items));
  }

 private:
  std::string_view bytes_;
};

Json put(const Nest& nest, std::string& bytes) {
  if (nest.is_tensor()) return nest.is_none() ? Json() : put(nest.tensor(), bytes);
  Json children = Json::array();
  for (const auto& [name, child] : nest.items()) {
    Json spec = put(child, bytes);
    children.push_back(nest.is_list() ? std::move(spec) : Json::array({name, std::move(spec)}));
  }
  return {{nest.is_list() ? "list" : "dict", std::move(children)}};
}

}  // namespace

std::string pack(const TrainingState& state) {
  std::string bytes;
  Json outputs = put(state.outputs, bytes);
  Json variables = Json::array();
  for (const Tensor& t : state.variables) variables.push_back(put(t, bytes));
  const Json header = {{"epoch", state.epoch},
                       {"step", state.step},
                       {"last_steps", state.last_steps},
                       {"executions", state.executions},
                       {"shuffle_seed", state.shuffle_seed},
                       {"asks", state.asks},
                       {"callbacks", state.callbacks},
                       {"outputs", std::move(outputs)},
                       {"variables", std::move(variables)}};
  return header.dump() + '\n' + bytes;
}

TrainingState unpack(const std::string& bytes) {
  const size_t end = bytes.find('\n');
  if (end == std::string::npos) throw ValueError("The training state has no header.");
  const Json header = Json::parse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(end));
  Reader reader(std::string_view(bytes).substr(end + 1));
  TrainingState state{.epoch = header.at("epoch"),
                      .step = header.at("step"),
                      .last_steps = header.at("last_steps"),
                      .executions = header.at("executions"),
                      .shuffle_seed = header.at("shuffle_seed"),
                      .asks = header.at("asks"),
                      .callbacks = header.at("callbacks"),
                      .outputs = reader.nest(header.at("outputs")),
                      .variables = {}};
  for (const Json& spec : header.at("variables")) state.variables.push_back(reader.tensor(spec));
  return state;
}

}  // namespace antler::training
