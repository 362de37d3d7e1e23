/** A history file of its own in a temporary folder, written in this thread. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Projector } from "../../src/projections/index.ts";
import {
  type HistoryDatabase,
  historyPath,
  openHistoryDatabase,
  prepareHistoryFile,
} from "../../src/store/index.ts";
import { type AppliedCommand, encodeChunk } from "./event-stream.ts";

const PARENT = mkdtempSync(join(tmpdir(), "rialto-history-"));
// At the end of the process, because the threads of a test may outlive the test's body.
process.once("exit", () => rmSync(PARENT, { recursive: true, force: true }));

export function temporaryFolder(): string {
  return mkdtempSync(join(PARENT, "data-"));
}

export const SILENT = () => {};

export interface WrittenHistory extends HistoryDatabase {
  readonly projector: Projector;
}

/** Opens the folder's file for writing; closed when the test ends. */
export async function openWritten(context: TestContext, folder: string): Promise<WrittenHistory> {
  await prepareHistoryFile(folder, SILENT);
  const history = openHistoryDatabase(historyPath(folder), { readOnly: false });
  context.after(() => {
    if (history.connection.isOpen) history.connection.close();
  });
  return { ...history, projector: await Projector.load(history) };
}

/** One transaction. */
export function write(projector: Projector, chunks: readonly (readonly AppliedCommand[])[]): void {
  projector.begin();
  for (const commands of chunks) projector.apply(encodeChunk(commands));
  projector.commit();
}

/** Every row of every table, in order of its key. */
export function dump({ connection }: HistoryDatabase): Record<string, unknown[]> {
  const tables = connection
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name));
  return Object.fromEntries(
    tables.map((name) => [name, connection.prepare(`select * from ${name}`).all()]),
  );
}
