/**
 * How to sign, for the reference: the rule, requests with their signatures, and programs that
 * compute them. The tests run every program, and check that the gateway accepts the signatures.
 */
import { SIGNING_HEADERS, TIMESTAMP_WINDOW_MS, textToSign } from "../signing.ts";
import { STREAM_SIGNED_PATHS } from "../stream-paths.ts";
import { table } from "./markdown.ts";

/** A made-up key. */
export const EXAMPLE_KEY = {
  apiKey: "rialto_0123456789abcdef0123456789abcdef",
  secret: "3b7c1f0e9a5d4862b1c3d5e7f9a0b2c4d6e8f0a1b3c5d7e9fa0b1c2d3e4f5a6b",
  passphrase: "correct7horse",
} as const;

export const EXAMPLE_TIMESTAMP = "1767605400000";

export interface SignedExample {
  readonly title: string;
  /** Empty for the handshake of a stream, whose signed text has none. */
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly signature: string;
}

export const SIGNED_EXAMPLES: readonly SignedExample[] = [
  {
    title: "v3, a query with an escape",
    method: "GET",
    target: "/api/v3/order?origClientOrderId=bot%2F1",
    body: "",
    signature: "qoclYTb54qjnPnp8wxzfCfex8heiUIyhbAXcl8A1O0Q=",
  },
  {
    title: "v3, a body",
    method: "POST",
    target: "/api/v3/order",
    body:
      '{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"0.01",' +
      '"price":"60000","newClientOrderId":"bot/1"}',
    signature: "q9rVJYqwWuFpgAhgW7J9GFDNeFShONh4P06IfXPn7S8=",
  },
  {
    title: "v3, a DELETE with a body",
    method: "DELETE",
    target: "/api/v3/order/batch",
    body: '{"origClientOrderIds":["bot/1"]}',
    signature: "65TAe59iqMeoAhhwvRcrNzWj+3haQ49jKGEJfhSWeU8=",
  },
  {
    title: "v2, a query",
    method: "GET",
    target: "/api/v2/account/transferRecords?coinId=2&limit=10",
    body: "",
    signature: "Zb1L23WoDtenbcjaLMNxg56ren5JU3XZsprbLLnYXJ4=",
  },
  {
    title: "v2, a body",
    method: "POST",
    target: "/api/v2/trade/orders",
    body:
      '{"symbol":"BTCUSDT_SPBL","side":"buy","orderType":"limit","force":"normal",' +
      '"price":"60000","quantity":"0.01","clientOrderId":"bot/2"}',
    signature: "YgNKQx1NKCt9BucDq7kSKgVqe+rq5re4rI/Cp5yx2ME=",
  },
  {
    title: "a private stream",
    method: "",
    target: STREAM_SIGNED_PATHS.v3,
    body: "",
    signature: "DhqPDpXYLwjGd4mXjvKYcWl4iHSZ5zmjqA+ffGHWKZU=",
  },
];

export interface SigningProgram {
  readonly title: string;
  /** The language of the code block, and the program that runs it. */
  readonly language: "bash" | "js" | "python";
  /** Prints the signatures of the examples, one per line. */
  readonly source: string;
}

/** One call for each example, in the syntax of a language. */
function calls(write: (example: SignedExample) => string): string {
  return SIGNED_EXAMPLES.map(write).join("\n");
}

function javaScriptCall({ method, target, body }: SignedExample, prefix: string): string {
  return `console.log(${prefix}sign("${method}", "${target}", '${body}'));`;
}

const { secret } = EXAMPLE_KEY;

