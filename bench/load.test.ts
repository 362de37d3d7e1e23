/**
 * Goal: the load generator sends every request once, in closed and in open loop, and recognises
 * answers however they arrive. Method: a server whose answers change in length and head and leave
 * in pieces of random length; what it saw is compared with what was to be sent.
 */
import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import test, { type TestContext } from "node:test";
import { Random } from "../test/support/random.ts";
import { AnswerScanner } from "./http-answers.ts";
import { percentile, runClosedLoop, runOpenLoop } from "./load.ts";

const REQUESTS = 400;
const CONNECTIONS = 7;

const requests = Array.from({ length: REQUESTS }, (_, index) =>
  Buffer.from(`GET /${index} HTTP/1.1\r\nHost: test\r\n\r\n`),
);

/** Every tenth is refused; some have another head. */
function answerTo(index: number): Buffer {
  const body = "x".repeat((index * 37) % 1_500);
  const status = index % 10 === 0 ? "429 Too Many Requests" : "200 OK";
  const extra = index % 7 === 0 ? "Retry-After: 1\r\n" : "";
  const name = index % 3 === 0 ? "content-length" : "Content-Length";
  return Buffer.from(`HTTP/1.1 ${status}\r\n${extra}${name}: ${body.length}\r\n\r\n${body}`);
}

/** Returns its port, and the indexes that it was asked for. */
async function startServer(t: TestContext) {
  const random = new Random(17);
  const seen: number[] = [];
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      const index = Number(/GET \/(\d+)/.exec(bytes.toString("latin1"))?.[1]);
      seen.push(index);
      const answer = answerTo(index);
      const cut = index % 2 === 0 ? answer.length : random.integer(1, answer.length - 1);
      socket.write(answer.subarray(0, cut));
      setImmediate(() => socket.write(answer.subarray(cut)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, seen };
}

for (const [name, run] of [
  ["closed loop", (port: number) => runClosedLoop(port, requests, CONNECTIONS)],
  ["open loop", (port: number) => runOpenLoop(port, requests, CONNECTIONS, 20_000)],
] as const) {
  test(`${name}: every request is sent once and answered`, async (t) => {
    const { port, seen } = await startServer(t);
    const result = await run(port);
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      requests.map((_, index) => index),
    );
    assert.equal(result.refused, REQUESTS / 10);
    assert.ok(result.latenciesMs.every((latency) => latency > 0));
    assert.ok(result.perSecond > 0);
  });
}

test("an answer is whole at its last byte and not before", () => {
  const scanner = new AnswerScanner();
  for (let index = 0; index < REQUESTS; index++) {
    const answer = answerTo(index);
    for (let length = 0; length < answer.length; length += 1 + (index % 13)) {
      assert.equal(scanner.scan(answer, length), false, `${length} of ${answer.length} bytes`);
    }
    assert.equal(scanner.scan(answer, answer.length), true);
    assert.equal(scanner.bytes, answer.length);
    assert.equal(scanner.status, index % 10 === 0 ? 429 : 200);
  }
});

test("a percentile is the value below which that share lies", () => {
  const latencies = Float64Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.equal(percentile(latencies, 0.5), 51);
  assert.equal(percentile(latencies, 0.99), 100);
});
