/**
 * Answers of the engine that come later than its events: with threads of gateways both have a ring
 * of their own, so that a stream may hear of a change while it waits for a state of before it.
 */
import { Sequencer } from "../../src/app/sequencer.ts";
import type { SimulatedTime } from "../support/simulated-machine.ts";
// Refusals come as late.
import "./busy.ts";

interface Lateness {
  /** Of the event loop; the same for all, as answers keep their order. */
  readonly turns: number;
  readonly time: () => SimulatedTime;
}

let lateness: Lateness | null = null;

/** Of the exchange that runs in this process from now on; null for at once. */
export function answerLate(by: Lateness | null): void {
  lateness = by;
}

const submit = Sequencer.prototype.submit;
Sequencer.prototype.submit = function (bytes, answered) {
  if (lateness === null || lateness.turns === 0) {
    submit.call(this, bytes, answered);
    return;
  }
  const { turns } = lateness;
  const time = lateness.time();
  submit.call(this, bytes, (answer) => {
    const kept = answer.slice();
    inTurns(time, turns, () => answered(kept));
  });
};

function inTurns(time: SimulatedTime, turns: number, run: () => void): void {
  if (turns === 0) run();
  else time.soon(() => inTurns(time, turns - 1, run));
}
