#include "saving/export/saved_model_sink.h"

#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/tensor_bundle.h"
#include "saving/checkpoint_objects.h"
#include "saving/export/tf_attributes.h"
#include "saving/export/tf_signature.h"

namespace antler::saving {

SinkValue SavedModelSink::weight(const std::string& name, const Tensor& value) {
  return node("Const", {}, value.dtype(),
              TfAttributes().type("dtype", value.dtype()).tensor("value", value), name);
}

SinkValue SavedModelSink::input(const std::string& name, DType dtype, const Dims& dims) {
  SinkValue x =
      node("Placeholder", {}, dtype, TfAttributes().type("dtype", dtype).shape("shape", dims),
           "serving_default_" + name);
  note_input(x, dims);
  signature_inputs_.message(1, map_entry(name, tensor_info(x.name, io::tf_data_type(dtype), dims)));
  return x;
}

void SavedModelSink::output(const std::string& name, const SinkValue& x, const Dims& dims) {
  const SinkValue y =
      node("Identity", {x}, x.dtype, TfAttributes().type("T", x.dtype), "output_" + name);
  signature_outputs_.message(2,
                             map_entry(name, tensor_info(y.name, io::tf_data_type(x.dtype), dims)));
}

void SavedModelSink::save(const std::string& path, const Layer* weights) const {
  namespace fs = std::filesystem;
  io::WireWriter signature;
  signature.append(signature_inputs_);
  signature.append(signature_outputs_);
  signature.bytes(3, kPredictMethod);
  io::WireWriter signatures;
  signatures.message(5, map_entry("serving_default", signature));
  const std::string message =
      saved_model_message({meta_graph_def(graph(), {"serve"}, std::nullopt, {}, signatures)});
  std::error_code error;
  fs::create_directories(fs::path(path) / "variables", error);
  if (error) throw IOError("Cannot create the folder '{}': {}.", path, error.message());
  ObjectGraphWriter objects(/*keras_version=*/2);
  if (weights != nullptr) objects.add_root(*weights);
  io::save_tensor_bundle((fs::path(path) / "variables" / "variables").string(), objects.entries());
  write_file_atomically((fs::path(path) / "saved_model.pb").string(), message);
}

}  // namespace antler::saving
