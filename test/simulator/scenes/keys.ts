/**
 * A user who has as many keys as anybody may have: one more is refused, until one is revoked. It
 * stays so over every start, however the exchange has come to know of the keys.
 */
import { hold } from "../breach.ts";
import { operate } from "../operate.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { AgainBehindStarts } from "./again-behind-starts.ts";
import type { Scene, Stage } from "./stage.ts";

const KEYS_MAX = 100;
const TRIES_MAX = 4;

interface Listed {
  readonly items: readonly { readonly apiKey: string }[];
}

interface Holder {
  readonly uid: number;
  keys: string[];
  /** The machine may stop before it answers: a key that is made, or the one that is revoked. */
  asked: "one more" | { readonly revoked: string } | null;
}

export const oneMoreKey = new AgainBehindStarts(make);

export const keys: Scene = async (stage) => {
  const { exchange, random } = stage;
  const holder = oneMoreKey.of(exchange) ?? (await newHolder(exchange));
  for (let count = random.integer(1, TRIES_MAX); count > 0; count--) {
    if (random.chance(0.4)) await revoke(stage, holder);
    else await oneMoreKey.attempt(exchange);
  }
  while (holder.keys.length < KEYS_MAX) await oneMoreKey.attempt(exchange);
  await oneMoreKey.attempt(exchange);
  if (random.chance(0.8)) await stage.operate("POST", "snapshots", {});
};

async function newHolder(exchange: SimulatedExchange): Promise<Holder> {
  const { uid } = await exchange.operator<{ readonly uid: number }>("POST", "users", {});
  return oneMoreKey.keep(exchange, { uid, keys: [], asked: null });
}

async function make(exchange: SimulatedExchange, holder: Holder): Promise<void> {
  await learn(exchange, holder);
  const { keys: held, uid } = holder;
  const terms = { label: "one of many", permissions: ["read"], passphrase: "passphrase" };
  const path = `users/${uid}/api-keys`;
  holder.asked = "one more";
  const key = await exchange.life.until(operate(exchange, "POST", path, terms));
  holder.asked = null;
  const isMade = key !== null;
  const said = () => `${held.length} keys of ${uid}, and one more: ${isMade}`;
  hold(isMade === held.length < KEYS_MAX, "a user has as many keys as it may", said);
  if (isMade) held.push((key as { readonly apiKey: string }).apiKey);
}

async function revoke({ exchange, random }: Stage, holder: Holder): Promise<void> {
  await learn(exchange, holder);
  const { keys: held } = holder;
  if (held.length === 0) return;
  const [key = ""] = held.splice(random.integer(0, held.length - 1), 1);
  holder.asked = { revoked: key };
  await exchange.operator("DELETE", `api-keys/${key}`);
  holder.asked = null;
}

/** Whether what was not answered has happened; nothing else has. */
async function learn(exchange: SimulatedExchange, holder: Holder): Promise<void> {
  const { asked, keys: held, uid } = holder;
  if (asked === null) return;
  const path = `users/${uid}/api-keys?limit=1000`;
  const { items } = await exchange.life.until(exchange.readOperator<Listed>(path));
  const keys = items.map(({ apiKey }) => apiKey);
  const more = keys.filter((key) => !held.includes(key));
  const mayBeMore = (key: string) => asked === "one more" || key === asked.revoked;
  const isKept = keys.length === held.length + more.length && keys.length <= KEYS_MAX;
  const isRight = isKept && more.length <= 1 && more.every(mayBeMore);
  const said = () => `${held.length} of ${uid}, perhaps ${JSON.stringify(asked)}: ${more}`;
  hold(isRight, "an unanswered key is there or not", said);
  holder.keys = keys;
  holder.asked = null;
}
