/**
 * Webhooks of a cluster. The node that leads tells them, from its own history and from where the
 * leader before it had come; operators reach it through whichever node they ask.
 */
import type { WebhookRows } from "../../journal/index.ts";
import type { Webhooks as OperatedWebhooks } from "../../operator/index.ts";
import type { Command, Unavailable } from "../../protocol/index.ts";
import {
  createPost,
  type Post,
  type WebhookFigures,
  Webhooks,
  type WebhookTargets,
  webhookUrlProblem,
} from "../../webhooks/index.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { NodeCore } from "./node-core.ts";
import { ClusterWebhookRecords } from "./webhook-records.ts";

type CallName = Exclude<keyof OperatedWebhooks, "urlProblem">;

/** A call of an operator, on its way to the node that leads. */
export interface WebhookCall {
  readonly name: CallName;
  readonly args: readonly unknown[];
}

/** Null when no leader answered in time. */
type AskLeader = (call: WebhookCall) => Promise<{ readonly answer: unknown } | null>;

const NO_LEADER: Unavailable & { readonly ok: false } = { ok: false, unavailable: "not-leader" };

/** As operators reach them at any node. */
export class NodeWebhooks implements OperatedWebhooks {
  readonly #ask: AskLeader;
  readonly #targets: WebhookTargets;

  constructor(ask: AskLeader, targets: WebhookTargets) {
    this.#ask = ask;
    this.#targets = targets;
  }

  urlProblem(url: string): string | null {
    return webhookUrlProblem(url, this.#targets);
  }

  create(): ReturnType<OperatedWebhooks["create"]> {
    return this.#call("create");
  }

  newSecret(...args: Parameters<OperatedWebhooks["newSecret"]>) {
    return this.#call("newSecret", ...args);
  }

  async refresh(): Promise<void> {
    await this.#call("refresh");
  }

  async forget(webhookId: string): Promise<void> {
    await this.#call("forget", webhookId);
  }

  status(webhookId: string): ReturnType<OperatedWebhooks["status"]> {
    return this.#call("status", webhookId);
  }

  deliveries(...args: Parameters<OperatedWebhooks["deliveries"]>) {
    return this.#call("deliveries", ...args);
  }

  send(...args: Parameters<OperatedWebhooks["send"]>): ReturnType<OperatedWebhooks["send"]> {
    return this.#call("send", ...args);
  }

  async #call<Name extends CallName>(
    name: Name,
    ...args: Parameters<OperatedWebhooks[Name]>
  ): Promise<Awaited<ReturnType<OperatedWebhooks[Name]>> | typeof NO_LEADER> {
    const told = await this.#ask({ name, args });
    if (told === null) return NO_LEADER;
    return told.answer as Awaited<ReturnType<OperatedWebhooks[Name]>>;
  }
}

/** Those of the node that leads. */
export class LeadersWebhooks {
  readonly #webhooks: Webhooks;
  /** Changes of secrets happen one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  private constructor(webhooks: Webhooks) {
    this.#webhooks = webhooks;
  }

  /** Begins to tell, while `mayAnswer`; the vault has the secrets as they are now. */
  static async open(
    { venue, webhookTargets: targets }: Config,
    { engine, history, keys, platform }: NodeCore,
    rows: WebhookRows,
    mayAnswer: () => boolean,
    log: Log,
  ): Promise<LeadersWebhooks> {
    const send = createPost(targets, platform);
    const post: Post = async (request) => {
      // The next leader may be telling already.
      return mayAnswer() ? await send(request) : { error: "this node does not lead at present" };
    };
    const webhooks = new Webhooks({
      engine,
      platform,
      targets,
      store: await ClusterWebhookRecords.load(rows, keys),
      history: history.reader,
      historySequence: () => history.writer.appliedSequence,
      post,
      venueId: venue?.id ?? "",
      warn: (fields, message) => log.warn(fields, message),
    });
    await webhooks.refresh();
    return new LeadersWebhooks(webhooks);
  }

  /** Settings may have changed with a command, whichever node an operator asked. */
  applied({ type }: Command): void {
    if (type === "set-webhook" || type === "remove-webhook") void this.#webhooks.refresh();
  }

  answer({ args, name }: WebhookCall): Promise<unknown> {
    const call = async (): Promise<unknown> => {
      const method = this.#webhooks[name] as (...given: readonly unknown[]) => unknown;
      return (await method.apply(this.#webhooks, [...args])) ?? null;
    };
    if (name !== "create" && name !== "newSecret" && name !== "forget") return call();
    const changed = this.#changes.then(call);
    this.#changes = changed.catch(() => undefined);
    return changed;
  }

  figures(): Promise<readonly WebhookFigures[]> {
    return this.#webhooks.figures();
  }

  /** Resolves when no secret is on its way to PostgreSQL any more. */
  async stop(): Promise<void> {
    this.#webhooks.stop();
    await this.#changes;
  }
}
