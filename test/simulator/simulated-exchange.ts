/**
 * An exchange through all its lives on one disk: starts, stops, kills and power cuts. The journal,
 * snapshots and checkpoints are on the simulated disk. SQLite and the private files are on the real
 * one, as the killed process left them, and the history may be older or gone after a power cut.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { type Sizes, StartRefused } from "../../src/app/config.ts";
import type { InlineAnswer, InlineRequest } from "../support/inline-http.ts";
import { Random } from "../support/random.ts";
import {
  type Credentials,
  pathWithQuery,
  type Query,
  signedHeaders,
} from "../support/signed-client.ts";
import { type PowerCut, SimulatedDisk } from "../support/simulated-disk.ts";
import { Breach, hold, MachineEnded, StoryEnded } from "./breach.ts";
import { checkForm } from "./documented.ts";
import type { ArmedFault, Damage, Misdirected } from "./faulty-disk.ts";
import { KeptHistory } from "./kept-history.ts";
import { Pools } from "./limit-pools.ts";
import { Linearity } from "./linearity.ts";
import { MachineLife } from "./machine-life.ts";
import { passTime } from "./pass-time.ts";
import type { RefusedOrder } from "./refused-order.ts";
import { SentSamples } from "./sent-samples.ts";
import { Story } from "./story.ts";
import { traced } from "./traced.ts";
import { hearUnjournaled } from "./unjournaled-commands.ts";
import { WallClock } from "./wall-clock.ts";

const BEGIN_MS = 1_800_000_000_000;
/** A machine is off for so long at most before it starts again. */
const OFF_MS = 40_000;
const STARTS_MAX = 8;
/** Not copied. SQLite's thread may remove the second just now; its state ends with this life. */
const LEFT_BEHIND = /\/lock\.db$|\/checkpoints\/\.[^/]+\/[^/]+\.db-journal$/;
/** After which a refused read is repeated. */
const LIMITED_MS = 500;

/** The answer to a request, or null when the connection broke before it came. */
export type Outcome = InlineAnswer | null;

/** What happens to a request on its way. */
export interface Wire {
  readonly connected?: (connection: Duplex) => void;
  readonly delayMs?: number;
  /** The client hears no more after so long, and the server does not learn of it. */
  readonly givesUpAfterMs?: number;
  /** It comes twice, each time on a connection of its own. */
  readonly isDoubled?: boolean;
}

export type HistoryFate = "kept" | "older" | "lost";

export interface Ending {
  readonly disk: "kill" | PowerCut;
  readonly history: HistoryFate;
}

export interface ExchangeChoice {
  readonly seed: number;
  readonly sandbox: boolean;
  readonly streamIntervalMs: number;
  readonly hasLimits?: boolean;
  readonly sizes?: Sizes | undefined;
}

const SEGMENT = /\.segment(\.zst)?$/;

