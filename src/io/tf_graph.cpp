#include "io/tf_graph.h"

#include <algorithm>

#include "antler/base/error.h"
#include "io/object_reference.h"
#include "io/tf_data_type.h"
#include "io/tf_tensor.h"
#include "io/wire_reader.h"

namespace antler::io {
namespace {

constexpr const char* kFile = "saved_model.pb";
constexpr int kMaxDepth = 32;

[[noreturn]] void bad_saved_model(const std::string& problem) {
  throw IOError("{} is corrupt: {}.", kFile, problem);
}

/// An entry of a map.
struct MapEntry {
  std::string key;
  std::string_view value;  // a string or a message

  explicit MapEntry(WireReader reader) {
    while (reader.next()) {
      if (reader.field() == 1) key = reader.string();
      if (reader.field() == 2) value = reader.bytes();
    }
  }
  WireReader message() const { return {value, kFile}; }
};

/// The string in field 1: the name of an argument, of a function, or of a constant's node.
std::string parse_name(WireReader reader) {
  std::string name;
  while (reader.next()) {
    if (reader.field() == 1) name = reader.string();
  }
  return name;
}

void parse_attribute_list(WireReader reader, TfAttribute& attribute) {
  while (reader.next()) {
    if (reader.field() == 3) reader.append(attribute.integers);
    if (reader.field() == 4) reader.append(attribute.numbers);
    if (reader.field() == 6) reader.append(attribute.types);
    if (reader.field() == 7) attribute.shapes.push_back(parse_shape(reader.message(), kFile));
  }
}

TfAttribute parse_attribute(WireReader reader) {
  TfAttribute attribute;
  while (reader.next()) {
    switch (reader.field()) {
      case 1:
        parse_attribute_list(reader.message(), attribute);
        break;
      case 2:
        attribute.string = reader.string();
        break;
      case 3:
        attribute.integer = reader.integer();
        break;
      case 4:
        attribute.number = reader.float32();
        break;
      case 5:
        attribute.flag = reader.boolean();
        break;
      case 6:
        attribute.type = reader.integer();
        break;
      case 8:
        attribute.tensor = parse_tensor(reader.message(), kFile);
        if (!attribute.tensor) attribute.strings = parse_string_tensor(reader.message(), kFile);
        break;
      case 10:
        attribute.function = parse_name(reader.message());
        break;
      default:
        break;
    }
  }
  return attribute;
}

TfNode parse_node(WireReader reader) {
  TfNode node;
  while (reader.next()) {
    switch (reader.field()) {
      case 1:
        node.name = reader.string();
        break;
      case 2:
        node.op = reader.string();
        break;
      case 3:
        // "^" marks a control input.
        if (!reader.bytes().starts_with('^')) node.inputs.push_back(reader.string());
        break;
      case 5: {
        const MapEntry entry(reader.message());
        node.attributes[entry.key] = parse_attribute(entry.message());
        break;
      }
      default:
        break;
    }
  }
  return node;
}

void parse_function(WireReader reader, TfSavedModel& model) {
  std::string name;
  std::vector<std::string> outputs;
  std::map<std::string, std::string> results;
  TfFunction function;
  while (reader.next()) {
    if (reader.field() == 1) {
      for (WireReader signature = reader.message(); signature.next();) {
        if (signature.field() == 1) name = signature.string();
        if (signature.field() == 2) function.arguments.push_back(parse_name(signature.message()));
        if (signature.field() == 3) outputs.push_back(parse_name(signature.message()));
      }
    } else if (reader.field() == 3) {
      function.nodes.push_back(parse_node(reader.message()));
    } else if (reader.field() == 4) {
      const MapEntry entry(reader.message());
      results[entry.key] = std::string(entry.value);
    }
  }
  for (const std::string& output : outputs) {
    if (!results.contains(output)) {
      bad_saved_model(format("the function '{}' has no result '{}'", name, output));
    }
    function.results.push_back(results[output]);
  }
  model.functions[name] = std::move(function);
}

void parse_graph(WireReader reader, TfSavedModel& model) {
  while (reader.next()) {
    if (reader.field() == 1) model.nodes.push_back(parse_node(reader.message()));
    if (reader.field() != 2) continue;
    for (WireReader library = reader.message(); library.next();) {
      if (library.field() == 1) parse_function(library.message(), model);
    }
  }
}

TfPort parse_port(WireReader reader) {
  TfPort port;
  while (reader.next()) {
    if (reader.field() == 1) port.value = reader.string();
    if (reader.field() == 2) port.type = reader.integer();
    if (reader.field() == 3) port.shape = parse_shape(reader.message(), kFile);
  }
  port.dtype = dtype_of_tf(port.type);
  return port;
}

TfSignature parse_signature(WireReader reader) {
  TfSignature signature;
  while (reader.next()) {
    if (reader.field() == 3) signature.method_name = reader.string();
    if (reader.field() != 1 && reader.field() != 2) continue;
    const MapEntry entry(reader.message());
    (reader.field() == 1 ? signature.inputs : signature.outputs)[entry.key] =
        parse_port(entry.message());
  }
  return signature;
}

TfStructure parse_structure(WireReader reader, int depth);

std::vector<std::pair<std::string, TfStructure>> parse_items(WireReader reader, int depth) {
  std::vector<std::pair<std::string, TfStructure>> items;
  while (reader.next()) {
    if (reader.field() == 1) items.emplace_back("", parse_structure(reader.message(), depth));
  }
  return items;
}

TfStructure parse_structure(WireReader reader, int depth) {
  if (depth > kMaxDepth) bad_saved_model("the arguments are nested too deeply");
  TfStructure structure;
  while (reader.next()) {
    switch (reader.field()) {
      case 11:
      case 12:
      case 13:
      case 14:
        structure.kind = TfStructure::Kind::literal;
        break;
      case 33:  // TensorSpec
      case 35:  // BoundedTensorSpec
        structure.kind = TfStructure::Kind::tensor;
        for (WireReader spec = reader.message(); spec.next();) {
          if (spec.field() == 1) structure.name = spec.string();
          if (spec.field() == 2) structure.shape = parse_shape(spec.message(), kFile);
          if (spec.field() == 3) structure.dtype = dtype_of_tf(spec.integer());
        }
        break;
      case 51:
      case 52:
        structure.kind = TfStructure::Kind::list;
        structure.items = parse_items(reader.message(), depth + 1);
        break;
      case 53:
        structure.kind = TfStructure::Kind::dict;
        for (WireReader dict = reader.message(); dict.next();) {
          if (dict.field() != 1) continue;
          const MapEntry entry(dict.message());
          structure.items.emplace_back(entry.key, parse_structure(entry.message(), depth + 1));
        }
        break;
      default:
        break;
    }
  }
  return structure;
}

TfConcreteFunction parse_concrete_function(WireReader reader) {
  TfConcreteFunction function;
  while (reader.next()) {
    if (reader.field() == 2) reader.append(function.captures);
    if (reader.field() == 3) function.inputs = parse_structure(reader.message(), 0);
    if (reader.field() == 4) function.outputs = parse_structure(reader.message(), 0);
  }
  return function;
}

void parse_variable(WireReader reader, TfObject& object) {
  object.kind = TfObject::Kind::variable;
  while (reader.next()) {
    if (reader.field() == 1) {
      const std::optional<DType> dtype = dtype_of_tf(reader.integer());
      // A tensor cannot hold, for example, a variable of strings.
      if (!dtype) object.kind = TfObject::Kind::other;
      object.dtype = dtype.value_or(DType::float32);
    }
    if (reader.field() == 2) object.shape = parse_shape(reader.message(), kFile);
    if (reader.field() == 3) object.trainable = reader.boolean();
    if (reader.field() == 6) object.name = reader.string();
  }
}

TfObject parse_object(WireReader reader) {
  TfObject object;
  while (reader.next()) {
    switch (reader.field()) {
      case 1:
        object.children.push_back(parse_object_reference(reader.message()));
        break;
      case 7:
        parse_variable(reader.message(), object);
        break;
      case 6:  // a function
      case 8:  // a bare concrete function
        object.kind = TfObject::Kind::function;
        for (WireReader function = reader.message(); function.next();) {
          if (function.field() == 1) object.functions.push_back(function.string());
        }
        break;
      case 9:
        object.kind = TfObject::Kind::constant;
        object.name = parse_name(reader.message());
        break;
      default:
        break;
    }
  }
  return object;
}

void parse_objects(WireReader reader, TfSavedModel& model) {
  while (reader.next()) {
    if (reader.field() == 1) model.objects.push_back(parse_object(reader.message()));
    if (reader.field() != 2) continue;
    const MapEntry entry(reader.message());
    model.concrete_functions[entry.key] = parse_concrete_function(entry.message());
  }
  const auto check = [&](int64_t object) {
    if (object < 0 || static_cast<size_t>(object) >= model.objects.size()) {
      bad_saved_model("it refers to an object that does not exist");
    }
  };
  for (const TfObject& object : model.objects) {
    for (const auto& [name, child] : object.children) check(child);
  }
  for (const auto& [name, function] : model.concrete_functions) {
    for (const int64_t capture : function.captures) check(capture);
  }
}

std::vector<std::string> parse_tags(WireReader info) {
  std::vector<std::string> tags;
  while (info.next()) {
    if (info.field() == 4) tags.push_back(info.string());
  }
  return tags;
}

std::vector<std::string> tags_of(WireReader meta_graph) {
  std::vector<std::string> tags;
  while (meta_graph.next()) {
    if (meta_graph.field() == 1) tags = parse_tags(meta_graph.message());
  }
  return tags;
}

TfSavedModel parse_meta_graph(WireReader reader) {
  TfSavedModel model;
  while (reader.next()) {
    if (reader.field() == 1) model.tags = parse_tags(reader.message());
    if (reader.field() == 2) parse_graph(reader.message(), model);
    if (reader.field() == 5) {
      const MapEntry entry(reader.message());
      model.signatures[entry.key] = parse_signature(entry.message());
    }
    if (reader.field() == 7) parse_objects(reader.message(), model);
  }
  return model;
}

void append_tensors(const TfStructure& structure, std::vector<const TfStructure*>& to) {
  if (structure.kind == TfStructure::Kind::tensor) to.push_back(&structure);
  std::vector<const std::pair<std::string, TfStructure>*> items;
  for (const auto& item : structure.items) items.push_back(&item);
  std::stable_sort(items.begin(), items.end(),
                   [](const auto* a, const auto* b) { return a->first < b->first; });
  for (const auto* item : items) append_tensors(item->second, to);
}

}  // namespace

TfStructure::TfStructure() = default;
TfStructure::TfStructure(const TfStructure&) = default;
TfStructure::TfStructure(TfStructure&&) noexcept = default;
TfStructure& TfStructure::operator=(const TfStructure&) = default;
TfStructure& TfStructure::operator=(TfStructure&&) noexcept = default;
TfStructure::~TfStructure() = default;

std::vector<const TfStructure*> TfStructure::tensors() const {
  std::vector<const TfStructure*> result;
  append_tensors(*this, result);
  return result;
}

int64_t TfObject::child(std::string_view child_name) const {
  return find_object(children, child_name);
}

TfSavedModel parse_saved_model(std::string_view message) {
  std::optional<WireReader> chosen;
  for (WireReader reader(message, kFile); reader.next();) {
    if (reader.field() != 2) continue;
    const WireReader meta_graph = reader.message();
    const std::vector<std::string> tags = tags_of(meta_graph);
    if (std::find(tags.begin(), tags.end(), "serve") != tags.end()) {
      chosen = meta_graph;
      break;
    }
    if (!chosen) chosen = meta_graph;
  }
  if (!chosen) bad_saved_model("it has no graph");
  return parse_meta_graph(*chosen);
}

std::vector<TfSavedModel> parse_meta_graphs(std::string_view message) {
  std::vector<TfSavedModel> graphs;
  for (WireReader reader(message, kFile); reader.next();) {
    if (reader.field() == 2) graphs.push_back(parse_meta_graph(reader.message()));
  }
  if (graphs.empty()) bad_saved_model("it has no graph");
  return graphs;
}

}  // namespace antler::io
