/**
 * What anybody may ask of the present and the past, with every filter: the whole answer is compared
 * with the one that the naive exchange and the naive history give, field by field and row by row.
 */
import { isDeepStrictEqual } from "node:util";
import { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import { Breach } from "./breach.ts";
import { CONTRACT_READINGS } from "./contract-readings.ts";
import { FUNDING_READINGS } from "./funding-readings.ts";
import type { Product } from "./orders.ts";
import type { Readings } from "./questions.ts";
import { SPOT_READINGS, WALLET_READINGS } from "./spot-readings.ts";
import { checkStep } from "./state-check.ts";
import type { Trader } from "./trader.ts";

const READINGS: Readonly<Record<Product, Readings>> = {
  spot: SPOT_READINGS,
  contract: { ...CONTRACT_READINGS, ...WALLET_READINGS },
};

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
  for (const target of targets) {
    const reading = READINGS[product][target] ?? FUNDING_READINGS[target];
    const question = reading?.({ uid, naive, history, nowMs, times }, random) ?? null;
    if (question === null) continue;
    const said = await ask(trader, target, question.sent);
    const due = question.due(said);
    if (isDeepStrictEqual(said, due)) continue;
    const asked = `${name} ${target} ${JSON.stringify(question.sent)}`;
    const detail = `${asked}: ${differenceOf(said, due)}`;
    return new Breach("an answer is what the naive exchange and history give", detail);
  }
  return null;
}

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

async function ask(trader: Trader, target: string, sent: Query): Promise<unknown> {
  const { credentials, exchange } = trader;
  const [method = "", path = ""] = target.split(" ");
  const isPublic = path.includes("/market/");
  const said =
    method === "GET"
      ? await exchange.read<unknown>(isPublic ? null : credentials, path, sent)
      : await exchange.readByBody<unknown>(credentials, path, sent);
  return path.startsWith("/api/v2/") ? (said as { readonly data: unknown }).data : said;
}

/** Where both part, in words. */
function differenceOf(said: unknown, due: unknown, path = "", depth = 0): string {
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
