/**
 * Programs that make a call or follow a channel, in curl, JavaScript and Python, with the
 * signature. They need nothing but curl and openssl, Node, or Python, and read the address and the
 * key from the environment. The tests run every one of them against an exchange.
 */
import { queryText, type RouteExample } from "../../src/api/reference/examples.ts";
import type { Route } from "../../src/api/route.ts";
import { STREAM_SIGNED_PATHS } from "../../src/api/stream-paths.ts";

export interface Sample {
  readonly language: "curl" | "javascript" | "python";
  readonly title: string;
  readonly source: string;
}

const SAMPLE_URL = "http://127.0.0.1:8080";

interface SampledCall {
  readonly method: string;
  readonly target: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly isSigned: boolean;
}

/** The call with the query and the body of an example. */
export function callSamples(route: Route, example: RouteExample | undefined): readonly Sample[] {
  const { body } = example ?? {};
  const target = route.path + (example === undefined ? "" : queryText(example));
  const call = { method: route.method, target, body, isSigned: route.access !== null };
  return [
    { language: "curl", title: "curl", source: curlSource(call) },
    { language: "javascript", title: "JavaScript", source: javaScriptSource(call) },
    { language: "python", title: "Python", source: pythonSource(call) },
  ];
}

function lines(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join("\n");
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curlSource({ method, target, body, isSigned }: SampledCall): string {
  const hasBody = body !== undefined;
  const text = hasBody ? "$body" : "";
  const verb = method === "GET" ? "" : ` -X ${method}`;
  const headers = [
    ...(isSigned
      ? [
          '  -H "ACCESS-KEY: $RIALTO_API_KEY"',
          '  -H "ACCESS-SIGN: $sign"',
          '  -H "ACCESS-TIMESTAMP: $timestamp"',
          '  -H "ACCESS-PASSPHRASE: $RIALTO_PASSPHRASE"',
        ]
      : []),
    ...(hasBody ? ["  -H 'Content-Type: application/json'", '  --data-raw "$body"'] : []),
  ];
  const command = [`curl -sS --fail-with-body${verb} "$url$target"`, ...headers].join(" \\\n");
  return lines(
    `url=\${RIALTO_URL:-${SAMPLE_URL}}`,
    `target=${shellText(target)}`,
    hasBody && `body=${shellText(JSON.stringify(body))}`,
    isSigned && 'timestamp="$(date +%s)000"',
    isSigned && `sign=$(printf '%s' "\${timestamp}${method}\${target}${text}" |`,
    isSigned && '  openssl dgst -sha256 -hmac "$RIALTO_SECRET" -binary | base64)',
    command,
  );
}

/** JSON with the names bare where JavaScript allows it. */
function javaScriptLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
}

function javaScriptSource({ method, target, body, isSigned }: SampledCall): string {
  const hasBody = body !== undefined;
  const text = hasBody ? " + body" : "";
  return lines(
    isSigned && 'import { createHmac } from "node:crypto";\n',
    `const url = process.env.RIALTO_URL ?? "${SAMPLE_URL}";`,
    isSigned && "const { RIALTO_API_KEY, RIALTO_SECRET, RIALTO_PASSPHRASE } = process.env;",
    `const target = ${JSON.stringify(target)};`,
    hasBody && `const body = JSON.stringify(${javaScriptLiteral(body)});`,
    isSigned && "const timestamp = String(Date.now());",
    isSigned && 'const sign = createHmac("sha256", RIALTO_SECRET)',
    isSigned && `  .update(timestamp + "${method}" + target${text})`,
    isSigned && '  .digest("base64");',
    "const response = await fetch(url + target, {",
    `  method: "${method}",`,
    (isSigned || hasBody) && "  headers: {",
    isSigned && '    "ACCESS-KEY": RIALTO_API_KEY,',
    isSigned && '    "ACCESS-SIGN": sign,',
    isSigned && '    "ACCESS-TIMESTAMP": timestamp,',
    isSigned && '    "ACCESS-PASSPHRASE": RIALTO_PASSPHRASE,',
    hasBody && '    "Content-Type": "application/json",',
    (isSigned || hasBody) && "  },",
    hasBody && "  body,",
    "});",
    "console.log(response.status, await response.text());",
  );
}

