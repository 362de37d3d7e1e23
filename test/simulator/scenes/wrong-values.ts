/**
 * Requests as they were answered before, but for one value that cannot be: each is refused, and
 * the refusal names the field. Nothing changes, which the naive exchange sees.
 */

import { mayQuery } from "../../support/documented-interface.ts";
import type { Random } from "../../support/random.ts";
import { pathWithQuery, type Query } from "../../support/signed-client.ts";
import { hold } from "../breach.ts";
import type { SentSample } from "../sent-samples.ts";
import type { Outcome } from "../simulated-exchange.ts";
import type { Scene, Stage } from "./stage.ts";

const REQUESTS = 40;
const NOBODY = "NOSUCH";
const OPERATOR = "/operator/v1/";
const REFUSED = new Set([400, 404, 409]);
/** They say nothing about the request: a key may have been revoked since, a proposal waits. */
const UNJUDGED = new Set([202, 401, 403, 429, 503]);
const WRONG_DECIMALS = ["-1", "1e3", "0x1", "1,5", "NaN", "9".repeat(40)];
const WRONG_NUMBERS = [-1, 1.5, 2 ** 53, "x", {}];
/** Which of them a field may have. */
const MAY_BE: Readonly<Record<string, unknown>> = { speed: 1.5, rate: "-1", interestRate: "-1" };
/** Whose words are not those that the command of an order is compared with. */
const SECOND_ORDERS = /^\/api\/v2\/trade\/(batch-)?orders$/;
/** Whose values only look like numbers or words. */
const TEXTS = /memo|label|reason|name|title|id$/i;
const NAMES = /^(symbol|asset|coin|tradeAsset)$/;

type Fields = Readonly<Record<string, unknown>>;

interface WrongRequest {
  readonly sample: SentSample;
  readonly path: string;
  readonly body: Fields | null;
  /** From the outermost: any of them tells which it is. */
  readonly names: readonly string[];
  readonly value: unknown;
}

export const wrongValues: Scene = async (stage) => {
  const { exchange, random } = stage;
  const samples = random.shuffle([...exchange.samples.all]).slice(0, REQUESTS);
  for (const sample of samples) {
    const wrong = wrongOf(sample, random);
    if (wrong === null) continue;
    const outcome = await send(stage, wrong);
    if (outcome === null || UNJUDGED.has(outcome.status)) continue;
    const { names, path, sample: one, value } = wrong;
    const text = JSON.stringify(outcome.body);
    const isNamed = names.some((name) => text.includes(name));
    if (!isNamed && (await isRefusedUnchanged(stage, one, outcome))) continue;
    const isRefused = REFUSED.has(outcome.status) && isNamed;
    hold(isRefused, "what cannot be is refused by its name", () =>
      [one.request.method, path, names, JSON.stringify(value), outcome.status, text].join(" "),
    );
  }
  await stage.look();
};

/** As it was answered before, it may be refused by now: its times may be too far back. */
async function isRefusedUnchanged(
  stage: Stage,
  sample: SentSample,
  { body, status }: NonNullable<Outcome>,
): Promise<boolean> {
  if (!REFUSED.has(status)) return false;
  const { body: sent, path } = sample.request;
  const fields = sent === undefined ? null : (JSON.parse(String(sent)) as Fields);
  const again = await send(stage, { sample, path, body: fields });
  return again?.status === status && JSON.stringify(again.body) === JSON.stringify(body);
}

/** Null for what has no field. */
function wrongOf(sample: SentSample, random: Random): WrongRequest | null {
  const { body, path } = sample.request;
  const [plain = "", query = ""] = path.split("?");
  // Of an unknown market an operator's list has nothing.
  if (SECOND_ORDERS.test(plain) || (sample.to === "operator" && body === undefined)) return null;
  const sent = [...new URLSearchParams(query)];
  const read = sent.filter(([name]) => mayQuery(sample.request, name));
  const present = body === undefined ? Object.fromEntries(read) : JSON.parse(String(body));
  const changed = changedOf(present as Fields, random);
  if (changed === null) return null;
  const { fields, names, value } = changed;
  if (body !== undefined) return { sample, path, body: fields, names, value };
  const target = pathWithQuery(plain, { ...Object.fromEntries(sent), ...fields } as Query);
  return { sample, path: target, body: null, names, value };
}

interface Changed {
  readonly fields: Fields;
  readonly names: readonly string[];
  readonly value: unknown;
}

function changedOf(fields: Fields, random: Random): Changed | null {
  // Each of several in a list is answered for itself.
  const names = Object.keys(fields).filter((name) => !Array.isArray(fields[name]));
  if (names.length === 0) return null;
  const name = random.pick(names);
  const present = fields[name];
  if (typeof present === "object" && present !== null) {
    const within = changedOf(present as Fields, random);
    if (within === null) return null;
    return {
      ...within,
      fields: { ...fields, [name]: within.fields },
      names: [name, ...within.names],
    };
  }
  const value = wrongFor(name, present, random);
  return value === undefined
    ? null
    : { fields: { ...fields, [name]: value }, names: [name], value };
}

/** Undefined where it is not known what could not be. */
function wrongFor(name: string, present: unknown, random: Random): unknown {
  if (TEXTS.test(name)) return undefined;
  if (NAMES.test(name)) return NOBODY;
  const oneOf = (values: readonly unknown[]) =>
    random.pick(values.filter((value) => value !== MAY_BE[name]));
  if (typeof present === "number") return oneOf(WRONG_NUMBERS);
  if (typeof present === "boolean") return random.pick(["maybe", 2]);
  if (typeof present !== "string") return undefined;
  if (/^\d+(\.\d+)?$/.test(present)) return oneOf(WRONG_DECIMALS);
  return /^[A-Z_]+$/.test(present) ? NOBODY : undefined;
}

function send(
  stage: Stage,
  { body, path, sample }: Pick<WrongRequest, "body" | "path" | "sample">,
): Promise<Outcome> {
  const { exchange, traders } = stage;
  const { headers, method } = sample.request;
  if (sample.to === "operator") {
    const inside = path.slice(OPERATOR.length);
    return stage.do(
      exchange.send("operator", exchange.operatorRequest(method, inside, body ?? undefined)),
    );
  }
  const key = headers["ACCESS-KEY"];
  if (key === undefined) return stage.do(exchange.send("public", { method, path, headers: {} }));
  const trader = traders.find(({ credentials }) => credentials.apiKey === key);
  if (trader === undefined) return Promise.resolve(null);
  const text = body === null ? null : JSON.stringify(body);
  const id = body?.newClientOrderId ?? body?.clientAlgoId;
  if (body !== null && typeof id === "string") exchange.story.asked.add(id, body);
  return stage.do(
    exchange.send("public", exchange.signedAs(trader.credentials, method, path, text)),
  );
}
