/** A private channel of one account. */

import type { AccountKind } from "../../api/channel-names.ts";
import { Publisher } from "../channels/publisher.ts";
import type { AccountCause } from "../channels/updates.ts";

export class PrivatePublisher extends Publisher {
  declare readonly kind: AccountKind;
  #version: number;

  /** `version` is higher than that of any earlier message of this channel. */
  constructor(kind: AccountKind, version: number) {
    super(kind);
    this.#version = version;
  }

  get conflates(): boolean {
    return false;
  }

  /** A subscription starts with the next change; current state is queried over REST. */
  get present(): null {
    return null;
  }

  /** One message for each list of entries, all with the next version. No list may be empty. */
  push(lists: Iterable<readonly object[]>, timestampMs: number, cause: AccountCause): void {
    this.#version++;
    if (this.isEmpty) return;
    const { kind } = this;
    for (const entries of lists) {
      this.publish({ kind, version: this.#version, cause, entries, timestampMs });
    }
  }
}
