/**
 * How a node and the others reach each other: it takes links, on which it answers once it leads,
 * and has one of its own to the node that leads.
 */
import { LeaderSessions, type Leading, type LinkEnd, RoutedEngine } from "../../cluster/index.ts";
import type { QuorumLog } from "../../journal/index.ts";
import type { Platform, Timer } from "../../platform/index.ts";
import type { Command } from "../../protocol/index.ts";
import type { Core, State } from "../core.ts";
import type { CommandListener } from "../replay.ts";
import { FollowedKeys } from "./followed-keys.ts";
import { LinkServer, openLink } from "./link-sockets.ts";
import { LIVE_MS, type MembershipWatch } from "./membership-watch.ts";
import type { NodeEngine } from "./node-engine.ts";
import type { NodeLimits } from "./node-limits.ts";
import type { WebhookCall } from "./node-webhooks.ts";

/** How often a lost link is tried again, and a leader says that it is there. */
const LOOK_MS = 100;
const BEAT_LOOKS = 3;
/** A leader that is silent for longer is not there. */
const SILENT_MS = 2000;
/** A node that cannot look at the log signs nobody in after a second. */
const BLIND_MS = 1500;
/** One that was silent for so long is not waited for. */
const FORGOTTEN_MS = 60_000;

export interface NodeLinksOptions {
  readonly node: string;
  /** Of this run. */
  readonly run: string;
  readonly core: State<QuorumLog> & Pick<Core, "keys"> & { readonly served: NodeEngine };
  readonly members: MembershipWatch;
  readonly limits: NodeLimits;
  /** The link to the leader was lost, or its end has begun. */
  readonly onLeaderLost: () => void;
}

/** What nodes ask the leader besides requests of the engine. */
type Question =
  | { readonly type: "everywhere" }
  | { readonly type: "webhooks"; readonly call: WebhookCall };

export class NodeLinks {
  readonly routed: RoutedEngine;
  readonly #options: NodeLinksOptions;
  readonly #platform: Platform;
  readonly #sessions: LeaderSessions;
  readonly #server: LinkServer;
  readonly #keys: FollowedKeys;
  #link: { readonly run: string; readonly end: LinkEnd; heardMs: number } | null = null;
  #timer: Timer | null = null;
  #looks = 0;
  #isLeading = false;
  #callWebhooks: ((call: WebhookCall) => Promise<unknown>) | null = null;
  #isClosing = false;

  constructor(options: NodeLinksOptions) {
    const { core, node } = options;
    const { journal, keys, platform, replay, served } = core;
    const { clock, scheduler } = platform;
    this.#options = options;
    this.#platform = platform;
    this.#keys = new FollowedKeys(replay.engine, keys, scheduler);
    this.routed = new RoutedEngine({
      node,
      local: served,
      sequence: () => replay.sequence,
      keysInForce: () => this.#keys.inForce,
      charge: () => options.limits.charge,
      admitted: (admitted) => options.limits.spend(admitted),
      hurry: () => journal.hurry(),
      readAnswered: (durationMs) => core.metrics.cluster.readAnswered(durationMs),
      clock,
      scheduler,
    });
    this.#sessions = new LeaderSessions((run) => void scheduler.soon(run));
    this.#server = new LinkServer(keys, scheduler, (end) => this.#sessions.accept(end));
  }

