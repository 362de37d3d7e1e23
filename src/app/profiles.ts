/** What a new exchange starts with. Seeding is idempotent: a second start adds nothing. */
import { invariant } from "../domain/index.ts";
import type { Randomness } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { type DemoAccount, type DemoKeys, seedDemo } from "../sandbox/index.ts";
import type { Config } from "./config.ts";

const ACTOR = "profile";

/** The assets that every exchange has; the operator adds others. */
const FIRST_ASSETS = [
  { asset: "BTC", coinId: 1, name: "Bitcoin", scale: 8 },
  { asset: "USDT", coinId: 2, name: "Tether USD", scale: 8 },
] as const;

/**
 * Returns the accounts with printed keys; none in the empty profile. Calls `demoPast` before
 * any keys exist.
 */
export async function seedProfile(
  config: Config,
  engine: EngineClient,
  keys: DemoKeys,
  demoPast: () => Promise<void>,
  randomness: Randomness,
): Promise<readonly DemoAccount[]> {
  const listed = await engine.query({ type: "assets" });
  invariant(listed.ok, "a starting engine answers");
  for (const asset of FIRST_ASSETS) {
    if (listed.value.some((present) => present.asset === asset.asset)) continue;
    const set = await engine.execute({ type: "set-asset", actor: ACTOR, ...asset });
    invariant(set.ok, `${asset.asset} can be listed in an empty venue`);
  }
  if (config.profile !== "demo") return [];
  return await seedDemo(engine, keys, config.dataFolder, demoPast, randomness);
}
