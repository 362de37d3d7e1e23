/** Why a running exchange must end: its journal did not take a batch. */
import type { AppendResult } from "../protocol/index.ts";

/** The journal did not take a batch: the state is ahead of it. */
export class FailedAppend extends Error {
  override readonly name = "FailedAppend";
  readonly result: Exclude<AppendResult, "durable">;

  constructor(result: Exclude<AppendResult, "durable">) {
    super(`the journal answered "${result}" to an append`);
    this.result = result;
  }
}
