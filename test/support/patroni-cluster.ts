/**
 * Three nodes of PostgreSQL under Patroni and etcd, as the page about clusters has them: the file
 * there is the configuration here, with other addresses, folders and passwords. Clients, standbys
 * and other members reach each node through proxies, and so it reaches etcd: it is cut off on
 * demand.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, globSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { childrenOf, type Row } from "./postgres-node.ts";
import {
  folderForPostgres,
  POSTGRES_USER,
  runAsPostgres,
  writeForPostgres,
} from "./postgres-programs.ts";
import { ROOT } from "./root.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { lacking } from "./tools.ts";
import { waitUntil } from "./wait-until.ts";

const [PROGRAMS = ""] = globSync("/usr/lib/postgresql/*/bin").toReversed();
const PASSWORD = "of-this-test";
const DATABASE = "postgres";
const POLL_MS = 100;

/** Why Patroni cannot be tried on this machine; false where it can. */
export function patroniMissing(): string | false {
  const missing = lacking("patroni", "etcd");
  if (missing !== false) return missing;
  if (existsSync(join(PROGRAMS, "pg_rewind"))) return false;
  return "needs pg_rewind and pg_basebackup of a PostgreSQL in /usr/lib";
}

const live = new Set<ChildProcess>();
const folders = new Set<string>();

process.on("exit", () => {
  for (const child of live) child.kill("SIGKILL");
  for (const folder of folders) {
    const pid = postmasterOf(folder);
    if (pid !== null) process.kill(pid, "SIGQUIT");
  }
});

function postmasterOf(folder: string): number | null {
  const file = join(folder, "data/postmaster.pid");
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  return existsSync(`/proc/${pid}`) ? pid : null;
}

