/**
 * Proves that docs/operating/webhooks.md works as it is printed: its call creates a webhook, what
 * the exchange then sends is what the page shows, and the page's JavaScript and Python accept it,
 * and nothing that was changed or is old.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { ROOT } from "../support/root.ts";
import { lacking } from "../support/tools.ts";
import { waitUntil } from "../support/wait-until.ts";

const run = promisify(execFile);
const PAGE = readFileSync(join(ROOT, "docs/operating/webhooks.md"), "utf8");
const SHELL = { skip: lacking("bash", "curl") };
const MINUTES_MS = 300_000;

function blockOf(language: string): string {
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1] ?? "";
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const received: Sent[] = [];
const server = createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request);
  const headers = request.headers as Record<string, string>;
  received.push({ headers, body: Buffer.concat(chunks).toString() });
  response.end();
});
let secret = "";
let exchange: ExchangeProcess;

before(async () => {
  exchange = await ExchangeProcess.start();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(async () => {
  await exchange.stop();
  server.close();
});

test("the call of the page creates a webhook, and it is told", SHELL, async () => {
  const { port } = server.address() as AddressInfo;
  const script = blockOf("bash")
    .replace("http://127.0.0.1:8081", `http://127.0.0.1:${exchange.operatorPort}`)
    .replace("http://127.0.0.1:9999", `http://127.0.0.1:${port}`);
  const token = readFileSync(join(exchange.dataFolder, "operator.token"), "utf8").trim();
  const env = { ...process.env, RIALTO_OPERATOR_TOKEN: token };
  const { stdout } = await run("bash", ["-eo", "pipefail", "-c", script], { env });
  const created = JSON.parse(stdout) as { webhookId: string; secret: string };
  ({ secret } = created);
  const { operator } = exchange;
  await operator.call("POST", "/operator/v1/users", { uid: 70 });
  const deposit = { id: "deposit-7", account: "spot", asset: "USDT", amount: "50" };
  await operator.call("POST", "/operator/v1/users/70/deposits", deposit);
  await waitUntil("the deposit is told", async () => received.length > 0);
  const { headers, body } = received[0] as Sent;
  const shown = /^\{"webhookId":[\s\S]*?\]\}$/m.exec(blockOf("http"))?.[0] ?? "";
  const { events, venue, ...rest } = JSON.parse(body);
  const [event] = JSON.parse(shown).events;
  const { sequence, time } = events[0];
  assert.deepEqual(rest, { webhookId: created.webhookId, kind: "events" });
  assert.deepEqual(events, [{ ...event, number: 1, sequence, time }]);
  assert.match(venue, /./);
  assert.equal(headers["x-rialto-webhook"], created.webhookId);
});

/** What verifies, and what does not. */
function samples(): readonly (readonly [Sent, boolean])[] {
  const [sent] = received;
  assert.ok(sent);
  const { headers, body } = sent;
  const changed = body.replace("50", "51");
  const time = headers["x-rialto-timestamp"] ?? "";
  return [
    [sent, true],
    [{ headers, body: changed }, false],
    [{ headers: { ...headers, "x-rialto-timestamp": String(Number(time) + 1) }, body }, false],
    [{ headers: { ...headers, "x-rialto-signature": "sha256=" }, body }, false],
  ];
}

test("the page's JavaScript accepts what was sent and nothing else", SHELL, async (t) => {
  const path = join(temporaryFolder(), "verify.mjs");
  writeFileSync(path, blockOf("js"));
  const { verify } = await import(pathToFileURL(path).href);
  for (const [{ headers, body }, isTrue] of samples()) {
    assert.equal(verify(secret, headers, Buffer.from(body)), isTrue);
  }
  const [sent] = received;
  const sentMs = Number(sent?.headers["x-rialto-timestamp"]);
  t.mock.method(Date, "now", () => sentMs + MINUTES_MS);
  assert.equal(verify(secret, sent?.headers, Buffer.from(sent?.body ?? "")), false, "old");
});

const PYTHON = { skip: SHELL.skip || lacking("python3") };
const DRIVER = `
import json, sys
for headers, body in json.load(sys.stdin):
    print(verify(sys.argv[1], headers, body.encode()))
`;

test("the page's Python accepts what was sent and nothing else", PYTHON, async () => {
  const path = join(temporaryFolder(), "verify.py");
  writeFileSync(path, blockOf("python") + DRIVER);
  const running = run("python3", [path, secret]);
  running.child.stdin?.end(JSON.stringify(samples().map(([{ headers, body }]) => [headers, body])));
  const { stdout } = await running;
  assert.deepEqual(stdout.trim().split("\n"), ["True", "False", "False", "False"]);
});
