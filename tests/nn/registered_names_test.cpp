#include "antler/nn/registered_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "antler/nn/activations.h"
#include "antler/nn/constraint.h"
#include "antler/nn/loss.h"
#include "antler/nn/regularizer.h"

namespace antler {
namespace {

// get() knows every registered name, and the user's own classes are among them.
TEST(RegisteredNames, AreThoseThatGetKnows) {
  for (const std::string& name : activations::registered_activations()) {
    EXPECT_NO_THROW(activations::get(name)) << name;
  }
  for (const std::string& name : constraints::registered_constraints()) {
    EXPECT_NO_THROW(constraints::get(name)) << name;
  }
  for (const std::string& name : losses::registered_losses()) {
    EXPECT_NO_THROW(losses::get(name)) << name;
  }
  for (const std::string& name : regularizers::registered_regularizers()) {
    EXPECT_NO_THROW(regularizers::get(name)) << name;
  }
  const std::vector<std::string> losses = losses::registered_losses();
  EXPECT_NE(std::find(losses.begin(), losses.end(), "mean_squared_error"), losses.end());
  const std::vector<std::string> metrics = metrics::registered_metrics();
  EXPECT_NE(std::find(metrics.begin(), metrics.end(), "accuracy"), metrics.end());
  EXPECT_FALSE(initializers::registered_initializers().empty());
  EXPECT_FALSE(optimizers::schedules::registered_schedules().empty());
}

TEST(RegisteredNames, HaveThoseOfTheProgram) {
  constraints::register_constraint("halved", [](const Tensor& w) { return w; });
  const std::vector<std::string> names = constraints::registered_constraints();
  EXPECT_NE(std::find(names.begin(), names.end(), "halved"), names.end());
}

}  // namespace
}  // namespace antler
