/**
 * The files of the operator's token and of the master key are gone, damaged, others, or such that
 * others may read them when the exchange starts. It is refused until they are put right, of a wrong
 * mode by that alone; only a token that is gone is drawn anew, and another one is in force.
 */
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../support/random.ts";
import type { World } from "./aims/world.ts";
import { hold } from "./breach.ts";
import { isLive, isReady } from "./probes.ts";
import { startOrRefusal } from "./put-back-files.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkStep } from "./state-check.ts";

const TOKEN = "operator.token";
const MASTER_KEY = "master.key";
const FATES = ["loose", "loose", "gone", "damaged", "another"] as const;
const OTHERS_MODES = [0o644, 0o640, 0o604, 0o620, 0o602, 0o601, 0o610] as const;
const OWN_MODES = [0o600, 0o400] as const;
const CHECK = "a start takes private files as they are, or is refused";

export async function startWithOtherFiles({ exchange }: World, random: Random): Promise<void> {
  if (!(await isReady(exchange))) return;
  const [key] = exchange.clients;
  const before = exchange.life.running.operatorToken;
  const [file, fate] = [random.pick([TOKEN, MASTER_KEY]), random.pick(FATES)];
  await restarted(exchange);
  const kept = readFileSync(join(exchange.dataFolder, file), "utf8");
  const digits = random.hex(64);
  const another = file === TOKEN ? `${digits}\n` : `1 ${digits}\n`;
  change(join(exchange.dataFolder, file), fate, another, random);
  const isDue = fate === "loose" || fate === "damaged" || file === MASTER_KEY;
  const refusal = await startOrRefusal(exchange);
  const detail = () => `${file} ${fate}: ${refusal}`;
  const saysHow = refusal?.includes("chmod 600") === true;
  hold((refusal !== null) === isDue && saysHow === (fate === "loose"), CHECK, detail);
  if (isDue) {
    await restarted(exchange);
    const path = join(exchange.dataFolder, file);
    if (fate !== "loose") writeFileSync(path, kept, { mode: 0o600 });
    chmodSync(path, random.pick([...OWN_MODES]));
    await exchange.start();
  }
  const { operatorToken } = exchange.life.running;
  const due = isDue ? before : fate === "another" && file === TOKEN ? digits : null;
  const isIts = due === null ? operatorToken !== before : operatorToken === due;
  hold(isIts && isPrivate(exchange), "the token of a start is that of its file", detail);
  await checkStep(exchange);
  const isOpen = key === undefined || (await isLive(exchange, key));
  hold(isOpen, "keys are live with their master key", detail);
}

async function restarted(exchange: SimulatedExchange): Promise<void> {
  await exchange.end({ disk: "kill", history: "kept" });
}

function change(path: string, fate: (typeof FATES)[number], another: string, random: Random) {
  if (fate === "loose") return chmodSync(path, random.pick([...OTHERS_MODES]));
  rmSync(path);
  if (fate === "gone") return;
  const damaged = random.pick(["", another.slice(0, 20), `?${another}`]);
  writeFileSync(path, fate === "another" ? another : damaged, { mode: 0o600 });
}

function isPrivate({ dataFolder }: SimulatedExchange): boolean {
  const modes = [TOKEN, MASTER_KEY].map((file) => statSync(join(dataFolder, file)).mode);
  return modes.every((mode) => (mode & 0o077) === 0);
}
