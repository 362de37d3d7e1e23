/** A webhook's request as it comes over the wire. */
import { isDeepStrictEqual } from "node:util";
import { HEAD_END } from "../../support/inline-http.ts";
import { hold } from "../breach.ts";

export interface Posted {
  readonly method: string;
  readonly path: string;
  readonly headers: {
    readonly contentType: string | undefined;
    readonly webhookId: string | undefined;
    readonly timestamp: string | undefined;
    readonly signature: string | undefined;
  };
  readonly text: string;
}

export interface SentEvent {
  readonly number: number;
  readonly type: string;
  readonly uid: number | null;
  readonly time: number;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WebhookRequest {
  readonly webhookId: string;
  readonly venue: string;
  readonly kind: "events" | "redelivery" | "test";
  readonly events: readonly SentEvent[];
}

/** Null while a part of it is missing. */
export function readPost(bytes: Buffer): Posted | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const [first = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const pairs = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const headers = new Map(pairs);
  const start = headEnd + HEAD_END.length;
  if (bytes.length < start + Number(headers.get("content-length"))) return null;
  return {
    ...{ method, path, text: bytes.toString("utf8", start) },
    headers: {
      contentType: headers.get("content-type"),
      webhookId: headers.get("x-rialto-webhook"),
      timestamp: headers.get("x-rialto-timestamp"),
      signature: headers.get("x-rialto-signature"),
    },
  };
}

const FIELDS = ["webhookId", "venue", "kind", "events"];
const EVENT_FIELDS = ["number", "type", "uid", "time", "sequence", "data"];

export function bodyOf(text: string): WebhookRequest {
  const request = JSON.parse(text) as WebhookRequest;
  const isSo =
    isDeepStrictEqual(Object.keys(request), FIELDS) &&
    request.events.every((event) => isDeepStrictEqual(Object.keys(event), EVENT_FIELDS));
  hold(isSo, "a webhook's request is what its page says", () => text);
  return request;
}
