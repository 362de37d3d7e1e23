/**
 * The file in the data folder that says where an exchange is reached while it runs. It has no
 * secret: the operator token stays in a file of its own.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "../keys/private-file.ts";
import { CommandFailed } from "./failure.ts";

const FILE = "running.json";

export interface RunningRecord {
  readonly pid: number;
  readonly url: string;
  readonly operatorUrl: string;
  /** Null: it was given in RIALTO_OPERATOR_TOKEN and is kept nowhere. */
  readonly operatorTokenFile: string | null;
}

/** What the file says, and whether its exchange is gone: a crash leaves the file behind. */
export interface FoundRecord extends RunningRecord {
  readonly path: string;
  readonly isStale: boolean;
}

/** With ccxt's `urls` beside it. Returns what removes the file again, in good order. */
export function recordRunning(dataFolder: string, record: RunningRecord): () => void {
  const path = join(dataFolder, FILE);
  const document = { ...record, urls: ccxtUrls(record.url) };
  writePrivateFile(path, `${JSON.stringify(document, null, 2)}\n`);
  return () => rmSync(path, { force: true });
}

/** Null where no exchange wrote one. Throws `CommandFailed` when the file is damaged. */
export function findRunning(dataFolder: string): FoundRecord | null {
  const path = join(dataFolder, FILE);
  const text = readIfPresent(path);
  if (text === null) return null;
  const record = parse(text);
  if (record !== null) return { ...record, path, isStale: !isAlive(record.pid) };
  throw new CommandFailed(
    "usage",
    `${path} does not contain an exchange's addresses. Remove it, or give --operator-url.`,
  );
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

function parse(text: string): RunningRecord | null {
  try {
    const record = JSON.parse(text) as Partial<RunningRecord> | null;
    const { pid, url, operatorUrl, operatorTokenFile = null } = record ?? {};
    if (!Number.isSafeInteger(pid) || pid === undefined || pid < 1) return null;
    if (!URL.canParse(url ?? "") || !URL.canParse(operatorUrl ?? "")) return null;
    return { pid, url: url as string, operatorUrl: operatorUrl as string, operatorTokenFile };
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Where clients on this machine reach a server that listens on `host`. */
export function urlOf(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The `urls` of ccxt's class `weex`: REST and WebSocket. */
export function ccxtUrls(url: string) {
  const streams = url.replace(/^http/, "ws");
  return {
    api: {
      public: url,
      private: url,
      contract: url,
      contractPrivate: url,
      ws: { spot: `${streams}/v3/ws`, contract: `${streams}/contract/v3/ws` },
    },
  };
}
