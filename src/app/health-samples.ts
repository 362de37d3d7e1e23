/**
 * How the process did: a sample every five seconds, for half an hour, in memory. A page that is
 * opened now has a past to show, also where nobody collects metrics.
 */
import type { HealthSample } from "../operator/index.ts";
import type { Clock, Scheduler, Timer } from "../platform/index.ts";

const PERIOD_MS = 5_000;
const SAMPLES_MAX = 360;

interface Sources {
  readonly gauges: {
    readonly durableSequence: () => number;
    readonly queueDepth: () => number;
    readonly historyLag: () => number;
    readonly historyBacklogBytes: () => number;
  };
  /** Commits up to each bound since the start, and in all. */
  readonly commits: () => readonly number[];
  /** The metrics of all gateways, as text. */
  readonly traffic: () => Promise<string>;
}

export class HealthSamples {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #sources: Sources;
  #samples: readonly HealthSample[] = [];
  #timer: Timer | null = null;

  constructor(clock: Clock, sources: Sources) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.#sources = sources;
  }

  /** Oldest first. */
  get samples(): readonly HealthSample[] {
    return this.#samples;
  }

  start(scheduler: Scheduler): void {
    const take = (): void => {
      // Without gateways, which are closing, there is nothing to sample.
      this.#take().catch(() => undefined);
    };
    this.#timer = scheduler.every(PERIOD_MS, take);
    take();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  async #take(): Promise<void> {
    const { gauges, commits, traffic } = this.#sources;
    const text = await traffic();
    const sample = {
      timeMs: Math.round(this.#clock.wallMs()),
      uptimeMs: Math.round(this.#clock.monotonicMs() - this.#startedMs),
      sequence: gauges.durableSequence(),
      requests: sumOf(text, "rialto_request_seconds_count"),
      commits: commits(),
      queueDepth: gauges.queueDepth(),
      historyLag: gauges.historyLag(),
      historyBacklogBytes: gauges.historyBacklogBytes(),
      streamConnections: sumOf(text, "rialto_stream_connections"),
      residentBytes: process.memoryUsage.rss(),
    };
    this.#samples = [...this.#samples.slice(1 - SAMPLES_MAX), sample];
  }
}

/** Over all labels of a name. */
function sumOf(text: string, name: string): number {
  let sum = 0;
  const lines = new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm");
  for (const [, value] of text.matchAll(lines)) sum += Number(value);
  return sum;
}