function pythonLiteral(value: unknown, inset = ""): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const next = `${inset}    `;
  if (Array.isArray(value)) {
    return `[${value.map((entry) => pythonLiteral(entry, inset)).join(", ")}]`;
  }
  const entries = Object.entries(value).map(
    ([name, entry]) => `${next}${JSON.stringify(name)}: ${pythonLiteral(entry, next)},`,
  );
  return entries.length === 0 ? "{}" : `{\n${entries.join("\n")}\n${inset}}`;
}

const PYTHON_SIGN = [
  'digest = hmac.new(os.environ["RIALTO_SECRET"].encode(), text.encode(), hashlib.sha256).digest()',
  "sign = base64.b64encode(digest).decode()",
];

function pythonSource({ method, target, body, isSigned }: SampledCall): string {
  const hasBody = body !== undefined;
  const modules = [
    ...(isSigned ? ["base64", "hashlib", "hmac"] : []),
    ...(hasBody ? ["json"] : []),
    "os",
    ...(isSigned ? ["time"] : []),
  ];
  return lines(
    `import ${modules.join(", ")}`,
    "from urllib.error import HTTPError",
    "from urllib.request import Request, urlopen",
    "",
    `url = os.environ.get("RIALTO_URL", "${SAMPLE_URL}")`,
    `target = ${JSON.stringify(target)}`,
    hasBody && `body = json.dumps(${pythonLiteral(body)})`,
    isSigned && "timestamp = str(time.time_ns() // 1_000_000)",
    isSigned && `text = timestamp + "${method}" + target${hasBody ? " + body" : ""}`,
    isSigned && PYTHON_SIGN.join("\n"),
    isSigned || hasBody ? "headers = {" : "headers = {}",
    isSigned && '    "ACCESS-KEY": os.environ["RIALTO_API_KEY"],',
    isSigned && '    "ACCESS-SIGN": sign,',
    isSigned && '    "ACCESS-TIMESTAMP": timestamp,',
    isSigned && '    "ACCESS-PASSPHRASE": os.environ["RIALTO_PASSPHRASE"],',
    hasBody && '    "Content-Type": "application/json",',
    (isSigned || hasBody) && "}",
    `data = ${hasBody ? "body.encode()" : "None"}`,
    "try:",
    `    with urlopen(Request(url + target, data, headers, method="${method}")) as response:`,
    "        print(response.status, response.read().decode())",
    "except HTTPError as error:",
    "    print(error.code, error.read().decode())",
  );
}

/** A channel of a WebSocket path. */
export interface SampledChannel {
  readonly path: string;
  readonly name: string;
  readonly isSigned: boolean;
}

/** curl speaks no WebSocket. */
export function channelSamples(channel: SampledChannel): readonly Sample[] {
  return [
    { language: "javascript", title: "JavaScript", source: javaScriptChannel(channel) },
    { language: "python", title: "Python", source: pythonChannel(channel) },
  ];
}

const SIGNED_PATH = STREAM_SIGNED_PATHS.v3;

function javaScriptChannel({ path, name, isSigned }: SampledChannel): string {
  return lines(
    isSigned && 'import { createHmac } from "node:crypto";\n',
    `const url = process.env.RIALTO_URL ?? "${SAMPLE_URL}";`,
    isSigned && "const { RIALTO_API_KEY, RIALTO_SECRET, RIALTO_PASSPHRASE } = process.env;",
    isSigned && "const timestamp = String(Date.now());",
    isSigned && 'const sign = createHmac("sha256", RIALTO_SECRET)',
    isSigned && `  .update(timestamp + "${SIGNED_PATH}")`,
    isSigned && '  .digest("base64url");',
    `const address = url.replace(/^http/, "ws") + "${path}";`,
    isSigned ? "const socket = new WebSocket(address, [" : "const socket = new WebSocket(address);",
    isSigned && '  "rialto.v1",',
    isSigned && `  \`key.\${RIALTO_API_KEY}\`,`,
    isSigned && `  \`sign.\${sign}\`,`,
    isSigned && `  \`timestamp.\${timestamp}\`,`,
    isSigned && `  \`passphrase.\${RIALTO_PASSPHRASE}\`,`,
    isSigned && "]);",
    "const send = (message) => socket.send(JSON.stringify(message));",
    "",
    `socket.onopen = () => send({ method: "SUBSCRIBE", params: ["${name}"], id: 1 });`,
    "socket.onmessage = ({ data }) => {",
    "  const message = JSON.parse(data);",
    '  if (message.event === "ping" || message.type === "ping") send({ method: "PONG", id: 2 });',
    "  else console.log(data);",
    "};",
  );
}

