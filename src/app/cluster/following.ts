/** Applies what the log gets to a node's copy of the state, and gives the events to its readers. */
import type { QuorumLog } from "../../journal/index.ts";
import { publishTo, type State } from "../core.ts";
import type { NodeLinks } from "./node-links.ts";

export class Following {
  readonly #state: State<QuorumLog>;
  readonly #links: Pick<NodeLinks, "listener" | "routed">;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  #reached: { readonly sequence: number; readonly resolve: () => void } | null = null;

  /** `onFailure` is called when the state cannot follow: the process must end. */
  constructor(
    state: State<QuorumLog>,
    links: Pick<NodeLinks, "listener" | "routed">,
    onFailure: (error: Error) => void,
  ) {
    this.#state = state;
    this.#links = links;
    this.#done = this.#run().catch(onFailure);
  }

  async #run(): Promise<void> {
    const { history, journal, replay } = this.#state;
    const publish = publishTo(this.#state);
    const { listener, routed } = this.#links;
    for await (const batch of journal.tail(replay.sequence + 1, this.#end.signal)) {
      publish(replay.apply(batch, listener));
      routed.applied();
      if (history.writer.isFull) await history.writer.drained();
      const reached = this.#reached;
      if (reached !== null && replay.sequence >= reached.sequence) reached.resolve();
    }
  }

  /** Applies all that the log has, and ends. */
  async finish(): Promise<void> {
    const { journal, replay } = this.#state;
    const sequence = journal.lastSequence;
    if (replay.sequence < sequence) {
      await new Promise<void>((resolve) => {
        this.#reached = { sequence, resolve };
      });
    }
    await this.stop();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#done;
  }
}
