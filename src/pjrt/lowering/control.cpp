#include <algorithm>
#include <limits>

#include "pjrt/lowering/families.h"

namespace antler::pjrt {
namespace {

std::vector<Type> types_of_values(std::span<const Value> values) {
  std::vector<Type> types;
  for (const Value& v : values) types.push_back(v.type);
  return types;
}

/// `leading`, followed by the elements of `rest` from index `skip` on: the operands of a region
/// whose first operands changed.
Values with_leading(std::span<const Value> leading, std::span<const Value> rest, size_t skip) {
  Values all(leading.begin(), leading.end());
  all.insert(all.end(), rest.begin() + static_cast<std::ptrdiff_t>(skip), rest.end());
  return all;
}

Values lower_cond(const LowerArgs& args) {
  if (args.outputs.empty()) return {};
  const std::span<const Value> captures = args.inputs.subspan(1);
  const auto branch = [&](size_t i) {
    return Emitter::Region{{}, [&, i](const Values&) {
                             return lower_body(args.emit, *args.node.regions[i], captures);
                           }};
  };
  std::vector<Type> types;
  for (const TensorSpec& spec : args.outputs) types.push_back(type_of(spec));
  const Emitter::Region regions[] = {branch(0), branch(1)};
  return args.emit.op_with_regions("if", args.inputs.first(1), types, regions);
}

/// The loop carries its values and, if the number of iterations is limited, the iterations so far.
Values lower_while(const LowerArgs& args) {
  const auto count = static_cast<size_t>(args.attrs().integer("num_values"));
  const int64_t limit = args.attrs().integer("max_iterations");
  if (count == 0) return {};
  Emitter& emit = args.emit;
  Values carried(args.inputs.begin(), args.inputs.begin() + static_cast<std::ptrdiff_t>(count));
  const Type counter{"i64", {}};
  if (limit >= 0) carried.push_back(emit.fill_int(0, counter));
  const std::vector<Type> types = types_of_values(carried);
  const auto run = [&](size_t region, const Values& v) {
    return lower_body(emit, *args.node.regions[region],
                      with_leading(std::span(v).first(count), args.inputs, count));
  };
  const Emitter::Region regions[] = {
      {types,
       [&](const Values& v) {
         const Value holds = run(0, v)[0];
         if (limit < 0) return Values{holds};
         return Values{emit.binary("and", holds,
                                   emit.compare("LT", v[count], emit.fill_int(limit, counter)))};
       }},
      {types, [&](const Values& v) {
         Values next = run(1, v);
         if (limit >= 0) next.push_back(emit.binary("add", v[count], emit.fill_int(1, counter)));
         return next;
       }}};
  Values last = emit.op_with_regions("while", carried, types, regions);
  last.resize(count);
  return last;
}

/// Lowers a scan to a while loop over the step index. The loop carries the index, the scan's
/// carries and its stacked outputs (ys).
class ScanLowering {
 public:
  explicit ScanLowering(const LowerArgs& args)
      : args_(args),
        emit_(args.emit),
        carries_(static_cast<size_t>(args.attrs().integer("num_carry"))),
        xs_(static_cast<size_t>(args.attrs().integer("num_xs"))),
        length_(args.attrs().integer("length")),
        index_{length_ > std::numeric_limits<int32_t>::max() ? "i64" : "i32", {}} {}

  Values lower() {
    Values carried = {emit_.fill_int(0, index_)};
    for (size_t i = 0; i < carries_; ++i) carried.push_back(args_[i]);
    for (size_t i = carries_; i < args_.outputs.size(); ++i)
      carried.push_back(emit_.fill(0, args_.result(i)));
    if (length_ > 0) carried = loop(carried);
    carried.erase(carried.begin());
    return carried;
  }

 private:
  Values loop(const Values& carried) {
    const std::vector<Type> types = types_of_values(carried);
    const Emitter::Region regions[] = {
        {types,
         [&](const Values& v) {
           return Values{emit_.compare("LT", v[0], emit_.fill_int(length_, index_))};
         }},
        {types, [&](const Values& v) { return step(v); }}};
    return emit_.op_with_regions("while", carried, types, regions);
  }

  Values step(const Values& v) {
    const bool reverse = args_.attrs().flag("reverse");
    const Value place =
        reverse ? emit_.binary("subtract", emit_.fill_int(length_ - 1, index_), v[0]) : v[0];
    Values operands(v.begin() + 1, v.begin() + 1 + static_cast<std::ptrdiff_t>(carries_));
    for (size_t i = carries_; i < carries_ + xs_; ++i)
      operands.push_back(emit_.take(args_[i], 0, place));
    const Values results = lower_body(emit_, *args_.node.regions[0],
                                      with_leading(operands, args_.inputs, operands.size()));
    Values next = {emit_.binary("add", v[0], emit_.fill_int(1, index_))};
    for (size_t i = 0; i < results.size(); ++i)
      next.push_back(i < carries_ ? results[i] : emit_.put(v[i + 1], 0, place, results[i]));
    return next;
  }

  const LowerArgs& args_;
  Emitter& emit_;
  size_t carries_;
  size_t xs_;
  int64_t length_;
  Type index_;
};

Values lower_scan(const LowerArgs& args) { return ScanLowering(args).lower(); }

constexpr Rule kControlRules[] = {
    {"cond", lower_cond},
    {"while", lower_while},
    {"scan", lower_scan},
};

}  // namespace

Rules control_rules() { return kControlRules; }

}  // namespace antler::pjrt
