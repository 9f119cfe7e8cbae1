#!/usr/bin/env python3
"""Frames per second and latency of `pliant live`, without a browser:

    live.py PLIANT SCENE [--seconds 10] [--cores 2] [options of pliant live]

Speaks to the run as its page does. First it only listens; then it presses on a particle and moves the pointer 60 times a
second. Latency is the time from a message of the hand to the arrival of the first frame that has obeyed it; a page needs
the time to draw it beside (tests/browser/measure.mjs). With --cores N the run and its server have N cores and N threads,
and this program another core, if there is one. Needs Python's standard library only.
"""
import argparse, base64, json, math, os, re, shutil, signal, socket, struct, subprocess, tempfile, threading, time


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
        self.say(json.dumps(message))

    def say(self, text):
        data, mask = text.encode(), os.urandom(4)
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
    parser.add_argument("--cores", type=int, help="that the run may use; default: all")
    options, rest = parser.parse_known_args()
    folder = tempfile.mkdtemp(prefix="live")
    command = [options.pliant, "live", options.scene, "-o", folder + "/run", "--no-open", *rest]
    all_cores = sorted(os.sched_getaffinity(0))
    cores = all_cores[:options.cores]
    if options.cores:
        command += ["--threads", str(len(cores))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if options.cores and len(all_cores) > len(cores):
        os.sched_setaffinity(0, all_cores[len(cores):])
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
        print(f"{len(cores)} of {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        listen(Page(address), options.seconds, process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def processor_time(pid):
    """[s], of all threads."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentiles(values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return f"median {at(0.5):.1f} ms, 90% below {at(0.9):.1f} ms, 99% below {at(0.99):.1f} ms"


def listen(page, seconds, pid):
    arrivals, computed, latencies, sent = [], [], [], {}
    start, number, last, held = time.perf_counter(), 0, 0.0, seconds / 2
    used = processor_time(pid)
    while True:
        text, block = page.receive()
        now = time.perf_counter()
        if text:
            continue
        page.say("seen")
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
    frames = arrivals[-1][1] - arrivals[0][1]
    print(f"computing a frame: {percentiles(computed)}; "
          f"processor time with the server {1e3 * (processor_time(pid) - used) / max(frames, 1):.1f} ms a frame")
    if latencies:
        print(f"from a message to the frame that obeys it: {percentiles([1e3 * x for x in latencies])}, "
              f"{len(latencies)} messages")


if __name__ == "__main__":
    main()
