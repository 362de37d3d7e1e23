/** Questions of an operator at an audit: the whole answer is compared. */
import { isDeepStrictEqual } from "node:util";
import { Random } from "../support/random.ts";
import { Breach } from "./breach.ts";
import { COMMISSION_READINGS } from "./commission-readings.ts";
import type { OperatorQuestion } from "./operator-questions.ts";
import { ACCOUNT_READINGS } from "./operator-readings.ts";
import { differenceOf, dueBetween, MOMENTS_MAX, timeOf } from "./readings.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkStep } from "./state-check.ts";

/** Of an exchange to which nobody sends anything meanwhile; time may bring commands of its own. */
export async function askAsOperator(exchange: SimulatedExchange, count: number): Promise<void> {
  const { affiliates, sequence } = exchange.story;
  const random = new Random(Math.imul(sequence, 0x165667b1) ^ exchange.requests);
  const some = random.shuffle([...ACCOUNTS]).slice(0, count);
  const isOfAffiliates = affiliates.programme.rows.size > 0;
  const others = isOfAffiliates ? random.shuffle(Object.values(COMMISSION_READINGS)) : [];
  const wrong = await exchange.life.until(
    findWrong(exchange, [...some, ...others.slice(0, count)], random),
  );
  if (wrong !== null && (await checkStep(exchange)).sequence === sequence) throw wrong;
}

/** One question; of an exchange as above. */
export async function askOperator(exchange: SimulatedExchange, reading: Reading): Promise<void> {
  const { sequence } = exchange.story;
  const wrong = await exchange.life.until(findWrong(exchange, [reading], new Random(0)));
  if (wrong !== null && (await checkStep(exchange)).sequence === sequence) throw wrong;
}

/** A search of the log has the most filters. */
const ACCOUNTS = Object.entries(ACCOUNT_READINGS).flatMap(([name, reading]) => {
  return name === "auditSearch" ? [reading, reading] : [reading];
});

type Reading = (typeof ACCOUNT_READINGS)[string];

async function findWrong(
  exchange: SimulatedExchange,
  readings: readonly Reading[],
  random: Random,
): Promise<Breach | null> {
  const { affiliates, history, keys, naive, timeMs: nowMs, times } = exchange.story;
  const { programme } = affiliates;
  for (const reading of readings) {
    const question = reading({ uid: 0, naive, history, programme, keys, nowMs, times }, random);
    if (question === null) continue;
    const { isOfNow = false } = question;
    const askedMs = isOfNow ? await timeOf(exchange) : nowMs;
    const said = await answerOf(exchange, question);
    const answeredMs = isOfNow ? await timeOf(exchange) : nowMs;
    if (answeredMs - askedMs > MOMENTS_MAX) continue;
    const due = await dueBetween(question, said, askedMs, answeredMs);
    if (isDeepStrictEqual(said, due)) continue;
    const asked = `${question.path} ${JSON.stringify(question.body ?? {})}`;
    return new Breach(
      "an operator is told what the naive exchange and history give",
      `${asked}: ${differenceOf(said, due)}`,
    );
  }
  return null;
}

/** Once the history is not too busy. */
export async function answerOf(
  exchange: SimulatedExchange,
  { body, path }: Pick<OperatorQuestion, "body" | "path">,
) {
  if (body === undefined) return await exchange.readOperator<unknown>(path);
  for (;;) {
    const request = exchange.operatorRequest("POST", path, body);
    const answer = await exchange.send("operator", request);
    if (answer?.status === 200) return answer.body;
    if (answer?.status === 503) continue;
    throw new Breach("operator API", `POST ${path}: ${JSON.stringify([body, answer])}`);
  }
}
