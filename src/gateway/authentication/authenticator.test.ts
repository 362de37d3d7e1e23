/**
 * Proves that the two-hash signature is HMAC-SHA256 for secrets and texts of every length, that
 * only the one canonical base64 text verifies, and that every changed byte of a request breaks its
 * signature.
 */
import assert from "node:assert/strict";
import { createHmac, createSecretKey } from "node:crypto";
import test from "node:test";
import {
  API_KEY,
  fakeGateway,
  keyRecord,
  PASSPHRASE,
  placeOrderRequest,
  send,
  signedHeaders,
} from "../../../test/support/gateway.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { textToSign } from "../../api/signing.ts";
import { Authenticator, RequestSigner } from "./authenticator.ts";

const random = seededRandom("authentication");

function randomBytes(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.integer(0, 255)));
}

test("the signature is HMAC-SHA256", () => {
  for (let i = 0; i < scaled(2_000); i++) {
    const secret = randomBytes(random.integer(1, 150));
    const head = randomBytes(random.integer(0, 200)).toString("latin1");
    const body = randomBytes(random.pick([0, 1, 150, 16_384, 70_000 * (i === 0 ? 1 : 0)]));
    const signer = new RequestSigner(createSecretKey(secret));
    const expected = createHmac("sha256", secret).update(head, "latin1").update(body);
    const signature = expected.digest("base64");
    assert.equal(signer.sign(head, body), signature);
    assert.equal(signer.verified(signature, head, body), signature);
    assert.equal(signer.verified(`${signature}=`, head, body), null);
    assert.equal(signer.verified(signature.slice(0, 43), head, body), null);
  }
});

test("another spelling of the same base64 is not accepted", () => {
  const signer = new RequestSigner(createSecretKey(Buffer.from("secret")));
  const signature = signer.sign("head", Buffer.alloc(0));
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const last = alphabet.indexOf(signature.charAt(42));
  const twin = `${signature.slice(0, 42)}${alphabet.charAt(last ^ 1)}=`;
  assert.deepEqual(Buffer.from(twin, "base64"), Buffer.from(signature, "base64"));
  assert.equal(signer.verified(twin, "head", Buffer.alloc(0)), null);
});

test("a published example signs as written down", () => {
  const target = "/api/v2/market/ticker?symbol=BTCUSDT_SPBL";
  const text = textToSign("1760000000000", "GET", target, "");
  assert.equal(text, "1760000000000GET/api/v2/market/ticker?symbol=BTCUSDT_SPBL");
  const expected = createHmac("sha256", "s3cr3t").update(text).digest("base64");
  const signer = new RequestSigner(createSecretKey(Buffer.from("s3cr3t")));
  assert.equal(signer.sign(`1760000000000GET${target}`, Buffer.alloc(0)), expected);
});

test("every changed byte of the body and every changed part of the target is noticed", async () => {
  const { app, engine } = fakeGateway();
  const request = placeOrderRequest();
  const headers = signedHeaders(request);
  const body = Buffer.from(String(request.body));
  for (let i = 0; i < body.length; i++) {
    const changed = Buffer.from(body);
    changed[i] = (changed[i] as number) ^ (1 << random.integer(0, 7));
    const response = await app.inject({ ...request, payload: changed, headers });
    assert.equal(response.json().code, "40009", `byte ${i}`);
  }
  for (const url of [`${request.url}?a=1`, "/api/v2/trade/cancel-order"]) {
    const response = await app.inject({ method: "POST", url, payload: body, headers });
    assert.equal(response.json().code, "40009", url);
  }
  assert.equal(engine.calls, 0);
});

test("white space and escapes in a signed body are kept as they were sent", async () => {
  const { app, engine } = fakeGateway();
  const spaced = JSON.stringify(JSON.parse(String(placeOrderRequest().body)), null, 2);
  const escaped = spaced.replace("buy", "\\u0062uy");
  for (const body of [spaced, escaped]) {
    const response = await send(app, { ...placeOrderRequest(), body });
    assert.equal(response.json().code, "00000");
  }
  assert.equal(engine.commands.length, 2);
});

