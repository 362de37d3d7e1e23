/** The exchange behind the operator API, as a replay uses it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type OperatorClient, RialtoError } from "../client/index.ts";
import { type AppliedMessages, ReplayEnded, type ReplayTarget } from "../tapes/index.ts";

/** While the history catches up with what was replayed. */
const BUSY_MS = 20;

export interface ShownReplay {
  readonly symbol: string;
  /** Of the recording. */
  readonly name: string;
  /** In percent of the recording. */
  readonly progress: () => number;
}

export class OperatorTarget implements ReplayTarget {
  readonly #operator: OperatorClient;
  readonly #shown: ShownReplay;
  #uid = 0;
  #isEnded = false;

  constructor(operator: OperatorClient, shown: ShownReplay) {
    this.#operator = operator;
    this.#shown = shown;
  }

  /** By somebody else. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  async begin(base: string, quote: string): Promise<void> {
    const { symbol, name } = this.#shown;
    ({ uid: this.#uid } = await this.#operator.beginReplay({ symbol, name, base, quote }));
  }

  async apply(
    messages: Parameters<ReplayTarget["apply"]>[0],
    levels: number | null,
  ): Promise<AppliedMessages> {
    const progress = this.#shown.progress();
    const shown = levels === null ? {} : { levels };
    const body = { uid: this.#uid, messages: [...messages], progress, ...shown };
    for (;;) {
      try {
        return await this.#operator.applyRecorded(body);
      } catch (error) {
        if (!(error instanceof RialtoError)) throw error;
        this.#isEnded = error.code === "unknown-id";
        if (this.#isEnded) throw new ReplayEnded();
        if (error.code !== "overloaded") throw error;
        await sleep(BUSY_MS);
      }
    }
  }

  end() {
    return this.#operator.endReplay({ uid: this.#uid });
  }

  clock() {
    return this.#operator.getClock();
  }

  async setClock({ speed, run, setMs }: Parameters<ReplayTarget["setClock"]>[0]): Promise<void> {
    const stopped = run === null ? { freeze: true } : { run };
    const pace = speed === 0 ? stopped : { speed };
    await this.#operator.setClock({ ...pace, ...(setMs === undefined ? {} : { setMs }) });
  }
}
