/**
 * Proves that every compressed message inflates on its own to the original, that each is compressed
 * once, and that only those offers are accepted under which the same bytes suit every client.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { inflateRawSync } from "node:zlib";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { compressed, offersCompression } from "./compression.ts";

const random = seededRandom("streams/compression");

test("a message inflates to itself, whatever came before it", () => {
  for (let round = 0; round < scaled(200); round++) {
    const trades = Array.from({ length: random.integer(0, 300) }, () => random.integer(0, 1e9));
    const message = Buffer.from(JSON.stringify({ d: trades }));
    const bytes = compressed(message);
    assert.equal(compressed(message), bytes, "the same bytes for everybody");
    if (message.length < 1024) {
      assert.equal(bytes, message);
      continue;
    }
    assert.ok(bytes.length < message.length);
    // RFC 7692, 7.2.2: the receiver restores the four bytes that the sender left out.
    const flushed = Buffer.concat([bytes, Buffer.from([0x00, 0x00, 0xff, 0xff])]);
    assert.deepEqual(inflateRawSync(flushed, { finishFlush: 2 }), message);
  }
});

test("offers", () => {
  const taken = [
    "permessage-deflate",
    "permessage-deflate; client_max_window_bits",
    "permessage-deflate;client_max_window_bits=15",
    "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
  ];
  for (const offer of taken) assert.equal(offersCompression(offer), true, offer);
  const left = [
    undefined,
    "",
    "x-webkit-deflate-frame",
    // They ask for a smaller window than ours.
    "permessage-deflate; server_max_window_bits=10",
    "permessage-deflate; server_max_window_bits=10, permessage-deflate",
    "permessage-deflate; client_max_window_bits=7",
    "permessage-deflate; client_max_window_bits=16",
    "permessage-deflate; client_max_window_bits; client_max_window_bits=9",
    "permessage-deflate; unknown",
    "permessage-deflate=1",
  ];
  for (const offer of left) assert.equal(offersCompression(offer), false, String(offer));
});
