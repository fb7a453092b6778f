#include "saving/import/tf_call.h"

#include "antler/base/error.h"
#include "io/tf_data_type.h"

namespace antler::saving {

const Tensor& TfCall::in(size_t i) const {
  if (i >= inputs_.size() || !inputs_[i].defined()) {
    throw IOError("The SavedModel is damaged: the node '{}' ({}) has no input {}.", node_.name,
                  node_.op, i);
  }
  return inputs_[i];
}

std::vector<int64_t> TfCall::ints(size_t i) const {
  const Tensor& x = in(i);
  if (!x.is_value()) unsupported(format("input {} depends on data", i));
  std::vector<int64_t> values;
  for (const double value : x.to_doubles()) values.push_back(static_cast<int64_t>(value));
  return values;
}

int64_t TfCall::integer(size_t i) const {
  const std::vector<int64_t> values = ints(i);
  if (values.size() != 1) unsupported(format("input {} is not one number", i));
  return values[0];
}

bool TfCall::flag(const char* attribute, bool otherwise) const {
  const auto it = node_.attributes.find(attribute);
  return it == node_.attributes.end() ? otherwise : it->second.flag;
}

int64_t TfCall::integer(const char* attribute, int64_t otherwise) const {
  const auto it = node_.attributes.find(attribute);
  return it == node_.attributes.end() ? otherwise : it->second.integer;
}

double TfCall::number(const char* attribute, double otherwise) const {
  const auto it = node_.attributes.find(attribute);
  return it == node_.attributes.end() ? otherwise : it->second.number;
}

std::string TfCall::text(const char* attribute, const char* otherwise) const {
  const auto it = node_.attributes.find(attribute);
  return it == node_.attributes.end() ? otherwise : it->second.string;
}

std::vector<int64_t> TfCall::list(const char* attribute) const {
  const auto it = node_.attributes.find(attribute);
  return it == node_.attributes.end() ? std::vector<int64_t>() : it->second.integers;
}

DType TfCall::dtype(const char* attribute, DType otherwise) const {
  const auto it = node_.attributes.find(attribute);
  if (it == node_.attributes.end()) return otherwise;
  const std::optional<DType> dtype = io::dtype_of_tf(it->second.type);
  if (!dtype) unsupported(format("its dtype has the number {}", it->second.type));
  return *dtype;
}

void TfCall::unsupported(const std::string& why) const {
  throw NotImplementedError("The node '{}' ({}) of the SavedModel cannot be computed: {}.",
                            node_.name, node_.op, why);
}

int64_t TfCall::axis(int64_t given, int64_t rank) const {
  const int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= std::max<int64_t>(rank, 1)) {
    throw IOError("The SavedModel is damaged: the node '{}' ({}) names the axis {} of {}.",
                  node_.name, node_.op, given, rank);
  }
  return axis;
}

TfOp find_tf_op(std::string_view name) {
  static const TfOps& ops = *[] {
    auto* all = new TfOps;  // never freed: models may be read at exit
    add_tf_elementwise(*all);
    add_tf_movement(*all);
    add_tf_indexing(*all);
    add_tf_reductions(*all);
    add_tf_products(*all);
    add_tf_windows(*all);
    add_tf_strings(*all);
    return all;
  }();
  const auto it = ops.find(name);
  return it == ops.end() ? TfOp() : it->second;
}

}  // namespace antler::saving
