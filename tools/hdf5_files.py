#!/usr/bin/env python3
"""Writes tests/data/hdf5/*.h5: HDF5's structures for large groups, many attributes and chunked arrays.

    python tools/hdf5_files.py FOLDER

With h5py on HDF5 1.14 it writes many.h5, chunks.h5 and unwritten.h5, on HDF5 2 hdf5_2.h5. tests/io/hdf5_test.cpp expects
the values that h5py reads from these files.
"""
import ctypes
import os
import sys

import h5py
import numpy as np


def counts(shape, dtype):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def many(path):
    """Dense groups (a tree of depth 2), and attributes in a heap, one of them larger than a heap block."""
    with h5py.File(path, "w", libver="latest") as f:
        f["x"] = counts([3], "f4")
        wide = f.create_group("wide")
        for i in range(1300):
            wide[f"n{i}"] = f["x"]
        deep = f.create_group("deep")
        for i in range(12):
            deep[f"soft{i}"] = h5py.SoftLink("/wide/n7")
        for i in range(10):
            deep.attrs[f"text{i}"] = f"value {i}"
        deep.attrs["number"] = 7
        deep.attrs["long"] = [f"layer_with_a_name_{i}".encode() for i in range(300)]
        ordered = f.create_group("ordered", track_order=True)
        for i in range(20):
            ordered.attrs[f"a{i}"] = f"b{i}"
        f["type"] = np.dtype("f4")
        named = f.create_dataset("named", (4,), dtype=f["type"])
        named[:] = 1.5
        f["text_type"] = h5py.string_dtype()
        f.attrs.create("named", "of a named type", dtype=f["text_type"])


def chunked(f, name, shape, chunks, dtype="i2", write=True, **options):
    x = f.create_dataset(name, shape, dtype, chunks=chunks, **options)
    if write:
        x[...] = counts(shape, dtype)
    return x


def dont_filter_partial_chunks(plist):
    """H5Pset_chunk_opts(H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS), which h5py does not wrap."""
    with open("/proc/self/maps") as maps:
        library = next(line.split()[-1] for line in maps if "libhdf5-" in line)
    call = ctypes.CDLL(library).H5Pset_chunk_opts
    call.argtypes = [ctypes.c_int64, ctypes.c_uint]
    assert call(plist.id, 2) >= 0


def all_chunks(f):
    chunked(f, "single", (5, 7), (5, 7))
    chunked(f, "single_gzip", (5, 7), (5, 7), compression="gzip", shuffle=True)
    chunked(f, "fixed", (5, 7), (2, 3))
    chunked(f, "fixed_gzip", (5, 7), (2, 3), compression="gzip", fletcher32=True)
    chunked(f, "fixed_may_grow", (5, 7), (2, 3), maxshape=(9, 20))
    chunked(f, "growing_rows", (50, 7), (2, 3), maxshape=(None, 9))
    chunked(f, "growing_columns", (7, 50), (3, 2), maxshape=(9, None), compression="gzip")
    chunked(f, "growing_both", (15, 22), (1, 2), maxshape=(None, None))
    chunked(f, "growing_both_gzip", (5, 7), (2, 3), maxshape=(None, None), compression="gzip")
    chunked(f, "lzf", (20, 30), (20, 30), compression="lzf")
    x = counts((64,), "i2") % 5
    f.create_dataset("lzf_repeats", data=x, chunks=(64,), compression="lzf")
    paged = chunked(f, "pages", (1500,), (1,), "i1", write=False)
    paged[1234] = 5
    sparse = chunked(f, "super_blocks", (140000,), (1,), "i1", write=False, maxshape=(None,), fillvalue=3)
    for i in (0, 3, 4, 20, 100, 1000, 5000, 136000):
        sparse[i] = i % 100
    unwritten(f)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((2, 3))
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    space = h5py.h5s.create_simple((5, 7))
    h5py.Dataset(h5py.h5d.create(f.id, b"implicit", h5py.h5t.NATIVE_INT16, space, plist))[...] = counts((5, 7), "i2")
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((2, 3))
    plist.set_deflate(4)
    dont_filter_partial_chunks(plist)
    h5py.Dataset(h5py.h5d.create(f.id, b"plain_edges", h5py.h5t.NATIVE_INT16, space, plist))[...] = counts((5, 7), "i2")
    shrunk = chunked(f, "shrunk", (8, 9), (2, 3), maxshape=(None, 9))
    shrunk.resize((3, 4))
    enum = h5py.enum_dtype({"A": 0, "B": 1, "C": 200}, basetype="u1")
    f.create_dataset("enum", data=np.array([0, 200, 1], "u1"), dtype=enum)


def unwritten(f):
    f.create_dataset("never", (4, 3), "f4")
    f.create_dataset("never_filled", (4, 3), ">f8", fillvalue=2.5)
    f.create_dataset("never_chunks", (4, 3), "i4", chunks=(2, 2), fillvalue=-7)
    some = f.create_dataset("some_chunks", (4, 3), "f4", chunks=(2, 2), fillvalue=0.5, compression="gzip")
    some[0, 0] = 9


def main():
    folder = sys.argv[1]
    if h5py.version.hdf5_version_tuple < (2, 0, 0):
        many(os.path.join(folder, "many.h5"))
        with h5py.File(os.path.join(folder, "chunks.h5"), "w", libver="latest") as f:
            all_chunks(f)
        with h5py.File(os.path.join(folder, "unwritten.h5"), "w", libver="earliest") as f:
            unwritten(f)
        return
    with h5py.File(os.path.join(folder, "hdf5_2.h5"), "w", libver="latest") as f:
        for i in range(12):
            chunked(f, f"g/array{i}", (3, 4), (2, 3), compression="gzip" if i % 2 else None)
            f["g"].attrs[f"text{i}"] = f"value {i}"
        chunked(f, "single_gzip", (5, 7), (5, 7), compression="gzip")
        chunked(f, "growing_rows", (9, 7), (2, 3), maxshape=(None, 7), compression="gzip")
        chunked(f, "growing_both", (9, 7), (2, 3), maxshape=(None, None), compression="gzip")


if __name__ == "__main__":
    main()
