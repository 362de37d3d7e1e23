/** One node of PostgreSQL of the demo: its process and its folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresMember } from "../../journal/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { CommandFailed } from "../failure.ts";
import { ownByPostgres, POSTGRES_USER, runForPostgres } from "./postgres-programs.ts";

type Settings = Readonly<Record<string, string>>;

/** Small, and quick to notice; commits are as durable as anywhere. */
const COMMON: Settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  dynamic_shared_memory_type: "mmap",
  shared_buffers: "32MB",
  max_connections: "60",
  wal_level: "replica",
  wal_keep_size: "128MB",
  max_wal_size: "512MB",
  hot_standby: "on",
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
  // It receives its own.
  "pg_wal",
]);

const START_MS = 30_000;
const POLL_MS = 30;

export interface PostgresPlace {
  readonly name: string;
  readonly port: number;
  /** For the data, and what the process writes. */
  readonly folder: string;
  readonly programs: string;
  readonly password: string;
  /** Called when a process has started, and when it has ended. */
  readonly onChange: (node: PostgresProcess) => void;
}

export class PostgresProcess {
  readonly name: string;
  readonly port: number;
  readonly #place: PostgresPlace;
  #child: ChildProcess | null = null;

  constructor(place: PostgresPlace) {
    this.name = place.name;
    this.port = place.port;
    this.#place = place;
    mkdirSync(place.folder, { recursive: true, mode: 0o700 });
    ownByPostgres(place.folder);
  }

  get url(): string {
    const { password } = this.#place;
    return `postgresql://rialto:${password}@127.0.0.1:${this.port}/postgres`;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Whether its folder has data. */
  get exists(): boolean {
    return existsSync(this.#file("PG_VERSION"));
  }

  /** New and empty. */
  async initialize(): Promise<void> {
    rmSync(this.#data, { recursive: true, force: true });
    const secret = join(this.#place.folder, "password");
    this.#write(secret, `${this.#place.password}\n`);
    const flags = ["--no-sync", "--no-instructions", "-A", "scram-sha-256", "-U", "rialto"];
    const locale = ["-E", "UTF8", "--no-locale", `--pwfile=${secret}`];
    const program = join(this.#place.programs, "initdb");
    await runForPostgres(program, ["-D", this.#data, ...flags, ...locale]);
    rmSync(secret);
  }

  /** Writes settings for the next start; SQL changes the same file later. */
  configure(settings: Settings): void {
    const kept = new Map<string, string>();
    const path = this.#file("postgresql.auto.conf");
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    for (const [, name = "", value = ""] of text.matchAll(/^([a-z_]+) = '(.*)'$/gm)) {
      kept.set(name, value);
    }
    const own = { ...COMMON, port: String(this.port), cluster_name: this.name, ...settings };
    for (const [name, value] of Object.entries(own)) kept.set(name, value.replaceAll("'", "''"));
    this.#write(path, [...kept].map(([name, value]) => `${name} = '${value}'\n`).join(""));
  }

  /** At its next start it follows. */
  markStandby(): void {
    this.#write(this.#file("standby.signal"), "");
  }

  /** A copy of the primary's folder, taken while it runs. */
  async copyFrom(primary: PostgresProcess): Promise<void> {
    rmSync(this.#data, { recursive: true, force: true });
    const session = await primary.open();
    try {
      await session.query("SELECT pg_backup_start('copy', true)", START_MS);
      const entries = readdirSync(primary.#data).filter((name) => !OF_THE_SOURCE.has(name));
      const wal = ["pg_wal", "pg_wal/archive_status", "pg_wal/summaries"];
      const folders = ["", ...wal].map((name) => this.#file(name));
      await runForPostgres("mkdir", ["-m", "700", ...folders]);
      const sources = entries.map((name) => primary.#file(name));
      await runForPostgres("cp", ["-r", ...sources, this.#data]);
      const [end] = await session.query<{ readonly labelfile: string }>(
        "SELECT labelfile FROM pg_backup_stop(false)",
        START_MS,
      );
      this.#write(this.#file("backup_label"), end?.labelfile ?? "");
    } finally {
      session.close();
    }
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const deadlineMs = Date.now() + START_MS;
    while (!(await this.#startOnce(deadlineMs))) {
      // After a kill -9 of the postmaster alone, what it left ends in a moment.
      if (Date.now() > deadlineMs) {
        throw new CommandFailed("postgres", `${this.name} did not start: see ${this.#log}.`);
      }
      await sleep(POLL_MS * 10);
    }
  }

  async #startOnce(deadlineMs: number): Promise<boolean> {
    const log = openSync(this.#log, "a", 0o600);
    const child = spawn(join(this.#place.programs, "postgres"), ["-D", this.#data], {
      ...POSTGRES_USER,
      cwd: "/",
      detached: true,
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    this.#child = child;
    this.#place.onChange(this);
    child.once("exit", () => {
      if (this.#child !== child) return;
      this.#child = null;
      this.#place.onChange(this);
    });
    while (this.#child === child && Date.now() < deadlineMs) {
      try {
        (await this.open()).close();
        return true;
      } catch {
        await sleep(POLL_MS);
      }
    }
    return false;
  }

  /** As a superuser. */
  open(): Promise<PostgresMember> {
    return PostgresMember.open(this.url, NODE_PLATFORM);
  }

  /** Ends it: in good order, or at once when that takes too long. */
  async stop(patienceMs: number): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const ended = once(child, "exit");
    child.kill("SIGINT");
    const timer = setTimeout(() => child.kill("SIGQUIT"), patienceMs);
    await ended;
    clearTimeout(timer);
  }

  get #data(): string {
    return join(this.#place.folder, "data");
  }

  get #log(): string {
    return join(this.#place.folder, "log");
  }

  #file(name: string): string {
    return join(this.#data, name);
  }

  #write(path: string, text: string): void {
    writeFileSync(path, text, { mode: 0o600 });
    ownByPostgres(path);
  }
}