test("a passphrase that was right once does not make another one right", async () => {
  const { app, keys } = fakeGateway();
  const code = async (passphrase: string) => {
    const response = await send(app, placeOrderRequest(), { "access-passphrase": passphrase });
    return response.json().code;
  };
  const sent = ["wrong", PASSPHRASE, "wrong", PASSPHRASE, `${PASSPHRASE} `, PASSPHRASE.slice(1)];
  const codes: string[] = [];
  for (const passphrase of sent) codes.push(await code(passphrase));
  assert.deepEqual(codes, ["40012", "00000", "40012", "00000", "40012", "40012"]);
  keys.set(API_KEY, keyRecord({ passphraseMatches: (passphrase) => passphrase === "new" }));
  assert.deepEqual([await code(PASSPHRASE), await code("new")], ["40012", "00000"]);
});

test("a long passphrase is compared whole, and by characters, not bytes", async () => {
  const { keys } = fakeGateway();
  const clock = { wallMs: () => 0, exchangeMs: () => 0, monotonicMs: () => 0 };
  const alone = new Authenticator({ find: (key) => keys.get(key) ?? null }, clock);
  const identify = (passphrase: string) => {
    const request = { method: "GET", url: "/" } as const;
    const headers = { ...signedHeaders(request), "access-passphrase": passphrase };
    const { method, url: target } = request;
    const sent = { method, target, headers, body: Buffer.alloc(0), address: "" };
    const identity = alone.identify(sent, { anyOf: ["spot"] });
    return identity.ok ? "right" : identity.reason;
  };
  for (const right of ["a", "a".repeat(128), "a".repeat(129), "a".repeat(1_000), "\u0161\ud83d"]) {
    keys.set(API_KEY, keyRecord({ passphraseMatches: (passphrase) => passphrase === right }));
    const wrong = [`${right}a`, right.slice(1), `b${right.slice(1)}`, `\u0161${right.slice(1)}x`];
    // The same low byte as "a".
    if (right !== "\u0161\ud83d") wrong.push(`\u0161${right.slice(1)}`);
    for (const sent of [right, ...wrong, right, ...wrong]) {
      assert.equal(identify(sent), sent === right ? "right" : "wrong-passphrase", sent);
    }
  }
});

test("behind trusted proxies the rightmost untrusted hop is the caller", async () => {
  const { app, keys, engine } = fakeGateway({ trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
  const record = keys.get(API_KEY);
  assert.ok(record !== undefined);
  keys.set(API_KEY, { ...record, ipAllowList: ["192.0.2.0/24", "2001:db8::/32"] });
  const cases: readonly (readonly [forwarded: string | undefined, code: string])[] = [
    ["192.0.2.7", "00000"],
    ["198.51.100.1, 192.0.2.7", "00000"],
    ["192.0.2.7, 10.1.2.3", "00000"],
    ["2001:db8::1", "00000"],
    ["::ffff:192.0.2.9", "00000"],
    ["192.0.2.7, 198.51.100.1", "40018"],
    ["192.0.2.7, garbage", "40018"],
    ["192.0.2.7, ", "40018"],
    ["2001:db9::1", "40018"],
    [undefined, "40018"],
  ];
  for (const [forwarded, code] of cases) {
    const response = await send(app, placeOrderRequest(), { "x-forwarded-for": forwarded });
    assert.equal(response.json().code, code, String(forwarded));
  }
  assert.equal(engine.commands.length, 5);
});

test("X-Forwarded-For of a caller that is no trusted proxy counts for nothing", async () => {
  const { app, keys } = fakeGateway();
  const record = keys.get(API_KEY);
  assert.ok(record !== undefined);
  keys.set(API_KEY, { ...record, ipAllowList: ["192.0.2.7"] });
  const response = await send(app, placeOrderRequest(), { "x-forwarded-for": "192.0.2.7" });
  assert.equal(response.json().code, "40018");
});

test("a malformed proxy range is refused when the gateway is made", () => {
  for (const entry of ["10.0.0.0/33", "10.0.0.0/", "proxy.example", "10.0.0.0/8/8", "::/129"]) {
    assert.throws(() => fakeGateway({ trustedProxies: [entry] }), RangeError, entry);
  }
});
