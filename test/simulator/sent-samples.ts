/** One request of each kind that was answered 200, as something to start from. */
import type { InlineAnswer, InlineRequest } from "../support/inline-http.ts";

export interface SentSample {
  readonly to: "public" | "operator";
  readonly request: InlineRequest;
}

/** Ids of what a path is about. */
const IDS = /\d+/g;

export class SentSamples {
  readonly #newest = new Map<string, SentSample>();

  note(to: SentSample["to"], request: InlineRequest, answer: InlineAnswer | null): void {
    if (answer?.status !== 200) return;
    const [path = ""] = request.path.split("?");
    const kind = `${to} ${request.method} ${path.replace(IDS, "*")}`;
    this.#newest.set(kind, { to, request });
  }

  get all(): readonly SentSample[] {
    return [...this.#newest.values()];
  }
}
