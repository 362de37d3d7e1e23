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

interface Holder {
  readonly uid: number;
  readonly keys: string[];
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
  return oneMoreKey.keep(exchange, { uid, keys: [] });
}

async function make(exchange: SimulatedExchange, { keys: held, uid }: Holder): Promise<void> {
  const terms = { label: "one of many", permissions: ["read"], passphrase: "passphrase" };
  const path = `users/${uid}/api-keys`;
  const key = await exchange.life.until(operate(exchange, "POST", path, terms));
  const isMade = key !== null;
  const said = () => `${held.length} keys of ${uid}, and one more: ${isMade}`;
  hold(isMade === held.length < KEYS_MAX, "a user has as many keys as it may", said);
  if (isMade) held.push((key as { readonly apiKey: string }).apiKey);
}

async function revoke({ exchange, random }: Stage, { keys: held }: Holder): Promise<void> {
  if (held.length === 0) return;
  const [key] = held.splice(random.integer(0, held.length - 1), 1);
  await exchange.operator("DELETE", `api-keys/${key}`);
}
