/**
 * A simulated cluster as clients and checks see it: as one exchange, of which each request reaches
 * some node. A client whose node does not answer goes to another one, and does not know what became
 * of its request.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { InlineHttp, type InlineRequest } from "../../support/inline-http.ts";
import { Random } from "../../support/random.ts";
import { type Credentials, pathWithQuery, type Query } from "../../support/signed-client.ts";
import { SimulatedDisk } from "../../support/simulated-disk.ts";
import { Breach, hold } from "../breach.ts";
import { Refusals } from "../directed.ts";
import { MachineLife } from "../machine-life.ts";
import { type Outcome, SimulatedExchange, type Wire } from "../simulated-exchange.ts";
import { traced } from "../traced.ts";
import { SimulatedNetwork } from "./network.ts";
import { ClusterNode, OPERATOR_TOKEN } from "./node.ts";
import { SimulatedPostgres } from "./postgres.ts";
import type { LogRecord } from "./postgres-tables.ts";

const BEGIN_MS = 1_800_000_000_000;
/** A client that has no answer for so long has none. */
const PATIENCE_MS = 20_000;
const AGAIN_MS = 200;
/** Of requests that go to another node than the one before. */
const ELSEWHERE_RATE = 0.3;
/** In which everything is whole again, once nothing is broken any more. */
const WHOLE_MS = 60_000;
/** In the words of version 3 and of version 2. */
const OUTCOME_UNKNOWN: ReadonlySet<unknown> = new Set([-1007, "40015"]);
const FIRST_SEGMENT = "journal/0000000000000001.segment";
const SEGMENT_HEADER_BYTES = 512;
const CLIENT = "client";

export interface ClusterChoice {
  readonly seed: number;
  readonly nodes: number;
  readonly streamIntervalMs: number;
  readonly confirm: "async" | "strict";
}

interface Invariants {
  readonly sequence: number;
  readonly stateHash: string;
}

export class SimulatedCluster extends SimulatedExchange {
  readonly network: SimulatedNetwork;
  readonly postgres: SimulatedPostgres;
  readonly nodes: readonly ClusterNode[];
  readonly #life: ClientSide;
  readonly #random: Random;
  readonly #http: ReadonlyMap<string, InlineHttp>;
  /** By API key: the node to which a client sends. */
  readonly #chosen = new Map<string, ClusterNode>();
  /** What ended as nothing may. */
  #breach: Breach | null = null;
  /** Whose state is compared: the leader of a whole cluster. */
  #asked: ClusterNode;
  /** Rows of the log that no failure may take away. */
  #log: readonly LogRecord[] = [];
  readonly #logDisk = new SimulatedDisk();
  #logSegment: Uint8Array = new Uint8Array(0);

  constructor(folder: string, { confirm, nodes, seed, streamIntervalMs }: ClusterChoice) {
    super(folder, { seed, sandbox: false, streamIntervalMs });
    const random = new Random(seed ^ 0x2c1b3c6d);
    this.#random = random;
    const wallMs = () => this.nowMs;
    const life = new ClientSide(folder, random, () => this.connect());
    this.#life = life;
    const { time } = life;
    this.network = new SimulatedNetwork(time, new Random(seed ^ 0x7f4a7c15));
    this.postgres = new SimulatedPostgres({
      network: this.network,
      names: ["p1", "p2", "p3"],
      venueId: "0f8fad5b-d9cb-469f-a165-70867728950e",
      wallMs,
      onUnknown: (text) => this.#fail(new Breach("PostgreSQL knows the statement", text)),
    });
    const masterKeyFile = join(folder, "cluster.key");
    mkdirSync(folder, { recursive: true });
    const masterKey = createHash("sha256").update(String(seed)).digest("hex");
    writeFileSync(masterKeyFile, `1 ${masterKey}\n`, { mode: 0o600 });
    const place = {
      ...{ folder, masterKeyFile, network: this.network, time, wallMs, confirm, streamIntervalMs },
      postgresUrls: this.postgres.urls,
      onBreach: (node: string, error: Error) =>
        this.#fail(new Breach("no node ends by itself", `${node}: ${error.stack}`)),
    };
    this.nodes = Array.from({ length: nodes }, (_, index) => {
      return new ClusterNode(`n${index + 1}`, place, new Random(random.integer(0, 0x7fffffff)));
    });
    this.#asked = this.nodes[0] as ClusterNode;
    const httpTo = ({ name }: ClusterNode) =>
      new InlineHttp((port) => this.network.socket(CLIENT).connect(port, name));
    this.#http = new Map(this.nodes.map((node) => [node.name, httpTo(node)]));
  }

