/** An engine's port whose answers come from a function of the decoded submissions. */
import {
  type Answer,
  ByteWriter,
  decodeRequest,
  type EnginePort,
  type Submission,
  type Unavailable,
  writeAnswer,
  writeUnavailable,
} from "../../src/protocol/index.ts";

type Outcome = Answer | Unavailable;

export function encodeAnswers(
  submissions: readonly Submission[],
  answers: readonly Outcome[],
): Uint8Array {
  const writer = new ByteWriter();
  for (const [i, submission] of submissions.entries()) {
    const answer = answers[i] as Outcome;
    if ("unavailable" in answer) writeUnavailable(writer, answer);
    else writeAnswer(writer, submission.kind === "command" ? submission.command : null, answer);
  }
  return writer.toBytes();
}

/** Answers in a later microtask, as a promise would. What `answer` throws, the caller gets. */
export function portOf(answer: (submission: Submission) => Outcome): EnginePort {
  return {
    submit(request, answered) {
      const submissions = decodeRequest(request);
      const bytes = encodeAnswers(submissions, submissions.map(answer));
      queueMicrotask(() => answered(bytes));
    },
  };
}
