/**
 * The engine as the gateway of any node of a cluster reaches it for whoever signs. A node that
 * leads answers itself; one that follows passes commands on to the leader, and answers reads from
 * its own copy once that has everything that was acknowledged before. When the leader is lost,
 * requests wait for the next one: clients see a slow answer, and no error.
 */
import type { Clock, Scheduler, Timer } from "../platform/index.ts";
import {
  type Answer,
  type Command,
  type EnginePort,
  partsOf,
  refuseAll,
  submissionsIn,
  unavailableIn,
} from "../protocol/index.ts";
import { ForwardedCommands } from "./forwarded-commands.ts";
import { LeaderQuestions } from "./leader-questions.ts";
import {
  LINK_VERSION,
  type LinkEnd,
  type LinkListener,
  type LinkMessage,
  LinkOutbox,
  readLinkMessages,
} from "./link-messages.ts";
import { ReadIndex } from "./read-index.ts";

/** How long a request waits for its answer, over leaders that come and go. */
export const HOLD_MS = 15_000;
/** Requests that wait. */
const WAITING_MAX = 20_000;

export interface RoutedEngineOptions {
  /** The name of this node. */
  readonly node: string;
  /** This node's own copy: it answers queries, and everything once the node leads. */
  readonly local: EnginePort;
  /** Up to which command it has applied the log. */
  readonly sequence: () => number;
  /** Resolves when keys are in force as of what is applied now. */
  readonly keysInForce: () => Promise<void>;
  /** What the leader counts the request as that is submitted now; empty for nothing. */
  readonly charge: () => string;
  /** What another node has admitted. */
  readonly admitted: (admitted: string) => void;
  /** Has the log looked at without waiting. */
  readonly hurry: () => void;
  /** A read was answered from this node's copy after so long. */
  readonly readAnswered?: (durationMs: number) => void;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly scheduler: Scheduler;
}

interface RoutedCounts {
  /** Requests with commands that were sent to a leader. */
  forwarded: number;
  /** Those that have an answer; one that could not be had is also in `unavailable`. */
  answered: number;
  unavailable: number;
  /** Those that had to be sent again, or were found in the log. */
  retried: number;
  /** Reads that the leader's place was asked for. */
  reads: number;
  /** Requests whose time was over. */
  expired: number;
}

export class RoutedEngine implements EnginePort {
  readonly counts: RoutedCounts = {
    forwarded: 0,
    answered: 0,
    unavailable: 0,
    retried: 0,
    reads: 0,
    expired: 0,
  };
  /** For what is no request of the engine's, while this node follows. */
  readonly questions: LeaderQuestions;
  readonly #options: RoutedEngineOptions;
  readonly #commands: ForwardedCommands;
  readonly #reads: ReadIndex;
  #isLeading = false;
  #link: Link | null = null;
  /** Of the last leader that welcomed this node: an earlier one is not listened to again. */
  #epoch = 0;
  /** What waits until the log is applied so far, by sequence. */
  #untils: { readonly sequence: number; readonly reached: () => void }[] = [];
  #sweep: { readonly atMs: number; readonly timer: Timer } | null = null;

