/**
 * Proves every question against a naive model: random event streams go through the projections into
 * a file, and random questions of every kind, with every combination of filters, get the model's
 * answers.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  answerQuestion,
  type HistoryAnswer,
  type HistoryQueryName,
} from "../../src/queries/index.ts";
import type { HistoryDatabase } from "../../src/store/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { cut, EventStream } from "./event-stream.ts";
import { openWritten, temporaryFolder, write } from "./history-folder.ts";
import { HistoryModel } from "./history-model.ts";
import { QUESTION_NAMES, randomQuestion } from "./questions.ts";

const random = seededRandom("history answers");
/** Streams of events, each written in steps. */
const ROUNDS = scaled(10);
const STEPS = 6;
/** Of each kind after each step. */
const QUESTIONS = 6;

test("every question is answered as by looking through all events", async (context) => {
  const found = new Map(QUESTION_NAMES.map((name) => [name, 0]));
  const rare = () => [...found].filter(([, times]) => times <= 20).map(([name]) => name);
  // Some streams have little of what a question is about: they are followed by more.
  for (let round = 0; round < ROUNDS || (rare().length > 0 && round < 5 * ROUNDS); round++) {
    const stream = new EventStream(random);
    const model = new HistoryModel();
    const { projector, db } = await openWritten(context, temporaryFolder());
    let startMs: number | null = null;
    for (let step = 0; step < STEPS; step++) {
      const commands = stream.take(random.integer(1, 150));
      for (const command of commands) model.apply(command);
      for (const chunk of cut(random, commands)) write(projector, [chunk]);
      startMs ??= commands[0]?.timestampMs ?? 0;
      const period = { startMs, endMs: model.lastTimeMs };
      for (const name of round < ROUNDS ? QUESTION_NAMES : rare()) {
        const times = await ask(db, model, name, period);
        found.set(name, (found.get(name) ?? 0) + times);
      }
    }
  }
  for (const [name, times] of found) console.log(`# ${name}: ${times} answers that are not empty`);
  assert.deepEqual(rare(), [], "the questions find something");
});

/** Some random questions of one kind; how many of the answers were not empty. */
async function ask(
  db: HistoryDatabase["db"],
  model: HistoryModel,
  name: HistoryQueryName,
  period: { readonly startMs: number; readonly endMs: number },
): Promise<number> {
  let notEmpty = 0;
  for (let i = 0; i < QUESTIONS; i++) {
    const { question } = randomQuestion(random, name, period);
    const reply = await answerQuestion(db, name, question as never);
    const answer = comparable(name, reply.answer);
    const expected = comparable(name, model.answer(name, question as never));
    assert.deepEqual(answer, expected, `${name} ${JSON.stringify(question)}`);
    if (JSON.stringify(expected).length > 30) notEmpty++;
  }
  return notEmpty;
}

/** Plain values; the details of an audit entry are compared as values, not as text. */
function comparable(name: HistoryQueryName, answer: HistoryAnswer<HistoryQueryName>): unknown {
  const plain = JSON.parse(JSON.stringify(answer));
  if (name === "webhook-events") {
    const parsed = ({ data, ...event }: { data: string }) => ({ ...event, data: JSON.parse(data) });
    return { ...plain, events: plain.events.map(parsed) };
  }
  const parsed = (entry: { details: string }) => ({ ...entry, details: JSON.parse(entry.details) });
  if (name === "audit-search") return { ...plain, entries: plain.entries.map(parsed) };
  return name === "audit" ? plain.map(parsed) : plain;
}