  #fail(breach: Breach): void {
    this.#breach ??= breach;
  }

  override get life(): MachineLife {
    return this.#life;
  }

  override get nowMs(): number {
    return Math.floor(BEGIN_MS + this.#life.time.nowMs);
  }

  override get disk(): SimulatedDisk {
    return this.#asked.disk;
  }

  override get dataFolder(): string {
    return this.#asked.dataFolder;
  }

  override get stateFolder(): string {
    return this.dataFolder;
  }

  override async start(): Promise<void> {
    for (const node of this.nodes) node.start();
    await this.whole();
  }

  override async close(): Promise<void> {
    for (const node of this.nodes) node.kill("kill");
    await this.#life.pass(10).catch(() => undefined);
    await this.#life.bury();
  }

  override checkRunning(): void {
    if (this.#breach !== null) throw this.#breach;
  }

  /** The node that has the lease, as far as PostgreSQL knows. */
  get leader(): ClusterNode | undefined {
    const { owner } = this.postgres.primary.tables.lease;
    return this.nodes.find(({ name }) => owner.startsWith(`${name}/`));
  }

  #nodeOf(client: string): ClusterNode | null {
    const chosen = this.#chosen.get(client);
    if (chosen?.running != null && !this.#random.chance(ELSEWHERE_RATE)) return chosen;
    const serving = this.nodes.filter(({ running }) => running !== null);
    if (serving.length === 0) return null;
    const node = this.#random.pick(serving);
    this.#chosen.set(client, node);
    return node;
  }

  override connect(): Duplex {
    const node = this.#nodeOf(`stream ${this.#random.integer(0, 2)}`);
    const port = node?.running?.port ?? 1;
    return this.network.socket(CLIENT).connect(port, node?.name ?? "nobody");
  }

  override async send(
    to: "public" | "operator",
    request: InlineRequest,
    { delayMs = 0 }: Wire = {},
  ): Promise<Outcome> {
    if (delayMs > 0) await this.#life.pass(delayMs);
    this.requests++;
    const client = request.headers["ACCESS-KEY"] ?? to;
    const node = to === "operator" ? (this.leader ?? null) : this.#nodeOf(client);
    const answer = node === null ? null : await this.sendTo(node, to, request);
    this.checkRunning();
    if (answer === null) this.#chosen.delete(client);
    this.trace(`${node?.name} ${request.method} ${request.path}`, traced(request, answer));
    const { code } = (answer?.body ?? {}) as { readonly code?: unknown };
    return answer?.status === 503 && OUTCOME_UNKNOWN.has(code) ? null : answer;
  }

  /** Null when the connection broke, or nothing came in time. */
  async sendTo(
    { name, running }: ClusterNode,
    to: "public" | "operator",
    request: InlineRequest,
  ): Promise<Outcome> {
    const http = this.#http.get(name);
    if (running === null || http === undefined) return null;
    let connection: Duplex | null = null;
    const isLate = Promise.withResolvers<null>();
    const timer = this.#life.time.after(PATIENCE_MS, () => {
      connection?.destroy();
      isLate.resolve(null);
    });
    const port = to === "public" ? running.port : running.operatorPort;
    const connected = (opened: Duplex): void => {
      connection = opened;
    };
    const sent = http.send(port, request, connected).catch(() => null);
    const answer = await Promise.race([sent, isLate.promise]);
    timer.cancel();
    return answer;
  }

  override operatorRequest(method: string, path: string, body?: object): InlineRequest {
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
    const request = { method, path: `/operator/v1/${path}`, headers };
    if (body === undefined) return request;
    const typed = { ...headers, "Content-Type": "application/json" };
    return { ...request, headers: typed, body: JSON.stringify(body) };
  }

  /** Until it is answered, by whoever leads. */
  async #insist(to: "public" | "operator", asked: () => InlineRequest): Promise<unknown> {
    const { time } = this.#life;
    const endMs = time.nowMs + WHOLE_MS;
    for (;;) {
      const request = asked();
      const answer = await this.send(to, request);
      if (answer?.status === 200) return answer.body;
      const mayRepeat = answer === null || answer.status === 503 || answer.status === 429;
      if (!mayRepeat || time.nowMs > endMs) {
        const { method, path } = request;
        throw new Breach("read", `${method} ${path}: ${JSON.stringify(answer)}`);
      }
      await new Promise<void>((resolve) => {
        time.after(AGAIN_MS, resolve);
      });
    }
  }

  override async operator<Body>(method: string, path: string, body?: object): Promise<Body> {
    const asked = () => this.operatorRequest(method, path, body);
    return (await this.#life.until(this.#insist("operator", asked))) as Body;
  }

  override async readOperator<Body>(path: string): Promise<Body> {
    return (await this.#insist("operator", () => this.operatorRequest("GET", path))) as Body;
  }

  override async read<Body>(
    who: Credentials | null,
    path: string,
    query: Query = {},
  ): Promise<Body> {
    const target = pathWithQuery(path, query);
    const asked = (): InlineRequest =>
      who === null
        ? { method: "GET", path: target, headers: {} }
        : this.signedAs(who, "GET", target, null);
    return (await this.#insist("public", asked)) as Body;
  }

  /** Everything works again, and waits until the cluster does. */
  async mend(): Promise<void> {
    this.network.mend();
    const { postgres } = this;
    for (const member of postgres.members) {
      this.network.resume(member.name);
      member.slowestMs = 0;
      member.losesAnswer = false;
      if (!member.isUp) postgres.start(member);
    }
    postgres.rejoin();
    for (const node of this.nodes) {
      if (node.isStill) node.resume();
      node.after(Number.MAX_SAFE_INTEGER, () => undefined);
      node.start();
    }
    await this.whole();
  }

  /** Resolves when one node leads, all serve, and all have the same state. */
  async whole(): Promise<void> {
    const { time } = this.#life;
    const endMs = time.nowMs + WHOLE_MS;
    for (;;) {
      const told = await this.#life.until(this.#look());
      this.checkRunning();
      if (told === null) return;
      if (time.nowMs > endMs) throw new Breach("the cluster is whole again", told);
      await this.#life.pass(AGAIN_MS);
    }
  }

  /** Null when the cluster is whole, otherwise why it is not. */
  async #look(): Promise<string | null> {
    const { leader, nodes } = this;
    if (leader?.running == null) return "nobody leads";
    const states: Invariants[] = [];
    for (const node of nodes) {
      const ready = { method: "GET", path: "/health/ready", headers: {} };
      const health = await this.sendTo(node, "public", ready);
      const { leader: known, status } = (health?.body ?? {}) as Record<string, unknown>;
      const isReady = status === "ready" && known === leader.name;
      if (!isReady) return `${node.name}: ${JSON.stringify(health?.body ?? null)}`;
      const asked = this.operatorRequest("GET", "invariants");
      const state = await this.sendTo(node, "operator", asked);
      if (state?.status !== 200) return `${node.name}: ${JSON.stringify(state)}`;
      states.push(state.body as Invariants);
    }
    const [first] = states;
    const isSame = states.every(({ sequence }) => sequence === first?.sequence);
    if (!isSame) return `at ${states.map(({ sequence }) => sequence)}`;
    const hashes = new Set(states.map(({ stateHash }) => stateHash));
    const detail = () => `at ${first?.sequence}: ${[...hashes]}`;
    if (hashes.size !== 1) this.#fail(new Breach("all nodes have one state", detail()));
    if (leader !== this.#asked) this.restarts++;
    this.#asked = leader;
    return null;
  }

  /** The story follows what is durable, whoever has it; and what was durable still is. */
  async follow(): Promise<void> {
    const { log } = this.postgres.durable;
    for (const [ordinal, row] of this.#log.entries()) {
      const isThere = log[ordinal]?.chainHash.equals(row.chainHash) === true;
      hold(isThere, "nothing durable is lost", () => `row ${ordinal} of ${this.#log.length}`);
    }
    const added = log.slice(this.#log.length).flatMap(({ bytes }) => (bytes ? [bytes] : []));
    this.#log = log;
    if (this.#logSegment.length === 0) this.#logSegment = this.#segmentHeader();
    this.#logSegment = Buffer.concat([this.#logSegment, ...added]);
    const stateFolder = "/log";
    this.#logDisk.place(join(stateFolder, FIRST_SEGMENT), this.#logSegment);
    const sequence = Math.max(log.at(-1)?.lastSequence ?? 0, this.story.sequence);
    const refusals = new Refusals(this);
    refusals.look();
    const place = { disk: this.#logDisk, stateFolder };
    await this.story.follow(place, sequence, false, () => refusals.look());
    refusals.check();
    this.linearity.check();
  }

  /** Of the log's first segment, which is the same in every copy. */
  #segmentHeader(): Uint8Array {
    const { dataFolder, disk } = this.#asked;
    const segment = disk.file(join(dataFolder, FIRST_SEGMENT)) ?? new Uint8Array(0);
    return segment.slice(0, SEGMENT_HEADER_BYTES);
  }
}

/** The machine of the clients, whose time is everybody's. */
class ClientSide extends MachineLife {
  readonly #connect: () => Duplex;

  constructor(folder: string, random: Random, connect: () => Duplex) {
    super({
      folder,
      disk: new SimulatedDisk(),
      random,
      wallMs: () => BEGIN_MS,
      settings: { sandbox: false, streamIntervalMs: 100, rateLimits: "off", trustedProxies: [] },
    });
    this.#connect = connect;
  }

  override connect(): Duplex {
    return this.#connect();
  }
}
