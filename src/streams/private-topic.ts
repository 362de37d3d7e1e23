/** A private channel of one account. */
import { encode, type PrivateKind, Topic } from "./topic.ts";

/** Why something was sent, in the words of the interface. */
export type MessageCause =
  | "OrderUpdate"
  | "DepositUpdate"
  | "WithdrawUpdate"
  | "PositionFundingSettle";

export class PrivateTopic extends Topic {
  declare readonly kind: PrivateKind;
  #version: number;

  /** `version` is a number that no message of this channel has reached yet. */
  constructor(kind: PrivateKind, version: number) {
    super(kind, kind);
    this.#version = version;
  }

  get conflates(): boolean {
    return false;
  }

  repeat(): void {
    // A subscription begins with the next change; the present state is asked for over REST.
  }

  /** One message for each list of entries, all of the next version. No list may be empty. */
  push(lists: Iterable<readonly object[]>, timestampMs: number, cause: MessageCause): void {
    this.#version++;
    if (this.isEmpty) return;
    for (const entries of lists) {
      this.send(
        encode({ e: this.kind, E: timestampMs, v: this.#version, msgEvent: cause, d: entries }),
      );
    }
  }
}
