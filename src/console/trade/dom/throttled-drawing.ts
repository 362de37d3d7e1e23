/**
 * A drawing that is asked for far more often than anybody can read: it happens before a frame, and
 * not before every one, so that a lively market leaves frames to everything else on the page.
 */
import { cancelDraw, scheduleDraw } from "../../data/frame.ts";

/** Every second frame of a usual screen. */
const PACE_MS = 30;

export class ThrottledDrawing {
  readonly #draw: () => void;
  readonly #now: () => number;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(draw: () => void, now: () => number = () => performance.now()) {
    this.#draw = draw;
    this.#now = now;
  }

  /** Draws once, however often it is asked for until then. */
  readonly soon = (): void => scheduleDraw(this.#frame);

  cancel(): void {
    cancelDraw(this.#frame);
  }

  readonly #frame = (): void => {
    const now = this.#now();
    if (now - this.#drawnAt < PACE_MS) {
      this.soon();
      return;
    }
    this.#drawnAt = now;
    this.#draw();
  };
}
