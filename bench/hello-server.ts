/**
 * The yardsticks: a bare node:http server that answers a GET with one small JSON, as most published
 * figures of servers are measured, and a POST after reading its JSON body, as an order has one.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  if (request.method === "GET") answer(response, { hello: "world" });
  else readAndAnswer(request, response);
});

function readAndAnswer(request: IncomingMessage, response: ServerResponse): void {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    const { clientOrderId } = JSON.parse(body) as { readonly clientOrderId: string };
    answer(response, { code: "00000", msg: "success", data: { clientOrderId } });
  });
}

function answer(response: ServerResponse, value: object): void {
  const text = JSON.stringify(value);
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(text);
}

// As many connections open at once as the largest run has.
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ event: "ready", port })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
// A benchmark that failed leaves nothing running.
process.on("disconnect", () => process.exit(0));
