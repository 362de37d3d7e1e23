/** Who takes from the demo's books: mostly the house taker, now and then an invitee. */
import type { EngineClient } from "../protocol/index.ts";
import { demoInvitees } from "./affiliate-seed.ts";
import { TAKER_UID } from "./demo-profile.ts";
import type { SeededRandom } from "./random.ts";

/** Share of takers who are somebody's invitees: commissions keep coming. */
const INVITEE_PROBABILITY = 0.15;

export class Takers {
  readonly #random: SeededRandom;
  readonly #inviteeUids: readonly number[];

  private constructor(random: SeededRandom, inviteeUids: readonly number[]) {
    this.#random = random;
    this.#inviteeUids = inviteeUids;
  }

  /** Invitees with money, unless they are meant to be frozen. */
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