export const SIGNING_PROGRAMS: readonly SigningProgram[] = [
  {
    title: "Shell, with openssl",
    language: "bash",
    source: `secret=${secret}
timestamp=${EXAMPLE_TIMESTAMP}     # now: $(date +%s)000

sign() {  # sign METHOD TARGET BODY
  printf '%s' "$timestamp$1$2$3" | openssl dgst -sha256 -hmac "$secret" -binary | base64
}

${calls(({ method, target, body }) => `sign '${method}' '${target}' '${body}'`)}`,
  },
  {
    title: "JavaScript, in browsers and elsewhere (WebCrypto)",
    language: "js",
    source: `const secret = "${secret}";
const timestamp = "${EXAMPLE_TIMESTAMP}"; // now: String(Date.now())

const utf8 = new TextEncoder();
const algorithm = { name: "HMAC", hash: "SHA-256" };
const key = await crypto.subtle.importKey("raw", utf8.encode(secret), algorithm, false, ["sign"]);

async function sign(method, target, body) {
  const text = utf8.encode(timestamp + method + target + body);
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign("HMAC", key, text))));
}

${calls((example) => javaScriptCall(example, "await "))}`,
  },
  {
    title: "JavaScript, in Node",
    language: "js",
    source: `import { createHmac } from "node:crypto";

const secret = "${secret}";
const timestamp = "${EXAMPLE_TIMESTAMP}"; // now: String(Date.now())

function sign(method, target, body) {
  return createHmac("sha256", secret).update(timestamp + method + target + body).digest("base64");
}

${calls((example) => javaScriptCall(example, ""))}`,
  },
  {
    title: "Python, standard library",
    language: "python",
    source: `import base64, hashlib, hmac

secret = "${secret}"
timestamp = "${EXAMPLE_TIMESTAMP}"  # now: str(time.time_ns() // 1_000_000)

def sign(method, target, body):
    text = timestamp + method + target + body
    digest = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    return base64.b64encode(digest).decode()

${calls(({ method, target, body }) => `print(sign("${method}", "${target}", '${body}'))`)}`,
  },
];

const HEADERS = table(
  ["Header", "Content"],
  [
    [SIGNING_HEADERS.key, "the API key"],
    [SIGNING_HEADERS.sign, "base64 of HMAC-SHA256 over the signed text, under the secret"],
    [SIGNING_HEADERS.timestamp, "Unix time in milliseconds, 13 digits"],
    [SIGNING_HEADERS.passphrase, "the passphrase of the key"],
  ],
);

function codeBlock(language: string, source: string): string {
  return `\`\`\`${language}\n${source}\n\`\`\``;
}

function wholeRequest({ method, target, body, signature }: SignedExample): string {
  const { key, sign, timestamp, passphrase } = SIGNING_HEADERS;
  return codeBlock(
    "http",
    [
      `${method} ${target} HTTP/1.1`,
      "Content-Type: application/json",
      `${key}: ${EXAMPLE_KEY.apiKey}`,
      `${sign}: ${signature}`,
      `${timestamp}: ${EXAMPLE_TIMESTAMP}`,
      `${passphrase}: ${EXAMPLE_KEY.passphrase}`,
      "",
      body,
    ].join("\n"),
  );
}

function workedExamples(): string {
  const texts = SIGNED_EXAMPLES.map((example) => {
    const text = textToSign(EXAMPLE_TIMESTAMP, example.method, example.target, example.body);
    return `${example.title}:\n\n${codeBlock("text", `${text}\n${example.signature}`)}`;
  });
  const [, post] = SIGNED_EXAMPLES;
  const request = post === undefined ? "" : wholeRequest(post);
  return [...texts, `The second one as a complete request:\n\n${request}`].join("\n\n");
}

function programs(): string {
  return SIGNING_PROGRAMS.map(
    ({ title, language, source }) => `**${title}**\n\n${codeBlock(language, source)}`,
  ).join("\n\n");
}

/** As Markdown below a heading. */
export const SIGNING_TEXT = `Every call except the public ones needs four headers. Header names are
not case-sensitive; \`locale\`, which some clients send, is ignored.

${HEADERS}

The signed text is \`timestamp + METHOD + target + body\`, without separators and exactly as sent:
the method in capitals; the path with its query, both percent-encoded; the body byte for byte,
including the body of a DELETE, or nothing if there is none. Sign exactly what you send: a library
that reorders parameters or rewrites JSON after signing breaks the signature.

A private stream signs \`timestamp + ${STREAM_SIGNED_PATHS.v3}\`, for contracts too.

A timestamp is accepted within ${TIMESTAMP_WINDOW_MS / 1000} seconds of the server's clock, either
way; \`GET /api/v3/time\` returns it. A request with a body needs
\`Content-Type: application/json\`.

### Test vectors

The key \`${EXAMPLE_KEY.apiKey}\` has the secret \`${secret}\` and the passphrase
\`${EXAMPLE_KEY.passphrase}\`; the time is ${EXAMPLE_TIMESTAMP}. Each block below has a signed text
and its signature on the next line.

${workedExamples()}

### Programs

Each prints the six signatures above, in the same order.

${programs()}`;
