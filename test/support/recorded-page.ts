/**
 * A page whose examples are recorded from a running exchange: below its mark stands what a session
 * printed.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OperatorClient } from "./operator-client.ts";
import { ROOT } from "./root.ts";

const MARK = "<!-- What follows is recorded from a running exchange. -->\n";

/** 2026-01-05 09:30:00 UTC. */
export const RECORDED_AT_MS = 1_767_605_400_000;
/** For NODE_OPTIONS: runs first in the exchange's process, and stops its clock. */
export const STOP_CLOCK = `--import=data:text/javascript,Date.now=()=>${RECORDED_AT_MS}`;

/** Plays calls below `/operator/v1/sandbox` and keeps them as a page shows them. */
export class RecordedCalls {
  readonly #operator: OperatorClient;
  readonly #pin: (code: string) => string;
  text = "";

  /** `pin` replaces what is another text in each session. */
  constructor(operator: OperatorClient, pin: (code: string) => string = (code) => code) {
    this.#operator = operator;
    this.#pin = pin;
  }

  async shows(title: string, method: string, path: string, body?: object): Promise<void> {
    const url = `/operator/v1/sandbox/${path}`;
    const { status, body: answer } = await this.#operator.send(method, url, body);
    const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
    this.show(title, `${method} ${url}${sent}\n${status} ${JSON.stringify(answer)}`);
  }

  show(title: string, code: string): void {
    this.text += `\n### ${title}\n\n\`\`\`text\n${this.#pin(code)}\n\`\`\`\n`;
  }
}

/** The page has these examples; with RIALTO_WRITE_EXAMPLES=1 it is written anew. */
export function checkExamples(page: string, recorded: string, test: string): void {
  const path = join(ROOT, page);
  const [introduction, examples] = readFileSync(path, "utf8").split(MARK);
  if (process.env.RIALTO_WRITE_EXAMPLES === "1") {
    writeFileSync(path, `${introduction}${MARK}${recorded}`);
    return;
  }
  assert.equal(examples, recorded, `run RIALTO_WRITE_EXAMPLES=1 npm test -- ${test}`);
}
