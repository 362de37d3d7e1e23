/**
 * Bodies whose request was answered before they arrived in full. Node would read them to the end.
 * Here the rest of a short one is skipped and the connection stays open; otherwise the connection
 * closes, but not at once: a client that is still sending would lose the answer (RFC 9112, 9.6).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Scheduler } from "../../platform/index.ts";

/** Far above any valid request. */
const SKIPPED_BYTES_MAX = 256 * 1024;
/** How long, and how much, to read after an answer so that it arrives. */
const LINGER_MS = 1_000;
const LINGER_BYTES_MAX = 256 * 1024;

/** The body length that the head announces; chunked bodies have none. */
function announcedBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers["content-length"] ?? 0);
}

/** To be called before the server listens. */
export function endUnwantedUploads(server: Server, scheduler: Scheduler): void {
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const bytes = announcedBytes(request);
    if (bytes <= SKIPPED_BYTES_MAX) return;
    const isEnding = Number.isFinite(bytes);
    if (isEnding) response.setHeader("Connection", "close");
    // In front of Node's own listener, which reads the rest or closes at once.
    response.prependOnceListener("finish", () => {
      if (!request.complete) linger(request, isEnding, scheduler);
    });
  });
}

function linger(request: IncomingMessage, isEnding: boolean, scheduler: Scheduler): void {
  const { socket } = request;
  let bytesLeft = LINGER_BYTES_MAX;
  const timer = scheduler.after(LINGER_MS, () => socket.destroy());
  socket.once("close", () => timer.cancel());
  // Marks the body as read by us, so that Node does not.
  request.read(0);
  request.on("data", (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    // From here on the sender is throttled, which gives it time to read.
    if (bytesLeft < 0) request.pause();
  });
  if (isEnding) socket.destroySoon = () => socket.end();
  else request.once("end", () => timer.cancel());
}
