# assay view: which file is written, what is refused, damaged and empty recordings, and the page that --serve serves: under its own path and host alone.
. "$(dirname "$0")/../lib.sh"

python3 "$TOOLS/make_parallel.py" few few.data
"$ASSAY" view -q -i few.data
grep -q '^<!DOCTYPE html>' profile.html || fail "profile.html is no page"
grep -q "default-src 'none'" profile.html || fail "no Content-Security-Policy"
"$ASSAY" view -q -o - few.data | grep -q '</html>' || fail "-o -"

# expect STATUS WORDS COMMAND…: exit status and what is said.
expect() {
	local want=$1 words=$2 status=0
	shift 2
	"$@" >out 2>err || status=$?
	[ $status = "$want" ] || fail "$*: exit status $status instead of $want: $(cat err)"
	! grep 'runtime error' err || fail "$*"
	grep -q -- "$words" err || fail "$*: '$words' is not said: $(cat err)"
}
expect 1 'none of the .* samples' "$ASSAY" view --tid 1 -o none.html few.data
expect 2 'leave out -o' "$ASSAY" view --serve -o x.html few.data
expect 2 'is for --serve' "$ASSAY" view --port 4711 few.data
expect 2 'unexpected\|one recording\|several\|too many' "$ASSAY" view few.data few.data few.data
# Two are compared; what is for that alone, or for one alone, is refused elsewhere.
cp few.data other.data
"$ASSAY" view -q -o two.html few.data other.data || fail "two recordings"
grep -q '"functions":\[' two.html || fail "no table of functions"
grep -q "default-src 'none'" two.html || fail "no Content-Security-Policy in a comparison"
expect 2 'do not add up' "$ASSAY" view -e all -o two.html few.data other.data
expect 2 'has no code' "$ASSAY" view --source -o two.html few.data other.data
expect 2 'same file on one side' "$ASSAY" view -o two.html few.data,few.data other.data
expect 2 'write to another file' "$ASSAY" view -o other.data few.data other.data
expect 2 'for comparisons' "$ASSAY" view --match file -o two.html few.data
expect 2 'for comparisons' "$ASSAY" view -e cycles -o two.html few.data
expect 2 'for comparisons' "$ASSAY" view --absolute -o two.html few.data
expect 2 'for comparisons' "$ASSAY" view --time 1,2:3,4 -o two.html few.data
expect 1 'passes' "$ASSAY" view --tid 1 -o nothing.html few.data other.data
expect 1 'there is no file' "$ASSAY" view -o nothing.html few.data missing.data
[ ! -e nothing.html ] || fail "a page of nothing"
expect 2 'write to another file' "$ASSAY" view -o few.data few.data
expect 1 'there is no file' "$ASSAY" view missing.data
cut=$(($(stat -c %s few.data) * 2 / 3))
head -c $cut few.data >cut.data
status=0
"$ASSAY" view -q -i cut.data -o cut.html 2>err || status=$?
[ $status = 1 ] || fail "a damaged recording: exit status $status"
grep -q '</html>' cut.html || fail "what could be read of it is not there"
printf '' | expect 1 '' "$ASSAY" view -o empty.html -

# Headings are text.
"$ASSAY" view -q -o all.html --title 'a "title" <b>' few.data
grep -q '<title>a &quot;title&quot; &lt;b&gt;</title>' all.html || fail "the title is markup: $(grep '<title>' all.html)"

# More than a socket holds.
python3 -c 'import random
for i in range(20000): print(f"main;f{random.getrandbits(800):x} {i % 7 + 1}")' >long.folded
"$ASSAY" view -q --serve long.folded >url 2>err &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 600); do
	[ -s url ] || sleep 0.1
done
python3 - "$(cat url)" <<'EOF' || fail "what is served"
import http.client, socket, sys, urllib.parse
url = urllib.parse.urlparse(sys.argv[1])
assert url.hostname == "127.0.0.1" and len(url.path) == 34, url
def ask(path=url.path, method="GET", **headers):
    c = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    c.request(method, path, headers=headers)
    r = c.getresponse()
    return r.status, r.read(), r
idle = socket.create_connection((url.hostname, url.port))  # a browser opens some that it does not use
status, body, r = ask()
assert status == 200 and body.startswith(b"<!DOCTYPE html>") and body.rstrip().endswith(b"</html>"), status
assert r.getheader("Cache-Control") == "no-store"
assert ask(Host=f"localhost:{url.port}")[0] == 200
assert ask(Host="evil.example")[0] == 403
status, body, _ = ask(Host=f"evil.example:{url.port}")
assert status == 403 and b"<!DOCTYPE" not in body, status
status, body, _ = ask(Host=f"localhost:{url.port ^ 1}")  # a port forwarded from another one
assert status == 403 and f"ssh -L {url.port}:127.0.0.1:{url.port}".encode() in body, body
assert ask("/")[0] == 404
assert ask("/" + "0" * 32 + "/")[0] == 404
assert ask(method="POST")[0] == 405
assert ask(method="HEAD")[:2] == (200, b"")
raw = socket.create_connection((url.hostname, url.port))
raw.sendall(b"x" * 20000)
try:
    assert b"200" not in raw.recv(100)
except ConnectionResetError:
    pass
assert ask()[0] == 200

# A client that reads slowly is served while others are; so many that ask for nothing keep nobody out.
def slow():
    c = socket.socket()
    c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    c.connect((url.hostname, url.port))
    c.sendall(f"GET {url.path} HTTP/1.1\r\nHost: 127.0.0.1:{url.port}\r\n\r\n".encode())
    return c, c.recv(1)
reader, got = slow()
for _ in range(60):
    assert ask()[0] == 200
crowd = [socket.create_connection((url.hostname, url.port)) for _ in range(100)]
assert ask()[0] == 200
while part := reader.recv(1 << 16):
    got += part
assert got.endswith(b"</html>\n"), f"{len(got)} bytes to a slow reader"
EOF
kill -INT $server
status=0
wait $server || status=$?
[ $status = 0 ] || fail "--serve ends with $status: $(cat err)"