  /** Told of all that this node applies while it follows. */
  get listener(): CommandListener {
    return (command, record, answer) => {
      this.routed.appliedCommand(command, record, answer);
      this.#keys.applied(command);
    };
  }

  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return this.#server.listen(this.#platform.network, { host, port });
  }

  start(): void {
    this.#timer = this.#platform.scheduler.every(LOOK_MS, () => this.#look());
  }

  /** This node leads; `leading` says how its links are answered. */
  lead(
    leading: Omit<Leading, "admit" | "admitted" | "answer">,
    webhooks: (call: WebhookCall) => Promise<unknown>,
  ): void {
    const { limits } = this.#options;
    this.#isLeading = true;
    this.#callWebhooks = webhooks;
    const answer = (question: string) =>
      new Promise<string>((resolve, reject) => {
        // Known to have been the leader's when it is told.
        const tell = (text: string) => leading.whenMayAnswer(() => resolve(text));
        this.#answer(question).then(tell, reject);
      });
    this.#link?.end.end();
    this.routed.lead();
    this.routed.questions.linked((id, question) => {
      answer(question).then(
        (text) => this.routed.questions.told(id, text),
        () => this.routed.questions.told(id, null),
      );
    });
    this.#sessions.lead({
      ...leading,
      answer,
      admit: (charge) => limits.admit(charge),
      admitted: (admitted) => limits.spend(admitted),
    });
  }

  /** A command was applied while this node leads. */
  appliedHere(command: Command): void {
    this.#keys.applied(command);
  }

  /** Resolves when the keys are in force that the commands so far are about. */
  get keysInForce(): Promise<void> {
    return this.#keys.inForce;
  }

  /**
   * Resolves when every node that may sign anybody in has applied all commands so far. A node that
   * no leader answers for a while does not wait any longer: until then, whoever still signs has
   * applied them, and whoever has not does not reach PostgreSQL.
   */
  async everywhere(): Promise<void> {
    const question: Question = { type: "everywhere" };
    await this.routed.questions.ask(JSON.stringify(question));
  }

  /** Null when no leader answered in time. */
  async askWebhooks(call: WebhookCall): Promise<{ readonly answer: unknown } | null> {
    const question: Question = { type: "webhooks", call };
    const told = await this.routed.questions.ask(JSON.stringify(question));
    return told === null ? null : (JSON.parse(told) as { readonly answer: unknown });
  }

  /** As the leader, of this or another node. */
  async #answer(text: string): Promise<string> {
    const question = JSON.parse(text) as Question;
    switch (question.type) {
      case "everywhere":
        await this.#reached(this.#options.core.served.durableSequence);
        return "true";
      case "webhooks":
        return JSON.stringify({ answer: await this.#callWebhooks?.(question.call) });
    }
  }

  async #reached(sequence: number): Promise<void> {
    const { clock, scheduler } = this.#platform;
    await this.#keys.inForce;
    const startedMs = clock.monotonicMs();
    const linked = new Set(await this.#sessions.reached(sequence));
    const isDone = (): boolean => {
      const isBlind = clock.monotonicMs() - startedMs >= BLIND_MS;
      const others = this.#options.members.last?.members ?? [];
      return others.every(({ name, run, sequence: told, silentMs }) => {
        const isKnown = run === this.#options.run || linked.has(name) || told >= sequence;
        return isKnown || silentMs > FORGOTTEN_MS || (isBlind && silentMs > LIVE_MS);
      });
    };
    while (!isDone() && !this.#isClosing) {
      await new Promise<void>((resolve) => {
        scheduler.after(LOOK_MS, resolve);
      });
    }
  }

  /** Ends all links: requests go to the next leader. */
  closeLinks(): void {
    this.#isClosing = true;
    this.#sessions.close();
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#keys.stop();
    this.#link?.end.end();
    this.#sessions.close();
    await this.#server.close();
  }

  #look(): void {
    this.#looks++;
    if (this.#looks % BEAT_LOOKS === 0) this.#sessions.beat();
    const admitted = this.#options.limits.takeAdmitted();
    if (admitted !== null && this.#isLeading) this.#sessions.tell(admitted);
    else if (admitted !== null) this.routed.tell(admitted);
    if (this.#isLeading) return;
    const link = this.#link;
    const nowMs = this.#platform.clock.monotonicMs();
    const { leader } = this.#options.members;
    if (link !== null && nowMs - link.heardMs > SILENT_MS) link.end.end();
    else if (link !== null && leader !== null && leader.run !== link.run) link.end.end();
    else if (link === null && leader !== null) this.#open(leader.run, leader.link, nowMs);
  }

  #open(run: string, place: string, nowMs: number): void {
    if (run === this.#options.run || place === "") return;
    const link = {
      run,
      heardMs: nowMs,
      end: openLink(
        this.#options.core.keys,
        this.#platform,
        place,
        (end) => {
          const { ended, message } = this.routed.connect(end);
          const heard = (bytes: Uint8Array): void => {
            link.heardMs = this.#platform.clock.monotonicMs();
            message(bytes);
          };
          return { ended, message: heard };
        },
        () => {
          if (this.#link === link) this.#link = null;
          this.#options.onLeaderLost();
        },
      ),
    };
    this.#link = link;
  }
}
