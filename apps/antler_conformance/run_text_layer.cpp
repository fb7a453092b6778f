// Single preprocessing layers: those that adapt to data, and those for strings.
#include "antler/core/string_handles.h"
#include "antler/io/zip.h"
#include "antler/nn/layers.h"
#include "antler/nn/registry.h"
#include "antler/training/saving.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

/// Strings in nested lists.
StringTensor strings_of(const Json& json) {
  StringTensor result;
  const Json* level = &json;
  for (; level->is_array(); level = &level->front()) {
    result.shape.push_back(static_cast<int64_t>(level->size()));
    if (level->empty()) break;
  }
  const auto collect = [&](const auto& self, const Json& item) -> void {
    if (item.is_array()) {
      for (const Json& inner : item) self(self, inner);
    } else {
      result.values.push_back(item.get<std::string>());
    }
  };
  collect(collect, json);
  return result;
}

Tensor call_strings(const LayerPtr& layer, const StringTensor& input) {
  auto* reader = dynamic_cast<TakesStrings*>(layer.get());
  if (reader == nullptr) throw Unsupported{layer->class_name() + " on strings"};
  return reader->call_strings(input);
}

void check_state(const GoldenCase& golden, Check& check, const LayerPtr& layer) {
  const Json& expected = golden.expectation();
  if (expected.contains("vocabulary")) {
    Json got;
    if (auto* integers = dynamic_cast<IntegerLookup*>(layer.get())) {
      got = integers->get_vocabulary();
    } else if (auto* strings = dynamic_cast<StringLookup*>(layer.get())) {
      got = strings->get_vocabulary();
    } else if (auto* vectorizer = dynamic_cast<TextVectorization*>(layer.get())) {
      got = vectorizer->get_vocabulary();
    }
    check.equal("vocabulary", got, expected["vocabulary"]);
  }
  if (auto* normalization = dynamic_cast<Normalization*>(layer.get())) {
    if (golden.has("mean")) check.array("mean", normalization->mean());
    if (golden.has("variance")) check.array("variance", normalization->variance());
  }
  if (auto* discretization = dynamic_cast<Discretization*>(layer.get())) {
    if (golden.has("bin_boundaries")) {
      const std::vector<double>& bounds = discretization->bin_boundaries();
      check.array("bin_boundaries", Tensor::of(std::vector<float>(bounds.begin(), bounds.end())));
    }
  }
}

/// A model of several layers, with strings as handles.
void run_string_model(const GoldenCase& golden, Check& check) {
  const Json& json = golden.json;
  Model model = load_model((golden.folder / json.at("model").get<std::string>()).string(),
                           {.compile = false});
  const Json strings = json.value("string_inputs", Json::object());
  const Json& calls = json.at("calls");
  for (size_t k = 0; k < calls.size(); ++k) {
    Tensors inputs;
    for (const Json& name : calls[k].at("inputs")) {
      const auto key = name.get<std::string>();
      inputs.push_back(strings.contains(key) ? string_handles(strings_of(strings[key]))
                                             : golden.array(key));
    }
    const Tensors outputs =
        model(Nest(inputs), {.training = calls[k].value("training", false)}).flatten();
    for (size_t j = 0; j < outputs.size(); ++j) {
      const std::string out = format("c{}_out{}", k, j);
      if (outputs[j].dtype() != kStringDType) {
        check.array(out, outputs[j]);
        continue;
      }
      const StringTensor want = strings_of(golden.expectation().at("string_outputs").at(out));
      check.equal(out, Json(strings_of(outputs[j]).values), Json(want.values));
      check.equal(out + " shape", outputs[j].shape().str(), want.shape.str());
    }
  }
}

}  // namespace

void run_adapted_layer(const GoldenCase& golden, Check& check) {
  const Json& adapt = golden.json.at("adapt");
  const Json& object = adapt.at("layer");
  const LayerPtr layer = make_or_unsupported([&] {
    return layer_from_config(object.at("class_name").get<std::string>(), object.at("config"));
  });
  auto* learner = dynamic_cast<Adaptable*>(layer.get());
  if (adapt.contains("strings") || golden.has("adapt_x")) {
    if (learner == nullptr) throw Unsupported{"adapt() of " + layer->class_name()};
    if (adapt.contains("strings")) {
      learner->adapt(strings_of(adapt["strings"]));
    } else {
      learner->adapt(golden.array("adapt_x"));
    }
  }
  const Tensor out = adapt.contains("x_strings")
                         ? call_strings(layer, strings_of(adapt["x_strings"]))
                         : (*layer)(golden.array("x0"));
  check.array("out0", out);
  check_state(golden, check, layer);
}

void run_text_layer(const GoldenCase& golden, Check& check) {
  const Json& json = golden.json;
  const std::string file = (golden.folder / json.at("model").get<std::string>()).string();
  const Json config = Json::parse(io::ZipReader::open(file).read("config.json"));
  LayerPtr layer;
  for (const Json& entry : config.at("config").at("layers")) {
    const auto class_name = entry.at("class_name").get<std::string>();
    if (class_name == "InputLayer") continue;
    if (layer != nullptr) return run_string_model(golden, check);
    layer = make_or_unsupported([&] { return layer_from_config(class_name, entry.at("config")); });
  }
  if (layer == nullptr) throw Unsupported{"a model without layers"};
  const Json inputs = json.value("string_inputs", Json::object());
  const Json& calls = json.at("calls");
  for (size_t k = 0; k < calls.size(); ++k) {
    const std::string out = format("c{}_out0", k);
    const auto name = calls[k].at("inputs").at(0).get<std::string>();
    if (inputs.contains(name)) {
      check.array(out, call_strings(layer, strings_of(inputs[name])));
      continue;
    }
    auto* writer = dynamic_cast<GivesStrings*>(layer.get());
    if (writer == nullptr) throw Unsupported{layer->class_name() + " with string outputs"};
    const StringTensor got = writer->call_to_strings(golden.array(name));
    const StringTensor want = strings_of(golden.expectation().at("string_outputs").at(out));
    check.equal(out, Json(got.values), Json(want.values));
    check.equal(out + " shape", got.shape.str(), want.shape.str());
  }
}

}  // namespace antler::conformance
