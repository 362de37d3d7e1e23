/**
 * Subscribers that use as little processor time as possible: raw sockets that make their handshake,
 * subscribe, and discard what arrives. Frames are recognised by their headers alone. Reports its
 * counts over the channel of its process.
 */
import { connect, type Socket } from "node:net";
import { clientFrame, frameSize, handshake } from "./frames.ts";

const [portText, countText, extensions] = process.argv.slice(2);
/** The channels of a trading bot. */
const CHANNELS = ["ticker", "depth15", "trade", "bookTicker"].map((name) => `BTCUSDT@${name}`);
const OPENING_AT_ONCE = 50;

export interface SinkCount {
  readonly bytes: number;
  readonly frames: number;
  /** Sockets that the exchange closed. */
  readonly ended: number;
}

const counted = { bytes: 0, frames: 0, ended: 0 };
// Data is processed before the next read, so one buffer is enough for all sockets.
const shared = Buffer.allocUnsafeSlow(256 * 1024);

const HANDSHAKE = handshake("/v3/ws/public", extensions);
const SUBSCRIPTION = clientFrame(JSON.stringify({ method: "SUBSCRIBE", params: CHANNELS, id: 1 }));

class Subscriber {
  readonly #onFrame: () => void;
  /** Bytes of the current frame still to come. */
  #bodyBytes = 0;
  #head = Buffer.alloc(0);

  constructor(onFrame: () => void) {
    this.#onFrame = onFrame;
  }

  take(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      const skipped = Math.min(this.#bodyBytes, rest.length);
      this.#bodyBytes -= skipped;
      rest = rest.subarray(skipped);
      if (rest.length === 0) return;
      const head = this.#head.length === 0 ? rest : Buffer.concat([this.#head, rest]);
      const size = frameSize(head);
      if (size === null) {
        this.#head = Buffer.from(head);
        return;
      }
      rest = head.subarray(size.head);
      this.#head = Buffer.alloc(0);
      this.#bodyBytes = size.body;
      counted.frames++;
      this.#onFrame();
    }
  }
}

/** Resolves with the response to the subscription. */
function open(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscriber = new Subscriber(resolve);
    let isOpen = false;
    const socket: Socket = connect({
      port,
      host: "127.0.0.1",
      onread: {
        buffer: shared,
        callback: (length, buffer) => {
          counted.bytes += length;
          const bytes = (buffer as Buffer).subarray(0, length);
          if (isOpen) subscriber.take(bytes);
          else {
            isOpen = bytes.includes("\r\n\r\n");
            socket.write(SUBSCRIPTION);
          }
          return true;
        },
      },
    });
    socket.setNoDelay(true);
    socket.once("connect", () => socket.write(HANDSHAKE));
    socket.once("error", reject);
    socket.once("close", () => counted.ended++);
  });
}

const left = Array.from({ length: Number(countText) }, () => Number(portText));
while (left.length > 0) await Promise.all(left.splice(0, OPENING_AT_ONCE).map(open));

process.on("message", () => process.send?.(counted satisfies SinkCount));
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
