"""Decompresses the body of a request whose webhook has `compression`.

Signatures cover the body before compression, so this comes before `verify`: it handles bytes that nobody has vouched
for yet, and its limits are the defence.
"""

from __future__ import annotations

import importlib
import zlib
from typing import Any, Optional

from .signature import header_of

# Before and after decompression. More than the service sends; a few kilobytes can decompress to gigabytes.
BODY_BYTES_MAX = 4 * 1024 * 1024
# 8 MiB, the most that RFC 9659 allows over HTTP. A frame may ask for a window of gigabytes.
_ZSTD_WINDOW_LOG_MAX = 23
# The first bytes of every compressed body. No JSON text begins with them.
_MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


class BodyError(ValueError):
    """The body cannot be decompressed. `status` (400, 413 or 415) says how to answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _zstd_module() -> Optional[Any]:
    # Python has it from 3.14. The package on PyPI has the same functions for older versions.
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    return None


_zstd = _zstd_module()


def _decompressed(encoding: str, body: bytes, max_bytes: int) -> bytes:
    decompressor: Any
    if encoding == "gzip":
        decompressor, failure = zlib.decompressobj(wbits=31), zlib.error
    elif _zstd is not None:
        limit = {_zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG_MAX}
        decompressor, failure = _zstd.ZstdDecompressor(options=limit), _zstd.ZstdError
    else:
        raise BodyError(
            415,
            "This receiver runs on a Python without zstd: set the webhook's compression to gzip or null, "
            "or install backports.zstd.",
        )
    try:
        plain: bytes = decompressor.decompress(body, max_bytes + 1)
    except failure:
        raise BodyError(400, f"The body is not valid {encoding}.") from None
    if len(plain) > max_bytes:
        raise BodyError(413, f"The body is larger than {max_bytes} bytes.")
    if not decompressor.eof:
        raise BodyError(400, f"The body is not valid {encoding}: it ends too early.")
    return plain


def decompress(headers: Any, body: bytes, max_bytes: int = BODY_BYTES_MAX) -> bytes:
    """The body as it was signed. Raises BodyError: 413 if the body is larger than `max_bytes`, 415 if this Python
    cannot decompress it, 400 if it is broken. Some servers decompress a body and leave Content-Encoding as it was:
    such a body stays as it is.
    """
    if len(body) > max_bytes:
        raise BodyError(413, f"The body is larger than {max_bytes} bytes.")
    encoding = (header_of(headers, "content-encoding") or "").strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding not in _MAGIC:
        raise BodyError(415, f"This receiver does not read {encoding}: set the webhook's compression to null.")
    return _decompressed(encoding, bytes(body), max_bytes) if bytes(body[:4]).startswith(_MAGIC[encoding]) else body
