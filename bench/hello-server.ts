/** The baseline: a bare node:http server that reads a JSON body and answers with a small one. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    const { clientOrderId } = JSON.parse(body) as { readonly clientOrderId: string };
    const answer = JSON.stringify({ code: "00000", msg: "success", data: { clientOrderId } });
    response.setHeader("Content-Type", "application/json");
    response.setHeader("Content-Length", Buffer.byteLength(answer));
    response.end(answer);
  });
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ event: "ready", port })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
