/**
 * The operator API over the real engine and the real key vault, called without a socket. Every
 * answer is checked against the document that it serves about itself, and every call that
 * was answered is remembered, so that a test can tell which were never tried.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { Compile, type Validator } from "typebox/compile";
import { refuse } from "../../src/api/errors.ts";
import { accept } from "../../src/domain/index.ts";
import { FaultMemory, FaultRegistry, SandboxTraffic } from "../../src/faults/index.ts";
import { KeyVault } from "../../src/keys/index.ts";
import {
  type CheckpointView,
  createOperatorServer,
  type DurableEvents,
  Mutex,
  type States,
} from "../../src/operator/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { House } from "../../src/sandbox/index.ts";
import { WebhookStore, Webhooks } from "../../src/webhooks/index.ts";
import { DirectExchange } from "./direct-exchange.ts";

export const TOKEN = "test-operator-token-that-is-long";

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query";
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: { readonly 200: { readonly content: Content } };
}

interface Content {
  readonly "application/json": { readonly schema: JsonSchema };
}

export interface JsonSchema {
  readonly type?: string;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** One call as the document has it. */
export interface DocumentedCall {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly bodySchema: JsonSchema | null;
}

/** Calls about contracts have a test file of their own. */
export function isContractCall({ path }: DocumentedCall): boolean {
  const resources = /v1\/(markets\/contract|index-prices|open-interest|positions)/;
  return resources.test(path) || path.includes("/mark-prices");
}

/** What users have in the market, and the search for it: test/conformance. */
function isUserOrderCall({ path }: DocumentedCall): boolean {
  return /\/(users\/\{uid\}\/(open-orders|ended-orders|positions)|search\/\{text\})$/.test(path);
}

/** So have calls about the sandbox's clock. */
export function isClockCall({ path }: DocumentedCall): boolean {
  return path.includes("/sandbox/clock");
}

/** So have calls about affiliates. */
export function isAffiliateCall({ path }: DocumentedCall): boolean {
  return /\/(affiliates|affiliate-policy|commissions?|commission-[a-z-]+)(\/|$)/.test(path);
}

/** And about the traffic of a sandbox. */
export function isTrafficCall({ path }: DocumentedCall): boolean {
  return /\/sandbox\/(faults|requests|quiet)(\/|$)/.test(path);
}

/** So have calls about the states of a sandbox. */
export function isStateCall({ path }: DocumentedCall): boolean {
  return /\/sandbox\/(checkpoints|restore|reset|state)(\/|$)/.test(path);
}

/** And about its markets on demand. */
export function isHouseCall({ path }: DocumentedCall): boolean {
  return /\/sandbox\/(markets|trigger)(\/|$)/.test(path);
}

/** So have calls about replays. */
export function isReplayCall({ path }: DocumentedCall): boolean {
  return /\/sandbox\/replays(\/|$)/.test(path);
}

/** So have calls about operators. */
export function isOperatorCall({ path }: DocumentedCall): boolean {
  return /\/v1\/(operators|caller)(\/|$)/.test(path);
}

/** And about webhooks and custody. */
export function isWebhookCall({ path }: DocumentedCall): boolean {
  return /\/v1\/(webhooks|custody)(\/|$)/.test(path);
}

/** Where the results of posts to a webhook are read; a cluster's are in its one page. */
const DELIVERIES = "/operator/v1/webhooks/{webhookId}/deliveries";
export const OTHER_TWINS: Readonly<Record<string, string>> = {
  "/operator/v1/cluster/promote": "/operator/v1/cluster",
  "/operator/v1/cluster/demo/start": "/operator/v1/cluster",
  "/operator/v1/webhooks/{webhookId}/secret": DELIVERIES,
  "/operator/v1/webhooks/{webhookId}/tests": DELIVERIES,
  "/operator/v1/webhooks/{webhookId}/redeliveries": DELIVERIES,
};

/** Nodes of a cluster answer it, and processes: test/cluster, test/conformance. */
function isClusterCall({ path }: DocumentedCall): boolean {
  return /\/v1\/(cluster(\/.*)?|health-samples)$/.test(path);
}

/** And about reported deposits and withdrawals that are decided. */
export function isWithdrawalCall({ path }: DocumentedCall): boolean {
  return /\/(deposit-(rules|reports)|withdrawal-(rules|addresses|requests))(\/|$)/.test(path);
}

/** So have calls of the four-eyes rule. */
export function isApprovalCall({ path }: DocumentedCall): boolean {
  return /\/(approval-rules|proposals)(\/|$)/.test(path);
}

export function isTestedElsewhere(call: DocumentedCall): boolean {
  const isOfSandbox = [isTrafficCall, isClockCall, isStateCall, isHouseCall, isReplayCall].some(
    (is) => is(call),
  );
  const hasFileOfItsOwn = [
    ...[isContractCall, isAffiliateCall, isOperatorCall, isWithdrawalCall],
    ...[isApprovalCall, isWebhookCall, isClusterCall, isUserOrderCall],
  ];
  return isOfSandbox || hasFileOfItsOwn.some((is) => is(call));
}

