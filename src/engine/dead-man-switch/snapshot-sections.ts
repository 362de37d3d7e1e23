/** Dead-man switches in the state's canonical form; absent where none counts down. */
import { PRODUCTS } from "../../domain/index.ts";
import { choice, flag, nullable, record, text, uint } from "../../protocol/index.ts";
import { section } from "../snapshot-section.ts";

const switchRow = record(60, "dead-man-switch", {
  uid: uint,
  product: choice(PRODUCTS),
  symbol: nullable(text),
  countdownMs: uint,
  firesAtMs: uint,
  isHeld: flag,
});

const progressRow = record(61, "dead-man-progress", { firedAtMs: uint });

const SWITCHES = section({
  name: "dead-man-switches",
  codec: switchRow,
  optional: true,
  *rowsOf({ deadManSwitches }) {
    for (const { place: _, ...terms } of deadManSwitches.all()) {
      yield { type: "dead-man-switch", ...terms } as const;
    }
  },
  restore({ deadManSwitches }, { type: _, ...terms }) {
    deadManSwitches.set(terms);
  },
});

const PROGRESS = section({
  name: "dead-man-progress",
  codec: progressRow,
  optional: true,
  *rowsOf({ deadManSwitches: { firedAtMs } }) {
    if (firedAtMs !== 0) yield { type: "dead-man-progress", firedAtMs } as const;
  },
  restore({ deadManSwitches }, { firedAtMs }) {
    deadManSwitches.firedAtMs = firedAtMs;
  },
});

export const DEAD_MAN_SECTIONS = [SWITCHES, PROGRESS] as const;
