#pragma once

#include <span>

#include "runtime/cpu/library_kernel.h"

/// The implementations of each op or family of ops, best first. candidates.cpp collects them and
/// appends the reference loop.
namespace antler::runtime {

using CandidateSpan = std::span<const Candidate>;

CandidateSpan dot_general_kernels();
CandidateSpan conv_kernels();
CandidateSpan conv_input_grad_kernels();
CandidateSpan conv_filter_grad_kernels();
CandidateSpan conv_relu_pool_kernels();
CandidateSpan conv_pool_filter_grad_kernels();
CandidateSpan pool_scatter_kernels();
CandidateSpan reduce_window_kernels();
CandidateSpan select_and_scatter_kernels();
CandidateSpan random_bits_kernels();
CandidateSpan transpose_kernels();
CandidateSpan gather_kernels();
CandidateSpan gather_nd_kernels();
CandidateSpan scatter_kernels();
CandidateSpan scatter_nd_kernels();
CandidateSpan concatenate_kernels();
CandidateSpan pad_kernels();
CandidateSpan slice_kernels();
CandidateSpan dynamic_slice_kernels();
CandidateSpan dynamic_update_slice_kernels();
CandidateSpan sort_kernels();
CandidateSpan argsort_kernels();
CandidateSpan top_k_kernels();
CandidateSpan cumulative_kernels();
CandidateSpan arg_reduce_kernels();

/// The reference loop as a kernel. Accepts every op with a reference loop.
extern const Candidate kReferenceKernel;

}  // namespace antler::runtime
