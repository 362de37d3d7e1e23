/**
 * Proves every question against a naive model: random event streams go through the projections into
 * a file, and random questions with every combination of filters get the model's answers.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  answerQuestion,
  type HistoryAnswer,
  type HistoryQueryName,
} from "../../src/queries/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { cut, EventStream } from "./event-stream.ts";
import { openWritten, temporaryFolder, write } from "./history-folder.ts";
import { HistoryModel } from "./history-model.ts";
import { QUESTION_NAMES, randomQuestion } from "./questions.ts";

const random = seededRandom("history answers");

for (const name of QUESTION_NAMES) {
  test(`${name} is answered as by looking through all events`, async (context) => {
    let notEmpty = 0;
    // Some streams have little of what a question is about: they are followed by more.
    const rounds = scaled(3);
    for (let round = 0; round < rounds || (notEmpty <= 20 && round < 5 * rounds); round++) {
      const stream = new EventStream(random);
      const model = new HistoryModel();
      const { projector, db } = await openWritten(context, temporaryFolder());
      let startMs: number | null = null;
      for (let step = 0; step < 6; step++) {
        const commands = stream.take(random.integer(1, 150));
        for (const command of commands) model.apply(command);
        for (const chunk of cut(random, commands)) write(projector, [chunk]);
        startMs ??= commands[0]?.timestampMs ?? 0;
        const period = { startMs, endMs: model.lastTimeMs };
        for (let i = 0; i < 25; i++) {
          const { question } = randomQuestion(random, name, period);
          const answer = comparable(name, await answerQuestion(db, name, question as never));
          const expected = comparable(name, model.answer(name, question as never));
          assert.deepEqual(answer, expected, JSON.stringify(question));
          if (JSON.stringify(expected).length > 30) notEmpty++;
        }
      }
    }
    assert.ok(notEmpty > 20, "the questions find something");
  });
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
