/** Access to the operator API: the bearer token. */
import { createHash, timingSafeEqual } from "node:crypto";

const SCHEME = /^Bearer +([^ ]+) *$/i;

/** Compares digests of equal length: the time reveals neither length nor content of the token. */
export class BearerToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    this.#digest = digest(token);
  }

  /** `header` is the value of `Authorization`. */
  isIn(header: string | undefined): boolean {
    const given = SCHEME.exec(header ?? "")?.[1] ?? "";
    return timingSafeEqual(digest(given), this.#digest);
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
