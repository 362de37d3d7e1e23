/**
 * What a node has from the claim of its lease on: it takes the lead over, leads, and gives the lead
 * away. It never steps back: whatever ends this ends the process.
 */
import { AnswerGate, HeldLease, type LeaseOptions } from "../../cluster/index.ts";
import { InvariantViolation } from "../../domain/index.ts";
import { RULES_VERSION } from "../../engine/index.ts";
import type { LeaseRow, MemberRows, WebhookRows } from "../../journal/index.ts";
import type { WebhookFigures } from "../../webhooks/index.ts";
import type { Config } from "../config.ts";
import { openSequencer } from "../core.ts";
import { DemoTraders } from "../demo-traders.ts";
import { ExchangeTime } from "../exchange-time.ts";
import type { Gateways } from "../gateways/gateways.ts";
import type { Log } from "../log.ts";
import { seedProfile } from "../profiles.ts";
import type { Sequencer } from "../sequencer.ts";
import type { Following } from "./following.ts";
import { handOver, promotionRefusal } from "./hand-over.ts";
import { LIVE_MS, type MembershipWatch } from "./membership-watch.ts";
import type { NodeCore } from "./node-core.ts";
import { asNodeEnded, NodeEnded } from "./node-ended.ts";
import type { NodeLinks } from "./node-links.ts";
import { LeadersWebhooks } from "./node-webhooks.ts";

/** How long what has begun may take before a leader that stops hands over. */
const FINISH_MS = 300;

export interface LeadParts {
  readonly config: Config;
  readonly name: string;
  readonly core: NodeCore;
  readonly log: Log;
  readonly lease: LeaseOptions;
  readonly leaseRow: LeaseRow;
  readonly members: MembershipWatch;
  /** Of the secrets that all nodes share. */
  readonly keyRows: MemberRows;
  readonly webhookRows: WebhookRows;
  readonly links: NodeLinks;
  readonly following: Following;
  readonly gateways: Gateways;
  readonly end: (error: Error) => void;
}

export class Lead {
  readonly #parts: LeadParts;
  readonly #held: HeldLease;
  #stage: "taking-over" | "leading" | "handing-over" = "taking-over";
  #sequencer: Sequencer | null = null;
  #time: ExchangeTime | null = null;
  #traders: DemoTraders | null = null;
  #webhooks: LeadersWebhooks | null = null;
  #isStopping = false;

