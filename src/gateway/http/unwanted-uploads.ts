/**
 * Bodies that nobody reads any more because the request was answered before they were all there.
 * Node would read them to their end, however long that is. Here what little is left of a short one
 * is skipped and the connection goes on; otherwise the connection ends, but not at once: whoever
 * still sends would lose the answer together with the connection (RFC 9112, 9.6).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** No request may be nearly as long: a longer one is refused whatever it asks. */
const SKIPPED_BYTES_MAX = 256 * 1024;
/** For how long, and how much, is read behind an answer so that it arrives. */
const LINGER_MS = 1_000;
const LINGER_BYTES_MAX = 256 * 1024;

/** What a head says of its body; chunks do not say. */
function announcedBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers["content-length"] ?? 0);
}

/** To be called before the server listens. */
export function endUnwantedUploads(server: Server): void {
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const bytes = announcedBytes(request);
    if (bytes <= SKIPPED_BYTES_MAX) return;
    const isEnding = Number.isFinite(bytes);
    if (isEnding) response.setHeader("Connection", "close");
    // In front of Node's own listener, which reads the rest or closes at once.
    response.prependOnceListener("finish", () => {
      if (!request.complete) linger(request, isEnding);
    });
  });
}

function linger(request: IncomingMessage, isEnding: boolean): void {
  const { socket } = request;
  let bytesLeft = LINGER_BYTES_MAX;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
  // Marks the body as read by us, so that Node does not.
  request.read(0);
  request.on("data", (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    // The sender is held up from here on, which gives it time to read.
    if (bytesLeft < 0) request.pause();
  });
  if (isEnding) socket.destroySoon = () => socket.end();
  else request.once("end", () => clearTimeout(timer));
}