  constructor(options: RoutedEngineOptions) {
    this.#options = options;
    const { hurry, local, scheduler, sequence } = options;
    this.questions = new LeaderQuestions(HOLD_MS, scheduler);
    this.#commands = new ForwardedCommands(local, sequence);
    this.#reads = new ReadIndex({
      local,
      sequence,
      hurry,
      expired: ({ answered, request }) => this.#expire(request, answered, false),
    });
  }

  submit(request: Uint8Array, answered: (answer: Uint8Array) => void): void {
    if (this.#isLeading) {
      this.#options.local.submit(request, answered);
      return;
    }
    if (this.waiting >= WAITING_MAX) {
      answered(refuseAll(submissionsIn(request), "overloaded"));
      return;
    }
    const { clock, readAnswered } = this.#options;
    const startedMs = clock.monotonicMs();
    const deadlineMs = startedMs + HOLD_MS;
    const parts = partsOf(request);
    if (parts.some(({ record }) => record !== null)) {
      this.counts.forwarded++;
      const settled = (answer: Uint8Array): void => {
        this.counts.answered++;
        if (unavailableIn(answer) !== null) this.counts.unavailable++;
        answered(answer);
      };
      this.#commands.add(request, parts, settled, deadlineMs, this.#options.charge());
    } else {
      this.counts.reads++;
      const settled = (answer: Uint8Array): void => {
        readAnswered?.(clock.monotonicMs() - startedMs);
        answered(answer);
      };
      this.#reads.add({ request, answered: settled, deadlineMs });
    }
    this.#sweepAt(deadlineMs);
  }

  /** Requests without an answer. */
  get waiting(): number {
    return this.#commands.size + this.#reads.size;
  }

  /** What was admitted here, to the leader. */
  tell(admitted: string): void {
    if (this.leader !== null) this.#link?.outbox.say({ kind: "limits", admitted });
  }

  /** The node that this one is linked to, and that takes its requests; null without one. */
  get leader(): string | null {
    return this.#link?.leader ?? null;
  }

  /** Opens a link to a node that may lead; what its other end says goes to the listener. */
  connect(end: LinkEnd): LinkListener {
    this.#link?.end.end();
    this.#unlink();
    const { scheduler } = this.#options;
    const outbox = new LinkOutbox(end, (run) => scheduler.soon(run));
    const link: Link = { end, outbox, leader: null };
    this.#link = link;
    outbox.say({ kind: "hello", version: LINK_VERSION, node: this.#options.node });
    return {
      message: (bytes) => {
        if (this.#link !== link) return;
        for (const message of readLinkMessages(bytes)) this.#take(link, message);
      },
      ended: () => {
        if (this.#link === link) this.#unlink();
      },
    };
  }

  /** This node has applied a command of the log. */
  appliedCommand(command: Command, record: Uint8Array, answer: Answer): void {
    this.#commands.applied(command, record, answer);
  }

  /** It has applied a whole commit. */
  applied(): void {
    const sequence = this.#options.sequence();
    this.#commands.appliedUpTo(sequence);
    while (this.#untils[0] !== undefined && this.#untils[0].sequence <= sequence) {
      this.#untils.shift()?.reached();
    }
    if (this.#untils.length > 0) this.#options.hurry();
    this.#reads.applied();
  }

  /** This node leads, with all that the log had: from now on its own engine takes everything. */
  lead(): void {
    this.#link?.end.end();
    this.#unlink();
    this.#isLeading = true;
    const { local } = this.#options;
    this.#commands.linked((id, request) => {
      local.submit(request, (answer) => this.#commands.answered(id, answer, 0));
    });
    this.#reads.led();
  }

  #unlink(): void {
    this.#link = null;
    this.#untils = [];
    this.#commands.unlinked();
    this.#reads.unlinked();
    this.questions.unlinked();
  }

  #take(link: Link, message: LinkMessage): void {
    if (this.#link !== link) return;
    switch (message.kind) {
      case "welcome":
        this.#welcome(link, message);
        return;
      case "answer":
        this.#takeAnswer(message);
        return;
      case "here":
        this.#reads.here(message.sequence);
        return;
      case "limits":
        this.#options.admitted(message.admitted);
        return;
      case "told":
        this.questions.told(message.id, message.answer);
        return;
      case "until":
        this.#whenApplied(message.sequence, () => {
          const { id } = message;
          void this.#options.keysInForce().then(() => link.outbox.say({ kind: "reached", id }));
        });
        return;
      default:
      // A beat says by its arrival all that it has to say.
    }
  }

  #welcome(link: Link, message: Extract<LinkMessage, { readonly kind: "welcome" }>): void {
    if (message.epoch < this.#epoch) {
      link.end.end();
      this.#unlink();
      return;
    }
    this.#epoch = message.epoch;
    link.leader = message.node;
    this.#whenApplied(message.sequence, () => {
      void this.#options.keysInForce().then(() => {
        if (this.#link !== link) return;
        this.counts.retried += this.#commands.size;
        this.#commands.linked((id, request, charge) => {
          link.outbox.say({ kind: "submit", id, charge, request });
        });
        // Behind the commands: a read sees what its connection did before.
        this.#reads.linked(() => link.outbox.say({ kind: "where" }));
        this.questions.linked((id, question) => link.outbox.say({ kind: "ask", id, question }));
      });
    });
  }

  #whenApplied(sequence: number, reached: () => void): void {
    if (sequence <= this.#options.sequence()) {
      reached();
      return;
    }
    const at = this.#untils.findLastIndex((other) => other.sequence <= sequence) + 1;
    this.#untils.splice(at, 0, { sequence, reached });
    this.#options.hurry();
  }

  #takeAnswer({ answer, id, sequence }: Extract<LinkMessage, { kind: "answer" }>): void {
    const unavailable = unavailableIn(answer);
    // It stops, and another one will lead: nothing of the request was done.
    const isElsewhere = unavailable === "stopping" || unavailable === "not-leader";
    if (isElsewhere) this.#commands.notTaken(id);
    else this.#commands.answered(id, answer, sequence);
  }

  #expire(request: Uint8Array, answered: (answer: Uint8Array) => void, wasSent: boolean): void {
    this.counts.expired++;
    answered(refuseAll(submissionsIn(request), wasSent ? "outcome-unknown" : "not-leader"));
  }

  #sweepAt(deadlineMs: number): void {
    if (this.#sweep !== null && this.#sweep.atMs <= deadlineMs) return;
    this.#sweep?.timer.cancel();
    const { clock, scheduler } = this.#options;
    const delayMs = Math.max(0, deadlineMs - clock.monotonicMs());
    const timer = scheduler.after(delayMs, () => this.#sweepNow(), "background");
    this.#sweep = { atMs: deadlineMs, timer };
  }

  #sweepNow(): void {
    this.#sweep = null;
    const nowMs = this.#options.clock.monotonicMs();
    for (const { answered, request, wasSent } of this.#commands.expired(nowMs)) {
      this.#expire(request, answered, wasSent);
    }
    const nextMs = Math.min(this.#reads.expire(nowMs), this.#commands.nextDeadlineMs);
    if (Number.isFinite(nextMs)) this.#sweepAt(nextMs);
  }
}

interface Link {
  readonly end: LinkEnd;
  readonly outbox: LinkOutbox;
  /** From its welcome on. */
  leader: string | null;
}