  /** The lease was claimed at that moment. */
  constructor(parts: LeadParts, claimStartedMs: number) {
    this.#parts = parts;
    this.#held = new HeldLease(parts.lease, claimStartedMs, () => {
      parts.end(new NodeEnded("another node has the lease: start this one again, and it follows."));
    });
    this.#takeOver().catch((error: Error) => parts.end(takeOverEnd(error)));
  }

  get stage(): "taking-over" | "leading" | "handing-over" {
    return this.#stage;
  }

  /** Null before it goes on from the state that was followed. */
  get sequencer(): Sequencer | null {
    return this.#sequencer;
  }

  /** Of the webhooks that it tells. */
  async figures(): Promise<readonly WebhookFigures[]> {
    return (await this.#webhooks?.figures()) ?? [];
  }

  /** Whether a quorum has confirmed the lease lately. */
  get hasLease(): boolean {
    return this.#held.mayAnswer;
  }

  /** From the claim of the lease to the first command that is taken. */
  async #takeOver(): Promise<void> {
    const { config, core, following, keyRows, links, log, name, webhookRows } = this.#parts;
    const { engine, journal, keys, platform, replay, served } = core;
    await journal.lead();
    await following.finish();
    const sequencer = openSequencer(core, this.#parts.end, (command) => {
      links.appliedHere(command);
      this.#webhooks?.applied(command);
    });
    this.#sequencer = sequencer;
    served.lead(sequencer);
    if (await this.#mayAdoptRules(replay.sequence)) {
      must(await engine.execute({ type: "adopt-rules", version: RULES_VERSION }));
    }
    must(await engine.execute({ type: "resume" }));
    this.#time = new ExchangeTime(platform, () => sequencer.wake());
    sequencer.startTimers(this.#time);
    await links.keysInForce;
    // Secrets of webhooks may have changed since this node began.
    await core.keys.share(keyRows);
    this.#webhooks = await LeadersWebhooks.open(
      config,
      core,
      webhookRows,
      () => this.hasLease,
      log,
    );
    const demoPast = () => Promise.resolve();
    // A demo began with all that it has.
    const seeded = { ...config, profile: "empty" } as const;
    await seedProfile(seeded, engine, keys, demoPast, platform.randomness);
    await this.#startTraders(sequencer);
    const { confirmation, epoch, lastSequence } = journal;
    const conditions = confirmation === null ? [this.#held] : [this.#held, confirmation];
    const gate = new AnswerGate(conditions, platform);
    served.answerThrough(gate);
    this.#stage = "leading";
    const leading = {
      node: name,
      epoch,
      engine: served,
      durableSequence: () => served.durableSequence,
      // Who asked gives up by itself.
      whenMayAnswer: (answer: () => void) => gate.pass(answer, () => undefined),
    };
    links.lead(leading, async (call) => await this.#webhooks?.answer(call));
    core.metrics.cluster.tookOver();
    log.info({ node: name, epoch, sequence: lastSequence }, "this node leads");
  }

  /** Whoever does not know the rules could not follow. A log without commands has none yet. */
  async #mayAdoptRules(sequence: number): Promise<boolean> {
    if (sequence === 0) return true;
    const { members } = await this.#parts.keyRows.read();
    return members.every(({ rules, silentMs }) => rules >= RULES_VERSION || silentMs > LIVE_MS);
  }

  /** Of the demo: on the leader alone. */
  async #startTraders(sequencer: Sequencer): Promise<void> {
    if (this.#isStopping) return;
    const { config, core, gateways } = this.#parts;
    const { engine, platform } = core;
    this.#traders = new DemoTraders({ config, engine, platform, sequencer, gateways });
    await this.#traders.start();
  }

  /** To the node of this name, if it can be given the lead; a leader learns it from the row. */
  handOverTo(node: string): void {
    const { core, end, lease, leaseRow: row, log, members, name } = this.#parts;
    const sequencer = this.#sequencer;
    if (node === "" || this.#stage !== "leading" || sequencer === null) return;
    if (this.#isStopping) return;
    if (node === name || promotionRefusal(members, node) !== null) {
      row.nameSuccessor("").catch(() => undefined);
      return;
    }
    log.info({ node: name, successor: node }, "this node hands the lead over");
    this.#stage = "handing-over";
    const { owner } = lease;
    const { scheduler } = core.platform;
    const stopOwn = () => this.stopOwn();
    const own = { name, owner, row, members, held: this.#held, sequencer, scheduler, stopOwn, end };
    void handOver(own, node);
  }

  /** Another node leads as soon as this one has given its last answer; `closed`: they are sent. */
  async giveUp(closed: Promise<void>): Promise<void> {
    this.#isStopping = true;
    if (this.#stage !== "leading") return;
    const { core, links } = this.#parts;
    const finished = new Promise<void>((resolve) => {
      core.platform.scheduler.after(FINISH_MS, resolve);
    });
    await Promise.race([closed, finished]);
    await this.#webhooks?.stop();
    await this.#sequencer?.stop();
    core.served.release();
    // Unknown: the others wait until the lease is over.
    await this.#held.release().catch(() => undefined);
    links.closeLinks();
  }

  /** What sends commands, and webhooks, by itself. */
  async stopOwn(): Promise<void> {
    await this.#webhooks?.stop();
    await this.#traders?.stop();
    this.#time?.stop();
  }

  async stop(): Promise<void> {
    await this.#sequencer?.stop();
    this.#held.stop();
  }
}

function must({ ok }: { readonly ok: boolean }): void {
  if (!ok) throw new NodeEnded("the disk of this node is nearly full: free space on it.");
}

/** What is of PostgreSQL passes: started again, the node follows, and may try once more. */
function takeOverEnd(error: Error): Error {
  const known = asNodeEnded(error);
  if (known instanceof NodeEnded || known instanceof InvariantViolation) return known;
  return new NodeEnded(`this node could not take over the lead: ${error.message}.`);
}
