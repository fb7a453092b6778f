#include "runtime/cpu/jit/loops.h"

namespace antler::runtime::jit {

using llvm::Value;

Values emit_loop(const Gen& g, Value* first, Value* last, int64_t step, bool nonempty,
                 const Values& carried, const std::function<Values(Value*, const Values&)>& body) {
  llvm::IRBuilder<>& b = g.b;
  llvm::Function* parent = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(b.getContext(), "loop", parent);
  auto* exit = llvm::BasicBlock::Create(b.getContext(), "after", parent);
  if (nonempty) {
    b.CreateBr(head);
  } else {
    b.CreateCondBr(b.CreateICmpSLT(first, last), head, exit);
  }
  b.SetInsertPoint(head);
  llvm::PHINode* index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(first, before);
  std::vector<llvm::PHINode*> phis;
  Values inside;
  for (Value* v : carried) {
    phis.push_back(b.CreatePHI(v->getType(), 2));
    phis.back()->addIncoming(v, before);
    inside.push_back(phis.back());
  }
  const Values next = body(index, inside);
  Value* following = b.CreateAdd(index, g.i64(step), "", true, true);
  llvm::BasicBlock* latch = b.GetInsertBlock();
  index->addIncoming(following, latch);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], latch);
  b.CreateCondBr(b.CreateICmpSLT(following, last), head, exit);
  b.SetInsertPoint(exit);
  if (nonempty) return next;
  Values result;
  for (size_t i = 0; i < phis.size(); ++i) {
    llvm::PHINode* phi = b.CreatePHI(carried[i]->getType(), 2);
    phi->addIncoming(carried[i], before);
    phi->addIncoming(next[i], latch);
    result.push_back(phi);
  }
  return result;
}

void emit_if(const Gen& g, Value* condition, const std::function<void()>& then,
             const std::function<void()>& otherwise) {
  llvm::IRBuilder<>& b = g.b;
  llvm::Function* parent = b.GetInsertBlock()->getParent();
  auto* yes = llvm::BasicBlock::Create(b.getContext(), "then", parent);
  auto* no = llvm::BasicBlock::Create(b.getContext(), "else", parent);
  auto* join = llvm::BasicBlock::Create(b.getContext(), "join", parent);
  b.CreateCondBr(condition, yes, no);
  b.SetInsertPoint(yes);
  then();
  b.CreateBr(join);
  b.SetInsertPoint(no);
  otherwise();
  b.CreateBr(join);
  b.SetInsertPoint(join);
}

}  // namespace antler::runtime::jit
