/**
 * `rialto cluster demo`: three nodes of PostgreSQL and three exchanges on this machine. This
 * process is the supervisor of all of them: it starts, restarts and stops them, and fails over.
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { initCluster } from "../../app/cluster/init.ts";
import type { Profile } from "../../app/config.ts";
import { type GetClusterAnswer, OperatorClient } from "../../client/index.ts";
import type { DemoAccount } from "../../sandbox/index.ts";
import { CommandFailed } from "../failure.ts";
import { freePorts } from "./free-ports.ts";
import { Guard } from "./guard.ts";
import { NodeProcess } from "./node-process.ts";
import { PostgresProcess } from "./postgres-process.ts";
import { findPostgres, ownByPostgres, POSTGRES_USER } from "./postgres-programs.ts";
import { type Membership, PostgresTrio } from "./postgres-trio.ts";
import { seedExchange } from "./seed-exchange.ts";

export interface ClusterDemoOptions {
  /** Of the first node; each has two. 0 picks free ones. */
  readonly port: number;
  readonly dataFolder: string;
  readonly profile: Profile;
  readonly sandbox: boolean;
  readonly rateLimits: "standard" | "off";
  readonly marketMakers: "on" | "off";
  readonly postgresPrograms: string | null;
  readonly say: (line: string) => void;
}

export interface NodeEntry {
  readonly node: string;
  readonly port: number;
  readonly operatorPort: number;
  readonly pid: number;
  readonly role: string;
}

export interface PostgresEntry {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly role: string;
}

export interface ClusterReady {
  readonly event: "ready";
  readonly nodes: readonly NodeEntry[];
  readonly postgres: readonly PostgresEntry[];
  readonly demo: readonly DemoAccount[];
  readonly operatorToken: string;
}

/** What a demo keeps in its folder. */
interface Kept {
  readonly operatorToken: string;
  readonly password: string;
  readonly sandbox: boolean;
  readonly membership: Membership | null;
  /** Null until the log is made. */
  readonly accounts: readonly DemoAccount[] | null;
}

const NODES = ["n1", "n2", "n3"];
const POSTGRES = ["p1", "p2", "p3"];
const WHOLE_MS = 90_000;
const POLL_MS = 100;
/** Together they are less than the 20 s within which everything has ended. */
const NODE_STOP_MS = 9_000;
const POSTGRES_STOP_MS = 5_000;

export class ClusterDemo {
  readonly #options: ClusterDemoOptions;
  readonly #folder: string;
  readonly #guard = new Guard();
  #kept: Kept;
  #postgres: PostgresTrio | null = null;
  #nodes: readonly NodeProcess[] = [];
  #seedPid: number | null = null;

  private constructor(options: ClusterDemoOptions, folder: string, kept: Kept) {
    this.#options = options;
    this.#folder = folder;
    this.#kept = kept;
  }

