#include "io/tf_messages.h"

namespace antler::io {
namespace {

using Kind = ProtoField::Kind;

constexpr const char* kDataTypes[] = {
    "DT_INVALID",    "DT_FLOAT",  "DT_DOUBLE",    "DT_INT32",   "DT_UINT8",   "DT_INT16",
    "DT_INT8",       "DT_STRING", "DT_COMPLEX64", "DT_INT64",   "DT_BOOL",    "DT_QINT8",
    "DT_QUINT8",     "DT_QINT32", "DT_BFLOAT16",  "DT_QINT16",  "DT_QUINT16", "DT_UINT16",
    "DT_COMPLEX128", "DT_HALF",   "DT_RESOURCE",  "DT_VARIANT", "DT_UINT32",  "DT_UINT64"};
constexpr const char* kSaverVersions[] = {"LEGACY", "V1", "V2"};

constexpr ProtoField data_type(int number, const char* name) {
  return {number, name, Kind::enumeration, nullptr, kDataTypes};
}

constexpr ProtoField kDimFields[] = {{1, "size", Kind::integer}, {2, "name", Kind::string}};
constexpr ProtoMessage kDim = {kDimFields};
constexpr ProtoField kShapeFields[] = {{2, "dim", Kind::message, &kDim},
                                       {3, "unknown_rank", Kind::boolean}};
constexpr ProtoMessage kShape = {kShapeFields};

constexpr ProtoField kTensorFields[] = {data_type(1, "dtype"),
                                        {2, "tensor_shape", Kind::message, &kShape},
                                        {3, "version_number", Kind::integer},
                                        {4, "tensor_content", Kind::string},
                                        {5, "float_val", Kind::real32},
                                        {6, "double_val", Kind::real64},
                                        {7, "int_val", Kind::integer},
                                        {8, "string_val", Kind::string},
                                        {10, "int64_val", Kind::integer},
                                        {11, "bool_val", Kind::boolean},
                                        {13, "half_val", Kind::integer},
                                        {16, "uint32_val", Kind::integer},
                                        {17, "uint64_val", Kind::integer}};
constexpr ProtoMessage kTensor = {kTensorFields};

constexpr ProtoField kListFields[] = {{2, "s", Kind::string},
                                      {3, "i", Kind::integer},
                                      {4, "f", Kind::real32},
                                      {5, "b", Kind::boolean},
                                      data_type(6, "type"),
                                      {7, "shape", Kind::message, &kShape},
                                      {8, "tensor", Kind::message, &kTensor}};
constexpr ProtoMessage kList = {kListFields};
constexpr ProtoField kAttrFields[] = {{1, "list", Kind::message, &kList},
                                      {2, "s", Kind::string},
                                      {3, "i", Kind::integer},
                                      {4, "f", Kind::real32},
                                      {5, "b", Kind::boolean},
                                      data_type(6, "type"),
                                      {7, "shape", Kind::message, &kShape},
                                      {8, "tensor", Kind::message, &kTensor}};
constexpr ProtoMessage kAttr = {kAttrFields};
constexpr ProtoField kAttrEntryFields[] = {{1, "key", Kind::string},
                                           {2, "value", Kind::message, &kAttr}};
constexpr ProtoMessage kAttrEntry = {kAttrEntryFields};

constexpr ProtoField kNodeFields[] = {{1, "name", Kind::string},
                                      {2, "op", Kind::string},
                                      {3, "input", Kind::string},
                                      {4, "device", Kind::string},
                                      {5, "attr", Kind::message, &kAttrEntry}};
constexpr ProtoMessage kNode = {kNodeFields};
constexpr ProtoField kVersionFields[] = {{1, "producer", Kind::integer},
                                         {2, "min_consumer", Kind::integer},
                                         {3, "bad_consumers", Kind::integer}};
constexpr ProtoMessage kVersions = {kVersionFields};
constexpr ProtoField kGraphFields[] = {{1, "node", Kind::message, &kNode},
                                       {4, "versions", Kind::message, &kVersions},
                                       {3, "version", Kind::integer}};

constexpr ProtoField kMetaInfoFields[] = {{1, "meta_graph_version", Kind::string},
                                          {4, "tags", Kind::string},
                                          {5, "tensorflow_version", Kind::string},
                                          {6, "tensorflow_git_version", Kind::string},
                                          {7, "stripped_default_attrs", Kind::boolean}};
constexpr ProtoMessage kMetaInfo = {kMetaInfoFields};
constexpr ProtoField kSaverFields[] = {{1, "filename_tensor_name", Kind::string},
                                       {2, "save_tensor_name", Kind::string},
                                       {3, "restore_op_name", Kind::string},
                                       {4, "max_to_keep", Kind::integer},
                                       {5, "sharded", Kind::boolean},
                                       {6, "keep_checkpoint_every_n_hours", Kind::real32},
                                       {7, "version", Kind::enumeration, nullptr, kSaverVersions}};
constexpr ProtoMessage kSaver = {kSaverFields};

constexpr ProtoField kStringsFields[] = {{1, "value", Kind::string}};
constexpr ProtoMessage kStrings = {kStringsFields};
constexpr ProtoField kCollectionFields[] = {{1, "node_list", Kind::message, &kStrings},
                                            {2, "bytes_list", Kind::message, &kStrings}};
constexpr ProtoMessage kCollection = {kCollectionFields};
constexpr ProtoField kCollectionEntryFields[] = {{1, "key", Kind::string},
                                                 {2, "value", Kind::message, &kCollection}};
constexpr ProtoMessage kCollectionEntry = {kCollectionEntryFields};

constexpr ProtoField kTensorInfoFields[] = {
    {1, "name", Kind::string}, data_type(2, "dtype"), {3, "tensor_shape", Kind::message, &kShape}};
constexpr ProtoMessage kTensorInfo = {kTensorInfoFields};
constexpr ProtoField kTensorInfoEntryFields[] = {{1, "key", Kind::string},
                                                 {2, "value", Kind::message, &kTensorInfo}};
constexpr ProtoMessage kTensorInfoEntry = {kTensorInfoEntryFields};
constexpr ProtoField kSignatureFields[] = {{1, "inputs", Kind::message, &kTensorInfoEntry},
                                           {2, "outputs", Kind::message, &kTensorInfoEntry},
                                           {3, "method_name", Kind::string}};
constexpr ProtoMessage kSignatureDef = {kSignatureFields};
constexpr ProtoField kSignatureEntryFields[] = {{1, "key", Kind::string},
                                                {2, "value", Kind::message, &kSignatureDef}};
constexpr ProtoMessage kSignatureEntry = {kSignatureEntryFields};

}  // namespace

const ProtoMessage kGraphDefMessage = {kGraphFields};

namespace {

constexpr ProtoField kMetaGraphFields[] = {{1, "meta_info_def", Kind::message, &kMetaInfo},
                                           {2, "graph_def", Kind::message, &kGraphDefMessage},
                                           {3, "saver_def", Kind::message, &kSaver},
                                           {4, "collection_def", Kind::message, &kCollectionEntry},
                                           {5, "signature_def", Kind::message, &kSignatureEntry}};
constexpr ProtoMessage kMetaGraph = {kMetaGraphFields};
constexpr ProtoField kSavedModelFields[] = {{1, "saved_model_schema_version", Kind::integer},
                                            {2, "meta_graphs", Kind::message, &kMetaGraph}};

}  // namespace

const ProtoMessage kSavedModelMessage = {kSavedModelFields};

}  // namespace antler::io
