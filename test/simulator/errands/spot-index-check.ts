/** What is told of a contract whose index comes from spot, while nobody sends anything. */
import type { Random } from "../../support/random.ts";
import type { World } from "../aims/world.ts";
import { hold } from "../breach.ts";
import { checkReadings } from "../readings.ts";
import { readTime } from "../sandbox-clock.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { unlessTimePasses } from "../undisturbed.ts";
import { INDEXED_SYMBOL } from "./spot-index.ts";

const READINGS = ["GET /capi/v3/market/premiumIndex", "GET /capi/v3/account/position/allPosition"];
const SECOND_MS = 1_000;
/** So many samples keep an index alive. */
const SAMPLES_MIN = 8;

interface Source {
  readonly indexSource: string;
  readonly indexAgeMs: number | null;
}

export async function checkSpotIndex(world: World, random: Random): Promise<void> {
  const { exchange, traders } = world;
  if (!exchange.story.naive.contracts.has(INDEXED_SYMBOL)) return;
  await checkReadings(random.pick([...traders]), "contract", READINGS.length, READINGS);
  await unlessTimePasses(exchange, () => checkSource(exchange));
}

/** Where the index is from and how old it is, at any moment between asking and being told. */
async function checkSource(exchange: SimulatedExchange): Promise<void> {
  const { naive, timeMs } = exchange.story;
  const market = naive.contracts.get(INDEXED_SYMBOL);
  if (market === undefined) return;
  const from = await readTime(exchange);
  const said = await exchange.readOperator<Source>(`markets/contract/${INDEXED_SYMBOL}`);
  const until = await readTime(exchange);
  const { indexMs, indexPrice, indexSource, spotMids } = market;
  const source = indexSource === "operator" ? "operator" : `spot:${INDEXED_SYMBOL}`;
  const isSampled = spotMids.at(-1)?.ms === secondOf(timeMs) && spotMids.length >= SAMPLES_MIN;
  const ageAt = (nowMs: number) => {
    if (indexPrice === 0n) return null;
    return nowMs - (isSampled && indexSource === "spot" ? secondOf(nowMs) : indexMs);
  };
  const moments = Array.from({ length: until - from + 1 }, (_, index) => from + index);
  const isInTime = moments.some((nowMs) => ageAt(nowMs) === said.indexAgeMs);
  const detail = () => `${JSON.stringify(said)} instead of ${source} ${ageAt(from)}`;
  hold(said.indexSource === source, "an operator is told what the naive exchange has", detail);
  hold(isInTime, "an operator is told what the naive exchange has", detail);
}

function secondOf(ms: number): number {
  return ms - (ms % SECOND_MS);
}