export class SimulatedExchange {
  readonly #folder: string;
  readonly #random: Random;
  readonly #choice: ExchangeChoice;
  readonly #trace = createHash("sha256");
  readonly #histories: KeptHistory;
  #disk = new SimulatedDisk();
  #life: MachineLife | null = null;
  #lives = 0;
  /** Wall time at which the present life began. */
  #bornMs = BEGIN_MS;
  readonly clock = new WallClock();
  readonly #signedMs = new Set<number>();
  restarts = 0;
  /** Told of each step, and of the parts of a long one. */
  onStepBegun: () => void = () => undefined;
  /** The restart behind which the journal was checked last, and the snapshots that were since. */
  readonly replayed = { life: -1, snapshots: new Set<number>() };
  /** The restart behind which the story has followed the journal. */
  followedLife = 0;
  /** Snapshots were damaged at rest; otherwise none may ever be. */
  hasRot = false;
  requests = 0;
  /** Called when a life begins, ahead of its start. */
  onLife: () => void = () => undefined;
  /** Of a file of the data folder, to put it right once it was refused. */
  #damage: readonly Damage[] = [];
  /** Syncs were lies, and then the power was cut. */
  hasLied = false;
  /** The read of the next start that gives a wrong bit. */
  rotsAtStart: number | null = null;
  /** Calls of the disk in the next starts at which the machine stops. */
  stopsAtStart: Pick<ArmedFault, "inCalls" | "of">[] = [];
  /** What the ring was when a fault began that will bring it back. */
  oldRing: Uint8Array | null = null;
  /** Starts that refused a damaged journal, or a clock that is behind. */
  refusals = 0;
  /** Since the last look at the journal. */
  refusedOrders: RefusedOrder[] = [];
  readonly samples = new SentSamples();
  /** Jumps of a sandbox's clock by a day or more, and what none of them may meet. */
  daysPassed = 0;
  readonly retries = new Set<object>();
  /** Keys that are live. */
  readonly clients: Credentials[] = [];
  /** What the limits of this life must be; null when there are none. */
  limits: { readonly pools: Pools; isBusy: boolean } | null = null;
  #addresses = 0;
  story = new Story();
  linearity = new Linearity();

  constructor(folder: string, choice: ExchangeChoice) {
    this.#folder = folder;
    this.#histories = new KeptHistory(join(folder, "kept-history"));
    this.#choice = choice;
    this.#random = new Random(choice.seed);
    mkdirSync(this.#dataFolder, { mode: 0o700 });
  }

  get #dataFolder(): string {
    return join(this.#folder, String(this.#lives));
  }

  get sandbox(): boolean {
    return this.#choice.sandbox;
  }

  /** The path of the journal's folder on the simulated disk, and the disk. */
  get dataFolder(): string {
    return this.#dataFolder;
  }

  /** Where the journal and the snapshots are: in a folder of their own behind a restore. */
  get stateFolder(): string {
    const bytes = this.file("branch.json");
    const { number = 0 } = bytes === undefined ? {} : JSON.parse(Buffer.from(bytes).toString());
    return number === 0 ? this.#dataFolder : join(this.#dataFolder, "branches", String(number));
  }

  get disk(): SimulatedDisk {
    return this.#disk;
  }

  /** What may be done is counted anew. */
  beginStep(): void {
    this.life.beginStep();
    this.onStepBegun();
  }

  get life(): MachineLife {
    if (this.#life === null) throw new Error("the exchange does not run");
    return this.#life;
  }

  get nowMs(): number {
    return this.clock.at(this.worldMs);
  }

  /** What a clock shows that nobody has set. */
  get worldMs(): number {
    return this.#bornMs + (this.#life?.time.nowMs ?? 0);
  }

  get traceHash(): string {
    return this.#trace.copy().digest("hex");
  }

  trace(what: string, value: unknown): void {
    this.#trace.update(`${what} ${JSON.stringify(value)}\n`);
  }

  /** What was told so far counts no more. */
  forget(): void {
    this.story = new Story();
    this.linearity = new Linearity();
    this.refusedOrders = [];
    this.followedLife = this.restarts;
    this.replayed.snapshots.clear();
  }

  /** Starts and, when the machine fails during the start, starts again. */
  async start(): Promise<void> {
    hearUnjournaled(() => this.story);
    for (let starts = 0; starts < STARTS_MAX; starts++) {
      const life = this.#newLife();
      this.#life = life;
      this.onLife();
      life.files.rotsInReads = this.rotsAtStart;
      this.rotsAtStart = null;
      const stop = this.stopsAtStart.shift();
      if (stop !== undefined) life.files.arm({ ...stop, fault: { kind: "stop" } });
      try {
        await life.start();
        this.#afterStart();
        return;
      } catch (error) {
        await this.#afterFailedStart(life, error);
      }
    }
    throw new Breach("start", `${STARTS_MAX} starts in a row failed`);
  }

  #newLife(): MachineLife {
    const born = this.#bornMs;
    const { hasLimits = false, sandbox, sizes, streamIntervalMs } = this.#choice;
    this.limits = hasLimits ? { pools: new Pools(), isBusy: false } : null;
    const rateLimits = hasLimits ? "standard" : "off";
    const trustedProxies = hasLimits ? ["127.0.0.1"] : [];
    return new MachineLife({
      folder: this.#dataFolder,
      disk: this.#disk,
      random: new Random(this.#random.integer(0, 0x7fffffff)),
      wallMs: (lifeMs) => this.clock.at(born + lifeMs),
      settings: { sandbox, streamIntervalMs, rateLimits, trustedProxies, sizes },
    });
  }

  async #afterFailedStart(life: MachineLife, error: unknown): Promise<void> {
    if (error instanceof Breach) throw error;
    if (this.hasLied) throw new StoryEnded("the start refused what was left");
    const isExplained = life.files.stopped || life.files.hasFailed || this.#putRight(error);
    if (!isExplained) {
      const kind = error instanceof StartRefused ? "refused" : "failed";
      const stack = error instanceof Error ? error.stack : "";
      throw new Breach("start", `${kind}: ${life.fatal?.stack ?? String(error)}\n${stack}`);
    }
    const disk = life.files.stopped ? this.#anyCut() : "kill";
    await this.end({ disk, history: "kept" });
  }

  /** Of a damaged journal, or of a clock that is too far behind. False when there is no such. */
  #putRight(error: unknown): boolean {
    if (!(error instanceof StartRefused)) return false;
    if (this.#damage.length === 0 && this.clock.behindMs === 0) return false;
    this.refusals++;
    this.clock.step(this.clock.behindMs);
    this.#repair();
    return true;
  }

  #repair(): void {
    for (const { at, file, was } of this.#damage) {
      this.#disk.patch(join(this.#dataFolder, file), at, was);
    }
    this.#damage = [];
  }

