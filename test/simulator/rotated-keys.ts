/**
 * A new master key while the exchange is stopped. A rotation may end behind each of its steps, or
 * where the store takes no writes, and is run again behind some of them: every API key lives on.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { rotateMasterKey } from "../../src/keys/index.ts";
import type { Random } from "../support/random.ts";
import type { World } from "./aims/world.ts";
import { hold } from "./breach.ts";
import { isLive, isReady } from "./probes.ts";
import { checkStep } from "./state-check.ts";

const KEY_STORE_FILE = "keys.db";
const TIMES_MAX = 3;
const STEPS = ["added", "resealed", "dropped"] as const;
const KEYS_MAX = 3;
const FULL = "database or disk is full";
/** A ring that so many rotations have left unfinished takes no other key. */
const MANY = "more than 16 versions";
const NO_WRITES =
  "CREATE TRIGGER no_writes BEFORE DELETE ON api_keys " +
  `BEGIN SELECT RAISE(ABORT, '${FULL}'); END`;

/** The process of a rotation ends there. */
class Ended extends Error {}

export async function startWithNewMasterKey(
  { exchange, traders }: World,
  random: Random,
): Promise<void> {
  if (!(await isReady(exchange))) return;
  const known = [...exchange.clients, ...traders.map(({ credentials }) => credentials)];
  const live = [];
  for (const key of random.shuffle(known).slice(0, KEYS_MAX)) {
    if (await isLive(exchange, key)) live.push(key);
  }
  await exchange.end({ disk: "kill", history: "kept" });
  const ends: string[] = [];
  for (let times = random.integer(1, TIMES_MAX); times > 0; times--) {
    ends.push(rotate(exchange.dataFolder, random));
  }
  await exchange.start();
  await checkStep(exchange);
  for (const key of live) {
    hold(await isLive(exchange, key), "keys live on behind a new master key", () => String(ends));
  }
}

/** How it ended. */
function rotate(dataFolder: string, random: Random): string {
  const end = random.pick([...STEPS, "unwritable"]);
  const randomness = { bytes: (count: number) => Buffer.from(random.hex(2 * count), "hex") };
  const store = new DatabaseSync(join(dataFolder, KEY_STORE_FILE));
  try {
    if (end === "unwritable") store.exec(NO_WRITES);
    const onStep = (step: string): void => {
      if (step === end) throw new Ended(step);
    };
    rotateMasterKey(dataFolder, null, onStep, randomness);
    return "whole";
  } catch (error) {
    const said = String(error);
    if (!(error instanceof Ended) && !said.includes(FULL) && !said.includes(MANY)) throw error;
    return end;
  } finally {
    store.exec("DROP TRIGGER IF EXISTS no_writes");
    store.close();
  }
}