function pythonChannel({ path, name, isSigned }: SampledChannel): string {
  const modules = ["base64", ...(isSigned ? ["hashlib", "hmac"] : []), "json", "os", "socket"];
  const headers = isSigned
    ? [
        "handshake += f\"ACCESS-KEY: {os.environ['RIALTO_API_KEY']}\\r\\n\"",
        'handshake += f"ACCESS-SIGN: {sign}\\r\\n"',
        'handshake += f"ACCESS-TIMESTAMP: {timestamp}\\r\\n"',
        "handshake += f\"ACCESS-PASSPHRASE: {os.environ['RIALTO_PASSPHRASE']}\\r\\n\"",
      ]
    : [];
  return lines(
    `import ${[...modules, "ssl", "struct", ...(isSigned ? ["time"] : [])].join(", ")}`,
    "from urllib.parse import urlsplit",
    "",
    `url = urlsplit(os.environ.get("RIALTO_URL", "${SAMPLE_URL}"))`,
    'is_secure = url.scheme == "https"',
    "connection = socket.create_connection((url.hostname, url.port or (443 if is_secure else 80)))",
    "if is_secure:",
    "    context = ssl.create_default_context()",
    "    connection = context.wrap_socket(connection, server_hostname=url.hostname)",
    'stream = connection.makefile("rwb")',
    isSigned && "timestamp = str(time.time_ns() // 1_000_000)",
    isSigned && `text = timestamp + "${SIGNED_PATH}"`,
    isSigned && PYTHON_SIGN.join("\n"),
    "nonce = base64.b64encode(os.urandom(16)).decode()",
    `handshake = f"GET ${path} HTTP/1.1\\r\\nHost: {url.netloc}\\r\\nUpgrade: websocket\\r\\n"`,
    'handshake += "Connection: Upgrade\\r\\nSec-WebSocket-Version: 13\\r\\n"',
    'handshake += f"Sec-WebSocket-Key: {nonce}\\r\\n"',
    ...headers,
    PYTHON_FRAMES,
    `send({"method": "SUBSCRIBE", "params": ["${name}"], "id": 1})`,
    PYTHON_LOOP,
  );
}

/** The least of RFC 6455 that a client needs; a package does the same in fewer lines. */
const PYTHON_FRAMES = `stream.write(f"{handshake}\\r\\n".encode())
stream.flush()
status = stream.readline().decode()
if " 101 " not in status:
    raise SystemExit(status + stream.read().decode())
while stream.readline() != b"\\r\\n":
    pass

def send(message):
    data, mask = json.dumps(message).encode(), os.urandom(4)
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\\xfe" + struct.pack("!H", len(data))
    masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
    stream.write(b"\\x81" + size + mask + masked)
    stream.flush()

def receive():
    opcode, size = stream.read(2)
    if size == 126:
        size = struct.unpack("!H", stream.read(2))[0]
    elif size == 127:
        size = struct.unpack("!Q", stream.read(8))[0]
    data = stream.read(size)
    return data.decode() if opcode == 0x81 else None
`;

const PYTHON_LOOP = `while True:
    data = receive()
    if data is None:
        continue
    message = json.loads(data)
    if "ping" in (message.get("event"), message.get("type")):
        send({"method": "PONG", "id": 2})
    else:
        print(data, flush=True)`;
