#include "io/proto_text.h"

#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "io/tf_messages.h"
#include "io/tf_tensor.h"
#include "io/wire.h"

namespace antler::io {
namespace {

/// A graph of one node with attributes of many kinds.
std::string graph() {
  const auto entry = [](const char* key, const WireWriter& value) {
    WireWriter map;
    map.bytes(1, key);
    map.message(2, value);
    return map;
  };
  WireWriter type;
  type.integer(6, 1);
  WireWriter tensor;
  tensor.message(8, tensor_message(Tensor::of<float>({0.5F, -2}, {2})));
  WireWriter list;
  list.packed(3, std::vector<int64_t>{1, -1});
  WireWriter ints;
  ints.message(1, list);
  WireWriter text;
  text.bytes(2, std::string("a\"\\\n\0\xC3", 6));
  WireWriter node;
  node.bytes(1, "c");
  node.bytes(2, "Const");
  node.bytes(3, "^x");
  node.message(5, entry("dtype", type));
  node.message(5, entry("value", tensor));
  node.message(5, entry("ints", ints));
  node.message(5, entry("text", text));
  WireWriter versions;
  versions.integer(1, 1766);
  WireWriter message;
  message.message(1, node);
  message.message(4, versions);
  return message.str();
}

TEST(ProtoText, FieldsAreLines) {
  const std::string text = proto_to_text(kGraphDefMessage, graph());
  EXPECT_NE(text.find("node {\n  name: \"c\"\n  op: \"Const\"\n  input: \"^x\"\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("      type: DT_FLOAT\n"), std::string::npos) << text;
  EXPECT_NE(text.find("        i: 1\n        i: -1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("s: \"a\\\"\\\\\\n\\000\\303\"\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("versions {\n  producer: 1766\n}\n")) << text;
}

TEST(ProtoText, ATextGivesItsMessage) {
  const std::string text = proto_to_text(kGraphDefMessage, graph());
  // Repeated numbers need not be packed, so the bytes may differ.
  EXPECT_EQ(proto_to_text(kGraphDefMessage, proto_from_text(kGraphDefMessage, text)), text);
}

TEST(ProtoText, OtherWaysToWriteAMessageAreRead) {
  const std::string message = proto_from_text(
      kGraphDefMessage,
      "# a comment\nnode: { name: 'a' \"b\" op: \"x\\x41\\101\", attr { key: \"k\" value { "
      "list { i: [1, 2] f: 1.5f } type: 1 b: true } } }");
  const std::string text = proto_to_text(kGraphDefMessage, message);
  EXPECT_NE(text.find("name: \"ab\""), std::string::npos) << text;
  EXPECT_NE(text.find("op: \"xAA\""), std::string::npos) << text;
  EXPECT_NE(text.find("i: 1\n        i: 2"), std::string::npos) << text;
  EXPECT_NE(text.find("f: 1.5"), std::string::npos) << text;
  EXPECT_NE(text.find("type: DT_FLOAT"), std::string::npos) << text;
  EXPECT_NE(text.find("b: true"), std::string::npos) << text;
}

TEST(ProtoText, WrongTextIsRefusedWithItsLine) {
  for (const char* text :
       {"node {\n  nam: 1\n}", "node {\n name: \"a", "node {\n versions: 2", "}", "node 3",
        "versions { producer: x }", "node { attr { value { type: DT_NOTHING } } }"}) {
    EXPECT_THROW(proto_from_text(kGraphDefMessage, text), IOError) << text;
  }
  try {
    proto_from_text(kGraphDefMessage, "node {\n  nam: 1\n}");
    FAIL();
  } catch (const IOError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace antler::io
