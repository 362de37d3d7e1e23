/**
 * How a receiver knows that a delivery is ours: HMAC-SHA256 under the webhook's secret over the
 * time, a point and the body, as hex.
 */
import { createHmac } from "node:crypto";
import type { Randomness } from "../platform/index.ts";

const SECRET_BYTES = 32;
const ID_BYTES = 8;

export function newSecret(randomness: Randomness): string {
  return `whsec_${randomness.bytes(SECRET_BYTES).toString("hex")}`;
}

export function newWebhookId(randomness: Randomness): string {
  return `wh_${randomness.bytes(ID_BYTES).toString("hex")}`;
}

export function signature(secret: string, timestampMs: number, body: string): string {
  return createHmac("sha256", secret).update(`${timestampMs}.${body}`).digest("hex");
}
