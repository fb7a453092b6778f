#pragma once

#include <string>
#include <string_view>

namespace antler {

/// The class that Keras has for the operation of keras.ops that an op is ("Multiply" of "mul"), of
/// which it makes the names of nodes in a graph, too. An op that Keras does not have gets its own
/// name in camel case.
std::string keras_class_of_op(std::string_view op);

}  // namespace antler
