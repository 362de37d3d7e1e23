/** What happens to a whole market: a crash, a halt, a funding, a stale index, the end of it. */
import {
  accept,
  formatDecimal,
  PRODUCTS,
  parseSignedDecimal,
  RATE_SCALE,
  reject,
} from "../../../domain/index.ts";
import type { CommandOf } from "../../../protocol/index.ts";
import type { Outcome } from "../outcome.ts";
import { movingMarket, stepTo } from "../price-steps.ts";
import { type ContractMoment, priceText, type Scene } from "./scene.ts";

/** How deep a crash goes, and by how many prices it gets there. */
const CRASH_SHARE = 0.1;
const CRASH_STEPS = 5;
/** Of a contract whose index never is. */
const INDEX_STALE_MS = 60_000;
/** The last samples of a spot market stand for so long. */
const SPOT_SAMPLES_MS = 20_000;

/** The price falls by a tenth and comes back. */
export async function crash(scene: Scene): Promise<Outcome<null>> {
  const { symbol, actor, request } = scene;
  const found = await movingMarket(scene.trading, symbol, request.product, actor);
  if (!found.ok) return found;
  const { market, fromTicks } = found.value;
  if (fromTicks === 0) {
    return reject("conflict", "symbol", `${symbol} has no price yet: set one first`);
  }
  const bottom = Math.max(1, Math.round(fromTicks * (1 - CRASH_SHARE)));
  for (const [start, end] of [
    [fromTicks, bottom],
    [bottom, fromTicks],
  ] as const) {
    for (let step = 1; step <= CRASH_STEPS; step++) {
      const ticks = Math.max(1, Math.round(start + ((end - start) * step) / CRASH_STEPS));
      const stepped = await stepTo(scene.trading, market, ticks, actor);
      if (!stepped.ok) return stepped;
    }
    const [from, to] = [start, end].map((ticks) => priceText(market.rules, ticks));
    const went = start > end ? "fell" : "recovered";
    scene.did.push(
      `${symbol} (${market.rules.product}) ${went} from ${from} to ${to} in ${CRASH_STEPS} ` +
        "trades, which filled the orders in between",
    );
  }
  if (market.follower !== null) scene.did.push("the contract's index followed");
  return accept(null);
}

/** No orders, no cancels and no liquidations, on spot and contracts. */
export async function halt(scene: Scene): Promise<Outcome<null>> {
  return await setStates(scene, "halted", "is halted: it accepts no orders and no cancels");
}

export async function setStates(
  scene: Scene,
  state: "cancel-only" | "halted",
  says: string,
): Promise<Outcome<null>> {
  const { symbol, actor, request } = scene;
  let changed = 0;
  for (const product of PRODUCTS) {
    if (request.product !== null && request.product !== product) continue;
    const type = `set-${product}-market-state` as const;
    const set = await scene.engine.execute<typeof type>({ type, actor, symbol, state });
    if (!set.ok && "reason" in set && set.reason === "unknown-symbol") continue;
    if (!set.ok) return set;
    changed++;
    scene.did.push(`${symbol} (${product}) ${says}`);
  }
  return changed > 0 ? accept(null) : reject("unknown-symbol", "symbol");
}

/** The next funding is at the contract's cap, against the user if there is one, and now. */
export async function spikeFunding(scene: Scene): Promise<Outcome<null>> {
  const { symbol, actor, request } = scene;
  const contract = await scene.contract();
  if (!contract.ok) return contract;
  const { market, prices } = contract.value;
  if (prices.markPrice === "0") return reject("no-mark-price", "symbol");
  const positions = request.uid === null ? null : await scene.positions();
  if (positions !== null && !positions.ok) return positions;
  const paysShort = positions?.value[0]?.side === "SHORT";
  const cap = parseSignedDecimal(market.fundingRateCap, RATE_SCALE);
  const rateE8 = typeof cap === "bigint" ? cap : 0n;
  const rate = formatDecimal(paysShort ? -rateE8 : rateE8, RATE_SCALE);
  const before = positions === null ? "" : await scene.wallet(market.marginAsset);
  const set = await scene.engine.execute({ type: "set-funding-rate", actor, symbol, rate });
  if (!set.ok) return set;
  const forward = await scene.setForward(prices.nextFundingMs);
  if (!forward.ok) return forward;
  const slot = new Date(prices.nextFundingMs).toISOString();
  scene.did.push(
    `the next funding rate of ${symbol} was set to ${rate}, the contract's cap`,
    `exchange time was set forward to the funding at ${slot}: ` +
      `${paysShort ? "shorts paid longs" : "longs paid shorts"}`,
  );
  if (positions !== null) {
    const after = await scene.wallet(market.marginAsset);
    const { marginAsset } = market;
    const wallet = `the contract wallet of uid ${request.uid}`;
    scene.did.push(`${wallet} went from ${before} to ${after} ${marginAsset}`);
  }
  return accept(null);
}

/** Nobody gives the index a price for longer than it may be old. */
export async function staleIndex(scene: Scene): Promise<Outcome<null>> {
  const contract = await scene.contract();
  if (!contract.ok) return contract;
  const { market, prices } = contract.value;
  if (prices.indexPrice === "0") {
    return reject("conflict", "symbol", `${scene.symbol} has no index yet`);
  }
  if (prices.isPinned) {
    const unpinned = await scene.pin(null);
    if (!unpinned.ok) return unpinned;
    scene.did.push("the mark price was unpinned: a pinned one is never stale");
  }
  const limited = await limitAge(scene, contract.value);
  if (!limited.ok) return limited;
  if (market.indexSource.startsWith("spot:")) {
    const state = "cancel-only";
    const { actor, symbol } = scene;
    const set = await scene.engine.execute({ type: "set-spot-market-state", actor, symbol, state });
    if (!set.ok) return set;
    scene.did.push(`${symbol} (spot) is cancel-only and no longer feeds the index`);
  }
  const status = await scene.engine.query({ type: "status" });
  if (!status.ok) return status;
  const ms = limited.value + SPOT_SAMPLES_MS;
  const forward = await scene.setForward(status.timestampMs + ms);
  if (!forward.ok) return forward;
  scene.did.push(`exchange time was set forward by ${ms / 1_000} seconds without an index price`);
  const after = await scene.contract();
  if (!after.ok) return after;
  if (!after.value.prices.isStale) {
    return reject("conflict", "symbol", "the index got a price in the meantime");
  }
  scene.did.push(
    `the index of ${scene.symbol} is stale: no opening, no liquidations until its next price`,
  );
  return accept(null);
}

/** How old the index may be; one that is never stale gets a limit. */
async function limitAge(scene: Scene, { market }: ContractMoment): Promise<Outcome<number>> {
  if (market.indexStaleMs > 0) return accept(market.indexStaleMs);
  const { quoteScale: _scale, indexSource: _source, indexAgeMs: _age, ...rules } = market;
  const command: CommandOf<"set-contract-market"> = {
    type: "set-contract-market",
    actor: scene.actor,
    ...rules,
    indexStaleMs: INDEX_STALE_MS,
  };
  const set = await scene.engine.execute(command);
  if (!set.ok) return set;
  scene.did.push(`indexStaleMs of ${scene.symbol} was set to ${INDEX_STALE_MS}`);
  return accept(INDEX_STALE_MS);
}
