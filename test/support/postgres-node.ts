/** One node of PostgreSQL for tests: its process, its folder, and the network around it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import {
  folderForPostgres,
  POSTGRES_USER,
  postgresPrograms,
  runAsPostgres,
  writeForPostgres,
} from "./postgres-programs.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { waitUntil } from "./wait-until.ts";

export type Row = Readonly<Record<string, unknown>>;
type Settings = Readonly<Record<string, string>>;

/** Small, with short timeouts; commits are as durable as in production. */
const COMMON: Settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  dynamic_shared_memory_type: "mmap",
  shared_buffers: "16MB",
  max_connections: "40",
  wal_level: "replica",
  wal_keep_size: "256MB",
  wal_log_hints: "on",
  hot_standby: "on",
  autovacuum: "off",
  wal_receiver_status_interval: "1s",
  wal_receiver_timeout: "5s",
  wal_sender_timeout: "5s",
  wal_retrieve_retry_interval: "100ms",
  log_min_messages: "warning",
};

/** What a copy of another node's folder must not have. */
const OF_THE_SOURCE: ReadonlySet<string> = new Set([
  "postmaster.pid",
  "postmaster.opts",
  "standby.signal",
  "backup_label",
  // What was set on it with SQL.
  "postgresql.auto.conf",
  // It receives its own.
  "pg_wal",
]);

const live = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of live) child.kill("SIGQUIT");
});

export class PostgresNode {
  readonly name: string;
  /** Between clients and the node. */
  readonly clients: TcpProxy;
  /** Between its standbys and the node. */
  readonly replication: TcpProxy;
  readonly port: number;
  readonly #folder: string;
  readonly #log: string;
  #settings: Settings = {};
  #process: ChildProcess | null = null;

  private constructor(name: string, port: number, clients: TcpProxy, replication: TcpProxy) {
    const folder = folderForPostgres();
    this.name = name;
    this.clients = clients;
    this.replication = replication;
    this.port = port;
    this.#folder = join(folder, "data");
    this.#log = join(folder, "log");
  }

  static async create(name: string): Promise<PostgresNode> {
    const port = await freePort();
    return new PostgresNode(name, port, await TcpProxy.open(port), await TcpProxy.open(port));
  }

  get dataFolder(): string {
    return this.#folder;
  }

  get isRunning(): boolean {
    return this.#process !== null;
  }

