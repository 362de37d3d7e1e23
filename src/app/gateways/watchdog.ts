/**
 * Watches threads that have to give a sign of life several times a second. One that is silent is
 * reported, and one that stays silent ends the process: its clients would wait for ever. A machine
 * that was suspended, or is so busy that the watchdog itself is late, proves nothing.
 */

/** What is watched counts on as long as it lives, from its first sign of life on. */
export interface Watched {
  readonly name: string;
  readonly beats: number;
}

export interface WatchdogOptions {
  readonly watched: readonly Watched[];
  readonly monotonicMs: () => number;
  /** Told once for each silence. */
  readonly onSilent: (name: string, silentMs: number) => void;
  /** Told once: it is not coming back. */
  readonly onDead: (name: string, silentMs: number) => void;
}

/** How often `look` is to be called. */
export const LOOK_EVERY_MS = 500;
const SILENT_MS = 2_000;
const DEAD_MS = 30_000;
/** A look that comes later than this says that the watchdog's own thread stood still. */
const PUNCTUAL_MS = 2 * LOOK_EVERY_MS;

interface Seen {
  readonly watched: Watched;
  beats: number;
  atMs: number;
  isReported: boolean;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #seen: readonly Seen[];
  #lookedMs: number;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    const nowMs = options.monotonicMs();
    this.#lookedMs = nowMs;
    this.#seen = options.watched.map((watched) => {
      return { watched, beats: watched.beats, atMs: nowMs, isReported: false };
    });
  }

  look(): void {
    const nowMs = this.#options.monotonicMs();
    const wasPunctual = nowMs - this.#lookedMs <= PUNCTUAL_MS;
    this.#lookedMs = nowMs;
    for (const seen of this.#seen) {
      const { beats } = seen.watched;
      if (beats !== seen.beats || beats === 0 || !wasPunctual) {
        seen.beats = beats;
        seen.atMs = nowMs;
        seen.isReported = false;
      } else this.#judge(seen, nowMs - seen.atMs);
    }
  }

  #judge(seen: Seen, silentMs: number): void {
    const { onDead, onSilent } = this.#options;
    const { name } = seen.watched;
    if (silentMs >= DEAD_MS) onDead(name, silentMs);
    else if (silentMs >= SILENT_MS && !seen.isReported) {
      seen.isReported = true;
      onSilent(name, silentMs);
    }
  }
}
