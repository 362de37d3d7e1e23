/**
 * Goal: a body is read whole and once, however it arrives and whoever takes it when. Method: a
 * server reads random bodies, sent with a length or in chunks, in random packets, several requests
 * on one connection, and answers with their bytes; readers begin at once or after a part arrived.
 */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import test, { type TestContext } from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { BODY_BYTES_MAX, GatewayMessage, readBody } from "./request-body.ts";

const random = seededRandom("gateway/request-body");

/** Answers each request with what its reader was told, in the order of the requests. */
async function serveBodies(t: TestContext): Promise<{ server: Server; port: number }> {
  const server = createServer({ IncomingMessage: GatewayMessage }, (request, response) => {
    const told: string[] = [];
    const tell = (text: string): void => {
      told.push(text);
      // Once a turn later, so that a second call would be seen.
      if (told.length === 1) setImmediate(() => response.end(`<${told.join(" ")}>`));
    };
    const read = (): void =>
      readBody(request, {
        bodyRead: (body) => tell(hash("sha256", body)),
        bodyTooLarge: () => tell("too large"),
      });
    if (request.headers["x-late"] === undefined) read();
    else setImmediate(read);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

function inChunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const chunk = body.subarray(at, at + random.integer(1, 5_000));
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
    at += chunk.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

function requestOf(body: Buffer): Buffer {
  const isChunked = random.chance(0.4);
  const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`;
  const late = random.chance(0.4) ? "X-Late: 1\r\n" : "";
  const head = Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\n${late}${framing}\r\n\r\n`);
  return Buffer.concat([head, isChunked ? inChunks(body) : body]);
}

function bodyLength(): number {
  const kind = random.integer(0, 3);
  if (kind === 0) return random.integer(1, 300);
  if (kind === 1) return random.integer(BODY_BYTES_MAX - 2, BODY_BYTES_MAX + 2);
  return random.integer(1, kind === 2 ? BODY_BYTES_MAX : 4 * BODY_BYTES_MAX);
}

/** All answers of a connection that sends these bytes in random packets. */
async function answersTo(port: number, bytes: Buffer, count: number): Promise<string[]> {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  let received = "";
  socket.on("data", (data) => {
    received += data.toString("latin1");
  });
  for (let at = 0; at < bytes.length; ) {
    const length = random.integer(1, random.chance(0.5) ? 2_000 : 60_000);
    socket.write(bytes.subarray(at, at + length));
    at += length;
    if (random.chance(0.7)) await new Promise((resolve) => setImmediate(resolve));
  }
  const answers = () => [...received.matchAll(/<([^>]*)>/g)].map(([, answer]) => answer ?? "");
  while (answers().length < count) await new Promise((resolve) => socket.once("data", resolve));
  socket.destroy();
  return answers();
}

test("bodies are read whole and once, and the connection goes on", async (t) => {
  const { port } = await serveBodies(t);
  for (let round = 0; round < scaled(60); round++) {
    const bodies = Array.from({ length: random.integer(1, 6) }, () => {
      return Buffer.from(Array.from({ length: bodyLength() }, () => random.integer(0, 255)));
    });
    const expected = bodies.map((body) =>
      body.length > BODY_BYTES_MAX ? "too large" : hash("sha256", body),
    );
    const sent = Buffer.concat(bodies.map(requestOf));
    assert.deepEqual(await answersTo(port, sent, bodies.length), expected);
  }
});

test("a body that never ends is neither read nor too large", async (t) => {
  const { server, port } = await serveBodies(t);
  const begun = new Promise<IncomingMessage>((resolve) => server.once("request", resolve));
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (data) => {
    received += data.toString("latin1");
  });
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  const request = await begun;
  const closed = new Promise((resolve) => request.once("close", resolve));
  socket.destroy();
  await closed;
  assert.deepEqual([received, request.complete], ["", false]);
});
