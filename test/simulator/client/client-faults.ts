/** What happens to the connections and the clock of a client, beside the faults of the exchange. */
import type { Random } from "../../support/random.ts";
import type { RequestFault } from "./client-network.ts";
import type { SimulatedClient } from "./simulated-client.ts";

export const CLIENT_FAULTS = [
  "client-cut",
  "client-half-open",
  "client-delayed",
  "client-doubled",
  "client-clock",
  "client-gap",
] as const;
export type ClientFault = (typeof CLIENT_FAULTS)[number];

const DELAYS_MS = [1, 50, 1_000, 4_000];
const CLOCK_STEPS_MS = [-3_600_000, -31_000, -2_000, 999, 29_000, 90_000];

/** Beside the others, with draws of its own. */
export const REFUSAL = "client-refused";
const REFUSALS_MAX = 6;
/** Of times, those in which nobody answers its next connections either. */
const UNREACHABLE = 0.4;
const UNREACHED_MAX = 4;

/**
 * Its streams end, perhaps with an exchange that it does not reach for some attempts, and some of
 * their channels are refused for a while when they come back.
 */
export function refuse({ network }: SimulatedClient, random: Random): void {
  network.refusals = random.integer(1, REFUSALS_MAX);
  for (const socket of network.sockets) if (random.chance(0.5)) socket.destroy();
  network.unreached = random.chance(UNREACHABLE) ? random.integer(1, UNREACHED_MAX) : 0;
}

/** What becomes of the next requests and of connections. */
export function strike({ machine, network }: SimulatedClient, kind: ClientFault, random: Random) {
  if (kind === "client-clock") {
    machine.skewMs += random.pick(CLOCK_STEPS_MS);
    return;
  }
  if (kind === "client-gap") {
    network.nextChange = random.pick(["lost", "lost", "doubled"] as const);
    return;
  }
  if (kind === "client-half-open" || kind === "client-delayed") network.hasDelayed = true;
  const isMute = random.chance(0.5);
  const fault = (): RequestFault => {
    if (kind === "client-cut") return { cutAfterTurns: random.integer(0, 12) };
    if (kind === "client-doubled") return { isDoubled: true };
    if (kind === "client-delayed") return { delayMs: random.pick(DELAYS_MS) };
    return isMute ? { isMute } : { isDeaf: true };
  };
  // Until a timeout a fast sandbox passes an hour.
  network.breaksHalfOpen = random.chance(0.7);
  // Sometimes all of them, so that the call has no end that anybody knows.
  const count = random.pick([0, 1, 1, 2, 4]);
  network.faults = Array.from({ length: count }, fault);
  for (const socket of network.sockets) {
    if (!random.chance(0.5)) continue;
    if (kind === "client-cut") socket.destroy();
    else if (kind === "client-delayed") socket.delayMs = random.pick(DELAYS_MS);
    else if (kind === "client-half-open") {
      socket.isDeaf = true;
      socket.isMute = isMute;
    }
  }
}
