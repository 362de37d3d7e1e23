/**
 * Proves that what a browser signs as subprotocols arrives as the four headers, whatever their
 * values, that browsers accept every subprotocol, and that a foreign header, or one that repeats a
 * value, is not a signature.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { SIGNING_HEADERS } from "./signing.ts";
import { fromStreamProtocols, STREAM_PROTOCOL, toStreamProtocols } from "./stream-protocols.ts";

/** A token as defined in RFC 9110; browsers throw on anything else. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

test("headers come through as they were", () => {
  // Base64 of every length and with every character of its alphabet.
  for (let bytes = 1; bytes <= 64; bytes++) {
    const headers = {
      [SIGNING_HEADERS.key]: "rialto_0123456789abcdef0123456789abcdef",
      [SIGNING_HEADERS.sign]: randomBytes(bytes).toString("base64"),
      [SIGNING_HEADERS.timestamp]: "1795324953276",
      [SIGNING_HEADERS.passphrase]: "Correct7.horse_-",
    };
    const protocols = toStreamProtocols(headers);
    for (const protocol of protocols) assert.match(protocol, TOKEN);
    assert.equal(new Set(protocols).size, protocols.length);
    const expected = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    assert.deepEqual(fromStreamProtocols(protocols.join(", ")), Object.fromEntries(expected));
    assert.deepEqual(fromStreamProtocols(protocols.join(",")), Object.fromEntries(expected));
  }
});

test("what is missing stays missing; what is not ours is nothing", () => {
  assert.deepEqual(fromStreamProtocols(`${STREAM_PROTOCOL}, key.a`), { "access-key": "a" });
  assert.deepEqual(fromStreamProtocols(STREAM_PROTOCOL), {});
  assert.equal(fromStreamProtocols("key.a, sign.b"), null);
  assert.equal(fromStreamProtocols(""), null);
  assert.equal(fromStreamProtocols(`${STREAM_PROTOCOL}, key.a, key.b`), null);
});
