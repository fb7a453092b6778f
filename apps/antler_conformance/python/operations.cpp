// The functions of keras.ops. They run like the operations of a loaded model.
#include <algorithm>
#include <sstream>

#include "antler/nn/registry.h"
#include "python/interpreter.h"

namespace antler::conformance::python {
namespace {

/// Each function with its class and its parameters in Keras 3.15.1, with their defaults as JSON.
/// Parameters with a dot belong to the configuration of the operation; the others are arrays.
/// One with a star takes the remaining arguments.
constexpr const char* kOperations[] = {
    "abs Absolute x",
    "absolute Absolute x",
    "adaptive_average_pool AdaptiveAveragePool inputs .output_size .data_format=null",
    "adaptive_max_pool AdaptiveMaxPool inputs .output_size .data_format=null",
    "add Add x1 x2",
    "all All x .axis=null .keepdims=false",
    "allclose AllClose x1 x2 .rtol=1e-05 .atol=1e-08 .equal_nan=false",
    "amax Amax x .axis=null .keepdims=false",
    "amin Amin x .axis=null .keepdims=false",
    "angle Angle x",
    "any Any x .axis=null .keepdims=false",
    "append Append x1 x2 .axis=null",
    "arange Arange start stop=null step=null .dtype=null",
    "arccos Arccos x",
    "arccosh Arccosh x",
    "arcsin Arcsin x",
    "arcsinh Arcsinh x",
    "arctan Arctan x",
    "arctan2 Arctan2 x1 x2",
    "arctanh Arctanh x",
    "argmax Argmax x .axis=null .keepdims=false",
    "argmin Argmin x .axis=null .keepdims=false",
    "argpartition Argpartition x .kth .axis=-1",
    "argsort Argsort x .axis=-1",
    "array Array x .dtype=null",
    "array_split ArraySplit x .indices_or_sections .axis=0",
    "average Average x .axis=null weights=null",
    ("average_pool AveragePool inputs .pool_size .strides=null .padding=\"valid\" "
     ".data_format=null"),
    "batch_normalization BatchNorm x mean variance .axis offset=null scale=null .epsilon=0.001",
    "binary_crossentropy BinaryCrossentropy target output .from_logits=false",
    "bincount Bincount x .weights=null .minlength=0 .sparse=false",
    "bitwise_and BitwiseAnd x y",
    "bitwise_invert BitwiseInvert x",
    "bitwise_left_shift BitwiseLeftShift x y",
    "bitwise_not BitwiseNot x",
    "bitwise_or BitwiseOr x y",
    "bitwise_right_shift BitwiseRightShift x y",
    "bitwise_xor BitwiseXor x y",
    "broadcast_to BroadcastTo x .shape",
    "cast Cast x .dtype",
    "categorical_crossentropy CategoricalCrossentropy target output .from_logits=false .axis=-1",
    "cbrt Cbrt x",
    "cdist CDist x y",
    "ceil Ceil x",
    "celu Celu x .alpha=1.0",
    "cholesky Cholesky x .upper=false",
    "cholesky_inverse CholeskyInverse x .upper=false",
    "clip Clip x .x_min .x_max",
    "concatenate Concatenate xs .axis=0",
    "conj Conjugate x",
    "conjugate Conjugate x",
    "conv Conv inputs kernel .strides=1 .padding=\"valid\" .data_format=null .dilation_rate=1",
    ("conv_transpose ConvTranspose inputs kernel .strides=1 .padding=\"valid\" "
     ".output_padding=null .data_format=null .dilation_rate=1"),
    "convert_to_tensor ConvertToTensor x .dtype=null .sparse=null .ragged=null",
    "copy Copy x",
    "corrcoef Corrcoef x",
    "correlate Correlate x1 x2 .mode=\"valid\"",
    "cos Cos x",
    "cosh Cosh x",
    "count_nonzero CountNonzero x .axis=null",
    "cross Cross x1 x2 .axisa=-1 .axisb=-1 .axisc=-1 .axis=null",
    ("ctc_decode CTCDecode inputs sequence_lengths .strategy=\"greedy\" .beam_width=100 "
     ".top_paths=1 .merge_repeated=true .mask_index=0"),
    "ctc_loss CTCLoss target output target_length output_length .mask_index=0",
    "cumprod Cumprod x .axis=null .dtype=null",
    "cumsum Cumsum x .axis=null .dtype=null",
    "deg2rad Deg2rad x",
    "depth_to_space DepthToSpace x .block_size .data_format=\"channels_last\"",
    ("depthwise_conv DepthwiseConv inputs kernel .strides=1 .padding=\"valid\" .data_format=null "
     ".dilation_rate=1"),
    "det Det x",
    "diag Diag x .k=0",
    "diagflat Diagflat x .k=0",
    "diagonal Diagonal x .offset=0 .axis1=0 .axis2=1",
    "diff Diff a .n=1 .axis=-1",
    "digitize Digitize x bins",
    "divide Divide x1 x2",
    "divide_no_nan DivideNoNan x1 x2",
    "dot Dot x1 x2",
    "dsplit Dsplit x .indices_or_sections",
    "dstack Dstack xs",
    "eig Eig x",
    "eigh Eigh x",
    "einsum Einsum .subscripts *operands",
    "elu Elu x .alpha=1.0",
    "equal Equal x1 x2",
    "erf Erf x",
    "erfc Erfc x",
    "erfinv Erfinv x",
    "exp Exp x",
    "exp2 Exp2 x",
    "expand_dims ExpandDims x .axis",
    "expm1 Expm1 x",
    "extract_sequences ExtractSequences x .sequence_length .sequence_stride",
    "fabs Fabs x",
    "fft FFT x",
    "fft2 FFT2 x",
    "flip Flip x .axis=null",
    "fliplr Fliplr x",
    "flipud Flipud x",
    "floor Floor x",
    "floor_divide FloorDivide x1 x2",
    "fmax Fmax x1 x2",
    "fmin Fmin x1 x2",
    "fmod Fmod x1 x2",
    "fold Fold x .output_size .kernel_size .dilation=1 .padding=0 .stride=1",
    "full Full .shape fill_value .dtype=null",
    "full_like FullLike x fill_value .dtype=null",
    "gcd Gcd x1 x2",
    "gelu Gelu x .approximate=true",
    "geomspace Geomspace start stop .num=50 .endpoint=true .dtype=null .axis=0",
    "get_item GetItem x key",
    "glu Glu x .axis=-1",
    "greater Greater x1 x2",
    "greater_equal GreaterEqual x1 x2",
    "hard_shrink HardShrink x .threshold=0.5",
    "hard_sigmoid HardSigmoid x",
    "hard_silu HardSilu x",
    "hard_swish HardSilu x",
    "hard_tanh HardTanh x",
    "heaviside Heaviside x1 x2",
    "histogram Histogram x .bins=10 .range=null",
    "hsplit Hsplit x .indices_or_sections",
    "hstack Hstack xs",
    "hypot Hypot x1 x2",
    "i0 I0 x",
    "ifft2 IFFT2 x",
    "imag Imag x",
    ("image.affine_transform AffineTransform images transform .interpolation=\"bilinear\" "
     ".fill_mode=\"constant\" .fill_value=0 .data_format=null"),
    ("image.crop_images CropImages images .top_cropping=null .left_cropping=null "
     ".bottom_cropping=null .right_cropping=null .target_height=null .target_width=null "
     ".data_format=null"),
    ("image.elastic_transform ElasticTransform images .alpha=20.0 .sigma=5.0 "
     ".interpolation=\"bilinear\" .fill_mode=\"reflect\" .fill_value=0.0 .seed=null "
     ".data_format=null"),
    ("image.extract_patches ExtractPatches images .size .strides=null .dilation_rate=1 "
     ".padding=\"valid\" .data_format=null"),
    ("image.extract_patches_3d ExtractPatches volumes .size .strides=null .dilation_rate=1 "
     ".padding=\"valid\" .data_format=null"),
    ("image.gaussian_blur GaussianBlur images .kernel_size=[3,3] .sigma=[1.0,1.0] "
     ".data_format=null"),
    "image.hsv_to_rgb HSVToRGB images .data_format=null",
    ("image.map_coordinates MapCoordinates inputs coordinates .order .fill_mode=\"constant\" "
     ".fill_value=0"),
    ("image.pad_images PadImages images .top_padding=null .left_padding=null "
     ".bottom_padding=null .right_padding=null .target_height=null .target_width=null "
     ".data_format=null"),
    ("image.perspective_transform PerspectiveTransform images start_points end_points "
     ".interpolation=\"bilinear\" .fill_value=0 .data_format=null"),
    ("image.resize Resize images .size .interpolation=\"bilinear\" .antialias=false "
     ".crop_to_aspect_ratio=false .pad_to_aspect_ratio=false .fill_mode=\"constant\" "
     ".fill_value=0.0 .data_format=null"),
    "image.rgb_to_grayscale RGBToGrayscale images .data_format=null",
    "image.rgb_to_hsv RGBToHSV images .data_format=null",
    ("image.scale_and_translate ScaleAndTranslate images output_shape scale translation "
     ".spatial_dims .method .antialias=true"),
    "image.sobel_edges SobelEdges images .data_format=null",
    ("image.ssim SSIM image1 image2 .max_val=1.0 .filter_size=11 .filter_sigma=1.5 .k1=0.01 "
     ".k2=0.03 .data_format=null"),
    "in_top_k InTopK targets predictions .k",
    "inner Inner x1 x2",
    "inv Inv x",
    "irfft IRFFT x .fft_length=null",
    "isclose Isclose x1 x2 rtol=1e-05 atol=1e-08 .equal_nan=false",
    "isfinite Isfinite x",
    "isin IsIn x1 x2 .assume_unique=false .invert=false",
    "isinf Isinf x",
    "isnan Isnan x",
    "isneginf Isneginf x",
    "isposinf Isposinf x",
    "isreal Isreal x",
    ("istft ISTFT x .sequence_length .sequence_stride .fft_length .length=null .window=\"hann\" "
     ".center=true"),
    "kron Kron x1 x2",
    "layer_normalization LayerNorm x gamma=null beta=null .axis=-1 .epsilon=null",
    "lcm Lcm x1 x2",
    "ldexp Ldexp x1 x2",
    "leaky_relu LeakyRelu x .negative_slope=0.2",
    "left_shift LeftShift x y",
    "less Less x1 x2",
    "less_equal LessEqual x1 x2",
    "linspace Linspace start stop .num=50 .endpoint=true .retstep=false .dtype=null .axis=0",
    "log Log x",
    "log10 Log10 x",
    "log1p Log1p x",
    "log2 Log2 x",
    "log_sigmoid LogSigmoid x",
    "log_softmax LogSoftmax x .axis=-1",
    "logaddexp Logaddexp x1 x2",
    "logaddexp2 Logaddexp2 x1 x2",
    "logdet Logdet x",
    "logical_and LogicalAnd x1 x2",
    "logical_not LogicalNot x",
    "logical_or LogicalOr x1 x2",
    "logical_xor LogicalXor x1 x2",
    "logspace Logspace start stop .num=50 .endpoint=true .base=10 .dtype=null .axis=0",
    "logsumexp Logsumexp x .axis=null .keepdims=false",
    "lstsq Lstsq a b .rcond=null",
    "lu_factor LuFactor x",
    "matmul Matmul x1 x2",
    "matrix_rank MatrixRank x .tol=null",
    "max Max x .axis=null .keepdims=false .initial=null",
    "max_pool MaxPool inputs .pool_size .strides=null .padding=\"valid\" .data_format=null",
    "maximum Maximum x1 x2",
    "mean Mean x .axis=null .keepdims=false",
    "median Median x .axis=null .keepdims=false",
    "meshgrid Meshgrid *x .indexing=\"xy\"",
    "min Min x .axis=null .keepdims=false .initial=null",
    "minimum Minimum x1 x2",
    "mod Mod x1 x2",
    "moments Moments x .axes .keepdims=false .synchronized=false",
    "moveaxis Moveaxis x .source .destination",
    "multi_hot MultiHot inputs .num_classes=null .axis=-1 .dtype=null .sparse=false",
    "multiply Multiply x1 x2",
    "nan_to_num NanToNum x .nan=0.0 .posinf=null .neginf=null",
    "nanargmax Nanargmax x .axis=null .keepdims=false",
    "nanargmin Nanargmin x .axis=null .keepdims=false",
    "nancumprod Nancumprod x .axis=null .dtype=null",
    "nancumsum Nancumsum x .axis=null .dtype=null",
    "nanmax Nanmax x .axis=null .keepdims=false",
    "nanmean Nanmean x .axis=null .keepdims=false",
    "nanmedian Nanmedian x .axis=null .keepdims=false",
    "nanmin Nanmin x .axis=null .keepdims=false",
    "nanpercentile Nanpercentile x q .axis=null .method=\"linear\" .keepdims=false",
    "nanprod Nanprod x .axis=null .keepdims=false",
    "nanquantile Nanquantile x q .axis=null .method=\"linear\" .keepdims=false",
    "nanstd Nanstd x .axis=null .keepdims=false",
    "nansum Nansum x .axis=null .keepdims=false",
    "nanvar Nanvar x .axis=null .keepdims=false",
    "negative Negative x",
    "nextafter Nextafter x1 x2",
    "nonzero Nonzero x",
    "norm Norm x .ord=null .axis=null .keepdims=false",
    "normalize Normalize x .axis=-1 .order=2 .epsilon=null",
    "not_equal NotEqual x1 x2",
    "one_hot OneHot x .num_classes .axis=-1 .dtype=null .sparse=false",
    "ones_like OnesLike x .dtype=null",
    "outer Outer x1 x2",
    "pad Pad x .pad_width .mode=\"constant\" constant_values=null",
    "percentile Percentile x q .axis=null .method=\"linear\" .keepdims=false",
    "pinv Pinv x .rcond=null",
    "power Power x1 x2",
    "prod Prod x .axis=null .keepdims=false .dtype=null",
    "psnr PSNR x1 x2 .max_val",
    "ptp Ptp x .axis=null .keepdims=false",
    "qr Qr x .mode=\"reduced\"",
    "quantile Quantile x q .axis=null .method=\"linear\" .keepdims=false",
    "rad2deg Rad2deg x",
    "ravel Ravel x",
    "real Real x",
    "reciprocal Reciprocal x",
    "relu Relu x",
    "relu6 Relu6 x",
    "repeat Repeat x .repeats .axis=null",
    "reshape Reshape x .newshape",
    "rfft RFFT x .fft_length=null",
    "right_shift RightShift x y",
    "rms_normalization RMSNorm x scale=null .axis=-1 .epsilon=null",
    "roll Roll x .shift .axis=null",
    "rot90 Rot90 array .k=1 .axes=[0,1]",
    "round Round x .decimals=0",
    "rsqrt Rsqrt x",
    "saturate_cast SaturateCast x .dtype",
    "scatter Scatter indices values .shape",
    "scatter_update ScatterUpdate inputs indices updates .reduction=null",
    "searchsorted SearchSorted sorted_sequence values .side=\"left\"",
    "segment_max SegmentMax data segment_ids .num_segments=null .sorted=false",
    "segment_min SegmentMin data segment_ids .num_segments=null .sorted=false",
    "segment_prod SegmentProd data segment_ids .num_segments=null .sorted=false",
    "segment_sum SegmentSum data segment_ids .num_segments=null .sorted=false",
    "select Select condlist choicelist default=0",
    "selu Selu x",
    ("separable_conv SeparableConv inputs depthwise_kernel pointwise_kernel .strides=1 "
     ".padding=\"valid\" .data_format=null .dilation_rate=1"),
    "sigmoid Sigmoid x",
    "sign Sign x",
    "signbit Signbit x",
    "silu Silu x",
    "sin Sin x",
    "sinc Sinc x",
    "sinh Sinh x",
    "slice Slice inputs start_indices .shape",
    "slice_update SliceUpdate inputs start_indices updates",
    "slogdet Slogdet x",
    "soft_shrink SoftShrink x .threshold=0.5",
    "softmax Softmax x .axis=-1",
    "softplus Softplus x",
    "softsign Softsign x",
    "solve Solve a b",
    "solve_triangular SolveTriangular a b .lower=false",
    "sort Sort x .axis=-1",
    "space_to_depth SpaceToDepth x .block_size .data_format=\"channels_last\"",
    ("sparse_categorical_crossentropy SparseCategoricalCrossentropy target output "
     ".from_logits=false .axis=-1"),
    "sparse_plus SparsePlus x",
    "sparse_sigmoid SparseSigmoid x",
    "sparsemax Sparsemax x .axis=-1",
    "split Split x .indices_or_sections .axis=0",
    "sqrt Sqrt x",
    "square Square x",
    "squareplus Squareplus x .b=4",
    "squeeze Squeeze x .axis=null",
    "stack Stack x .axis=0",
    "std Std x .axis=null .keepdims=false",
    "stft STFT x .sequence_length .sequence_stride .fft_length .window=\"hann\" .center=true",
    "stop_gradient StopGradient variable",
    "subtract Subtract x1 x2",
    "sum Sum x .axis=null .keepdims=false",
    "svd SVD x .full_matrices=true .compute_uv=true",
    "swapaxes Swapaxes x .axis1 .axis2",
    "swish Silu x",
    "take Take x indices .axis=null",
    "take_along_axis TakeAlongAxis x indices .axis=null",
    "tan Tan x",
    "tanh Tanh x",
    "tanh_shrink TanhShrink x",
    "tensordot Tensordot x1 x2 .axes=2",
    "threshold Threshold x .threshold .default_value",
    "tile Tile x .repeats",
    "top_k TopK x .k .sorted=true",
    "trace Trace x .offset=0 .axis1=0 .axis2=1",
    "transpose Transpose x .axes=null",
    "trapezoid Trapezoid y .x=null .dx=1.0 .axis=-1",
    "tril Tril x .k=0",
    "triu Triu x .k=0",
    "true_divide TrueDivide x1 x2",
    "trunc Trunc x",
    "unfold Unfold x .kernel_size .dilation=1 .padding=0 .stride=1",
    ("unique Unique x .sorted=true .return_index=false .return_inverse=false "
     ".return_counts=false .axis=null .size=null .fill_value=null"),
    "unravel_index UnravelIndex indices .shape",
    "unstack Unstack x .num=null .axis=0",
    "vander Vander x .N=null .increasing=false",
    "var Var x .axis=null .keepdims=false",
    "vdot Vdot x1 x2",
    "view View x .dtype=null",
    "vsplit Vsplit x .indices_or_sections",
    "vstack Vstack xs",
    "where Where condition x1=null x2=null",
    "zeros_like ZerosLike x .dtype=null",
};

struct Parameter {
  std::string name;
  bool configures = false;
  bool takes_rest = false;
  std::optional<Json> otherwise = {};
};

struct Operation {
  std::string class_name;
  std::vector<Parameter> parameters = {};
};

Operation parsed(const std::string& line) {
  std::istringstream words(line);
  Operation operation;
  std::string word;
  words >> word >> operation.class_name;
  while (words >> word) {
    Parameter parameter;
    parameter.configures = word[0] == '.';
    parameter.takes_rest = word[0] == '*';
    const size_t start = parameter.configures || parameter.takes_rest ? 1 : 0;
    const size_t equals = std::min(word.find('='), word.size());
    parameter.name = word.substr(start, equals - start);
    if (equals < word.size()) parameter.otherwise = Json::parse(word.substr(equals + 1));
    operation.parameters.push_back(std::move(parameter));
  }
  return operation;
}

/// An argument as Keras converts it: lists of numbers become arrays.
Nest to_operand(const Value& value) {
  if (const auto* truth = value.get<bool>()) return Tensor(*truth);
  if (const auto* number = value.get<int64_t>()) return Tensor(*number);
  if (const auto* number = value.get<double>()) return Tensor(*number);
  const auto* sequence = value.get<Sequence>();
  if (sequence == nullptr) return to_tensor(value);
  const Values& items = *sequence->items;
  const auto is_number = [](const Value& item) {
    return item.get<int64_t>() != nullptr || item.get<double>() != nullptr;
  };
  if (!items.empty() && std::all_of(items.begin(), items.end(), is_number)) return array_of(value);
  std::vector<Nest> list;
  for (const Value& item : items) list.push_back(to_operand(item));
  return list;
}

Value run(const Operation& operation, const Arguments& arguments) {
  std::vector<std::string> names;
  for (const Parameter& parameter : operation.parameters) names.push_back(parameter.name);
  arguments.only(names);
  Json config = Json::object();
  std::vector<Nest> operands;
  size_t index = 0;
  for (const Parameter& parameter : operation.parameters) {
    if (parameter.takes_rest) {
      for (; index < arguments.positional.size(); ++index)
        operands.push_back(to_operand(arguments.positional[index]));
      continue;
    }
    const bool given = arguments.has(index, parameter.name);
    const Value value = arguments.at(index++, parameter.name);
    if (!given && !parameter.otherwise)
      throw Unwritable{format("a call without the argument `{}`", parameter.name)};
    if (parameter.configures) {
      config[parameter.name] = given ? to_json(value) : *parameter.otherwise;
    } else {
      operands.push_back(to_operand(given ? value : from_json(*parameter.otherwise)));
    }
  }
  if (index < arguments.positional.size()) throw Unwritable{"a call with too many arguments"};
  while (!operands.empty() && operands.back().is_none()) operands.pop_back();
  const LayerPtr layer = deserialize_layer({{"module", "keras.src.ops.numpy"},
                                            {"class_name", operation.class_name},
                                            {"config", std::move(config)}});
  return from_nest(layer->call(operands, CallOptions()));
}

}  // namespace

std::optional<Value> operation(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(kOperations), std::end(kOperations),
                   [&](const std::string& line) { return line.starts_with(name + " "); });
  if (found == std::end(kOperations)) return std::nullopt;
  return Value{Callable([operation = parsed(*found)](const Arguments& arguments) {
    return run(operation, arguments);
  })};
}

}  // namespace antler::conformance::python
