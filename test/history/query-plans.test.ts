/**
 * Proves that the cost of a question does not grow with history: every shape of query that the
 * questions can take is one search of one index over all of its conditions, in the order that is
 * asked for, and ends at a limit. The shapes are collected while random questions are answered.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { answerQuestion } from "../../src/queries/index.ts";
import { historyPath, openHistoryDatabase } from "../../src/store/index.ts";
import { seededRandom } from "../support/random.ts";
import { EventStream } from "./event-stream.ts";
import { openWritten, temporaryFolder, write } from "./history-folder.ts";
import { QUESTION_NAMES, randomQuestion } from "./questions.ts";

const random = seededRandom("query plans");
/**
 * Enough that every combination of filters of a question is met, in each of the tables it reads.
 */
const QUESTIONS_EACH = 400;
/**
 * Conditions that need no index: those beside a whole primary key, and the market beside a client
 * order id, which an account uses at most once in 24 hours.
 */
const UNINDEXED: Readonly<Record<string, readonly string[]>> = {
  order_id: ["uid", "symbol"],
  client_order_id: ["symbol"],
};

test("every query is one bounded search of one index", async (context) => {
  const folder = temporaryFolder();
  const { projector } = await openWritten(context, folder);
  const commands = new EventStream(random).take(300);
  write(projector, [commands]);
  const shapes = new Set<string>();
  const { db, connection } = openHistoryDatabase(historyPath(folder), {
    readOnly: true,
    onQuery: (sql) => void shapes.add(sql),
  });
  const period = {
    startMs: commands[0]?.timestampMs ?? 0,
    endMs: commands.at(-1)?.timestampMs ?? 0,
  };
  for (const name of QUESTION_NAMES) {
    for (let i = 0; i < QUESTIONS_EACH; i++) {
      const { question } = randomQuestion(random, name, period);
      await answerQuestion(db, name, question as never);
    }
  }
  const selects = [...shapes].filter((sql) => sql.startsWith("select"));
  for (const sql of selects) checkPlan(sql, explain(sql));
  connection.close();
  context.diagnostic(`${selects.length} shapes of queries`);
  assert.ok(selects.length >= 30, "the questions take all of their shapes");

  function explain(sql: string): string[] {
    const parameters = new Array<number>(sql.split("?").length - 1).fill(1);
    const plan = connection.prepare(`explain query plan ${sql}`).all(...parameters);
    return plan.map(({ detail }) => withKey(String(detail)));
  }

  /** The plan calls a whole number that is the whole key the number of the row. */
  function withKey(detail: string): string {
    const [, table = ""] = /^SEARCH (\w+) USING INTEGER PRIMARY KEY/.exec(detail) ?? [];
    const columns = connection.prepare("select name from pragma_table_info(?) where pk = 1");
    const key = columns.all(table).map(({ name }) => String(name));
    return detail.replaceAll("rowid", key.join());
  }
});

function checkPlan(sql: string, plan: readonly string[]): void {
  const [search] = plan;
  const context = `${sql}\n${plan.join("\n")}`;
  assert.equal(plan.length, 1, `one step, no sorting: ${context}`);
  assert.match(search ?? "", /^SEARCH \w+ USING /, `no scan: ${context}`);
  assert.match(sql, / limit \?/, `a limit: ${context}`);
  const indexed = columnsOf(search ?? "", /(\w+)[=<>]+\?/g);
  const conditions = columnsOf(sql, /"(\w+)" (?:=|<=?|>=?) \?/g);
  const excused = [...indexed].flatMap((column) => UNINDEXED[column] ?? []);
  const isFromPlace = / >= \(\?, \?\)/.test(sql);
  assert.equal(isFromPlace, /,\w+\)>\(\?,\?\)/.test(search ?? ""), `a place: ${context}`);
  for (const column of conditions) {
    assert.ok(indexed.has(column) || excused.includes(column), `${column} is searched: ${context}`);
  }
}

function columnsOf(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, column]) => column ?? ""));
}