  /** Everything is stopped again when it fails. */
  static async start(
    options: ClusterDemoOptions,
  ): Promise<{ readonly demo: ClusterDemo; readonly ready: ClusterReady }> {
    const folder = resolve(options.dataFolder);
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = readKept(folder) ?? newKept(options.sandbox);
    if (kept.sandbox !== options.sandbox) {
      const flag = kept.sandbox ? "with --sandbox" : "without --sandbox";
      throw new CommandFailed("usage", `The demo in ${folder} was made ${flag}: start it so.`);
    }
    const demo = new ClusterDemo(options, folder, kept);
    try {
      return { demo, ready: await demo.#start() };
    } catch (error) {
      await demo.stop();
      throw error;
    }
  }

  async #start(): Promise<ClusterReady> {
    const { postgresPrograms, say } = this.#options;
    const programs = await findPostgres(postgresPrograms, say);
    this.#keep({});
    writeMasterKey(this.#masterKey);
    const isNew = this.#kept.accounts === null;
    const [seeded] = await Promise.all([
      isNew ? this.#seed() : null,
      this.#startPostgres(programs),
    ]);
    if (seeded !== null) await this.#makeLog(seeded);
    const ports = await nodePorts(this.#options.port);
    this.#nodes = NODES.map((node, index) => this.#nodeAt(node, ports[index] as number[]));
    say("starting three exchanges");
    await Promise.all(this.#nodes.map((node) => node.start()));
    const view = await this.#whole();
    const { accounts, operatorToken } = this.#kept;
    const nodes = this.#nodes.map((node) => entryOf(node, view));
    const postgres = this.#trio.nodes.map((node) => postgresEntry(node, this.#trio));
    return { event: "ready", nodes, postgres, demo: accounts ?? [], operatorToken };
  }

  get #trio(): PostgresTrio {
    if (this.#postgres === null) throw new Error("PostgreSQL is started first");
    return this.#postgres;
  }

  get #masterKey(): string {
    return join(this.#folder, "master.key");
  }

  get #keptPath(): string {
    return keptPath(this.#folder);
  }

  #keep(changes: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...changes };
    const path = this.#keptPath;
    writeFileSync(`${path}.new`, `${JSON.stringify(this.#kept, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** What the demo's market has traded so far, in the folder that becomes the first node's. */
  async #seed(): Promise<readonly DemoAccount[]> {
    const { profile, sandbox, marketMakers } = this.#options;
    const folder = join(this.#folder, "n1");
    rmSync(folder, { recursive: true, force: true });
    if (profile === "empty") return [];
    const onChange = (pid: number | null): void => {
      this.#seedPid = pid;
      this.#guardAll();
    };
    const masterKey = this.#masterKey;
    return await seedExchange({ folder, sandbox, marketMakers, masterKey, onChange });
  }

  async #startPostgres(programs: string): Promise<void> {
    const { say } = this.#options;
    say("starting three nodes of PostgreSQL");
    const parent = postgresFolder(this.#folder, say);
    const { password, membership } = this.#kept;
    const isNew = this.#kept.accounts === null;
    if (isNew) rmSync(parent, { recursive: true, force: true });
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    ownByPostgres(parent);
    const ports = await freePorts(POSTGRES.length);
    const onChange = (node: PostgresProcess): void => this.#postgresChanged(node);
    const nodes = POSTGRES.map((name, index) => {
      const folder = join(parent, name);
      const port = ports[index] as number;
      return new PostgresProcess({ name, port, folder, programs, password, onChange });
    });
    const save = (changed: Membership): void => this.#keep({ membership: changed });
    this.#postgres = new PostgresTrio(nodes, isNew ? null : membership, save, say);
    await this.#postgres.start();
  }

  #postgresChanged(node: PostgresProcess): void {
    this.#guardAll();
    if (node.pid === null) this.#postgres?.ended(node);
  }

  /** Who does not notice by itself when this process is gone. */
  #guardAll(): void {
    const pids = [this.#seedPid, ...(this.#postgres?.nodes.map(({ pid }) => pid) ?? [])];
    this.#guard.watch(pids.filter((pid) => pid !== null));
  }

  async #makeLog(accounts: readonly DemoAccount[]): Promise<void> {
    const { profile, sandbox } = this.#options;
    const [first, ...others] = NODES.map((node) => join(this.#folder, node)) as [string];
    for (const other of others) rmSync(other, { recursive: true, force: true });
    await initCluster({
      postgresUrls: this.#trio.urls,
      from: profile === "empty" ? null : first,
      sandbox,
      masterKeyFile: this.#masterKey,
    });
    // The others begin with a copy, and fetch what comes later.
    if (existsSync(first)) for (const other of others) cpSync(first, other, { recursive: true });
    this.#keep({ accounts });
  }

  #nodeAt(node: string, [port = 0, operatorPort = 0]: readonly number[]): NodeProcess {
    const { marketMakers, profile, rateLimits, sandbox, say } = this.#options;
    const flags = ["--node", node, "--data-dir", join(this.#folder, node)];
    flags.push("--port", String(port), "--operator-port", String(operatorPort));
    flags.push("--profile", profile, "--rate-limits", rateLimits, "--market-makers", marketMakers);
    if (sandbox) flags.push("--sandbox");
    const env = {
      ...process.env,
      RIALTO_POSTGRES: this.#trio.urls.join(),
      RIALTO_MASTER_KEY_FILE: this.#masterKey,
      RIALTO_OPERATOR_TOKEN: this.#kept.operatorToken,
      RIALTO_CLUSTER_DEMO: this.#keptPath,
    };
    const log = join(this.#folder, `${node}.log`);
    const onStart = (name: string): Promise<object> => this.#startNamed(name);
    return new NodeProcess({ node, port, operatorPort, flags, env, log, say, onStart });
  }

  /** What a node is told that asks for the start of a process. */
  async #startNamed(name: string): Promise<object> {
    const node = this.#nodes.find((each) => each.node === name);
    const postgres = this.#trio.find(name);
    try {
      if (node !== undefined) {
        await node.start();
        return { entry: entryOf(node, await this.#viewOf(node).catch(() => null)) };
      }
      if (postgres === null) return { unknown: [...NODES, ...POSTGRES].join(", ") };
      await this.#trio.revive(postgres);
      return { entry: postgresEntry(postgres, this.#trio) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  }

  #viewOf({ operatorPort }: NodeProcess): Promise<GetClusterAnswer> {
    const { operatorToken: token } = this.#kept;
    return new OperatorClient({
      baseUrl: `http://127.0.0.1:${operatorPort}`,
      token,
      attempts: 1,
    }).getCluster();
  }

  /** With a leader, two synchronous standbys, and all nodes confirmed. */
  async #whole(): Promise<GetClusterAnswer> {
    const deadlineMs = Date.now() + WHOLE_MS;
    const [first] = this.#nodes as [NodeProcess];
    for (;;) {
      const view = await this.#viewOf(first).catch(() => null);
      if (view !== null && isWhole(view)) return view;
      if (Date.now() > deadlineMs) {
        throw new CommandFailed("node", `The cluster is not whole: see ${this.#folder}/n1.log.`);
      }
      await sleep(POLL_MS);
    }
  }

