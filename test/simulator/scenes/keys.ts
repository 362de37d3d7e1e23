/**
 * A user who has as many keys as anybody may have: one more is refused, until one is revoked. It
 * stays so over every start, however the exchange has come to know of the keys.
 */
import { hold } from "../breach.ts";
import { operate } from "../operate.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Scene, Stage } from "./stage.ts";

const KEYS_MAX = 100;
const TRIES_MAX = 4;

interface Holder {
  readonly uid: number;
  readonly keys: string[];
  /** Behind which it was tried last. */
  restarts: number;
}

/** Of an exchange, from the first time on. */
const HOLDERS = new WeakMap<SimulatedExchange, Holder>();

export const keys: Scene = async (stage) => {
  const { exchange, random } = stage;
  const holder = HOLDERS.get(exchange) ?? (await newHolder(exchange));
  for (let count = random.integer(1, TRIES_MAX); count > 0; count--) {
    if (random.chance(0.4)) await revoke(stage, holder);
    else await make(exchange, holder);
  }
  while (holder.keys.length < KEYS_MAX) await make(exchange, holder);
  await make(exchange, holder);
  if (random.chance(0.8)) await stage.operate("POST", "snapshots", {});
};

/** Whether the exchange has such a user, and has started since somebody tried. */
export function isUntried(exchange: SimulatedExchange): boolean {
  const holder = HOLDERS.get(exchange);
  return holder !== undefined && holder.restarts !== exchange.restarts;
}

export async function tryOneMore(exchange: SimulatedExchange): Promise<void> {
  const holder = HOLDERS.get(exchange);
  if (holder !== undefined) await make(exchange, holder);
}

async function newHolder(exchange: SimulatedExchange): Promise<Holder> {
  const { uid } = await exchange.operator<{ readonly uid: number }>("POST", "users", {});
  const holder = { uid, keys: [], restarts: exchange.restarts };
  HOLDERS.set(exchange, holder);
  return holder;
}

async function make(exchange: SimulatedExchange, holder: Holder): Promise<void> {
  const { keys: held, uid } = holder;
  holder.restarts = exchange.restarts;
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