export interface OperatorResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed JSON; undefined for text. */
  readonly body: unknown;
}

/** What the composition root passes in, reduced to what tests look at. */
const SNAPSHOTS = [
  { sequence: 20, createdMs: 1_760_000_000_020 },
  { sequence: 10, createdMs: 1_760_000_000_010 },
];

const HEALTH_SAMPLE = {
  ...{ timeMs: 5, uptimeMs: 1_000, sequence: 3, requests: 7, commits: [1, 3], queueDepth: 0 },
  ...{ historyLag: 0, historyBacklogBytes: 0, streamConnections: 2, residentBytes: 100 },
};

const METRICS = {
  contentType: "text/plain; version=0.0.4",
  render: () => "rialto_up 1\n",
  samples: () => ({ nowMs: 6, bounds: [0.001], samples: [HEALTH_SAMPLE] }),
};

/** Checkpoints by name alone. */
function statesDouble(): States {
  const kept = new Map<string, CheckpointView>();
  const unknown = refuse("unknown-checkpoint", "name");
  const found = (name: string) => {
    const checkpoint = kept.get(name);
    return checkpoint === undefined ? unknown : accept(checkpoint);
  };
  const start = { name: "start", sequence: 7, stateHash: "0".repeat(64) };
  return {
    list: () => [...kept.values()],
    async checkpoint(name) {
      if (kept.has(name)) return refuse("conflict", "name", "it exists");
      kept.set(name, { ...start, name });
      return found(name);
    },
    async remove(name) {
      const removed = found(name);
      kept.delete(name);
      return removed;
    },
    restore: async (name) => found(name),
    save: async () => accept(Readable.from(["a state"])),
    reset: async () => accept(start),
    markStart: async () => accept({ sequence: start.sequence }),
  };
}

export class OperatorFixture {
  readonly exchange = new DirectExchange();
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-operator-"));
  keys: KeyVault;
  app: FastifyInstance;
  /** Lines of the log, as JSON. */
  readonly logged: string[] = [];
  readonly fatal: Error[] = [];
  /** What webhooks sent, and how it is answered. */
  readonly posted: { readonly url: string; readonly body: string }[] = [];
  postOutcome: { readonly status: number } | { readonly error: string } = { status: 200 };
  readonly answeredCalls = new Set<string>();
  notReadyBecause: string | null = null;
  /** Whether the history is far behind. */
  isBehind = false;
  /** What waiting for wrong tokens is measured on. */
  nowMs = 0;
  #documented: readonly DocumentedCall[] | null = null;
  readonly #validators = new Map<string, Validator>();

  readonly #sandbox: boolean;

  constructor(sandbox = true) {
    this.#sandbox = sandbox;
    this.keys = KeyVault.open(this.folder, null);
    this.exchange.historyScript = { "webhook-events": () => ({ lastNumber: 0, events: [] }) };
    this.app = this.#createApp();
  }

  /** As after a crash: what is in the folder and what the exchange holds is all that is left. */
  async restart(): Promise<void> {
    await this.app.close();
    this.keys.close();
    this.keys = KeyVault.open(this.folder, null);
    const limit = Number.MAX_SAFE_INTEGER;
    const settings = await this.exchange.client.query({ type: "api-keys", after: "", limit });
    assert.ok(settings.ok);
    this.keys.fill(settings.value);
    this.app = this.#createApp();
  }