/** A program in the background, which ends with the test. */
function launch(program: string, args: readonly string[], log: string): ChildProcess {
  const output = openSync(log, "a");
  const child = spawn(program, args, {
    ...POSTGRES_USER,
    cwd: "/",
    env: { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8", HOME: "/tmp" },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  live.add(child);
  child.once("exit", () => live.delete(child));
  return child;
}

type Proxies = Readonly<Record<"postgres" | "rest" | "etcd", TcpProxy>>;

export class PatroniMember {
  readonly name: string;
  readonly port: number;
  readonly #folder = folderForPostgres();
  readonly #restPort: number;
  readonly #proxies: Proxies;
  #patroni: ChildProcess | null = null;

  private constructor(name: string, port: number, restPort: number, proxies: Proxies) {
    this.name = name;
    this.port = port;
    this.#restPort = restPort;
    this.#proxies = proxies;
    folders.add(this.#folder);
  }

  static async create(name: string, etcdPort: number): Promise<PatroniMember> {
    const port = await freePort();
    const restPort = await freePort();
    const proxies = {
      postgres: await TcpProxy.open(port),
      rest: await TcpProxy.open(restPort),
      etcd: await TcpProxy.open(etcdPort),
    };
    return new PatroniMember(name, port, restPort, proxies);
  }

  /** Where clients and standbys reach it. */
  get url(): string {
    return `postgresql://postgres:${PASSWORD}@127.0.0.1:${this.#proxies.postgres.port}/${DATABASE}`;
  }

  get log(): string {
    return readFileSync(join(this.#folder, "log"), "utf8");
  }

  /** Starts Patroni, which starts PostgreSQL. */
  start(): void {
    const path = join(this.#folder, "patroni.yml");
    writeForPostgres(path, this.#configuration());
    this.#patroni = launch("patroni", [path], join(this.#folder, "log"));
  }

  /** That of the page, of this member on this machine. */
  #configuration(): string {
    const page = readFileSync(join(ROOT, "docs/operating/cluster.md"), "utf8");
    const [, printed = ""] = /```yaml\n(scope: [^`]+)```/.exec(page) ?? [];
    const { etcd, postgres, rest } = this.#proxies;
    const changes: readonly (readonly [RegExp, string])[] = [
      [/name: p1/, `name: ${this.name}`],
      // By hosts it would find etcd itself, past the proxy.
      [/hosts: "[^"]+"/, `proxy: "http://127.0.0.1:${etcd.port}"`],
      [/(restapi: \{ listen: )"[^"]+"/, `$1"127.0.0.1:${this.#restPort}"`],
      [/connect_address: "10\.0\.0\.1:8008"/, `connect_address: "127.0.0.1:${rest.port}"`],
      [/listen: "10\.0\.0\.1:5432"/, `listen: "127.0.0.1:${this.port}"`],
      [/connect_address: "10\.0\.0\.1:5432"/, `connect_address: "127.0.0.1:${postgres.port}"`],
      [/data_dir: \S+/, `data_dir: ${join(this.#folder, "data")}`],
      [/bin_dir: \S+/, `bin_dir: ${PROGRAMS}`],
      [/10\.0\.0\.0\/24/g, "127.0.0.1/32"],
      [/password: "…"/g, `password: "${PASSWORD}"`],
      // This machine may have none.
      [/mode: required/, "mode: off"],
    ];
    let text = printed;
    for (const [pattern, replacement] of changes) {
      if (!pattern.test(text)) throw new Error(`the page has no ${pattern}`);
      pattern.lastIndex = 0;
      text = text.replace(pattern, replacement);
    }
    // Few resources, and no socket in a folder that only another user may write.
    const small =
      "  parameters: { unix_socket_directories: '', shared_buffers: 16MB, max_connections: 60, " +
      "dynamic_shared_memory_type: mmap }\n";
    return text.replace("\npostgresql:\n", `\npostgresql:\n${small}`);
  }

  /** Its machine dies: Patroni and all of PostgreSQL at the same moment. */
  async kill(): Promise<void> {
    const postmaster = postmasterOf(this.#folder);
    await this.killPatroni();
    if (postmaster === null) return;
    process.kill(postmaster, "SIGSTOP");
    for (const pid of childrenOf(postmaster)) process.kill(pid, "SIGKILL");
    process.kill(postmaster, "SIGKILL");
    await waitUntil(`${this.name} is gone`, async () => !existsSync(`/proc/${postmaster}`));
  }

  /** PostgreSQL goes on, and nobody watches it. */
  async killPatroni(): Promise<void> {
    const child = this.#patroni;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  killPostmaster(): void {
    process.kill(postmasterOf(this.#folder) as number, "SIGKILL");
  }

  /** Of the network. */
  cutOff(): void {
    for (const proxy of Object.values(this.#proxies)) proxy.break();
  }

  mend(): void {
    for (const proxy of Object.values(this.#proxies)) proxy.mend();
  }

  /** Without Patroni: PostgreSQL follows a primary as what its folder says, rewound by nobody. */
  async startAsStandbyOf(primary: PatroniMember): Promise<void> {
    await this.stopPostgres();
    const data = join(this.#folder, "data");
    const conninfo =
      `host=127.0.0.1 port=${primary.#proxies.postgres.port} user=replicator ` +
      `password=${PASSWORD} application_name=${this.name}`;
    writeForPostgres(join(data, "postgresql.auto.conf"), `primary_conninfo = '${conninfo}'\n`);
    writeForPostgres(join(data, "standby.signal"), "");
    launch(join(PROGRAMS, "postgres"), ["-D", data], join(this.#folder, "log"));
    await waitUntil(`${this.name} answers`, () =>
      this.query("SELECT 1").then(
        () => true,
        () => false,
      ),
    );
  }

  /** PostgreSQL, which Patroni no longer watches. */
  async stopPostgres(): Promise<void> {
    const postmaster = postmasterOf(this.#folder);
    if (postmaster === null) return;
    process.kill(postmaster, "SIGINT");
    await waitUntil(`${this.name} has stopped`, async () => !existsSync(`/proc/${postmaster}`));
  }

  /** Past the proxies. */
  async query(text: string): Promise<readonly Row[]> {
    const client = new Client({
      ...{ host: "127.0.0.1", port: this.port, user: "postgres", password: PASSWORD },
      ...{ database: DATABASE, connectionTimeoutMillis: 3000 },
    });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const result = await client.query<Record<string, unknown>>(text);
      return result.rows ?? [];
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    await this.killPatroni();
    const postmaster = postmasterOf(this.#folder);
    if (postmaster !== null) process.kill(postmaster, "SIGQUIT");
    for (const proxy of Object.values(this.#proxies)) proxy.close();
    while (postmaster !== null && existsSync(`/proc/${postmaster}`)) await sleep(POLL_MS);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export class PatroniCluster {
  readonly members: readonly PatroniMember[];
  readonly #etcd: ChildProcess;

  private constructor(members: readonly PatroniMember[], etcd: ChildProcess) {
    this.members = members;
    this.#etcd = etcd;
  }

  /** With a primary, one synchronous standby and another standby. */
  static async start(): Promise<PatroniCluster> {
    const folder = folderForPostgres();
    const [port, peerPort] = [await freePort(), await freePort()];
    const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
    runAsPostgres("mkdir", ["-m", "700", join(folder, "data")]);
    const etcd = launch(
      "etcd",
      [
        ...["--name", "e1", "--data-dir", join(folder, "data"), "--logger", "zap"],
        ...["--listen-client-urls", client, "--advertise-client-urls", client],
        ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
        ...["--initial-cluster", `e1=${peer}`],
      ],
      join(folder, "log"),
    );
    await waitUntil("etcd answers", async () => {
      const answer = await fetch(`${client}/health`).catch(() => null);
      return answer?.ok === true;
    });
    const names = ["p1", "p2", "p3"];
    const members = await Promise.all(names.map((name) => PatroniMember.create(name, port)));
    const cluster = new PatroniCluster(members, etcd);
    for (const member of members) member.start();
    await cluster.whole();
    return cluster;
  }

  get urls(): readonly string[] {
    return this.members.map(({ url }) => url);
  }

  /** The one that is written, besides one; null while there is none. */
  async primary(besides: PatroniMember | null = null): Promise<PatroniMember | null> {
    for (const member of this.members) {
      if (member === besides) continue;
      const rows = await member.query("SELECT pg_is_in_recovery() AS r").catch(() => []);
      if (rows[0]?.r === false) return member;
    }
    return null;
  }

  /** Resolves when two standbys follow a primary, one of which confirms its commits. */
  async whole(): Promise<PatroniMember> {
    let primary: PatroniMember | null = null;
    await waitUntil("Patroni has a primary and two standbys", async () => {
      primary = await this.primary();
      const text = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'";
      const rows = (await primary?.query(text).catch(() => [])) ?? [];
      return rows.length === 2 && rows.some(({ sync_state: state }) => state === "sync");
    });
    return primary as unknown as PatroniMember;
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
    this.#etcd.kill("SIGKILL");
  }
}
