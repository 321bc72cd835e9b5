#!/usr/bin/env python3
"""faultserver.py - an HTTP/1.1 peer that misbehaves on request.

Python 3.9+ standard library only.  Every path is one fault; the query string
tunes it.  Nothing here is a general web server: responses are written byte by
byte on purpose, so that what is on the wire is exactly what the code says.

    python3 faultserver.py                 # listens, prints NAME=PORT lines, runs until SIGTERM/SIGINT
    python3 faultserver.py --list          # prints the endpoints as JSON and exits
    python3 faultserver.py --tls CERT KEY  # also opens a TLS listener (TLS=PORT)
    python3 faultserver.py --until-eof     # also ends when its standard input does

Listeners (each on a port of its own, 0 = any free one):
    HTTP       127.0.0.1, 127.0.0.2 and [::1], same port: path-routed faults
    TLS        the same over TLS (only with --tls)
    HANG       accepts, never reads, never writes
    BLACKHOLE  a full accept queue: connect() gets no answer (SYN is dropped)
    RST        resets the connection as soon as it is accepted
    SPEAKFIRST sends a response before any request is read, then closes
    CLOSED     a port with no listener at all (connection refused)

Control:
    /__log    JSON list of the request heads received since the last reset
    /__reset  clears the log and the counters
    /__stats  JSON: open, peak, total connections; requests; by_path
    /__list   the endpoints

Common query parameters: n (count), size (bytes), delay/gap (seconds), code
(status), to (URL).  All have defaults; see --list.
"""
import argparse
import asyncio
import base64
import gzip
import hashlib
import json
import os
import re
import signal
import socket
import ssl
import struct
import sys
import time
import zlib
from urllib.parse import parse_qs, unquote, urlsplit

CRLF = b"\r\n"
ENDPOINTS = {}          # path -> (function, one-line description, group)
LOG = []                # request heads
LOG_MAX = 20000
STATS = {"open": 0, "peak": 0, "total": 0, "requests": 0, "by_path": {}}
PORTS = {}
MAX_HEAD = 4 << 20      # a request head larger than this is refused


def endpoint(path, group, raw_body=False):
    """Registers a coroutine as a fault.  raw_body: the request body is left unread."""
    def wrap(fn):
        ENDPOINTS[path] = (fn, " ".join((fn.__doc__ or "").split()), group, raw_body)
        return fn
    return wrap


class Gone(Exception):
    """The client went away."""


class Conn:
    """One client connection and the request being served on it."""

    def __init__(self, reader, writer, tls):
        self.r, self.w, self.tls = reader, writer, tls
        self.count = 0              # requests seen on this connection
        self.id = STATS["total"]
        self.body = b""

    # ---- reading ---------------------------------------------------------
    async def read_head(self):
        try:
            head = await self.r.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, OSError):
            return False
        self.count += 1
        lines = head[:-4].split(b"\r\n")
        parts = lines[0].decode("latin-1").split(" ")
        self.method = parts[0]
        self.target = parts[1] if len(parts) > 1 else "/"
        self.version = parts[2] if len(parts) > 2 else ""
        self.headers = []
        for line in lines[1:]:
            name, _, value = line.decode("latin-1").partition(":")
            self.headers.append([name, value.strip()])
        split = urlsplit(self.target)
        self.path = split.path or "/"
        self.query = parse_qs(split.query, keep_blank_values=True)
        self.raw_query = split.query
        STATS["requests"] += 1
        STATS["by_path"][self.path] = STATS["by_path"].get(self.path, 0) + 1
        if not self.path.startswith("/__") and len(LOG) < LOG_MAX:
            LOG.append({"conn": self.id, "nth": self.count, "t": round(time.time(), 3),
                        "method": self.method, "target": self.target[:2000],
                        "version": self.version, "headers": self.headers,
                        "sockname": str(self.w.get_extra_info("sockname"))})
        return True

    def header(self, name, default=None):
        for k, v in self.headers:
            if k.lower() == name.lower():
                return v
        return default

    async def read_body(self, limit=2 << 30):
        """Reads and hashes the body; keeps its first 1 MiB."""
        if (self.header("expect") or "").lower() == "100-continue":
            await self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        keep, total, digest = [], 0, hashlib.sha256()

        def take(piece):
            nonlocal total
            if total < 1 << 20:
                keep.append(piece)
            total += len(piece)
            digest.update(piece)
            if total > limit:
                raise Gone("request body over the limit")
        if (self.header("transfer-encoding") or "").lower().endswith("chunked"):
            while True:
                size = int((await self.r.readline()).split(b";")[0].strip() or b"0", 16)
                if size == 0:
                    while (await self.r.readline()).strip():
                        pass
                    break
                while size:
                    piece = await self.r.read(min(size, 65536))
                    if not piece:
                        raise Gone("eof in request body")
                    size -= len(piece)
                    take(piece)
                await self.r.readline()
        else:
            left = int(self.header("content-length") or 0)
            while left:
                piece = await self.r.read(min(left, 65536))
                if not piece:
                    raise Gone("eof in request body")
                left -= len(piece)
                take(piece)
        self.body, self.body_len, self.body_sha = b"".join(keep), total, digest.hexdigest()

    # ---- writing ---------------------------------------------------------
    async def send(self, data):
        try:
            self.w.write(data)
            await self.w.drain()
        except (ConnectionError, OSError, RuntimeError) as e:
            raise Gone(str(e))

    async def reply(self, status=b"200 OK", headers=(), body=b"", length=True, close=False):
        """A well-formed response.  Returns whether the connection may be kept."""
        out = [b"HTTP/1.1 " + status + CRLF]
        for h in headers:
            out.append((h if isinstance(h, bytes) else h.encode("latin-1")) + CRLF)
        if length:
            out.append(b"Content-Length: %d\r\n" % len(body))
        if close:
            out.append(b"Connection: close\r\n")
        out.append(CRLF)
        if self.method != "HEAD":
            out.append(body)
        await self.send(b"".join(out))
        return not close

    async def json(self, value, **kw):
        return await self.reply(headers=["Content-Type: application/json"] + list(kw.pop("headers", [])),
                                body=json.dumps(value).encode(), **kw)

    # ---- ending ----------------------------------------------------------
    def rst(self):
        """Ends the connection with a TCP RST."""
        sock = self.w.get_extra_info("socket")
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.w.transport.abort()
        return False

    def fin(self):
        """Sends a bare TCP FIN.  Over TLS this is a truncation: no close_notify."""
        try:
            self.w.get_extra_info("socket").shutdown(socket.SHUT_WR)
        except OSError:
            pass

    async def forever(self, cap=600):
        """Says nothing until the client goes away."""
        end = time.monotonic() + cap
        while time.monotonic() < end:
            try:
                if not await asyncio.wait_for(self.r.read(65536), 5):
                    return False
            except asyncio.TimeoutError:
                continue
            except (ConnectionError, OSError):
                return False
        return False

    # ---- parameters --------------------------------------------------------
    def i(self, name, default):
        return int(self.query.get(name, [default])[0])

    def f(self, name, default):
        return float(self.query.get(name, [default])[0])

    def s(self, name, default=""):
        return self.query.get(name, [default])[0]


def pattern(n, start=0):
    """n deterministic bytes: the content of /bytes."""
    unit = bytes(range(256)) * 256
    start %= 65536
    out = unit[start:start + n]
    while len(out) < n:
        out += unit[:n - len(out)]
    return out


OK = b"HTTP/1.1 200 OK\r\n"
TEXT = b"Content-Type: text/plain\r\n"
JSON = b"Content-Type: application/json\r\n"


def chunk(data):
    return b"%x\r\n" % len(data) + data + CRLF


# =====================================================================  baseline
@endpoint("/ok", "baseline")
async def ok(c):
    """200, text/plain, 'hello'."""
    return await c.reply(headers=["Content-Type: text/plain"], body=b"hello")


@endpoint("/json", "baseline")
async def json_ok(c):
    """200, application/json, {"ok": true}."""
    return await c.json({"ok": True})


@endpoint("/echo", "baseline")
async def echo(c):
    """What was received, as JSON: method, target, headers, body length and sha256, connection id."""
    return await c.json({"method": c.method, "target": c.target, "headers": c.headers,
                         "body_len": c.body_len, "body_sha256": c.body_sha,
                         "body": c.body[:65536].decode("latin-1"), "conn": c.id, "nth": c.count,
                         "host": c.header("host"), "tls": c.tls})


@endpoint("/bytes", "baseline")
async def bytes_(c):
    """n deterministic bytes with Content-Length (n=65536)."""
    n = c.i("n", 65536)
    await c.send(OK + b"Content-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n" % n)
    sent = 0
    while sent < n and c.method != "HEAD":
        step = min(65536, n - sent)
        await c.send(pattern(step, sent))
        sent += step
    return True


