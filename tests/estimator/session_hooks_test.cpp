#include "estimator/session_hooks.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "estimator/folder_test.h"

namespace antler::estimator {
namespace {

TEST(CheckFinite, NamesATrainableVariableThatIsNot) {
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16, DType::float16}) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      const Graph graph = small_graph();
      {
        const GraphScope scope(graph);
        get_variable("scale", Tensor::full(dtype, {5}, 1));
      }
      // Not trainable.
      graph.find("local").store(Tensor::full(DType::float32, {}, bad));
      EXPECT_NO_THROW(check_finite(graph));
      graph.find("scale").store(Tensor::full(dtype, {5}, bad));
      try {
        check_finite(graph);
        ADD_FAILURE() << dtype_name(dtype) << " " << bad;
      } catch (const RuntimeError& error) {
        EXPECT_NE(std::string(error.what()).find("scale"), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace antler::estimator
