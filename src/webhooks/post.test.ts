/**
 * Proves where requests of webhooks may go, and that one always ends: only public addresses and
 * this machine unless allowed, whatever a name resolves to; errors of TLS, of connections and of
 * names are outcomes.
 */
import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { NODE_PLATFORM } from "../platform/index.ts";
import { createPost, type PostOutcome } from "./post.ts";
import { isPublicAddress, type WebhookTargets } from "./targets.ts";

const server = createServer((_, response) => response.end());
let port = 0;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

/** Every other name is this machine's, as an attacker's name would be. */
function lookup(
  name: string,
  _: object,
  answer: (error: Error | null, addresses: LookupAddress[]) => void,
): void {
  if (name.endsWith(".invalid")) answer(new Error("ENOTFOUND"), []);
  else answer(null, [{ address: "127.0.0.1", family: 4 }]);
}

function post(url: string, targets: WebhookTargets = "public", signal = new AbortController()) {
  const send = createPost(targets, NODE_PLATFORM, { lookup });
  return send({ url, headers: {}, body: "{}", signal: signal.signal });
}

function errorOf(outcome: PostOutcome): string {
  assert.ok("error" in outcome, JSON.stringify(outcome));
  return outcome.error;
}

test("addresses that are not public, in every notation of theirs", () => {
  const notPublic = [
    ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1"],
    ...["172.31.255.255", "192.0.0.1", "192.168.1.1", "198.18.0.1", "224.0.0.1", "240.0.0.1"],
    ...["255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1"],
    ...["::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::a00:1", "2001:db8::1", "2001::1"],
    ...["2002:a00:1::", "3fff::1", "localhost", ""],
  ];
  for (const address of notPublic) assert.equal(isPublicAddress(address), false, address);
  const isPublic = ["8.8.8.8", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"];
  for (const address of isPublic) assert.equal(isPublicAddress(address), true, address);
});

test("this machine is reached by its own names alone", async () => {
  assert.deepEqual(await post(`http://127.0.0.1:${port}/`), { status: 200 });
  assert.deepEqual(await post(`http://localhost:${port}/`), { status: 200 });
  const named = `http://example.com:${port}/`;
  assert.match(errorOf(await post(named)), /not public/);
  assert.deepEqual(await post(named, "any"), { status: 200 });
  assert.match(errorOf(await post(`https://169.254.169.254:${port}/`)), /not a public address/);
});

test("what fails below HTTP is an outcome", async () => {
  const noTls = errorOf(await post(`https://127.0.0.1:${port}/`));
  assert.match(noTls, /SSL|EPROTO|TLS/i);
  assert.match(errorOf(await post("http://127.0.0.1:1/")), /ECONNREFUSED/);
  assert.match(errorOf(await post("https://nothing.invalid/")), /ENOTFOUND/);
  const stopped = new AbortController();
  stopped.abort();
  assert.equal(errorOf(await post(`http://127.0.0.1:${port}/`, "public", stopped)), "stopped");
});
