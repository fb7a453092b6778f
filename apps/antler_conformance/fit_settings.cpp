#include "fit_settings.h"

#include <algorithm>
#include <cctype>

#include "antler/core/variable_shards.h"
#include "antler/data/dataset.h"

namespace antler::conformance {
namespace {

/// The index of a server: 1 for "/job:ps/task:1" and "ps:1".
size_t number_in(const std::string& server) {
  size_t begin = server.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(server[begin - 1])) != 0) --begin;
  return begin == server.size() ? 0 : std::stoul(server.substr(begin));
}

/// Null for no shapes, the shape itself for one, otherwise a list.
Json shape_list(const Json& json) {
  if (json.is_null() || json.empty()) return Json::array();
  return json[0].is_array() ? json : Json::array({json});
}

/// The shapes that each server holds.
Json by_server(const Json& want, size_t servers) {
  Json lists(servers, Json::array());
  if (want.is_object()) {
    for (const auto& [server, shapes] : want.items())
      lists.at(number_in(server)) = shape_list(shapes);
  } else {
    for (size_t i = 0; i < want.size(); ++i) lists.at(i) = shape_list(want[i]);
  }
  return lists;
}

}  // namespace

GivenData as_dataset(const Nest& x, const Nest& y, const Nest& sample_weight,
                     std::optional<int64_t> batch_size, data::AutoShardPolicy policy) {
  std::vector<Nest> arrays{x};
  if (!y.is_none()) arrays.push_back(y);
  if (!sample_weight.is_none()) arrays.push_back(sample_weight);
  const data::Dataset rows =
      data::Dataset::from_tensor_slices(arrays.size() == 1 ? x : Nest(std::move(arrays)));
  return {.x = rows.batch(batch_size.value_or(32))
                   .with_options({.experimental_distribute = {.auto_shard_policy = policy}})};
}

Variables with_parts(const Variables& variables) {
  Variables all;
  for (const Variable& v : variables) {
    if (v.shards() == nullptr) {
      all.push_back(v);
    } else {
      all.insert(all.end(), v.shards()->parts.begin(), v.shards()->parts.end());
    }
  }
  return all;
}

void check_placement(const Placement& placement, const Variables& variables, const Json& want,
                     Check& check) {
  Variables all = with_parts(variables);
  all.insert(all.end(), variables.begin(), variables.end());
  for (const auto& [path, shapes] : want.items()) {
    const auto found = std::find_if(
        all.begin(), all.end(), [&wanted = path](const Variable& v) { return v.path() == wanted; });
    if (found == all.end()) {
      check.truth(format("variable {}", path), false, "is missing");
      continue;
    }
    Json got = Json::array();
    for (const std::vector<Shape>& kept : placement(*found)) {
      Json list = Json::array();
      for (const Shape& shape : kept) list.push_back(shape.dims());
      got.push_back(std::move(list));
    }
    check.equal(format("servers of {}", path), got, by_server(shapes, got.size()));
  }
}

}  // namespace antler::conformance
