/**
 * What the gateways of a node reach. While it follows, its copy of the state answers queries and no
 * command is taken; once it leads, the sequencer answers, and only while the gate is open.
 */

import type { AnswerGate } from "../../cluster/index.ts";
import { invariant } from "../../domain/index.ts";
import {
  ByteWriter,
  type EnginePort,
  RequestReader,
  refuseAll,
  submissionsIn,
  writeAnswer,
  writeUnavailable,
} from "../../protocol/index.ts";
import type { ServedEngine, State } from "../core.ts";
import { type ClockReading, ExchangeClock } from "../exchange-clock.ts";
import type { Sequencer } from "../sequencer.ts";

interface Leading {
  readonly sequencer: Sequencer;
  /** Null while it takes the lead: what it does by itself has to wait for nobody. */
  readonly gate: AnswerGate | null;
}

export class NodeEngine implements ServedEngine {
  /** The state as it is, maybe not durable, without waiting for anything: for this node alone. */
  readonly present: EnginePort = {
    submit: (request, answered) => answered(this.#answerHere(request)),
  };
  readonly #state: Pick<State, "replay">;
  readonly #clock: ExchangeClock;
  readonly #answers = new ByteWriter(64 * 1024);
  #leading: Leading | null = null;
  #isReleased = false;

  constructor(state: Pick<State, "clock" | "replay">) {
    this.#state = state;
    this.#clock = new ExchangeClock(state.replay.engine, state.clock);
  }

  /** The sequencer goes on from the state that was followed so far. */
  lead(sequencer: Sequencer): void {
    invariant(this.#leading === null, "the lead is taken once");
    this.#leading = { sequencer, gate: null };
  }

  /** From now on it answers through this gate alone. */
  answerThrough(gate: AnswerGate): void {
    invariant(this.#leading !== null, "who leads answers");
    this.#leading = { ...this.#leading, gate };
  }

  /** The lease is given back: nothing is answered from this state any more. */
  release(): void {
    this.#isReleased = true;
    this.#leading?.gate?.close();
  }

  get durableSequence(): number {
    return this.#leading?.sequencer.durableSequence ?? this.#state.replay.sequence;
  }

  get queueDepth(): number {
    return this.#leading?.sequencer.queueDepth ?? 0;
  }

  get clockReading(): ClockReading {
    return this.#leading?.sequencer.clockReading ?? this.#clock.machineReading;
  }

  exchangeMs(): number {
    return this.#leading?.sequencer.exchangeMs() ?? this.#clock.nowMs();
  }

  submit(request: Uint8Array, answered: (answer: Uint8Array) => void): void {
    if (this.#isReleased) {
      answered(refuseAll(submissionsIn(request), "stopping"));
      return;
    }
    if (this.#leading === null) {
      answered(this.#answerHere(request));
      return;
    }
    const { gate, sequencer } = this.#leading;
    if (gate === null) {
      sequencer.submit(request, answered);
      return;
    }
    const refuse = (reason: "not-leader" | "outcome-unknown"): void =>
      answered(refuseAll(submissionsIn(request), reason));
    const answer = (bytes: Uint8Array): void =>
      gate.pass(
        () => answered(bytes),
        () => refuse("outcome-unknown"),
      );
    gate.pass(
      () => sequencer.submit(request, answer),
      () => refuse("not-leader"),
    );
  }

  #answerHere(request: Uint8Array): Uint8Array {
    const { engine, sequence } = this.#state.replay;
    const reader = new RequestReader(request);
    const timestampMs = this.#clock.nowMs();
    this.#answers.clear();
    while (reader.left > 0) {
      if (reader.command() !== null) {
        writeUnavailable(this.#answers, { unavailable: "not-leader" });
        continue;
      }
      const result = engine.query(reader.query(), timestampMs);
      writeAnswer(this.#answers, null, { sequence, timestampMs, result });
    }
    return this.#answers.toBytes();
  }
}
