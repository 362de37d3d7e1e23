/**
 * What anybody may ask of the present and the past, with every filter: the whole answer is compared
 * with the one that the naive exchange and the naive history give, field by field and row by row.
 */
import { isDeepStrictEqual } from "node:util";
import { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import { AFFILIATE_READINGS } from "./affiliate-readings.ts";
import { Breach } from "./breach.ts";
import { CONTRACT_READINGS } from "./contract-readings.ts";
import { DEMO_READINGS } from "./demo-readings.ts";
import { FUNDING_READINGS } from "./funding-readings.ts";
import { LIMITED_PATH } from "./limits.ts";
import type { Product } from "./orders.ts";
import type { Question, Readings } from "./questions.ts";
import { CONTRACT_QUOTE_READINGS, SPOT_QUOTE_READINGS } from "./quote-readings.ts";
import { CONTRACT_RULE_READINGS, SPOT_RULE_READINGS } from "./rule-readings.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { SPOT_READINGS, WALLET_READINGS } from "./spot-readings.ts";
import { checkStep } from "./state-check.ts";
import type { Trader } from "./trader.ts";

/** Of accounts and of some market data. */
const READINGS: Readonly<Record<Product, Readings>> = {
  spot: SPOT_READINGS,
  contract: { ...CONTRACT_READINGS, ...WALLET_READINGS },
};
/** What anybody is told of markets, and accounts under other names. */
const PUBLIC_READINGS: Readonly<Record<Product, Readings>> = {
  spot: { ...SPOT_QUOTE_READINGS, ...SPOT_RULE_READINGS },
  contract: { ...CONTRACT_QUOTE_READINGS, ...CONTRACT_RULE_READINGS, ...DEMO_READINGS },
};
const PUBLIC_PATH = /\/(market|public)\/|\/v3\/(coins|exchangeInfo|apiTradingSymbols)$/;

/**
 * Asks for some of it. Says what differs, or null: whoever calls knows whether something happened
 * meanwhile.
 */
async function findWrongAnswer(
  trader: Trader,
  product: Product,
  targets: readonly string[],
  random: Random,
): Promise<Breach | null> {
  const { exchange, name, uid } = trader;
  const { story } = exchange;
  const { history, naive, timeMs: nowMs, times } = story;
  const { programme } = story.affiliates;
  const known = { uid, naive, history, programme, nowMs, times };
  for (const target of targets) {
    const own = FUNDING_READINGS[target] ?? AFFILIATE_READINGS[target];
    const reading = READINGS[product][target] ?? PUBLIC_READINGS[product][target] ?? own;
    if (reading === undefined) throw new Breach("a reading that no table has", target);
    const question = reading(known, random);
    if (question === null) continue;
    // Whoever finds out how often it may be asked for counts what it has asked itself.
    if (exchange.limits !== null && target === `GET ${LIMITED_PATH}`) continue;
    const { isOfNow = false, sent } = question;
    const askedMs = isOfNow ? await timeOf(exchange) : nowMs;
    const said = await ask(trader, target, sent);
    const answeredMs = isOfNow ? await timeOf(exchange) : nowMs;
    // Between both it may have been any millisecond; whoever had to wait for long knows nothing.
    if (answeredMs - askedMs > MOMENTS_MAX) continue;
    const due = await dueBetween(question, said, askedMs, answeredMs);
    if (isDeepStrictEqual(said, due)) continue;
    const asked = `${name} ${target} ${JSON.stringify(question.sent)}`;
    const detail = `${asked}: ${differenceOf(said, due)}`;
    return new Breach("an answer is what the naive exchange and history give", detail);
  }
  return null;
}

/** Asked and answered within so many milliseconds. */
export const MOMENTS_MAX = 20;

/** Of an exchange to which nobody sends anything meanwhile; time may bring commands of its own. */
export async function checkReadings(
  trader: Trader,
  product: Product,
  count: number,
  /** Of which so many are asked for, each time with other filters. */
  targets: readonly string[] = Object.keys(READINGS[product]),
): Promise<void> {
  const { exchange, uid } = trader;
  const { sequence } = exchange.story;
  const random = new Random(Math.imul(sequence, 0x27d4eb2f) ^ uid ^ exchange.requests);
  const shuffled = random.shuffle([...targets]);
  const some = Array.from({ length: count }, (_, index) => shuffled[index % shuffled.length] ?? "");
  const wrong = await exchange.life.until(findWrongAnswer(trader, product, some, random));
  if (wrong !== null && (await checkStep(exchange)).sequence === sequence) throw wrong;
}

/**
 * One of them asks for what anybody is told. The count of requests stays as it was, as other
 * questions are drawn by it.
 */
export async function checkPublicReadings(
  traders: readonly Trader[],
  products: readonly Product[],
  count: number,
): Promise<void> {
  const { exchange } = traders[0] ?? {};
  if (exchange === undefined) return;
  const { requests, story } = exchange;
  const random = new Random(Math.imul(story.sequence, 0x2c1b3c6d) ^ requests);
  const product = random.pick(products);
  const targets = Object.keys(PUBLIC_READINGS[product]);
  await checkReadings(random.pick(traders), product, count, targets);
  exchange.requests = requests;
}

export async function timeOf(exchange: SimulatedExchange): Promise<number> {
  const path = "/capi/v3/market/time";
  return (await exchange.read<{ readonly serverTime: number }>(null, path)).serverTime;
}

/** What was due at one of some moments, if it was said; else at the last of them. */
export async function dueBetween(
  { due }: Pick<Question, "due">,
  said: unknown,
  fromMs: number,
  toMs: number,
) {
  let last = await due(said, fromMs);
  for (let ms = fromMs + 1; ms <= toMs && !isDeepStrictEqual(said, last); ms++) {
    last = await due(said, ms);
  }
  return last;
}

async function ask(trader: Trader, target: string, sent: Query): Promise<unknown> {
  const { credentials, exchange } = trader;
  const [method = "", path = ""] = target.split(" ");
  const isPublic = PUBLIC_PATH.test(path);
  const said =
    method === "GET"
      ? await exchange.read<unknown>(isPublic ? null : credentials, path, sent)
      : await exchange.readByBody<unknown>(credentials, path, sent);
  const isInside = path.startsWith("/api/v2/") && isObject(said) && "data" in said;
  return isInside ? said.data : said;
}

/** Where both part, in words. */
export function differenceOf(said: unknown, due: unknown, path = "", depth = 0): string {
  const isSame = Array.isArray(said) === Array.isArray(due);
  if (isObject(said) && isObject(due) && isSame && depth < 4) {
    for (const name of new Set([...Object.keys(said), ...Object.keys(due)])) {
      if (isDeepStrictEqual(said[name], due[name])) continue;
      return differenceOf(said[name], due[name], `${path}.${name}`, depth + 1);
    }
  }
  const words = (value: unknown) => JSON.stringify(value)?.slice(0, 600);
  return `${path}: ${words(said)} instead of ${words(due)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