  /** One gateway without connections, which is always quiet. */
  #createTraffic(): FaultRegistry {
    const memory = new FaultMemory();
    const { log, rules } = new SandboxTraffic(memory.memory, NODE_PLATFORM);
    return new FaultRegistry({
      memory,
      monotonicMs: () => NODE_PLATFORM.clock.monotonicMs(),
      callGateways: async (call) => {
        if (call.kind === "requests") return [log.find(call.question)];
        if (call.kind === "rules") rules.replace(call.rules);
        return [true];
      },
    });
  }

  /** The real one, in a venue without other makers. */
  #createHouse(): House {
    const makers = { hold: async () => undefined, release: () => undefined };
    return new House({ engine: this.exchange.client, platform: NODE_PLATFORM, makers });
  }

  #createEvents(): DurableEvents {
    const receivers = new Set<(chunk: Uint8Array) => void>();
    this.exchange.onEvents = (chunk) => {
      for (const receive of receivers) receive(chunk);
    };
    const isBehind = () => this.isBehind;
    return {
      get isBehind() {
        return isBehind();
      },
      listen(receive) {
        receivers.add(receive);
        return () => receivers.delete(receive);
      },
    };
  }

  #createWebhooks(): Webhooks {
    return new Webhooks({
      engine: this.exchange.client,
      platform: NODE_PLATFORM,
      targets: "public",
      store: new WebhookStore(this.folder),
      history: this.exchange.history,
      // Nothing is sent unasked.
      historySequence: () => -1,
      post: async (request) => {
        this.posted.push(request);
        return this.postOutcome;
      },
      venueId: "venue-1",
      warn: () => undefined,
    });
  }

  #createApp(): FastifyInstance {
    const log = (level: string) => (fields: object, message: string) => {
      this.logged.push(JSON.stringify({ level, message, ...fields }, errorsToo));
    };
    return createOperatorServer({
      mutex: new Mutex(),
      engine: this.exchange.client,
      history: this.exchange.history,
      keys: this.keys,
      randomness: NODE_PLATFORM.randomness,
      token: () => TOKEN,
      addressOf: ({ socket }) => socket.remoteAddress ?? "",
      monotonicMs: () => this.nowMs,
      sandbox: this.#sandbox,
      version: "1.2.3",
      traffic: this.#createTraffic(),
      events: this.#createEvents(),
      webhooks: this.#createWebhooks(),
      snapshots: { make: async () => SNAPSHOTS[0] as never, list: async () => SNAPSHOTS },
      states: this.#sandbox ? statesDouble() : null,
      house: this.#sandbox ? this.#createHouse() : null,
      status: () => ({ version: "1.2.3", queueDepth: 0 }),
      metrics: METRICS,
      health: { notReadyBecause: () => this.notReadyBecause },
      log: { info: log("info"), warn: log("warn"), error: log("error") },
      onFatal: (error) => this.fatal.push(error),
    });
  }

  /** Any request, bytes as they are; the token is sent unless `headers` says otherwise. */
  async send(
    method: string,
    path: string,
    payload?: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<OperatorResponse> {
    const json = payload === undefined ? {} : { "content-type": "application/json" };
    const response = await this.app.inject({
      method: method as "GET",
      url: path,
      headers: { authorization: `Bearer ${TOKEN}`, ...json, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    const isJson = String(response.headers["content-type"]).startsWith("application/json");
    const body: unknown = isJson && response.body !== "" ? JSON.parse(response.body) : undefined;
    return { status: response.statusCode, text: response.body, headers: response.headers, body };
  }

  /** A call whose success has the documented shape. */
  async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.send(method, path, payload);
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
    await this.#checkAnswer(method, path, answer);
    return answer.body as Answer;
  }

  /** A call that is refused: status, code and field at once. */
  async refusal(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<readonly [status: number, code: string, field: string | undefined]> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return refusalOf(await this.send(method, path, payload));
  }

  async documented(): Promise<readonly DocumentedCall[]> {
    if (this.#documented === null) {
      const { body } = await this.send("GET", "/operator/v1/openapi.json");
      const { paths } = body as { paths: Record<string, Record<string, Operation>> };
      this.#documented = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path,
          operation,
          bodySchema: operation.requestBody?.content["application/json"].schema ?? null,
        })),
      );
    }
    return this.#documented;
  }

  async stateHash(): Promise<string> {
    const { stateHash } = await this.call<{ stateHash: string }>("GET", "/operator/v1/invariants");
    return stateHash;
  }

  async close(): Promise<void> {
    await this.app.close();
    this.keys.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #checkAnswer(method: string, url: string, answer: OperatorResponse): Promise<void> {
    const parts = (url.split("?")[0] as string).split("/");
    const found = (await this.documented()).find((call) => {
      const pattern = call.path.split("/");
      const sameLength = call.method === method && pattern.length === parts.length;
      return sameLength && pattern.every((part, i) => part.startsWith("{") || part === parts[i]);
    });
    assert.ok(found, `${method} ${url} is not in the document`);
    const { operationId, responses } = found.operation;
    this.answeredCalls.add(operationId);
    let validator = this.#validators.get(operationId);
    if (validator === undefined) {
      validator = Compile(responses[200].content["application/json"].schema as never);
      this.#validators.set(operationId, validator);
    }
    const faults = validator.Errors(answer.body);
    assert.deepEqual(faults, [], `${operationId}: ${answer.text}`);
  }
}

/** Checks the one form that refusals have. */
export function refusalOf(
  answer: OperatorResponse,
): readonly [status: number, code: string, field: string | undefined] {
  const { error } = answer.body as {
    error: { code: string; message: string; field?: string };
  };
  assert.match(error.code, /^[a-z]+(-[a-z]+)*$/);
  assert.ok(error.message.length > 0);
  assert.deepEqual(Object.keys(answer.body as object), ["error"]);
  return [answer.status, error.code, error.field];
}

function errorsToo(_key: string, value: unknown): unknown {
  return value instanceof Error ? { message: value.message, stack: value.stack } : value;
}