  /**
   * A start reads the journal from its newest snapshot on. What is damaged before that is found by
   * whoever reads it; here it is put right. What the start has written itself is left alone.
   */
  #afterStart(): void {
    this.life.files.rotsInReads = null;
    if (!this.life.files.hasFailed) this.life.files.arm(null);
    this.stopsAtStart = [];
    this.#damage = this.#damage.filter(({ at, file, is }) => {
      const kept = this.#disk.file(join(this.#dataFolder, file)) ?? new Uint8Array(0);
      const isThere = is.length > 0 && Buffer.compare(kept.subarray(at, at + is.length), is) === 0;
      return isThere && SEGMENT.test(file);
    });
    this.#repair();
  }

  /** Of the data folder on the simulated disk, in order. */
  files(folder: string): string[] {
    const prefix = `${this.#dataFolder}/`;
    const paths = [...this.#disk.names.keys()].filter((path) => path.startsWith(prefix + folder));
    return paths.map((path) => path.slice(prefix.length)).sort();
  }

  file(name: string): Uint8Array | undefined {
    return this.#disk.file(join(this.#dataFolder, name));
  }

  /** Damage at rest; once a start has refused it, it is put right. */
  damage(places: readonly Pick<Damage, "file" | "at" | "is">[]): void {
    const patch = ({ at, file, is }: Pick<Damage, "file" | "at" | "is">): Damage => {
      const was = this.file(file)?.slice(at, at + is.length) ?? new Uint8Array(0);
      this.#disk.patch(join(this.#dataFolder, file), at, is);
      return { file, at, was, is };
    };
    this.#damage = places.map(patch);
  }

  /** What the file would be, had the write landed where it belongs. */
  #noteMisdirected({ before, bytes, landedAt, path, position }: Misdirected): void {
    const file = path.slice(this.#dataFolder.length + 1);
    this.#damage = [
      { file, at: landedAt, was: before, is: bytes },
      // A start that takes the journal as it is has written what belongs here.
      { file, at: position, was: bytes, is: new Uint8Array(0) },
    ];
  }

  #anyCut(): PowerCut {
    return this.#random.pick(["drops-all", "keeps-all", "tears"] as const);
  }

  /** Ends the life, and makes the disk and the folder what the next one finds. */
  async end({ disk, history }: Ending): Promise<void> {
    const life = this.life;
    life.end();
    await life.time.realWorkDone();
    this.restarts++;
    // Who waits for a moment of this life waits for ever.
    this.retries.clear();
    const { brokenEntry, misdirected } = life.files;
    if (brokenEntry !== null) {
      const file = brokenEntry.file.slice(this.#dataFolder.length + 1);
      this.#damage = [{ ...brokenEntry, file }];
    }
    if (misdirected !== null) this.#noteMisdirected(misdirected);
    const before = this.#dataFolder;
    const seen = this.#disk;
    const survived = disk === "kill" ? seen.afterKill() : seen.afterPowerCut(disk, this.#random);
    this.#lives++;
    const after = this.#dataFolder;
    cpSync(before, after, { recursive: true, filter: (path) => !LEFT_BEHIND.test(path) });
    survived.renameFolder(before, after);
    this.#disk = survived;
    if (history !== "kept") this.#histories.change(after, history);
    await life.bury();
    rmSync(before, { recursive: true, force: true });
    this.#life = null;
    this.#bornMs += life.time.nowMs + this.#random.integer(1, OFF_MS);
  }

  /** What an "older" history is. */
  keepHistory(): void {
    this.#histories.keep(this.#dataFolder);
  }

  /** Flips bits in the newest snapshot, or in all: each is a shortcut, and must be passed over. */
  rotSnapshots(random: Random): void {
    this.hasRot = true;
    const folder = `${join(this.#dataFolder, "snapshots")}/`;
    const paths = [...this.#disk.names.keys()].filter((path) => path.startsWith(folder)).sort();
    for (const path of random.chance(0.5) ? paths : paths.slice(-1)) {
      const bytes = this.#disk.file(path)?.slice() ?? new Uint8Array(0);
      if (bytes.length === 0) continue;
      const at = random.integer(0, bytes.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
      this.#disk.place(path, bytes);
    }
  }

  async stop(): Promise<void> {
    await this.life.stop();
    await this.end({ disk: "keeps-all", history: "kept" });
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    await this.#life?.bury();
    this.#life = null;
  }

  async pass(ms: number): Promise<void> {
    await this.life.pass(ms);
  }

  connect(): Duplex {
    return this.life.connect();
  }

  /** One from which nobody has sent anything. */
  newAddress(): string {
    this.#addresses++;
    return `10.${this.#addresses >> 16}.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}`;
  }

  /** Now; two signed requests of one moment would count as one. */
  signingTime(aheadMs = 0): string {
    let signedMs = this.nowMs + aheadMs;
    while (this.#signedMs.has(signedMs)) signedMs++;
    this.#signedMs.add(signedMs);
    return String(signedMs);
  }

  signedAs(
    who: Credentials,
    method: string,
    path: string,
    body: string | null,
    aheadMs = 0,
  ): InlineRequest {
    const timestamp = this.signingTime(aheadMs);
    const headers = signedHeaders(who, { method, path, body }, timestamp);
    if (body === null) return { method, path, headers: { ...headers } };
    if (path.includes("/v3/")) this.story.asked.addSigned(headers, body);
    return { method, path, headers: { ...headers, "Content-Type": "application/json" }, body };
  }

  /** Null when the connection broke. Rejects with `MachineEnded` when the machine stopped. */
  async send(to: "public" | "operator", request: InlineRequest, wire: Wire = {}): Promise<Outcome> {
    const { life } = this;
    this.requests++;
    const answer = await this.#overWire(to, request, wire);
    this.checkRunning(life);
    checkForm(to, request, answer);
    this.samples.note(to, request, answer);
    this.trace(`${request.method} ${request.path}`, traced(request, answer));
    return answer;
  }

  /** Whoever waited for an answer learns that the machine has stopped. */
  checkRunning(life = this.life): void {
    if (life.isOver) throw new MachineEnded("the machine stopped before the answer was read");
  }

  async #overWire(to: "public" | "operator", request: InlineRequest, wire: Wire) {
    const { life } = this;
    const { connected, delayMs = 0, givesUpAfterMs, isDoubled = false } = wire;
    const wait = (ms: number) =>
      new Promise<null>((resolve) => {
        life.time.after(ms, () => resolve(null));
      });
    if (delayMs > 0) await wait(delayMs);
    const sendOnce = () => life.send(to, request, connected).catch(() => null);
    const sent = [sendOnce(), ...(isDoubled ? [sendOnce()] : [])];
    const first =
      givesUpAfterMs === undefined ? sent[0] : Promise.race([...sent, wait(givesUpAfterMs)]);
    const answer = (await first) ?? null;
    const [, second] = isDoubled ? await Promise.all(sent) : [];
    // The second is refused as a repetition, or has the answer of the first.
    if (answer?.status === 200 && second?.status === 200) {
      const [one, other] = [answer, second].map(
        ({ body }) => (body as { orderId?: unknown }).orderId,
      );
      hold(one === other, "a signed request has one effect", () => `${one} and ${other}`);
    }
    if (isDoubled && answer?.status !== 200 && second?.status === 200) return second;
    return answer;
  }

  operatorRequest(method: string, path: string, body?: object): InlineRequest {
    const typed = body === undefined ? {} : { "Content-Type": "application/json" };
    const headers = { Authorization: `Bearer ${this.life.running.operatorToken}`, ...typed };
    const request = { method, path: `/operator/v1/${path}`, headers };
    return body === undefined ? request : { ...request, body: JSON.stringify(body) };
  }

  /** The body of the answer, which must be 200. */
  async operator<Body>(method: string, path: string, body?: object): Promise<Body> {
    const request = this.operatorRequest(method, path, body);
    const answer = await this.life.until(this.send("operator", request));
    if (answer?.status === 200) return answer.body as Body;
    throw new Breach("operator API", `${method} ${path}: ${JSON.stringify(answer)}`);
  }

  /** Of the operator's API. */
  async readOperator<Body>(path: string): Promise<Body> {
    for (;;) {
      const answer = await this.send("operator", this.operatorRequest("GET", path));
      if (answer?.status === 200) return answer.body as Body;
      if (answer?.status === 503) continue;
      throw new Breach("operator API", `GET ${path}: ${JSON.stringify(answer)}`);
    }
  }

  /** A read that must be answered 200; one about a past that is still being written is repeated. */
  read<Body>(who: Credentials | null, path: string, query: Query = {}): Promise<Body> {
    const target = pathWithQuery(path, query);
    return this.#read<Body>(() => {
      if (who === null) return { method: "GET", path: target, headers: {} };
      return this.signedAs(who, "GET", target, null);
    });
  }

  /** One whose filter is in the body. */
  readByBody<Body>(who: Credentials, path: string, query: Query): Promise<Body> {
    return this.#read<Body>(() => this.signedAs(who, "POST", path, JSON.stringify(query)));
  }

  async #read<Body>(request: () => InlineRequest): Promise<Body> {
    for (;;) {
      const sent = request();
      const answer = await this.send("public", sent);
      if (answer?.status === 200) return answer.body as Body;
      if (answer?.status === 429) await passTime(this, LIMITED_MS);
      else if (answer?.status !== 503) {
        const { body, method, path } = sent;
        throw new Breach("read", `${method} ${path} ${body ?? ""}: ${JSON.stringify(answer)}`);
      }
    }
  }
}
