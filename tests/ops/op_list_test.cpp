#include "antler/ops/op_list.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "antler/ir/tracer.h"
#include "support/op_cases.h"

namespace antler {
namespace {

TEST(OpList, NamesAreUnique) {
  std::set<std::string> names;
  for (const ir::OpDef* op : ops::all_ops()) EXPECT_TRUE(names.insert(op->name).second) << op->name;
}

TEST(OpList, FindsEveryOp) {
  for (const ir::OpDef* op : ops::all_ops()) EXPECT_EQ(ops::find_op(op->name), op);
  EXPECT_EQ(ops::find_op("no such op"), nullptr);
}

TEST(OpList, DefinitionsAreComplete) {
  for (const ir::OpDef* op : ops::all_ops()) {
    EXPECT_NE(op->infer, nullptr) << op->name;
    if (op == &ir::kConstant) continue;  // its value is in its attributes
    EXPECT_TRUE(op->reference != nullptr || op->decompose != nullptr)
        << op->name << " cannot be computed";
    EXPECT_TRUE(op->no_gradient || op->vjp != nullptr || op->decompose != nullptr)
        << op->name << " has no gradient";
  }
}

TEST(OpList, EveryOpHasACase) {
  std::set<std::string> tested;
  for (const test::OpCase& c : test::all_op_cases()) tested.insert(c.op);
  for (const ir::OpDef* op : ops::all_ops()) {
    if (op == &ir::kConstant) continue;
    EXPECT_TRUE(tested.contains(op->name)) << op->name << " is in no table of cases";
  }
}

TEST(Hash, Cases) { test::check_ops(test::hash_cases()); }
TEST(WorkerCollectives, Cases) { test::check_ops(test::worker_cases()); }

}  // namespace
}  // namespace antler
