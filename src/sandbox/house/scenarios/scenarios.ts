/** The scenarios by name. */
import type { Outcome } from "../outcome.ts";
import { deleverage } from "./deleveraging.ts";
import { delist } from "./delisting.ts";
import { liquidate, liquidatePartly } from "./liquidations.ts";
import { crash, halt, spikeFunding, staleIndex } from "./market-scenarios.ts";
import type { Scene } from "./scene.ts";

export interface Scenario {
  /** Whether it is about a user's position. */
  readonly needsUser: boolean;
  play(scene: Scene): Promise<Outcome<null>>;
}

export const SCENARIOS = {
  liquidate: { needsUser: true, play: liquidate },
  "partial-liquidation": { needsUser: true, play: liquidatePartly },
  adl: { needsUser: true, play: deleverage },
  "funding-spike": { needsUser: false, play: spikeFunding },
  "flash-crash": { needsUser: false, play: crash },
  halt: { needsUser: false, play: halt },
  "index-stale": { needsUser: false, play: staleIndex },
  delist: { needsUser: false, play: delist },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
