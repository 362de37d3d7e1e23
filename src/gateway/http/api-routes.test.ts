/**
 * Goal: it makes no difference whether a call is found in the table or through Fastify. Method:
 * each route is asked on a socket as it is spelled in the table and in spellings that only Fastify
 * knows; and by methods that it lacks. A gateway that closes says so on its last answers.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test from "node:test";
import { serve } from "../../../test/support/gateway.ts";
import { pathsOf, ROUTES } from "../../api/routes.ts";
import { reject } from "../../domain/index.ts";

/** The answers to requests on one connection, without what differs from request to request. */
async function answersTo(port: number, requests: readonly string[]): Promise<string[]> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (data) => {
    received += data.toString("latin1");
  });
  const close = "Connection: close\r\n";
  const sent = requests.map((line, i) => {
    return `${line} HTTP/1.1\r\nHost: x\r\n${i === requests.length - 1 ? close : ""}\r\n`;
  });
  socket.write(sent.join(""));
  await once(socket, "close");
  return received
    .replaceAll(/^(Date|Connection|Keep-Alive): .*\r\n/gm, "")
    .split("HTTP/1.1 ")
    .slice(1);
}

test("every spelling of a path gets the same answer", async (t) => {
  const { port, answered, engine } = await serve(t);
  engine.answer = () => reject("unknown-symbol");
  for (const route of ROUTES) {
    for (const path of pathsOf(route)) {
      const { method } = route;
      const encoded = path.replace(/[a-z](?=[^/]*$)/, (letter) => {
        return `%${letter.charCodeAt(0).toString(16)}`;
      });
      answered.length = 0;
      const [plain, ...others] = await answersTo(port, [
        `${method} ${path}`,
        `${method} ${encoded}`,
        `${method} http://x${path}`,
        `${method} ${path}#fragment`,
        `${method} ${path}?`,
      ]);
      assert.equal(others.length, 4, path);
      for (const other of others) assert.equal(other, plain, path);
      assert.deepEqual(new Set(answered.map(([id]) => id)), new Set([route.id]));
    }
  }
});

test("a method that a path lacks and a path that is nearly one are not found", async (t) => {
  const { port, answered } = await serve(t);
  const lines = ["HEAD /api/v3/ping", "OPTIONS /api/v3/ping", "POST /api/v3/ping"];
  for (const line of [...lines, "GET /api/v3/ping/", "GET /api/v3//ping", "GET /API/v3/ping"]) {
    const [answer = ""] = await answersTo(port, [line]);
    assert.match(answer, /^40[45] /, line);
  }
  assert.deepEqual(new Set(answered.map(([id]) => id)), new Set(["none"]));
});

test("a gateway that closes tells its clients", async (t) => {
  const { app, engine, port } = await serve(t);
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (data) => {
    received += data.toString("latin1");
  });
  const ping = "GET /api/v3/ping HTTP/1.1\r\nHost: x\r\n";
  // It keeps the connection open until the request is whole.
  socket.write(`${ping}\r\n${ping}`);
  await once(socket, "data");
  const closed = app.close();
  await new Promise((resolve) => setImmediate(resolve));
  socket.write("\r\n");
  const answers = () => received.split("HTTP/1.1 ").slice(1);
  while (answers().length < 2) await once(socket, "data");
  socket.destroy();
  await closed;
  const [first = "", last = ""] = answers();
  assert.match(first, /^200 OK\r\n[\s\S]*Connection: keep-alive\r\n/);
  assert.match(last, /^200 OK\r\n[\s\S]*Connection: close\r\n/);
  assert.equal(engine.calls, 0);
});