@endpoint("/chunked", "baseline")
async def chunked(c):
    """A good chunked body: n chunks of size bytes (n=4, size=1000), one trailer."""
    await c.send(OK + TEXT + b"Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
    for k in range(c.i("n", 4)):
        await c.send(chunk(pattern(c.i("size", 1000), k)))
    await c.send(b"0\r\nX-Sum: 42\r\n\r\n")
    return True


@endpoint("/status", "baseline")
async def status(c):
    """Status code (code=404) with a small JSON body."""
    code = c.i("code", 404)
    if code in (204, 304):
        return await c.reply(b"%d X" % code, length=False)
    return await c.reply(b"%d X" % code, ["Content-Type: application/json"], b'{"code": %d}' % code)


@endpoint("/etag", "baseline")
async def etag(c):
    """ETag "v1" with Cache-Control: max-age=0; 304 when If-None-Match matches."""
    if c.header("if-none-match") == '"v1"':
        return await c.reply(b"304 Not Modified", ['ETag: "v1"'], length=False)
    return await c.reply(headers=['ETag: "v1"', "Cache-Control: max-age=0", "Content-Type: text/plain"], body=b"v1")


# =====================================================================  timing
@endpoint("/slow-headers", "timing")
async def slow_headers(c):
    """One header line each gap seconds, n of them (gap=0.5, n=10), then a good body."""
    await c.send(OK)
    for k in range(c.i("n", 10)):
        await asyncio.sleep(c.f("gap", 0.5))
        await c.send(b"X-Slow-%d: y\r\n" % k)
    await c.send(b"Content-Length: 2\r\n\r\nok")
    return True


@endpoint("/slow-body", "timing")
async def slow_body(c):
    """Drips a Content-Length body: size bytes each gap seconds, n times (size=1, gap=0.5, n=20)."""
    n, size = c.i("n", 20), c.i("size", 1)
    await c.send(OK + TEXT + b"Content-Length: %d\r\n\r\n" % (n * size))
    for _ in range(n):
        await asyncio.sleep(c.f("gap", 0.5))
        await c.send(b"x" * size)
    return True


@endpoint("/delay", "timing")
async def delay(c):
    """A good answer after delay seconds (delay=2)."""
    await asyncio.sleep(c.f("delay", 2))
    return await c.reply(body=b"late")


@endpoint("/hang", "timing")
async def hang(c):
    """Reads the request and never answers."""
    return await c.forever()


@endpoint("/hang-headers", "timing")
async def hang_headers(c):
    """Sends half the header block, then nothing."""
    await c.send(OK + b"Content-Type: te")
    return await c.forever()


@endpoint("/hang-body", "timing")
async def hang_body(c):
    """Headers and half of the body (size=1000), then nothing."""
    n = c.i("size", 1000)
    await c.send(OK + TEXT + b"Content-Length: %d\r\n\r\n" % n + b"x" * (n // 2))
    return await c.forever()


@endpoint("/hang-chunk", "timing")
async def hang_chunk(c):
    """One good chunk, then half of a chunk-size line, then nothing."""
    await c.send(OK + TEXT + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(b"hello") + b"1")
    return await c.forever()


@endpoint("/hang-last-chunk", "timing")
async def hang_last_chunk(c):
    """All the data, but the final 0-chunk never comes."""
    await c.send(OK + TEXT + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(b"hello"))
    return await c.forever()


@endpoint("/hang-second", "timing")
async def hang_second(c):
    """The first request on a connection is answered, the second never."""
    if c.count == 1:
        return await c.reply(body=b"first")
    return await c.forever()


# =====================================================================  truncation
@endpoint("/close", "truncation")
async def close_(c):
    """FIN after the request, not one byte of answer."""
    return False


@endpoint("/close-in-status", "truncation")
async def close_in_status(c):
    """FIN inside the status line."""
    await c.send(b"HTTP/1.1 20")
    return False


@endpoint("/close-in-headers", "truncation")
async def close_in_headers(c):
    """FIN inside the header block."""
    await c.send(OK + b"Content-Type: text/pl")
    return False


@endpoint("/truncated", "truncation")
async def truncated(c):
    """Content-Length cl, only size bytes sent, then FIN (cl=1000, size=100)."""
    await c.send(OK + TEXT + b"Content-Length: %d\r\n\r\n" % c.i("cl", 1000) + b"x" * c.i("size", 100))
    return False


@endpoint("/truncated-json", "truncation")
async def truncated_json(c):
    """Valid JSON prefix, Content-Length larger than what is sent, FIN: must not parse as success."""
    await c.send(OK + JSON + b"Content-Length: 200\r\n\r\n" + b'{"balance": 100}')
    return False


@endpoint("/truncated-chunked", "truncation")
async def truncated_chunked(c):
    """Chunked without the last chunk, then FIN."""
    await c.send(OK + JSON + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(b'{"balance": 100}'))
    return False


@endpoint("/truncated-chunk-data", "truncation")
async def truncated_chunk_data(c):
    """FIN inside a chunk's data."""
    await c.send(OK + TEXT + b"Transfer-Encoding: chunked\r\n\r\n" + b"400\r\n" + b"x" * 100)
    return False


@endpoint("/truncated-gzip", "truncation")
async def truncated_gzip(c):
    """Right Content-Length, but the gzip stream inside stops half-way."""
    z = gzip.compress(pattern(200000))
    z = z[:len(z) // 2]
    return await c.reply(headers=["Content-Encoding: gzip", "Content-Type: text/plain"], body=z)


@endpoint("/rst", "truncation")
async def rst(c):
    """RST after the request, before any answer."""
    return c.rst()


@endpoint("/rst-in-headers", "truncation")
async def rst_in_headers(c):
    """RST inside the header block."""
    await c.send(OK + b"Content-Type: text/pl")
    await asyncio.sleep(0.1)
    return c.rst()


@endpoint("/rst-in-body", "truncation")
async def rst_in_body(c):
    """RST after half of the body."""
    await c.send(OK + TEXT + b"Content-Length: 100000\r\n\r\n" + b"x" * 50000)
    await asyncio.sleep(0.1)
    return c.rst()


@endpoint("/rst-after-body", "truncation")
async def rst_after_body(c):
    """The whole body, a short wait, then RST: the answer was complete."""
    await c.send(OK + TEXT + b"Content-Length: 5\r\n\r\nhello")
    await asyncio.sleep(0.2)
    return c.rst()


@endpoint("/eof-body", "truncation")
async def eof_body(c):
    """No Content-Length, no chunking: the end of the connection ends the body (legal)."""
    await c.send(OK + TEXT + b"Connection: close\r\n\r\n" + b"x" * c.i("size", 1000))
    return False


@endpoint("/half-close", "truncation")
async def half_close(c):
    """Like /eof-body but only the sending side is shut; the server keeps the socket open."""
    await c.send(OK + TEXT + b"Connection: close\r\n\r\n" + b"x" * 1000)
    await asyncio.sleep(0.05)
    c.fin()
    return await c.forever()


@endpoint("/half-close-early", "truncation")
async def half_close_early(c):
    """The server shuts its sending side before any answer and keeps the socket open."""
    c.fin()
    return await c.forever()


# =====================================================================  header faults
@endpoint("/infinite-headers", "headers")
async def infinite_headers(c):
    """Header lines without end (n=20000000 lines at most)."""
    await c.send(OK)
    block = b"".join(b"X-%d: %s\r\n" % (k, b"a" * 100) for k in range(500))
    for _ in range(c.i("n", 20000000) // 500):
        await c.send(block)
    return False


@endpoint("/big-header", "headers")
async def big_header(c):
    """One header line of size bytes (size=1048576)."""
    await c.send(OK + b"X-Big: " + b"a" * c.i("size", 1048576) + CRLF + b"Content-Length: 2\r\n\r\nok")
    return True


@endpoint("/unterminated-header", "headers")
async def unterminated_header(c):
    """One header line that never ends (up to mb megabytes, mb=512)."""
    await c.send(OK + b"X-Big: ")
    for _ in range(c.i("mb", 512) * 16):
        await c.send(b"a" * 65536)
    return False


@endpoint("/many-headers", "headers")
async def many_headers(c):
    """n header lines (n=100000), each tiny."""
    n = c.i("n", 100000)
    await c.send(OK + b"".join(b"X-%d: v\r\n" % k for k in range(n)) + b"Content-Length: 2\r\n\r\nok")
    return True


@endpoint("/header-total", "headers")
async def header_total(c):
    """Header lines of 1 kB adding up to kb kilobytes (kb=400)."""
    await c.send(OK + b"".join(b"X-%d: %s\r\n" % (k, b"b" * 1000) for k in range(c.i("kb", 400)))
                 + b"Content-Length: 2\r\n\r\nok")
    return True


@endpoint("/same-header", "headers")
async def same_header(c):
    """The same header n times with different values (n=50): how are they joined?"""
    await c.send(OK + b"".join(b"X-Same: v%d\r\n" % k for k in range(c.i("n", 50))) + b"Content-Length: 2\r\n\r\nok")
    return True


def raw_header(path, line, doc):
    async def fn(c):
        await c.send(OK + line + b"\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")
        return True
    fn.__doc__ = doc
    endpoint(path, "headers")(fn)


raw_header("/nul-in-value", b"X-Nul: a\x00b", "A NUL byte inside a header value.")
raw_header("/nul-in-name", b"X-N\x00ul: ab", "A NUL byte inside a header name.")
raw_header("/ctl-in-value", b"X-Ctl: a\x01\x08\x7fb", "Control bytes inside a header value.")
raw_header("/bare-cr", b"X-Cr: a\rX-Injected: b", "A bare CR inside a header value.")
raw_header("/bare-lf", b"X-Lf: a\nX-Second: b", "A line ended by LF alone.")
raw_header("/obs-fold", b"X-Fold: one\r\n two\r\n\tthree", "An obsolete folded header value.")
raw_header("/fold-first", b" X-Fold: one", "The first header line begins with a space.")
raw_header("/no-colon", b"this line has no colon", "A header line without a colon.")
raw_header("/empty-name", b": empty name", "A header with an empty name.")
raw_header("/space-before-colon", b"X-Space : v", "White space before the colon.")
raw_header("/utf8-header", "X-Utf8: gr\u00fc\u00dfe \u2603".encode(), "UTF-8 in a header value.")
raw_header("/latin1-header", b"X-Latin1: gr\xfc\xdfe", "ISO 8859-1 bytes in a header value (not valid UTF-8).")
raw_header("/badutf8-header", b"X-Bad: \xff\xfe\xc0\x80", "Bytes that are valid in no Unicode encoding, in a header value.")
raw_header("/no-space-header", b"X-Tight:v", "No space after the colon (legal).")
raw_header("/empty-value", b"X-Empty:", "An empty header value (legal).")


# =====================================================================  status line faults
def raw_response(path, data, doc, group, keep=False):
    async def fn(c):
        await c.send(data)
        return keep
    fn.__doc__ = doc
    endpoint(path, group)(fn)


B2 = b"Content-Length: 2\r\n\r\nok"
raw_response("/garbage", b"\x00\x01\x02\x03garbage and no http at all\r\n\r\n", "Bytes that are not HTTP.", "status")
raw_response("/http09", b"just a body, as HTTP/0.9 had it\n", "An HTTP/0.9 answer: a body with no status line.", "status")
raw_response("/ssh-banner", b"SSH-2.0-OpenSSH_9.2\r\n", "Another protocol's greeting.", "status")
raw_response("/tls-alert", b"\x15\x03\x01\x00\x02\x02\x0a", "A TLS alert record on a plain connection.", "status")
raw_response("/h2-settings", b"\x00\x00\x00\x04\x00\x00\x00\x00\x00", "An HTTP/2 SETTINGS frame on an HTTP/1 connection.", "status")
raw_response("/status-text", b"HTTP/1.1 abc OK\r\n" + B2, "A status code that is not a number.", "status")
raw_response("/status-4digit", b"HTTP/1.1 2000 OK\r\n" + B2, "A four-digit status code.", "status")
raw_response("/status-2digit", b"HTTP/1.1 20 OK\r\n" + B2, "A two-digit status code.", "status")
raw_response("/status-000", b"HTTP/1.1 000 OK\r\n" + B2, "Status 000.", "status")
raw_response("/status-099", b"HTTP/1.1 099 OK\r\n" + B2, "Status 099.", "status")
raw_response("/status-999", b"HTTP/1.1 999 X\r\n" + B2, "Status 999.", "status")
raw_response("/status-neg", b"HTTP/1.1 -200 OK\r\n" + B2, "Status -200.", "status")
raw_response("/status-noreason", b"HTTP/1.1 200\r\n" + B2, "No reason phrase (legal).", "status")
raw_response("/status-longreason", b"HTTP/1.1 200 " + b"r" * 200000 + CRLF + B2, "A reason phrase of 200 kB.", "status")
raw_response("/version-9", b"HTTP/9.9 200 OK\r\n" + B2, "HTTP/9.9.", "status")
raw_response("/version-1", b"HTTP/1 200 OK\r\n" + B2, "HTTP/1 without a minor version.", "status")
raw_response("/version-1.2", b"HTTP/1.2 200 OK\r\n" + B2, "HTTP/1.2.", "status")
raw_response("/version-10", b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold", "A good HTTP/1.0 answer ended by EOF.", "status")
raw_response("/lf-only", b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "All lines ended by LF alone.", "status")
raw_response("/leading-crlf", b"\r\n\r\nHTTP/1.1 200 OK\r\n" + B2, "Two empty lines before the status line.", "status")
raw_response("/headers-only", b"HTTP/1.1 200 OK\r\n\r\n", "Status line, no header, no body, EOF (legal).", "status")


# =====================================================================  framing faults
raw_response("/cl-and-te", OK + TEXT + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"hello") + b"0\r\n\r\n",
             "Both Content-Length (wrong) and chunked: chunked must win, and the connection must not be reused.", "framing", True)
raw_response("/te-and-cl", OK + TEXT + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n" + chunk(b"hello") + b"0\r\n\r\n",
             "The same in the other order.", "framing", True)
raw_response("/two-cl-same", OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", "Content-Length twice, same value.", "framing", True)
raw_response("/two-cl-differ", OK + b"Content-Length: 2\r\nContent-Length: 5\r\n\r\nokxyz", "Content-Length twice, different values.", "framing", True)
raw_response("/cl-list", OK + b"Content-Length: 2, 2\r\n\r\nok", "Content-Length: 2, 2.", "framing", True)
raw_response("/cl-negative", OK + b"Content-Length: -5\r\n\r\nhello", "A negative Content-Length.", "framing")
raw_response("/cl-plus", OK + b"Content-Length: +5\r\n\r\nhello", "Content-Length: +5.", "framing")
raw_response("/cl-hex", OK + b"Content-Length: 0x5\r\n\r\nhello", "Content-Length: 0x5.", "framing")
raw_response("/cl-text", OK + b"Content-Length: many\r\n\r\nhello", "A Content-Length that is not a number.", "framing")
raw_response("/cl-empty", OK + b"Content-Length:\r\n\r\nhello", "An empty Content-Length.", "framing")
raw_response("/cl-overflow", OK + b"Content-Length: 99999999999999999999999\r\n\r\nhello", "Content-Length over 2^64.", "framing")
raw_response("/cl-max", OK + b"Content-Length: 9223372036854775807\r\n\r\nhello", "Content-Length 2^63-1, 5 bytes sent, FIN.", "framing")
raw_response("/cl-short", OK + b"Content-Length: 5\r\n\r\nhello and more than was said", "More body than Content-Length.", "framing", True)
raw_response("/te-twice", OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + chunk(chunk(b"hello") + b"0\r\n\r\n") + b"0\r\n\r\n",
             "Transfer-Encoding: chunked, chunked.", "framing")
raw_response("/te-unknown", OK + b"Transfer-Encoding: mystery\r\n\r\nhello", "An unknown Transfer-Encoding.", "framing")
raw_response("/te-http10", b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"hello") + b"0\r\n\r\n",
             "Chunked in an HTTP/1.0 answer.", "framing")
raw_response("/te-gzip", OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunk(gzip.compress(b"hello")) + b"0\r\n\r\n",
             "Transfer-Encoding: gzip, chunked.", "framing")

CH = OK + TEXT + b"Transfer-Encoding: chunked\r\n\r\n"
raw_response("/chunk-bad-size", CH + b"zz\r\nhello\r\n0\r\n\r\n", "A chunk size that is not hexadecimal.", "framing")
raw_response("/chunk-negative", CH + b"-5\r\nhello\r\n0\r\n\r\n", "A negative chunk size.", "framing")
raw_response("/chunk-empty-size", CH + b"\r\nhello\r\n0\r\n\r\n", "An empty chunk size.", "framing")
raw_response("/chunk-overflow", CH + b"FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n", "A chunk size over 2^64.", "framing")
raw_response("/chunk-huge", CH + b"7FFFFFFFFFFFFFFF\r\nhello", "Chunk size 2^63-1, 5 bytes, FIN.", "framing")
raw_response("/chunk-no-crlf", CH + b"5\r\nhelloXX0\r\n\r\n", "Chunk data not followed by CRLF.", "framing")
raw_response("/chunk-size-short", CH + b"3\r\nhello\r\n0\r\n\r\n", "More chunk data than the chunk size.", "framing")
raw_response("/chunk-ext", CH + b"5;name=value;q=\"a;b\"\r\nhello\r\n0;last\r\n\r\n", "Chunk extensions (legal).", "framing", True)
raw_response("/chunk-ext-huge", CH + b"5;" + b"x" * 200000 + b"\r\nhello\r\n0\r\n\r\n", "A chunk extension of 200 kB.", "framing")
raw_response("/chunk-leading-zeros", CH + b"0000000000000000000005\r\nhello\r\n0\r\n\r\n", "A chunk size with many leading zeros.", "framing")
raw_response("/chunk-lf", CH + b"5\nhello\n0\n\n", "Chunk lines ended by LF alone.", "framing")


@endpoint("/chunk-trailers", "framing")
async def chunk_trailers(c):
    """n trailer lines after a chunked body (n=100000)."""
    await c.send(CH + chunk(b"hello") + b"0\r\n" + b"".join(b"X-%d: v\r\n" % k for k in range(c.i("n", 100000))) + CRLF)
    return False


@endpoint("/chunk-tiny", "framing")
async def chunk_tiny(c):
    """n chunks of one byte (n=100000): legal, expensive."""
    n = c.i("n", 100000)
    await c.send(CH)
    for _ in range(n // 1000):
        await c.send(b"1\r\nx\r\n" * 1000)
    await c.send(b"0\r\n\r\n")
    return True


@endpoint("/204-body", "framing")
async def s204_body(c):
    """204 with a body and a Content-Length; the connection stays open."""
    await c.send(b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello")
    return True


@endpoint("/304-body", "framing")
async def s304_body(c):
    """304 with a body and a Content-Length; the connection stays open."""
    await c.send(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello")
    return True


@endpoint("/head-body", "framing")
async def head_body(c):
    """A body even in answer to HEAD."""
    await c.send(OK + b"Content-Length: 5\r\n\r\nhello")
    return True


@endpoint("/extra-data", "framing")
async def extra_data(c):
    """A good answer followed at once by a whole second, forged answer: it must never be matched to a later request."""
    if c.count == 1:
        await c.send(OK + TEXT + b"Content-Length: 5\r\n\r\nfirst" + OK + TEXT + b"X-Forged: 1\r\nContent-Length: 6\r\n\r\nFORGED")
    else:
        await c.reply(body=b"honest")
    return True


@endpoint("/extra-data-late", "framing")
async def extra_data_late(c):
    """The forged second answer arrives 0.3 s after the good one, on the idle connection."""
    await c.send(OK + TEXT + b"Content-Length: 5\r\n\r\nfirst")
    await asyncio.sleep(0.3)
    await c.send(OK + TEXT + b"X-Forged: 1\r\nContent-Length: 6\r\n\r\nFORGED")
    return True


@endpoint("/infinite-body", "framing")
async def infinite_body(c):
    """A chunked body without end (at most mb megabytes, mb=4096)."""
    await c.send(CH)
    block = chunk(b"z" * 65536)
    for _ in range(c.i("mb", 4096) * 16):
        await c.send(block)
    return False


@endpoint("/infinite-drip", "framing")
async def infinite_drip(c):
    """A chunked body without end, 1 byte each gap seconds (gap=0.2): never idle, never done."""
    await c.send(CH)
    for _ in range(c.i("n", 3000)):
        await c.send(chunk(b"z"))
        await asyncio.sleep(c.f("gap", 0.2))
    return False


# =====================================================================  1xx
@endpoint("/1xx-storm", "interim", raw_body=True)
async def storm(c):
    """n interim 102 answers before the 200 (n=1000)."""
    for _ in range(c.i("n", 1000) // 100):
        await c.send(b"HTTP/1.1 102 Processing\r\nX-I: 1\r\n\r\n" * 100)
    return await c.reply(body=b"ok", close=True)


@endpoint("/1xx-infinite", "interim", raw_body=True)
async def storm_infinite(c):
    """Interim answers without end (n=20000000)."""
    block = b"HTTP/1.1 102 Processing\r\nX-Pad: " + b"p" * 100 + b"\r\n\r\n"
    for _ in range(c.i("n", 20000000) // 500):
        await c.send(block * 500)
    return False


@endpoint("/early-hints", "interim")
async def early_hints(c):
    """103 with Link and Set-Cookie, then 200: only the final answer's headers count."""
    await c.send(b"HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\nX-Interim: 1\r\n\r\n")
    return await c.reply(headers=["X-Final: 1"], body=b"ok")


@endpoint("/101-unasked", "interim")
async def switching(c):
    """101 Switching Protocols that nobody asked for, then bytes."""
    await c.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: mystery\r\nConnection: Upgrade\r\n\r\nbytes of another protocol")
    await asyncio.sleep(0.3)
    return False


@endpoint("/100-then-hang", "interim", raw_body=True)
async def cont_hang(c):
    """100 Continue, then nothing."""
    await c.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    return await c.forever()


@endpoint("/100-unasked", "interim")
async def cont_unasked(c):
    """100 Continue to a request that did not ask, then 200."""
    await c.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    return await c.reply(body=b"ok")


@endpoint("/expect-ignore", "interim", raw_body=True)
async def expect_ignore(c):
    """Never sends 100: waits for the body, then 200 (the client must send it after a short wait)."""
    c.headers = [h for h in c.headers if h[0].lower() != "expect"]
    await c.read_body()
    return await c.json({"body_len": c.body_len, "body_sha256": c.body_sha})


@endpoint("/expect-417", "interim", raw_body=True)
async def expect_417(c):
    """417 Expectation Failed when Expect is there, else a normal answer."""
    if c.header("expect"):
        return await c.reply(b"417 Expectation Failed", body=b"no", close=True)
    await c.read_body()
    return await c.json({"body_len": c.body_len, "body_sha256": c.body_sha})


# =====================================================================  uploads
@endpoint("/early-413", "upload", raw_body=True)
async def early_413(c):
    """413 and close at once, the body unread."""
    await c.reply(b"413 Too Large", ["Content-Type: application/json"], b'{"error": "too large"}', close=True)
    c.fin()
    await asyncio.sleep(0.5)
    return False


@endpoint("/early-200", "upload", raw_body=True)
async def early_200(c):
    """200 while the body is still being sent; then reads and drops the rest."""
    await c.reply(body=b"early", close=True)
    return await c.forever(5)


@endpoint("/upload-rst", "upload", raw_body=True)
async def upload_rst(c):
    """RST after size bytes of the request body (size=65536)."""
    left = c.i("size", 65536)
    while left > 0:
        piece = await c.r.read(min(left, 65536))
        if not piece:
            break
        left -= len(piece)
    return c.rst()


@endpoint("/upload-slow", "upload", raw_body=True)
async def upload_slow(c):
    """Reads the body at rate bytes a second (rate=65536), then 200."""
    rate, left, total = c.i("rate", 65536), int(c.header("content-length") or 0), 0
    while left > 0:
        piece = await c.r.read(min(left, max(rate // 10, 1)))
        if not piece:
            break
        left -= len(piece)
        total += len(piece)
        await asyncio.sleep(0.1)
    return await c.json({"body_len": total})


@endpoint("/upload-never", "upload", raw_body=True)
async def upload_never(c):
    """Never reads the body, never answers: the client's send buffer fills up."""
    c.w.transport.pause_reading()
    await asyncio.sleep(600)
    return False


@endpoint("/upload", "upload")
async def upload(c):
    """Reads it all; answers length and sha256."""
    return await c.json({"body_len": c.body_len, "body_sha256": c.body_sha})


# =====================================================================  keep-alive
@endpoint("/keepalive-close", "keepalive")
async def ka_close(c):
    """Says keep-alive, closes after delay seconds (delay=0.05): the reuse race."""
    await c.reply(headers=["Connection: keep-alive", "Keep-Alive: timeout=60"], body=b"ok")
    await asyncio.sleep(c.f("delay", 0.05))
    return False


@endpoint("/keepalive-rst", "keepalive")
async def ka_rst(c):
    """Says keep-alive, then resets."""
    await c.reply(headers=["Connection: keep-alive"], body=b"ok")
    await asyncio.sleep(c.f("delay", 0.05))
    return c.rst()


@endpoint("/second-close", "keepalive")
async def second_close(c):
    """The first request on a connection is answered; the second gets FIN without a byte (a GET may be retried, a POST not blindly)."""
    if c.count > 1:
        return False
    return await c.json({"nth": c.count, "conn": c.id})


@endpoint("/second-rst", "keepalive")
async def second_rst(c):
    """Like /second-close with RST."""
    if c.count > 1:
        return c.rst()
    return await c.json({"nth": c.count, "conn": c.id})


@endpoint("/flaky", "keepalive")
async def flaky(c):
    """Fails (FIN, RST or 503 in turn) n times for each key, then answers (n=2, key=a)."""
    k = "flaky:" + c.s("key", "a")
    seen = STATS["by_path"].get(k, 0)
    STATS["by_path"][k] = seen + 1
    if seen < c.i("n", 2):
        kind = seen % 3
        if kind == 0:
            return False
        if kind == 1:
            return c.rst()
        return await c.reply(b"503 Busy", ["Retry-After: 1"], b"busy")
    return await c.json({"after": seen})


# =====================================================================  content encoding
def gz_zeros(mb):
    """A gzip stream of mb megabytes of zeros, made in pieces and kept small."""
    z = zlib.compressobj(9, zlib.DEFLATED, 31)
    out, block = [], bytes(1 << 20)
    for _ in range(mb):
        out.append(z.compress(block))
    out.append(z.flush())
    return b"".join(out)


_bombs = {}


@endpoint("/gzip-ok", "encoding")
async def gzip_ok(c):
    """A good gzip answer of n bytes (n=100000)."""
    return await c.reply(headers=["Content-Encoding: gzip", "Content-Type: text/plain"], body=gzip.compress(pattern(c.i("n", 100000))))


@endpoint("/gzip-bomb", "encoding")
async def gzip_bomb(c):
    """mb megabytes of zeros in about mb kilobytes of gzip (mb=1024)."""
    mb = c.i("mb", 1024)
    if mb not in _bombs:
        _bombs[mb] = await asyncio.get_running_loop().run_in_executor(None, gz_zeros, mb)
    return await c.reply(headers=["Content-Encoding: gzip", "Content-Type: " + c.s("type", "application/octet-stream")], body=_bombs[mb])


@endpoint("/gzip-bomb-json", "encoding")
async def gzip_bomb_json(c):
    """A gzip bomb that says application/json (mb=1024)."""
    c.query["type"] = ["application/json"]
    return await gzip_bomb(c)


@endpoint("/gzip-bomb-double", "encoding")
async def gzip_bomb_double(c):
    """gzip inside gzip, both named in Content-Encoding (mb=1024)."""
    key = ("double", c.i("mb", 1024))
    if key not in _bombs:
        _bombs[key] = await asyncio.get_running_loop().run_in_executor(None, lambda: gzip.compress(gz_zeros(key[1])))
    return await c.reply(headers=["Content-Encoding: gzip, gzip"], body=_bombs[key])


@endpoint("/gzip-stack", "encoding")
async def gzip_stack(c):
    """n encodings named in one Content-Encoding (n=10); the body is encoded that often."""
    n, body = c.i("n", 10), b"hello"
    for _ in range(n):
        body = gzip.compress(body)
    return await c.reply(headers=["Content-Encoding: " + ", ".join(["gzip"] * n)], body=body)


@endpoint("/gzip-lie", "encoding")
async def gzip_lie(c):
    """Content-Encoding: gzip, but the body is plain JSON."""
    return await c.reply(headers=["Content-Encoding: gzip", "Content-Type: application/json"], body=b'{"plain": true}')


@endpoint("/gzip-crc", "encoding")
async def gzip_crc(c):
    """A gzip body with a wrong CRC."""
    z = bytearray(gzip.compress(pattern(10000)))
    z[-8] ^= 0xFF
    return await c.reply(headers=["Content-Encoding: gzip"], body=bytes(z))


@endpoint("/gzip-junk", "encoding")
async def gzip_junk(c):
    """A good gzip stream followed by junk."""
    return await c.reply(headers=["Content-Encoding: gzip"], body=gzip.compress(b"hello") + b"junkjunkjunk")


@endpoint("/gzip-members", "encoding")
async def gzip_members(c):
    """Two gzip members one after the other (legal)."""
    return await c.reply(headers=["Content-Encoding: gzip"], body=gzip.compress(b"hello ") + gzip.compress(b"world"))


@endpoint("/gzip-uninvited", "encoding")
async def gzip_uninvited(c):
    """Answers gzip only when Accept-Encoding was NOT sent."""
    if c.header("accept-encoding"):
        return await c.reply(body=b"you asked")
    return await c.reply(headers=["Content-Encoding: gzip"], body=gzip.compress(b"uninvited"))


@endpoint("/deflate-zlib", "encoding")
async def deflate_zlib(c):
    """deflate with the zlib wrapper (as the standard says)."""
    return await c.reply(headers=["Content-Encoding: deflate"], body=zlib.compress(b"hello deflate"))


@endpoint("/deflate-raw", "encoding")
async def deflate_raw(c):
    """deflate without the wrapper (as some servers do)."""
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    return await c.reply(headers=["Content-Encoding: deflate"], body=z.compress(b"hello deflate") + z.flush())


@endpoint("/encoding-unknown", "encoding")
async def encoding_unknown(c):
    """Content-Encoding: mystery."""
    return await c.reply(headers=["Content-Encoding: mystery"], body=b"hello")


@endpoint("/encoding-identity", "encoding")
async def encoding_identity(c):
    """Content-Encoding: identity."""
    return await c.reply(headers=["Content-Encoding: identity"], body=b"hello")


@endpoint("/br-lie", "encoding")
async def br_lie(c):
    """Content-Encoding: br, with random bytes."""
    return await c.reply(headers=["Content-Encoding: br"], body=pattern(5000))


# =====================================================================  content
def doc(path, ctype, body, text, extra=()):
    async def fn(c):
        return await c.reply(headers=["Content-Type: " + ctype] + list(extra), body=body() if callable(body) else body)
    fn.__doc__ = text
    endpoint(path, "content")(fn)


doc("/charset-lie", "application/json; charset=utf-8", b'{"name": "gr\xfc\xdfe"}', "Says UTF-8, is ISO 8859-1.")
doc("/charset-latin1", "text/plain; charset=iso-8859-1", b"gr\xfc\xdfe", "ISO 8859-1, and says so.")
doc("/charset-unknown", "text/plain; charset=klingon-8", b"nuqneH", "A charset that does not exist.")
doc("/charset-utf16", "application/json; charset=utf-16", '{"ok": true}'.encode("utf-16"), "JSON in UTF-16 with a BOM.")
doc("/charset-utf7", "text/plain; charset=utf-7", b"+ADw-script+AD4-", "UTF-7.")
doc("/charset-quoted", 'application/json; charset="utf-8"', b'{"ok": true}', "A quoted charset parameter (legal).")
doc("/ctype-upper", "APPLICATION/JSON; CHARSET=UTF-8", b'{"ok": true}', "The content type in capitals (legal).")
doc("/ctype-junk", "application/json;;;=;a", b'{"ok": true}', "A malformed content type.")
doc("/ctype-list", "application/json, text/html", b'{"ok": true}', "Two content types in one header.")
doc("/json-bom", "application/json", b'\xef\xbb\xbf{"ok": true}', "JSON with a UTF-8 BOM.")
doc("/json-bad", "application/json", b'{"ok": tru', "Broken JSON.")
doc("/json-empty", "application/json", b"", "200, application/json, empty body.")
doc("/json-space", "application/json", b" ", "A single space (what Rails sends for head :ok).")
doc("/json-fragment", "application/json", b"42", "A top-level number.")
doc("/json-html", "text/html", b'{"ok": true}', "JSON that says text/html.")
doc("/html-as-json", "application/json", b"<html><body>login</body></html>", "HTML that says application/json (captive portal).")
doc("/json-deep", "application/json", lambda: b"[" * 100000 + b"]" * 100000, "Arrays nested 100000 deep.")
doc("/json-deep-object", "application/json", lambda: b'{"a":' * 100000 + b"1" + b"}" * 100000, "Objects nested 100000 deep.")
doc("/json-dup", "application/json", b'{"a": 1, "a": 2}', "A duplicate key.")
doc("/json-nan", "application/json", b'{"a": NaN, "b": Infinity}', "NaN and Infinity.")
doc("/json-bignum", "application/json", b'{"a": 1e400, "b": 123456789012345678901234567890, "c": -0.0, "d": ' + b"9" * 10000 + b"}", "Numbers no machine type holds.")
doc("/json-surrogate", "application/json", b'{"a": "\\ud800", "b": "\\udc00\\ud800", "c": "\\u0000"}', "Lone surrogates and an escaped NUL.")
doc("/json-badutf8", "application/json", b'{"a": "\xff\xc0\x80"}', "Invalid UTF-8 inside a string.")
doc("/json-nulls", "application/json", b'{"a": null, "b": [null, {"c": null}], "d": 1}', "Nulls at several depths.")
doc("/json-large", "application/json", lambda: json.dumps([{"id": k, "name": "name %d" % k, "tags": ["a", "b"]} for k in range(200000)]).encode(), "About 10 MB of good JSON.")
doc("/json-manykeys", "application/json", lambda: json.dumps({"k%d" % k: k for k in range(500000)}).encode(), "One object with 500000 keys.")
doc("/xml-ok", "application/xml", b'<?xml version="1.0"?><r><a b="c">t</a></r>', "Good XML.")
doc("/xml-xxe", "application/xml", b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>', "An external entity naming a local file.")
doc("/xml-xxe-param", "application/xml", b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:1/evil.dtd"> %p;]><r/>', "An external parameter entity over HTTP.")
doc("/xml-laughs", "application/xml",
    lambda: b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY l0 "lol">'
    + b"".join(b'<!ENTITY l%d "%s">' % (k, b"&l%d;" % (k - 1) * 10) for k in range(1, 10)) + b"]><r>&l9;</r>", "Billion laughs.")
doc("/xml-quadratic", "application/xml",
    lambda: b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "' + b"a" * 50000 + b'">]><r>' + b"&a;" * 20000 + b"</r>", "Quadratic blow-up: one 50 kB entity used 20000 times (1 GB).")
doc("/xml-deep", "application/xml", lambda: b"<a>" * 100000 + b"</a>" * 100000, "Elements nested 100000 deep.")
doc("/xml-bad", "application/xml", b"<a><b></a>", "Broken XML.")
doc("/plist-ok", "application/x-plist", b'<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd"><plist version="1.0"><dict><key>a</key><integer>1</integer></dict></plist>', "A good XML property list.")
doc("/plist-deep", "application/x-plist", lambda: b'<?xml version="1.0"?><plist version="1.0">' + b"<array>" * 50000 + b"</array>" * 50000 + b"</plist>", "A property list nested 50000 deep.")
doc("/plist-bad", "application/x-plist", b"bplist00\xff\xff\xff\xff\xff\xff\xff\xff", "A broken binary property list.")
doc("/plist-loop", "application/x-plist",
    lambda: b"bplist00" + b"\xa1\x00" + b"\x08" + b"\x00" * 6 + b"\x01\x01" + struct.pack(">QQQ", 1, 0, 10),
    "A binary property list whose array contains itself.")


# =====================================================================  redirects
def absolute(c, path, host=None):
    scheme = "https" if c.tls else "http"
    port = PORTS["TLS" if c.tls else "HTTP"]
    return "%s://%s:%d%s" % (scheme, host or (c.header("host") or "127.0.0.1").rsplit(":", 1)[0], port, path)


async def redirect(c, to, code=None, body=b"moved"):
    code = code or c.i("code", 302)
    to = to if isinstance(to, bytes) else to.encode("latin-1")
    return await c.reply(b"%d Redirect" % code, [b"Location: " + to, b"Content-Type: text/plain"], body)


@endpoint("/redirect", "redirect")
async def redirect_(c):
    """Redirects to the URL in to (code=302, to=/echo)."""
    return await redirect(c, c.s("to", "/echo"))


@endpoint("/redirect-loop", "redirect")
async def redirect_loop(c):
    """Redirects to itself."""
    return await redirect(c, c.target)


@endpoint("/redirect-pingpong", "redirect")
async def redirect_pingpong(c):
    """Redirects between 127.0.0.1 and 127.0.0.2 without end, a new query each time."""
    k = c.i("k", 0)
    return await redirect(c, absolute(c, "/redirect-pingpong?k=%d" % (k + 1), "127.0.0.%d" % (k % 2 + 1)))


@endpoint("/redirect-chain", "redirect")
async def redirect_chain(c):
    """n redirects (n=5), then /echo."""
    n = c.i("n", 5)
    return await redirect(c, "/redirect-chain?n=%d&code=%d" % (n - 1, c.i("code", 302)) if n > 1 else "/echo")


@endpoint("/redirect-cross", "redirect")
async def redirect_cross(c):
    """Redirects to /echo on 127.0.0.2, another host: what credentials arrive there? (code=302)"""
    return await redirect(c, absolute(c, "/echo", "127.0.0.2"))


@endpoint("/redirect-cross-port", "redirect")
async def redirect_cross_port(c):
    """Redirects to /echo on the same host but the port in port."""
    return await redirect(c, "http://127.0.0.1:%d/echo" % c.i("port", PORTS["HTTP"]))


@endpoint("/redirect-boomerang", "redirect")
async def redirect_boomerang(c):
    """127.0.0.1 to 127.0.0.2 and back to 127.0.0.1/echo: are the credentials sent again at the end?"""
    return await redirect(c, absolute(c, "/redirect?to=" + absolute(c, "/echo", "127.0.0.1"), "127.0.0.2"))


@endpoint("/redirect-downgrade", "redirect")
async def redirect_downgrade(c):
    """From TLS to plain HTTP on the same host name (use it over the TLS listener)."""
    host = (c.header("host") or "127.0.0.1").rsplit(":", 1)[0]
    return await redirect(c, "http://%s:%d/echo" % (host, PORTS["HTTP"]))


@endpoint("/redirect-userinfo", "redirect")
async def redirect_userinfo(c):
    """Location with a user name and password in it."""
    return await redirect(c, absolute(c, "/echo").replace("://", "://evil:secret@"))


for _name, _url in {"file": "file:///etc/passwd", "gopher": "gopher://127.0.0.1:70/_x", "ftp": "ftp://127.0.0.1:1/x",
                    "dict": "dict://127.0.0.1:1/d:x", "data": "data:text/plain,hello", "ldap": "ldap://127.0.0.1:1/x",
                    "smb": "smb://127.0.0.1/x", "scp": "scp://127.0.0.1/etc/passwd", "tftp": "tftp://127.0.0.1/x",
                    "javascript": "javascript:alert(1)", "unknown": "mystery://127.0.0.1/x", "ws": "ws://127.0.0.1:1/x"}.items():
    def _make(url):
        async def fn(c):
            return await redirect(c, url)
        return fn
    _fn = _make(_url)
    _fn.__doc__ = "Redirects to %s (code=302)." % _url
    endpoint("/redirect-" + _name, "redirect")(_fn)


def raw_location(path, value, text):
    async def fn(c):
        return await redirect(c, value(c) if callable(value) else value)
    fn.__doc__ = text
    endpoint(path, "redirect")(fn)


raw_location("/redirect-relative", "../echo?from=relative", "A relative Location with dot segments.")
raw_location("/redirect-query", "?to=/ok", "A Location that is only a query.")
raw_location("/redirect-schemeless", lambda c: "//127.0.0.2:%d/echo" % PORTS["HTTP"], "A Location without a scheme (//host/path).")
raw_location("/redirect-empty", "", "An empty Location.")
raw_location("/redirect-space", "/echo?a=b c d", "Spaces in the Location.")
raw_location("/redirect-utf8", "/echo?q=\u00fcber".encode(), "Raw UTF-8 in the Location.")
raw_location("/redirect-fragment", "/echo#frag", "A Location with a fragment.")
raw_location("/redirect-backslash", lambda c: "http://127.0.0.2:%d\\@127.0.0.1:%d/echo" % (PORTS["HTTP"], PORTS["HTTP"]), "A backslash before the @: parsers disagree on the host.")
raw_location("/redirect-crlf", b"/echo%0d%0aX-Injected:%201", "Percent-encoded CRLF in the Location.")
raw_location("/redirect-long", lambda c: "/echo?" + "a" * 90000, "A Location of 90 kB.")
raw_location("/redirect-huge", lambda c: "/echo?" + "a" * 1000000, "A Location of 1 MB.")
raw_location("/redirect-badport", "http://127.0.0.1:99999/", "A Location with port 99999.")
raw_location("/redirect-nohost", "http:///echo", "A Location without a host.")


@endpoint("/redirect-none", "redirect")
async def redirect_none(c):
    """302 without a Location."""
    return await c.reply(b"302 Found", body=b"nowhere")


@endpoint("/redirect-two", "redirect")
async def redirect_two(c):
    """302 with two Location headers: /ok then /echo."""
    return await c.reply(b"302 Found", ["Location: /ok", "Location: /echo"], b"two")


@endpoint("/redirect-body-bomb", "redirect")
async def redirect_body_bomb(c):
    """302 to /ok whose own body is mb megabytes long (mb=200)."""
    mb = c.i("mb", 200)
    await c.send(b"HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: %d\r\n\r\n" % (mb << 20))
    for _ in range(mb * 16):
        await c.send(b"z" * 65536)
    return True


@endpoint("/redirect-cookie", "redirect")
async def redirect_cookie(c):
    """Sets a cookie in the 302 and redirects to /echo on the same host."""
    return await c.reply(b"302 Found", ["Location: /echo", "Set-Cookie: hop=1; Path=/"], b"moved")


@endpoint("/redirect-cookie-cross", "redirect")
async def redirect_cookie_cross(c):
    """Sets a cookie and redirects to /echo on 127.0.0.2: it must not go along."""
    return await c.reply(b"302 Found", ["Location: " + absolute(c, "/echo", "127.0.0.2"), "Set-Cookie: hop=1; Path=/"], b"moved")


# =====================================================================  cookies
def cookies(path, lines, text):
    async def fn(c):
        return await c.reply(headers=["Set-Cookie: " + x for x in (lines(c) if callable(lines) else lines)], body=b"ok")
    fn.__doc__ = text
    endpoint(path, "cookies")(fn)


cookies("/cookie-set", ["a=1; Path=/", "b=2; Path=/; HttpOnly"], "Two good cookies.")
cookies("/cookie-foreign", ["f1=1; Domain=evil.test; Path=/", "f2=1; Domain=example.com; Path=/"], "Cookies for domains the server is not in.")
cookies("/cookie-tld", ["t1=1; Domain=com; Path=/", "t2=1; Domain=co.uk; Path=/", "t3=1; Domain=github.io; Path=/", "t4=1; Domain=localhost; Path=/", "t5=1; Domain=test; Path=/"], "Cookies for public suffixes.")
cookies("/cookie-parent", lambda c: ["p=1; Path=/; Domain=" + (c.header("host") or "").rsplit(":", 1)[0].split(".", 1)[-1]], "A cookie for the parent domain of the host asked.")
cookies("/cookie-ip", ["i=1; Domain=0.0.1; Path=/", "j=1; Domain=127.0.0.2; Path=/", "k=1; Domain=.1; Path=/"], "Cookies whose domain is a tail of the IP address, or another one.")
cookies("/cookie-path", ["p=1; Path=/private", "q=1; Path=/cookie"], "Cookies for other paths.")
cookies("/cookie-secure", ["s=1; Secure; Path=/"], "A Secure cookie over plain HTTP.")
cookies("/cookie-prefix", ["__Secure-x=1; Path=/", "__Host-y=1; Path=/a; Domain=localhost"], "Prefixed cookies that break their prefix's rules.")
cookies("/cookie-expired", ["a=gone; Path=/; Max-Age=0", "b=gone; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "Deletes the cookies of /cookie-set.")
cookies("/cookie-dates", ["d%d=1; Path=/; Expires=%s" % (k, d) for k, d in enumerate(["Wed, 09 Jun 2100 10:18:14 GMT", "Wed, 09-Jun-2100 10:18:14 GMT", "Wednesday, 09-Jun-99 10:18:14 GMT", "Wed Jun  9 10:18:14 2100", "0", "garbage", "Fri, 31 Dec 9999 23:59:59 GMT", "Wed, 09 Jun 99999 10:18:14 GMT"])], "Expiry dates in many forms.")
cookies("/cookie-many", lambda c: ["m%d=1; Path=/" % k for k in range(c.i("n", 1000))], "n cookies in one answer (n=1000).")
cookies("/cookie-huge", lambda c: ["h=" + "x" * c.i("size", 100000) + "; Path=/"], "One cookie of size bytes (size=100000).")
cookies("/cookie-ctl", ["c=a\x01b; Path=/", "d=a\tb; Path=/", "e=\"q;q\"; Path=/", "=noname; Path=/", "novalue; Path=/", ";"], "Malformed cookies.")
cookies("/cookie-comma", ["x=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT; Path=/", "y=a,b; Path=/", "z=3; Path=/"], "Commas in dates and values: Set-Cookie must not be joined or split at commas.")


# =====================================================================  Content-Disposition
def disposition(path, value, text):
    async def fn(c):
        v = value if isinstance(value, bytes) else value.encode("utf-8")
        return await c.reply(headers=[b"Content-Disposition: " + v, b"Content-Type: application/octet-stream"], body=b"payload")
    fn.__doc__ = text
    endpoint(path, "disposition")(fn)


disposition("/disp-traversal", 'attachment; filename="../../../../var/pwned"', "Path traversal in the suggested name.")
disposition("/disp-absolute", 'attachment; filename="/etc/cron.d/pwned"', "An absolute path as the suggested name.")
disposition("/disp-backslash", 'attachment; filename="..\\\\..\\\\pwned.exe"', "Backslash traversal.")
disposition("/disp-encoded", "attachment; filename*=UTF-8''..%2F..%2Fpwned", "Percent-encoded traversal in filename*.")
disposition("/disp-nul", b'attachment; filename="safe.txt\x00.sh"', "A NUL in the suggested name.")
disposition("/disp-dots", 'attachment; filename=".."', "The suggested name is '..'.")
disposition("/disp-dotfile", 'attachment; filename=".bashrc"', "A hidden file as the suggested name.")
disposition("/disp-empty", 'attachment; filename=""', "An empty suggested name.")
disposition("/disp-utf8", 'attachment; filename="na\u00efve.txt"; filename*=UTF-8\'\'na%C3%AFve.txt', "UTF-8 in both forms (legal).")
disposition("/disp-latin1", b'attachment; filename="na\xefve.txt"', "ISO 8859-1 in the suggested name.")
disposition("/disp-long", 'attachment; filename="' + "a" * 5000 + '.txt"', "A suggested name of 5000 bytes.")
disposition("/disp-crlf", 'attachment; filename="a%0d%0ab"', "Percent-encoded CRLF in the suggested name.")
disposition("/disp-rtl", 'attachment; filename="gpj.\u202etxt.exe"', "A right-to-left override in the suggested name.")


# =====================================================================  authentication
def digest_ok(c, user, password, realm, nonce):
    head = c.header("authorization") or ""
    if not head.lower().startswith("digest "):
        return False
    p = {k: (q or v) for k, q, v in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s,]+))', head[7:])}
    md5 = lambda s: hashlib.md5(s.encode("latin-1")).hexdigest()
    ha1 = md5("%s:%s:%s" % (user, realm, password))
    ha2 = md5("%s:%s" % (c.method, p.get("uri", "")))
    if p.get("qop"):
        want = md5(":".join([ha1, p.get("nonce", ""), p.get("nc", ""), p.get("cnonce", ""), p["qop"], ha2]))
    else:
        want = md5(":".join([ha1, p.get("nonce", ""), ha2]))
    return p.get("nonce") == nonce and p.get("response") == want


async def unauthorized(c, *challenges, status=b"401 Unauthorized", body=b"no"):
    return await c.reply(status, ["WWW-Authenticate: " + x for x in challenges], body)


@endpoint("/basic", "auth")
async def basic(c):
    """Basic authentication (user=user, password=pass); answers the name."""
    want = "Basic " + base64.b64encode(("%s:%s" % (c.s("user", "user"), c.s("password", "pass"))).encode()).decode()
    if c.header("authorization") == want:
        return await c.json({"user": c.s("user", "user")})
    return await unauthorized(c, 'Basic realm="kit", charset="UTF-8"')


@endpoint("/digest", "auth")
async def digest(c):
    """Digest (MD5, qop=auth; user 'user', password 'pass')."""
    if digest_ok(c, "user", "pass", "kit", "n0nce"):
        return await c.json({"user": "user"})
    return await unauthorized(c, 'Digest realm="kit", nonce="n0nce", qop="auth", algorithm=MD5, opaque="op"')


@endpoint("/401-loop", "auth")
async def loop401(c):
    """401 Basic for ever, whatever is sent."""
    return await unauthorized(c, 'Basic realm="kit"')


@endpoint("/401-digest-stale", "auth")
async def loop_stale(c):
    """401 Digest with stale=true and a new nonce for ever."""
    return await unauthorized(c, 'Digest realm="kit", nonce="%d", qop="auth", stale=true' % time.time_ns())


@endpoint("/401-none", "auth")
async def none401(c):
    """401 without WWW-Authenticate."""
    return await unauthorized(c)


@endpoint("/401-unknown", "auth")
async def unknown401(c):
    """401 with schemes nobody knows."""
    return await unauthorized(c, 'Mystery realm="kit"', "Bearer error=\"invalid_token\"")


@endpoint("/401-many", "auth")
async def many401(c):
    """401 offering Digest and Basic in one header line; any credentials are refused."""
    return await unauthorized(c, 'Digest realm="a, b", nonce="x", qop="auth,auth-int", Basic realm="kit \\"q\\""')


@endpoint("/401-huge", "auth")
async def huge401(c):
    """401 with a realm of 90 kB."""
    return await unauthorized(c, 'Basic realm="' + "r" * 90000 + '"')


@endpoint("/401-bad-digest", "auth")
async def bad_digest(c):
    """401 Digest without a nonce, with an unknown algorithm."""
    return await unauthorized(c, 'Digest realm="kit", algorithm=MYSTERY-1')


@endpoint("/401-ntlm-junk", "auth")
async def ntlm_junk(c):
    """401 NTLM whose second message is junk."""
    return await unauthorized(c, "NTLM " + base64.b64encode(b"NTLMSSP\0\x02\0\0\0" + b"\xff" * 60).decode() if c.header("authorization") else "NTLM")


@endpoint("/401-body-bomb", "auth")
async def bomb401(c):
    """401 with a 50 MB body before the client can try again."""
    if c.header("authorization"):
        return await c.json({"ok": True})
    await c.send(b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="kit"\r\nContent-Length: %d\r\n\r\n' % (50 << 20))
    for _ in range(50 * 16):
        await c.send(b"z" * 65536)
    return True


@endpoint("/401-cross", "auth")
async def cross401(c):
    """Redirects to /basic on 127.0.0.2: the credentials of the first host must not be offered there."""
    return await redirect(c, absolute(c, "/basic", "127.0.0.2"))


@endpoint("/407-origin", "auth")
async def origin407(c):
    """407 from an origin server that is no proxy."""
    return await c.reply(b"407 Proxy Authentication Required", ['Proxy-Authenticate: Basic realm="fake"'], b"no")


# =====================================================================  ranges
BIG = 1 << 20


@endpoint("/range", "range")
async def range_(c):
    """A good 1 MiB resource with ETag and single byte ranges."""
    m = re.match(r"bytes=(\d+)-(\d*)$", c.header("range") or "")
    base = ["Accept-Ranges: bytes", 'ETag: "r1"', "Content-Type: application/octet-stream"]
    if m and (c.header("if-range") in (None, '"r1"')):
        a, b = int(m.group(1)), int(m.group(2) or BIG - 1)
        if a >= BIG:
            return await c.reply(b"416 Range Not Satisfiable", ["Content-Range: bytes */%d" % BIG], b"")
        b = min(b, BIG - 1)
        return await c.reply(b"206 Partial Content", base + ["Content-Range: bytes %d-%d/%d" % (a, b, BIG)], pattern(b - a + 1, a))
    return await c.reply(headers=base, body=pattern(BIG))


@endpoint("/range-cut", "range")
async def range_cut(c):
    """Like /range, but every answer is cut after size bytes (size=300000): a download needs several resumes."""
    m = re.match(r"bytes=(\d+)-$", c.header("range") or "")
    a = int(m.group(1)) if m else 0
    n = BIG - a
    head = b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes %d-%d/%d\r\n" % (a, BIG - 1, BIG) if m else OK
    await c.send(head + b'Accept-Ranges: bytes\r\nETag: "r1"\r\nContent-Length: %d\r\n\r\n' % n)
    size = c.i("size", 300000)
    await c.send(pattern(min(n, size), a))
    return n <= size


@endpoint("/range-ignored", "range")
async def range_ignored(c):
    """Range is ignored: always 200 with the whole 1 MiB."""
    return await c.reply(headers=["Content-Type: application/octet-stream"], body=pattern(BIG))


@endpoint("/range-wrong", "range")
async def range_wrong(c):
    """206 whose Content-Range is not what was asked for."""
    if not c.header("range"):
        return await c.reply(body=pattern(BIG))
    return await c.reply(b"206 Partial Content", ["Content-Range: bytes 0-99/%d" % BIG], pattern(100))


@endpoint("/range-changed", "range")
async def range_changed(c):
    """206, but the ETag and total size are those of another version."""
    if not c.header("range"):
        await c.send(OK + b'ETag: "v1"\r\nAccept-Ranges: bytes\r\nContent-Length: %d\r\n\r\n' % BIG + pattern(300000))
        return False
    a = int(re.match(r"bytes=(\d+)", c.header("range")).group(1))
    return await c.reply(b"206 Partial Content", ['ETag: "v2"', "Content-Range: bytes %d-%d/%d" % (a, 2 * BIG - 1, 2 * BIG)], b"N" * (2 * BIG - a))


@endpoint("/range-416", "range")
async def range_416(c):
    """416 to any range."""
    if not c.header("range"):
        return await c.reply(body=pattern(BIG))
    return await c.reply(b"416 Range Not Satisfiable", ["Content-Range: bytes */%d" % BIG], b"no")


@endpoint("/range-multipart", "range")
async def range_multipart(c):
    """206 multipart/byteranges although one range was asked for."""
    return await c.reply(b"206 Partial Content", ["Content-Type: multipart/byteranges; boundary=B"],
                         b"--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\nab\r\n--B--\r\n")


# =====================================================================  control and serving
async def control(c):
    if c.path == "/__log":
        return await c.json(LOG)
    if c.path == "/__stats":
        return await c.json(STATS)
    if c.path == "/__reset":
        LOG.clear()
        STATS.update(peak=STATS["open"], requests=0, by_path={})
        return await c.json({})
    if c.path == "/__list":
        return await c.json(listing())
    return await c.reply(b"404 Not Found", body=b"no such endpoint")


def listing():
    return [{"path": p, "group": g, "what": d} for p, (_, d, g, _) in ENDPOINTS.items()]


async def serve(reader, writer, tls=False):
    STATS["open"] += 1
    STATS["total"] += 1
    STATS["peak"] = max(STATS["peak"], STATS["open"])
    c = Conn(reader, writer, tls)
    try:
        while await c.read_head():
            fn, _, _, raw = ENDPOINTS.get(c.path, (control, "", "", False))
            c.body, c.body_len, c.body_sha = b"", 0, hashlib.sha256().hexdigest()
            if not raw:
                await c.read_body()
            if not await fn(c):
                break
            if (c.header("connection") or "").lower() == "close" or c.version == "HTTP/1.0":
                break
    except (Gone, ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, OSError, ValueError):
        pass
    except asyncio.CancelledError:
        raise
    finally:
        STATS["open"] -= 1
        if tls and not writer.transport.is_closing() and c.count and getattr(c, "path", "").startswith(("/truncated", "/eof-body", "/close", "/half-close")):
            c.fin()             # TLS truncation: FIN without close_notify
            await asyncio.sleep(0.05)
            writer.transport.abort()
        try:
            writer.close()
        except Exception:
            pass


async def serve_hang(reader, writer):
    writer.transport.pause_reading()
    try:
        await asyncio.sleep(3600)
    finally:
        writer.close()


async def serve_rst(reader, writer):
    Conn(reader, writer, False).rst()


async def serve_first(reader, writer):
    writer.write(OK + TEXT + b"Content-Length: 5\r\n\r\nfirst")
    try:
        await writer.drain()
        await asyncio.sleep(0.5)
    except OSError:
        pass
    writer.close()


def blackhole():
    """A listening socket whose accept queue is kept full, so that further SYNs are dropped."""
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(0)
    keep = [s]
    for _ in range(8):
        k = socket.socket()
        k.setblocking(False)
        k.connect_ex(s.getsockname())
        keep.append(k)
    return s.getsockname()[1], keep


async def main(args):
    loop = asyncio.get_running_loop()
    servers = []

    async def listen(fn, hosts, port=0, **kw):
        for host in hosts:
            try:
                srv = await asyncio.start_server(fn, host, port, limit=MAX_HEAD, backlog=4096, **kw)
            except OSError:
                if host == hosts[0]:
                    raise
                continue                    # no IPv6, say
            port = srv.sockets[0].getsockname()[1]
            servers.append(srv)
        return port

    hosts = args.host.split(",")
    PORTS["HTTP"] = await listen(serve, hosts, args.port)
    if args.tls:
        ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        ctx.load_cert_chain(*args.tls)
        PORTS["TLS"] = await listen(lambda r, w: serve(r, w, True), hosts, args.tls_port, ssl=ctx)
    PORTS["HANG"] = await listen(serve_hang, hosts[:1])
    PORTS["RST"] = await listen(serve_rst, hosts[:1])
    PORTS["SPEAKFIRST"] = await listen(serve_first, hosts[:1])
    PORTS["BLACKHOLE"], keep = blackhole()
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))           # bound, never listening: refused
    PORTS["CLOSED"] = closed.getsockname()[1]
    for k, v in PORTS.items():
        print("%s=%d" % (k, v), flush=True)
    stop = asyncio.Event()
    for sig in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sig, stop.set)
    if args.until_eof:                      # whoever started it is gone
        loop.add_reader(sys.stdin.fileno(), stop.set)
    await stop.wait()
    os._exit(0)                             # hanging handlers must not delay the exit (`keep` and `closed` stay bound until here)


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description="An HTTP/1.1 peer that misbehaves on request.")
    ap.add_argument("--port", type=int, default=0, help="HTTP port (0: any free one)")
    ap.add_argument("--tls-port", type=int, default=0)
    ap.add_argument("--host", default="127.0.0.1,127.0.0.2,::1", help="addresses to bind, the first one is required")
    ap.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"), help="PEM files for the TLS listener")
    ap.add_argument("--list", action="store_true")
    ap.add_argument("--until-eof", action="store_true", help="end when standard input ends")
    a = ap.parse_args()
    if a.list:
        json.dump(listing(), sys.stdout, indent=1)
        print()
    else:
        try:
            asyncio.run(main(a))
        except KeyboardInterrupt:
            pass
