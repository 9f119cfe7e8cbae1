#!/usr/bin/env python3
"""Frames per second and latency of `pliant live`, without a browser: live.py PLIANT SCENE [--seconds 10] [pliant's options]

Speaks to the run as its page does. First it only listens; then it presses on a particle and moves the pointer 60 times a
second. Latency is the time from a message of the hand to the arrival of the first frame that has obeyed it.
Needs Python's standard library only.
"""
import argparse, base64, json, math, os, re, shutil, signal, socket, statistics, struct, subprocess, tempfile, threading, time


class Page:
    """The page's end of the WebSocket."""

    def __init__(self, address):
        host, port, token = re.match(r"http://([\d.]+):(\d+)/(\w+)/", address).groups()
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /{token}/live HTTP/1.1", f"Host: {host}:{port}", f"Origin: http://{host}:{port}",
                 "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        if b" 101 " not in self.file.readline():
            raise SystemExit("live.py: the run does not speak to this program")
        while self.file.readline().strip():
            pass

    def send(self, message):
        data, mask = json.dumps(message).encode(), os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        """One message: (is it text, bytes)."""
        whole, text = b"", False
        while True:
            first, second = self.file.read(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self.file.read(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.file.read(8))[0]
            data = self.file.read(size)
            kind = first & 0xF
            if kind == 8:
                raise EOFError
            if kind > 2:  # ping, pong
                continue
            text = text or kind == 1
            whole += data
            if first & 0x80:
                return text, whole


def frame_header(block):
    size = struct.unpack("<I", block[4:8])[0]
    return json.loads(block[8:8 + size])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pliant")
    parser.add_argument("scene")
    parser.add_argument("--seconds", type=float, default=10)
    options, rest = parser.parse_known_args()
    folder = tempfile.mkdtemp(prefix="live")
    command = [options.pliant, "live", options.scene, "-o", folder + "/run", "--no-open", *rest]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = []
    try:
        address = None
        for line in process.stdout:
            said.append(line)
            found = re.search(r"http://\S+", line)
            if found:
                address = found[0]
                break
        if address is None:
            raise SystemExit("live.py: " + "".join(said))
        threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
        listen(Page(address), options.seconds)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def listen(page, seconds):
    arrivals, computed, latencies, sent = [], [], [], {}
    start, number, last, held = time.perf_counter(), 0, 0.0, seconds / 2
    while True:
        text, block = page.receive()
        now = time.perf_counter()
        if text:
            continue
        header = frame_header(block)
        arrivals.append((now, header["frame"]))
        computed.append(header["stats"][7])
        for k in [k for k in sent if k <= header["seen"]]:
            if k == header["seen"]:
                latencies.append(now - sent[k])
            del sent[k]
        if now - start > seconds:
            break
        if now - start > held and now - last > 1 / 60:
            number, last = number + 1, now
            a = 2 * math.pi * (now - start)
            page.send({"do": "hand", "number": number,
                       "grab": {"particle": 0, "radius": 0.07, "target": [0.3 * math.cos(a), 1.0, 0.3 * math.sin(a)]}})
            sent[number] = now
    for name, some in (("alone", [x for x in arrivals if x[0] - start <= held]),
                       ("pulled", [x for x in arrivals if x[0] - start > held])):
        span = some[-1][0] - some[0][0]
        print(f"{name}: {(some[-1][1] - some[0][1]) / span:.1f} frames simulated per second, "
              f"{(len(some) - 1) / span:.1f} received")
    computed.sort(), latencies.sort()
    print(f"a frame takes {statistics.median(computed):.1f} ms (nine of ten below {computed[len(computed) * 9 // 10]:.1f})")
    if latencies:
        print(f"from a message to the frame that obeys it: median {1e3 * statistics.median(latencies):.0f} ms, "
              f"nine of ten below {1e3 * latencies[len(latencies) * 9 // 10]:.0f} ms, {len(latencies)} messages")


if __name__ == "__main__":
    main()
