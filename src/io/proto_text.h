#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The text format of Protocol Buffers for messages whose fields a table describes.
namespace antler::io {

struct ProtoMessage;

/// A field of a message.
struct ProtoField {
  enum class Kind : uint8_t { integer, real32, real64, boolean, string, enumeration, message };
  int number;
  const char* name;
  Kind kind;
  const ProtoMessage* message = nullptr;     ///< of Kind::message
  std::span<const char* const> values = {};  ///< names of an enumeration's numbers; null: none
};

/// A type of messages. Fields that it does not list are left out.
struct ProtoMessage {
  std::span<const ProtoField> fields;
};

/// The text of a message, a field per line, two spaces per level. Throws IOError for bytes that are
/// not such a message.
std::string proto_to_text(const ProtoMessage& type, std::string_view message);
/// The message that a text describes. Throws IOError, which names the line, for text that is not in
/// this format, and for a field that the type does not have.
std::string proto_from_text(const ProtoMessage& type, std::string_view text);

}  // namespace antler::io
