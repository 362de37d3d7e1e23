/** What every query is: a function of a question, over one moment of the history file. */
import type { Kysely } from "kysely";
import type { Scheduler } from "../platform/index.ts";
import type { HistoryTables } from "../store/index.ts";
import type { HistoryAnswer, HistoryQueryName, HistoryQuestion } from "./history-port.ts";

export type Db = Kysely<HistoryTables>;

export type HistoryQuery<Name extends HistoryQueryName> = (
  db: Db,
  question: HistoryQuestion<Name>,
  /** Long queries let others run between two reads. */
  scheduler: Scheduler,
) => Promise<HistoryAnswer<Name>>;
