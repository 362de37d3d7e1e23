/** The wall clock of a machine, which somebody sets forward and back, or which stands still. */
export class WallClock {
  /** It once showed less than it had shown before. */
  wasSetBack = false;
  #skewMs = 0;
  #behindMs = 0;
  #stalledAtMs: number | null = null;

  /** What it shows now; timers may be due between two of its milliseconds. */
  at(worldMs: number): number {
    return this.#stalledAtMs ?? Math.floor(worldMs) + this.#skewMs;
  }

  /** How far it is behind where it was. */
  get behindMs(): number {
    return this.#behindMs;
  }

  step(ms: number): void {
    this.wasSetBack ||= ms < 0;
    this.#skewMs += ms;
    this.#behindMs = Math.max(0, this.#behindMs - ms);
  }

  /** It stands still until it goes on, behind the world's. */
  stall(isStalled: boolean, worldMs: number): void {
    if (isStalled) this.#stalledAtMs ??= this.at(worldMs);
    else if (this.#stalledAtMs !== null) {
      const stalledAtMs = this.#stalledAtMs;
      this.#stalledAtMs = null;
      this.#skewMs += stalledAtMs - this.at(worldMs);
    }
  }
}
