"""Files that a stranger may send: sound ones with a part replaced, built entry by entry."""

import io
import json
import tracemalloc
import zipfile
from contextlib import contextmanager

import numpy as np


def npy(array):
    """An array as numpy writes it."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


def npy_claiming(shape, descr="<f8", data=b"", order="False", header=None):
    """An array file whose header says what we like."""
    text = header if header is not None else f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    text = text.encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def header_entry(header):
    """A header, given as a JSON value or as text."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return npy(np.frombuffer(text, np.uint8))


def write_entries(path, entries, compression=zipfile.ZIP_DEFLATED):
    """A zip file of entries by name; a list of pairs may have names twice."""
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in entries.items() if isinstance(entries, dict) else entries:
            file.writestr(name, data)
    return path


def write_zeros(path, entries, name, count):
    """A file with one more entry, which holds so many zero bytes and is packed to a thousandth of that."""
    write_entries(path, entries)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file, file.open(name, "w", force_zip64=True) as entry:
        entry.write(npy_claiming(f"({count // 8},)"))
        block = bytes(1 << 20)
        for _ in range(count >> 20):
            entry.write(block)
    return path


def directory_entry(path, name, offset, value):
    """Overwrite bytes of an entry of the zip directory: 8 its flags, 10 its method, 16 its checksum, 24 its size."""
    data = bytearray(path.read_bytes())
    start = data.rindex(b"PK\x01\x02", 0, data.rindex(name.encode()))
    data[start + offset : start + offset + len(value)] = value
    path.write_bytes(data)
    return path


@contextmanager
def memory_below(most):
    """See that no more than so many bytes are taken by Python and numpy inside the block."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most, f"{peak:,} bytes were taken"


def sentence_of(error, path=""):
    """The message of an error, which must be one sentence of at most 300 characters beside the path of its file."""
    text = str(error).replace(str(path), "FILE") if path else str(error)
    assert text.strip()
    assert "\n" not in text
    assert text.isprintable()
    assert len(text) <= 300, text
    return text


HEADERS = [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b'{"a":' * 100_000, b"[" * 1_000_000, b'{"seed": Infinity}',
    b'{"format": "heartlab-model", "version": 1e400}',
]  # fmt: skip
"""Headers that are none."""
BROKEN_NPY = [
    b"",
    b"\x93NUMPY",
    b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535,
    b"\x93NUMPY\x03\x00\x10\x00\x00\x00" + b" " * 16,
    npy_claiming("(10**30,)"),
    npy_claiming(f"({10**30},)"),
    npy_claiming("(400000000,)"),
    npy_claiming(f"({1 << 62}, 4)"),
    npy_claiming(f"({1 << 40}, 0)"),
    npy_claiming("(-3,)"),
    npy_claiming("(3,)", data=bytes(8)),
    npy_claiming("(3,)", data=bytes(80)),
    npy_claiming("(1,)", descr="|O", data=bytes(8)),
    npy_claiming("(1000000000,)", descr="|S0"),
    npy_claiming("(1,)", descr=f"|V{1 << 30}"),
    npy_claiming("(2,)", descr="nonsense", data=bytes(16)),
    npy_claiming("(2,)", order="None", data=bytes(16)),
    npy_claiming("", header="(" * 9000),
    npy_claiming("", header="[" * 50),
    npy_claiming("", header="{'descr': '<f8'}"),
    npy_claiming("", header="{'shape': " + "9" * 9000 + "}"),
    npy_claiming("", header="__import__('os').mkdir('trapped')"),
    npy_claiming("(" + "1, " * 100 + ")", data=bytes(8)),
    npy(np.array([np.nan, np.inf])),
]
"""Entries that are no arrays, or none that we could use."""
ODD_ARRAYS = [
    np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((1, 1, 1)), np.float64(0.5), np.zeros(3, complex),
    np.array(["text"]), np.zeros(2, bool), np.zeros(4, "datetime64[s]"), np.zeros(2, [("a", "f8"), ("b", "i4")]),
    np.full((3, 2), np.nan), np.full(3, np.inf), np.full((2, 2), -1), np.full(5, 1 << 62), np.zeros((70_000, 1)),
    np.full(60_000, 7, np.uint64),
]  # fmt: skip
"""Arrays of other types and shapes than anybody expects."""