  /** Resolves when no process is left. */
  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop(NODE_STOP_MS)));
    await this.#postgres?.stop(POSTGRES_STOP_MS);
    this.#guard.end();
  }
}

function isWhole({ leader, nodes, postgres, quorum }: GetClusterAnswer): boolean {
  if (leader === null || !quorum || nodes.length < NODES.length) return false;
  if (!nodes.some(({ role }) => role === "leader")) return false;
  return nodes.every(({ confirmed }) => confirmed) && postgres.every(({ sync }) => sync);
}

function entryOf(process: NodeProcess, view: GetClusterAnswer | null): NodeEntry {
  const { node, operatorPort, pid, port } = process;
  const role = view?.nodes.find((row) => row.node === node)?.role ?? "follower";
  return { node, port, operatorPort, pid: pid ?? 0, role };
}

function postgresEntry({ name, pid, port }: PostgresProcess, trio: PostgresTrio): PostgresEntry {
  const role = trio.primary.name === name ? "primary" : "standby";
  return { name, port, pid: pid ?? 0, role };
}

function keptPath(folder: string): string {
  return join(folder, "demo.json");
}

function readKept(folder: string): Kept | null {
  const path = keptPath(folder);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Kept) : null;
}

function newKept(sandbox: boolean): Kept {
  const operatorToken = randomBytes(24).toString("base64url");
  const password = randomBytes(16).toString("hex");
  return { operatorToken, password, sandbox, membership: null, accounts: null };
}

function writeMasterKey(path: string): void {
  if (existsSync(path)) return;
  writeFileSync(path, `1 ${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
}

/**
 * A subfolder of the demo's. Root's PostgreSQL is another user's, who must be able to get there:
 * where a folder above is closed, it lies beside the temporary files.
 */
function postgresFolder(folder: string, say: (line: string) => void): string {
  const own = join(folder, "postgres");
  if (POSTGRES_USER.uid === undefined) return own;
  chmodSync(folder, 0o711);
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    if ((statSync(above).mode & 0o001) !== 0) continue;
    const place = Buffer.from(folder).toString("base64url").slice(-24);
    const other = join(tmpdir(), `rialto-demo-${basename(folder)}-${place}`);
    say(`PostgreSQL runs as another user, who cannot enter ${above}: its data is in ${other}`);
    return other;
  }
  return own;
}

async function nodePorts(first: number): Promise<readonly number[][]> {
  const count = 2 * NODES.length;
  const ports =
    first === 0 ? await freePorts(count) : Array.from({ length: count }, (_, at) => first + at);
  return NODES.map((_, index) => ports.slice(2 * index, 2 * index + 2));
}
