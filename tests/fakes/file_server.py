"""A real HTTP server on 127.0.0.1 that offers files: with ranges or without, cut short or redirected."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote


@dataclass
class Offered:
    """A file as the server offers it.

    Attributes:
        content: Its bytes.
        headers: Headers besides the usual ones; an empty value takes one of those away.
        ranges: Whether a range of it can be had.
        checks: Whether If-Range is looked at.
        cuts: After how many bytes of the body each of the next connections breaks.
        status: Answer with this status and no content.
        location: Lead to this URL.
        hold: Send the second half only when this is set.
    """

    content: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    ranges: bool = True
    checks: bool = True
    cuts: list[int] = field(default_factory=list)
    status: int = 200
    location: str = ""
    hold: threading.Event | None = None

    @property
    def etag(self) -> str:
        return self.headers.get("ETag", f'"{hashlib.md5(self.content).hexdigest()}"')


class FileServer:
    """Offers what is in `files`, by path.

    Attributes:
        files: The files by path, with ``/`` first and the query where there is one.
        requests: Path and Range header of every request so far.
        seen: A waiting point: released once for each request.
    """

    def __init__(self) -> None:
        self.files: dict[str, Offered] = {}
        self.requests: list[tuple[str, str]] = []
        self.seen = threading.Semaphore(0)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._http.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._http.server_address[1]}"

    def offer(self, path: str, content: bytes | str | Any, **settings: Any) -> Offered:
        """Offer bytes, text, or any other value as JSON."""
        if not isinstance(content, bytes | str):
            content = json.dumps(content)
        data = content.encode() if isinstance(content, str) else content
        self.files[path] = Offered(data, **settings)
        return self.files[path]

    def offer_github(
        self, repository: str, commit: str, files: Mapping[str, bytes], branch: str = "HEAD"
    ) -> None:
        """Offer files as GitHub does: a commit, its trees, and the raw contents."""
        self.offer(f"/repos/{repository}/commits/{branch}", {"sha": commit})
        folders = {folder for path in files for folder in PurePosixPath(path).parents}

        def sha(folder: PurePosixPath) -> str:
            return _sha(f"{commit} {folder}".encode()) if folder.parts else commit

        for folder in folders:
            trees = [
                {"path": path, "mode": "040000", "type": "tree", "sha": sha(path)}
                for path in folders
                if folder in path.parents
            ]
            blobs = [
                {"path": path, "mode": "100644", "type": "blob", "size": len(data), "sha": blob(data)}
                for path, data in ((PurePosixPath(name), data) for name, data in files.items())
                if folder in path.parents
            ]
            entries = [entry | {"path": str(entry["path"].relative_to(folder))} for entry in trees + blobs]
            tree = f"/repos/{repository}/git/trees/{sha(folder)}"
            self.offer(tree, {"tree": [entry for entry in entries if "/" not in entry["path"]]})
            self.offer(f"{tree}?recursive=1", {"tree": entries, "truncated": False})
        for path, data in files.items():
            self.offer(f"/{repository}/{commit}/{quote(path)}", data)

    def offer_huggingface(
        self, repository: str, commit: str, files: Mapping[str, bytes], large: bool = True
    ) -> None:
        """Offer files as Hugging Face does; large ones by SHA-256 and through a redirect."""
        api = f"/api/datasets/{repository}"
        self.offer(f"{api}/revision/main", {"sha": commit})
        entries = []
        for path, data in files.items():
            entry: dict[str, Any] = {"type": "file", "path": path, "size": len(data), "oid": blob(data)}
            if large:
                entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data)}
            entries.append(entry)
            stored = f"/stored/{hashlib.sha256(data).hexdigest()}"
            self.offer(stored, data)
            resolved = f"/datasets/{repository}/resolve/{commit}/{quote(path)}"
            self.offer(resolved, b"", location=f"{self.base}{stored}", headers={"X-Repo-Commit": commit})
        half = len(entries) // 2
        following = f"{api}/tree/{commit}?recursive=true&cursor=2"
        link = {"Link": f'<{self.base}{following}>; rel="next"'}
        self.offer(f"{api}/tree/{commit}?recursive=true", entries[:half], headers=link)
        self.offer(following, entries[half:])

    @contextmanager
    def running(self) -> Iterator[FileServer]:
        """Serve until the block ends; whatever is still held then is let go."""
        thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            for offered in self.files.values():
                if offered.hold:
                    offered.hold.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()


def blob(data: bytes) -> str:
    """Return the name that Git gives a content."""
    return _sha(b"blob %d\0" % len(data) + data)


def _sha(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


def _handler_for(server: FileServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            server.requests.append((self.path, self.headers.get("Range", "")))
            server.seen.release()
            offered = server.files.get(self.path)
            if offered is None or offered.status != 200:
                offered = offered or Offered(b"", status=404)
                self._head(offered.status, offered.headers, 0)
            elif offered.location:
                self._head(302, {"Location": offered.location, **offered.headers}, 0)
            else:
                self._send(offered)

        def _send(self, offered: Offered) -> None:
            whole, start = len(offered.content), self._start(offered)
            headers = {"ETag": offered.etag, **offered.headers}
            if start is not None and start >= whole:
                self._head(416, headers | {"Content-Range": f"bytes */{whole}"}, 0)
                return
            if start is not None:
                headers["Content-Range"] = f"bytes {start}-{whole - 1}/{whole}"
            body = offered.content[start or 0 :]
            self._head(200 if start is None else 206, headers, len(body))
            self._body(offered, body)

        def _start(self, offered: Offered) -> int | None:
            wanted, condition = self.headers.get("Range"), self.headers.get("If-Range")
            if not wanted or not offered.ranges or (offered.checks and condition != offered.etag):
                return None
            return int(wanted.removeprefix("bytes=").removesuffix("-"))

        def _body(self, offered: Offered, body: bytes) -> None:
            if offered.cuts:
                body = body[: offered.cuts.pop(0)]
                self.close_connection = True
            try:
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
                if offered.hold:
                    offered.hold.wait()
                self.wfile.write(body[len(body) // 2 :])
            except OSError:
                # The client went away, which is what some tests are about.
                self.close_connection = True

        def _head(self, status: int, headers: Mapping[str, str], length: int) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(length)}.items():
                if value:
                    self.send_header(name, value)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Stay quiet."""

    return Handler
