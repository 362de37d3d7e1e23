/**
 * Which of the methods that the streaming class marks as available beyond those of the REST class
 * are called, on spot markets and on contracts, and which exist for one of the two alone.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import ccxt from "ccxt";
import type { Kind, Traders } from "./ccxt-streams.ts";

/** The class refuses them for the other kind of market. */
const OF_ONE_KIND: Readonly<Record<Kind, readonly string[]>> = {
  spot: ["watchBidsAsks", "unWatchBidsAsks"],
  swap: ["watchPositions", "unWatchPositions"],
};

/** Marked as available by both classes, of use in the streaming one alone. */
const WEBSOCKET_CALLS = ["createMarketOrderWs", "fetchCurrenciesWs"];

/** Flags of kinds of market. */
const FLAGS = ["spot", "swap", "sandbox"];

function available(has: object): string[] {
  const marked = Object.entries(has).filter(([, value]) => value === true || value === "emulated");
  return marked.map(([name]) => name).filter((name) => !FLAGS.includes(name));
}

/** The two runs together leave out nothing: each list is what the other run must call. */
export async function streamCoverageTests(
  t: TestContext,
  { spot, swap }: Readonly<Record<Kind, Traders>>,
): Promise<void> {
  const rest = available(new ccxt.weex().has);
  const all = available(new ccxt.pro.weex().has);
  for (const { kind, called } of [spot, swap]) {
    await t.test(`every ${kind} stream method marked as available was called`, () => {
      const leftOut = OF_ONE_KIND[kind === "spot" ? "swap" : "spot"];
      const wanted = [...all.filter((name) => !rest.includes(name)), ...WEBSOCKET_CALLS];
      for (const name of leftOut) assert.ok(wanted.includes(name), `${name} is not there any more`);
      const missing = wanted.filter((name) => !leftOut.includes(name) && !called.has(name));
      t.diagnostic(`covered (${wanted.length - leftOut.length}): ${wanted.join(" ")}`);
      t.diagnostic(`not of this kind of market: ${leftOut.join(" ")}`);
      assert.deepEqual(missing, []);
    });
  }
  await t.test("its other methods are those of the REST class, which has tests of its own", () => {
    const restMethods = rest.filter((name) => !WEBSOCKET_CALLS.includes(name));
    assert.ok(restMethods.length > 50);
    assert.ok(ccxt.pro.weex.prototype instanceof ccxt.weex);
    for (const name of restMethods) {
      assert.ok(!Object.hasOwn(ccxt.pro.weex.prototype, name), `${name} is another one`);
    }
    assert.deepEqual(
      rest.filter((name) => !all.includes(name)),
      [],
    );
  });
}
