/** Who takes from the demo's books: mostly the house taker, sometimes an invitee. */
import type { EngineClient } from "../protocol/index.ts";
import { demoInvitees } from "./affiliate-seed.ts";
import { TAKER_UID } from "./demo-profile.ts";
import type { SeededRandom } from "./random.ts";

/** Share of takers that are invitees, so that commissions keep accruing. */
const INVITEE_PROBABILITY = 0.15;

export class Takers {
  readonly #random: SeededRandom;
  readonly #inviteeUids: readonly number[];

  private constructor(random: SeededRandom, inviteeUids: readonly number[]) {
    this.#random = random;
    this.#inviteeUids = inviteeUids;
  }

  /** Invitees with funds, except those that the profile freezes. */
  static async find(engine: EngineClient, random: SeededRandom): Promise<Takers> {
    const invitees = await demoInvitees(engine);
    const able = invitees.filter(
      ({ spotFunds, frozenAfterwards }) => spotFunds !== "0" && !frozenAfterwards,
    );
    return new Takers(
      random,
      able.map(({ uid }) => uid),
    );
  }

  draw(): number {
    if (this.#random.next() >= INVITEE_PROBABILITY) return TAKER_UID;
    const index = Math.floor(this.#random.next() * this.#inviteeUids.length);
    return this.#inviteeUids[index] ?? TAKER_UID;
  }
}
