/** Limits how often a busy market redraws, so that frames are left for the rest of the page. */
import { cancelDraw, scheduleDraw } from "../../data/frame.ts";

/** About every second frame at 60 Hz. */
const INTERVAL_MS = 30;

export class ThrottledDrawing {
  readonly #draw: () => void;
  readonly #now: () => number;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(draw: () => void, now: () => number = () => performance.now()) {
    this.#draw = draw;
    this.#now = now;
  }

  /** Schedules one draw, however often it is called. */
  readonly soon = (): void => scheduleDraw(this.#frame);

  cancel(): void {
    cancelDraw(this.#frame);
  }

  readonly #frame = (): void => {
    const now = this.#now();
    if (now - this.#drawnAt < INTERVAL_MS) {
      this.soon();
      return;
    }
    this.#drawnAt = now;
    this.#draw();
  };
}