  /** A new, empty data folder. */
  async initialize(): Promise<void> {
    const flags = ["--no-sync", "--no-instructions", "-A", "trust", "-U", "rialto"];
    const locale = ["-E", "UTF8", "--no-locale"];
    runAsPostgres(join(postgresPrograms(), "initdb"), ["-D", this.#folder, ...flags, ...locale]);
    appendFileSync(this.#file("postgresql.conf"), "include_if_exists = 'node.conf'\n");
    this.#write({});
  }

  async start(): Promise<void> {
    const log = openSync(this.#log, "a");
    const program = join(postgresPrograms(), "postgres");
    const child = spawn(program, ["-D", this.#folder], {
      ...POSTGRES_USER,
      cwd: "/",
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    this.#process = child;
    live.add(child);
    child.once("exit", () => {
      live.delete(child);
      if (this.#process === child) this.#process = null;
    });
    await waitUntil(`${this.name} answers`, async () => {
      if (this.#process === null) throw new Error(`${this.name}: ${readFileSync(this.#log)}`);
      return this.query("SELECT 1").then(
        () => true,
        () => false,
      );
    });
  }

  /** Over a connection of its own, past the proxy. */
  async query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const client = this.#client();
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  #client(): Client {
    const host = "127.0.0.1";
    const connectionTimeoutMillis = 5000;
    const database = "postgres";
    return new Client({
      host,
      port: this.port,
      user: "rialto",
      database,
      connectionTimeoutMillis,
    });
  }

  /** Changes settings that need no restart; they are in force when it resolves. */
  async configure(changes: Settings): Promise<void> {
    this.#write(changes);
    this.#process?.kill("SIGHUP");
    for (const [name, value] of Object.entries(changes)) {
      await waitUntil(`${this.name} has ${name}`, async () => {
        const [row] = await this.query("SELECT current_setting($1) AS value", [name]);
        return row?.value === value;
      });
    }
  }

  #write(changes: Settings): void {
    this.#settings = { ...this.#settings, ...changes };
    const all = { ...COMMON, port: String(this.port), cluster_name: this.name, ...this.#settings };
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`);
    writeForPostgres(this.#file("node.conf"), lines.join(""));
  }

  /** The machine dies: all its processes at the same moment. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    child.kill("SIGSTOP");
    const children = childrenOf(child.pid as number);
    for (const pid of children) process.kill(pid, "SIGKILL");
    child.kill("SIGKILL");
    await this.#untilGone(child, children);
  }

  /** Its first process dies; the others notice, and end by themselves. */
  async killFirst(): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    const children = childrenOf(child.pid as number);
    child.kill("SIGKILL");
    await this.#untilGone(child, children);
  }

  /** Its memory is shared until the last of them has ended, and no start is possible before. */
  async #untilGone(child: ChildProcess, children: readonly number[]): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const isThere = (pid: number) => existsSync(`/proc/${pid}`);
    await waitUntil(`${this.name} is gone`, async () => !children.some(isThere));
  }

  /** At once, without a checkpoint; or in order, after which a standby can be rewound. */
  async stop(signal: "SIGQUIT" | "SIGINT" = "SIGQUIT"): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  async close(): Promise<void> {
    await this.stop();
    this.clients.close();
    this.replication.close();
  }

  /** Becomes a copy of the primary, and its standby when it starts. */
  async copyFrom(
    primary: PostgresNode,
    memberName: string,
    settings: Settings = {},
  ): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    const client = primary.#client();
    await client.connect();
    await client.query("SELECT pg_backup_start('copy', true)");
    const entries = readdirSync(primary.#folder).filter((name) => !OF_THE_SOURCE.has(name));
    const wal = ["pg_wal", "pg_wal/archive_status", "pg_wal/summaries"];
    const folders = ["", ...wal].map((name) => this.#file(name));
    runAsPostgres("mkdir", ["-m", "700", ...folders]);
    runAsPostgres("cp", ["-r", ...entries.map((name) => primary.#file(name)), this.#folder]);
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
    writeForPostgres(this.#file("backup_label"), rows[0].labelfile);
    await client.end();
    this.#settings = {};
    this.becomeStandby(primary, memberName, settings);
  }

  /** At its next start it follows the primary, as what its folder says: no copy is made. */
  becomeStandby(primary: PostgresNode, memberName: string, settings: Settings = {}): void {
    this.#write({ primary_conninfo: connectionTo(primary, memberName), ...settings });
    writeForPostgres(this.#file("standby.signal"), "");
  }

  /** What was set on it with SQL is not in force at its next start. */
  forgetSettings(): void {
    writeForPostgres(this.#file("postgresql.auto.conf"), "");
  }

  /** A running standby follows another primary. */
  follow(primary: PostgresNode, memberName: string): Promise<void> {
    return this.configure({ primary_conninfo: connectionTo(primary, memberName) });
  }

  /** Hears no primary any more. */
  async leave(): Promise<void> {
    await this.configure({ primary_conninfo: "" });
    await waitUntil(`${this.name} receives nothing`, async () => {
      return (await this.query("SELECT 1 FROM pg_stat_wal_receiver")).length === 0;
    });
  }

  /** How far its log goes; after `leave`, when it has replayed what it received. */
  async replayedLsn(): Promise<bigint> {
    let lsn = -1n;
    await waitUntil(`${this.name} has replayed what it received`, async () => {
      // Between two tries to read on it finds half of a record at most.
      const [row] = await this.query(
        "SELECT pg_last_wal_replay_lsn() - '0/0' AS replayed FROM pg_sleep(0.5), " +
          "pg_stat_activity WHERE wait_event = 'RecoveryRetrieveRetryInterval'",
      );
      const before = lsn;
      lsn = BigInt((row?.replayed as string | undefined) ?? -1);
      return lsn >= 0n && lsn === before;
    });
    return lsn;
  }

  async promote(): Promise<void> {
    await this.query("SELECT pg_promote(true, 600)");
    this.#write({ primary_conninfo: "" });
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }
}

function connectionTo(primary: PostgresNode, memberName: string): string {
  const { port } = primary.replication;
  return `host=127.0.0.1 port=${port} user=rialto application_name=${memberName}`;
}

export function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}
