/**
 * Proves that an address may try so many tokens, one after the other or at once, and has to wait
 * then; that the memory of wrong tokens is bounded, that the address that was quiet for longest is
 * forgotten first, and that the log has a limited number of lines per minute and says how many it
 * left out.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { OperatorFixture, TOKEN } from "../../test/support/operator-fixture.ts";
import { ADDRESSES_MAX, WrongTokens } from "./wrong-tokens.ts";

let operator: OperatorFixture;
before(() => {
  operator = new OperatorFixture();
});
after(() => operator.close());

test("too many wrong tokens of an address make it wait, and nobody else", async () => {
  const ask = async (token: string | null, remoteAddress: string): Promise<number | string> => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const request = { url: "/operator/v1/status", remoteAddress, headers };
    const { statusCode, headers: answered } = await operator.app.inject(request);
    return statusCode === 429 ? `wait ${answered["retry-after"]}` : statusCode;
  };
  operator.nowMs += 3_600_000;
  const guesser = "192.0.2.66";
  for (let i = 0; i < 30; i++) assert.equal(await ask(null, guesser), 401, "no token is no guess");
  for (let i = 0; i < 10; i++) assert.equal(await ask(`guess-${i}`, guesser), 401);
  assert.equal(await ask("guess", guesser), "wait 6");
  assert.equal(await ask(TOKEN, guesser), "wait 6", "the right one would tell it that it is right");
  assert.equal(await ask(TOKEN, "192.0.2.67"), 200);
  assert.equal(await ask("guess", "192.0.2.67"), 401);
  operator.nowMs += 5_000;
  assert.equal(await ask("guess", guesser), "wait 1", "asking while it waits costs nothing more");
  operator.nowMs += 1_000;
  assert.equal(await ask(TOKEN, guesser), 200);
  assert.equal(await ask("guess", guesser), 401);
  assert.equal(await ask("guess", guesser), "wait 6");
  const lines = operator.logged.filter((line) => line.includes(guesser));
  assert.ok(lines.length > 10 && lines.every((line) => !/guess-|Bearer/.test(line)));
});

test("wrong tokens that come at once are counted one by one", async () => {
  const ask = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    const request = { url: "/operator/v1/status", remoteAddress: "192.0.2.68", headers };
    return (await operator.app.inject(request)).statusCode;
  };
  operator.nowMs += 3_600_000;
  const path = "/operator/v1/operators";
  const added = { name: "eve", role: "viewer" };
  const { token } = await operator.call<{ token: string }>("POST", path, added);
  const right = await Promise.all(Array.from({ length: 30 }, () => ask(token)));
  assert.ok(right.every((status) => status === 200));
  const wrong = Array.from({ length: 30 }, () => ask(`eve.viewer.${"0".repeat(64)}`));
  const last = ask(token);
  const counts = Object.groupBy(await Promise.all(wrong), String);
  assert.deepEqual([counts["401"]?.length, counts["429"]?.length], [10, 20]);
  assert.equal(await last, 429, "the right one among them is not told apart");
});

function wrongTokens(): { readonly wrong: WrongTokens; readonly lines: [object, string][] } {
  const lines: [object, string][] = [];
  const warn = (fields: object, message: string) => void lines.push([fields, message]);
  return { wrong: new WrongTokens({ info: warn, warn, error: warn }), lines };
}

test("an address that goes on is remembered, however many others there are", () => {
  const { wrong } = wrongTokens();
  for (let i = 0; i < 10; i++) wrong.note("first", 0);
  for (let i = 0; i < 3 * ADDRESSES_MAX; i++) {
    wrong.note(`address-${i}`, 0);
    if (i % 1_000 === 0) wrong.note("first", 0);
    assert.ok(wrong.addresses <= ADDRESSES_MAX);
  }
  assert.ok(wrong.waitMs("first", 0) > 0);
  assert.equal(wrong.waitMs("address-0", 0), 0);
});

test("the log has so many lines a minute, and then the number of those left out", () => {
  const { wrong, lines } = wrongTokens();
  for (let i = 0; i < 100; i++) wrong.note(`address-${i}`, 1_000);
  wrong.noteThrottled("address-1", 2_000);
  assert.equal(lines.length, 30);
  assert.deepEqual(lines[0], [{ address: "address-0" }, "a wrong operator token"]);
  wrong.note("later", 61_000);
  assert.deepEqual(lines[30], [{ address: "later", unlogged: 71 }, "a wrong operator token"]);
  wrong.note("later", 61_000);
  assert.deepEqual(lines[31]?.[0], { address: "later" });
});
