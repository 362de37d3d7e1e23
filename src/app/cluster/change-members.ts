/** Changes of the quorum as the command line makes them, with this machine's clock and files. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  type Failover,
  failOver,
  type JoinPlan,
  MembershipRefused,
  planJoin,
  removeMember,
  renameMembers,
  type TrimmedLog,
  trimLog,
  verifyJournalEnd,
} from "../../journal/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";

interface FailoverRequest {
  readonly urls: readonly string[];
  readonly loseAcknowledged: boolean;
  readonly copySequence: number | null;
}

export function failOverNow(request: FailoverRequest): Promise<Failover> {
  return failOver({ ...NODE_PLATFORM, ...request });
}

/** The last command in a node's copy of the log, whether or not the node runs. */
export async function endOfCopy(dataFolder: string): Promise<number> {
  const { lastSequence } = await verifyJournalEnd({ folder: join(dataFolder, "journal") });
  return lastSequence;
}

export function removeNow(urls: readonly string[], name: string): Promise<number> {
  return removeMember({ ...NODE_PLATFORM, urls, name });
}

export function trimNow(urls: readonly string[], keep: number): Promise<TrimmedLog> {
  return trimLog({ ...NODE_PLATFORM, urls, keep });
}

interface JoinRequest {
  readonly urls: readonly string[];
  readonly name: string;
  /** Of a PostgreSQL that is stopped, or empty. */
  readonly pgdata: string;
  /** The folder of PostgreSQL's programs; empty for those of the PATH. */
  readonly programs: string;
}

export interface Joined {
  readonly how: "rewound" | "copied";
  readonly generation: number;
}

/** Its data becomes the primary's, and only then its name one that counts. */
export async function joinStandby(request: JoinRequest): Promise<Joined> {
  const { name, pgdata, urls } = request;
  if (existsSync(join(pgdata, "postmaster.pid")) && isAlive(pgdata)) {
    throw new MembershipRefused(`PostgreSQL runs in ${pgdata}: stop it first.`);
  }
  const plan = await planJoin({ ...NODE_PLATFORM, urls, name });
  const how = (await rewind(request, plan)) ? "rewound" : await copy(request, plan);
  writeSettings(pgdata, { cluster_name: name, ...plan.settings });
  if (!plan.isNew) return { how, generation: plan.generation };
  const generation = await renameMembers({ ...NODE_PLATFORM, urls }, (names) => [...names, name]);
  return { how, generation };
}

function isAlive(pgdata: string): boolean {
  const [pid] = readFileSync(join(pgdata, "postmaster.pid"), "utf8").split("\n");
  return existsSync(`/proc/${pid}`);
}

/** False where there is nothing to rewind, or it cannot be. */
async function rewind({ pgdata, programs }: JoinRequest, { source }: JoinPlan): Promise<boolean> {
  if (!existsSync(join(pgdata, "PG_VERSION"))) return false;
  const from = `--source-server=${source} dbname=postgres`;
  return (await run(pgdata, join(programs, "pg_rewind"), ["-D", pgdata, from])) === null;
}

/** What was there before stays beside it. */
async function copy({ pgdata, programs }: JoinRequest, { source }: JoinPlan): Promise<"copied"> {
  const hasData = existsSync(pgdata) && readdirSync(pgdata).length > 0;
  const kept = `${pgdata}.before`;
  if (hasData) {
    rmSync(kept, { recursive: true, force: true });
    renameSync(pgdata, kept);
  }
  const args = ["-D", pgdata, "-X", "stream", "-c", "fast", "-d", source];
  const failure = await run(kept, join(programs, "pg_basebackup"), args);
  if (failure === null) return "copied";
  if (hasData) {
    rmSync(pgdata, { recursive: true, force: true });
    renameSync(kept, pgdata);
  }
  throw new MembershipRefused(`pg_basebackup failed: ${failure}. Nothing was changed.`);
}

/** As the owner of the folder, or of the one above, where this is root. Null when it succeeded. */
async function run(
  folder: string,
  program: string,
  args: readonly string[],
): Promise<string | null> {
  const owned = existsSync(folder) ? folder : dirname(folder);
  const { uid, gid } = process.getuid?.() === 0 ? statSync(owned) : {};
  const user = uid === undefined || gid === undefined ? {} : { uid, gid };
  const stdio: ["ignore", "ignore", "pipe"] = ["ignore", "ignore", "pipe"];
  const child = spawn(program, args, { ...user, cwd: "/", stdio });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  try {
    const [code] = await once(child, "close");
    return code === 0 ? null : output.trim();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** For the next start: the settings that SQL changes later. */
function writeSettings(pgdata: string, settings: Readonly<Record<string, string>>): void {
  const path = join(pgdata, "postgresql.auto.conf");
  const names = Object.keys(settings);
  const isKept = (line: string): boolean =>
    !names.some((name) => line.startsWith(`${name} `) || line.startsWith(`${name}=`));
  const kept = readFileSync(path, "utf8").split("\n").filter(isKept);
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`,
  );
  writeFileSync(path, `${[...kept.filter((line) => line !== ""), ...lines].join("\n")}\n`);
  const signal = join(pgdata, "standby.signal");
  if (!existsSync(signal)) writeFileSync(signal, "", { mode: 0o600 });
  chownAs(pgdata, signal);
}

function chownAs(folder: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { gid, uid } = statSync(folder);
  chownSync(path, uid, gid);
}
