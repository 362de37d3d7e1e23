/**
 * Proves on real sockets that bodies which nobody wants are not read on: the refusal arrives, the
 * connection ends after a bounded number of bytes whatever its sender does, on every kind of path
 * and with chunks too, and little that was left is skipped without ending anything.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import test from "node:test";
import { placeOrderRequest, serve, signedHeaders } from "../../../test/support/gateway.ts";

/** What may stand in the buffers of both ends beside what is read. */
const TAKEN_BYTES_MAX = 64 * 1024 * 1024;
const BLOCK = Buffer.alloc(64 * 1024, "x");
const CHUNK = Buffer.concat([Buffer.from("10000\r\n"), BLOCK, Buffer.from("\r\n")]);
const FORMS = [
  ["a length", "Content-Length: 1000000000000", BLOCK],
  ["chunks", "Transfer-Encoding: chunked", CHUNK],
] as const;

function head(path: string, ...headers: readonly string[]): string {
  const all = ["Host: x", "Content-Type: application/json", ...headers];
  return `POST ${path} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n`;
}

/** Its end, with or without an error. */
function closeOf(socket: Socket): Promise<void> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Sends without end until the server ends the connection. */
async function uploadTo(port: number, path: string, header: string, block: Buffer) {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  const ended = closeOf(socket);
  socket.write(head(path, header));
  const send = (): void => {
    while (!socket.destroyed && socket.bytesWritten < 2 * TAKEN_BYTES_MAX) {
      if (socket.write(block)) continue;
      socket.once("drain", send);
      return;
    }
  };
  send();
  await ended;
  return { received, taken: socket.bytesWritten - socket.writableLength };
}

for (const [form, header, block] of FORMS) {
  test(`an upload with ${form} ends behind its refusal`, async (t) => {
    const { port } = await serve(t);
    for (const [path, status] of [
      ["/api/v3/order", 401],
      ["/nothing", 404],
      ["/docs/", 405],
      ["/api/v3/ping", 405],
    ] as const) {
      const { received, taken } = await uploadTo(port, path, header, block);
      assert.ok(received.startsWith(`HTTP/1.1 ${status} `), `${path}: ${received}`);
      assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1, path);
      assert.ok(taken < TAKEN_BYTES_MAX, `${path}: ${taken} bytes`);
    }
  });
}

test("an upload that is too large only by its chunks ends behind its refusal", async (t) => {
  const { port } = await serve(t);
  const request = placeOrderRequest();
  const { "content-type": _, ...headers } = signedHeaders(request);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const form = ["Transfer-Encoding: chunked", ...lines].join("\r\n");
  const { received, taken } = await uploadTo(port, request.url, form, CHUNK);
  assert.match(received, /^HTTP\/1\.1 400 [\s\S]*"code":"40017"/);
  assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1);
  assert.ok(taken < TAKEN_BYTES_MAX, `${taken} bytes`);
});

test("who sends more than may be and then reads gets the answer", async (t) => {
  const { port } = await serve(t);
  const body = Buffer.alloc(400_000, "x");
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.write(head("/api/v3/order", `Content-Length: ${body.length}`));
  // Far more than one packet, and all of it before a byte is read.
  await new Promise((resolve) => socket.write(body.subarray(0, 300_000), resolve));
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  socket.resume();
  await closeOf(socket);
  assert.ok(received.startsWith("HTTP/1.1 401 "), received);
  assert.match(received, /\r\nConnection: close\r\n/i);
});

test("the rest of a short body is skipped, with chunks too", async (t) => {
  const { port } = await serve(t);
  const last = "GET /api/v3/ping HTTP/1.1\r\nConnection: close\r\n\r\n";
  const rest = "x".repeat(100_000);
  for (const bytes of [
    [head("/api/v3/order", `Content-Length: ${rest.length}`), rest],
    [
      head("/api/v3/order", "Transfer-Encoding: chunked"),
      `${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`,
    ],
  ] as const) {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.write(bytes[0]);
    // The refusal comes before the body.
    const [first] = (await once(socket, "data")) as [Buffer];
    received += first.toString("latin1");
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.end(bytes[1] + last);
    await closeOf(socket);
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.deepEqual(statuses, ["401", "200"]);
  }
});
