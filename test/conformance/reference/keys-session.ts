/** A user's own API keys. */
import type { Recorder, Sent } from "./recorder.ts";

const asked = (query: Readonly<Record<string, string>>): Sent => ({ as: "cora", query });

export async function playKeys(recorder: Recorder): Promise<void> {
  const list = "v3-api-keys";
  await recorder.shows(list, "One key", { as: "cora" });
  await recorder.refuses(list, "A key without read and keys", -1052, { permission: "spot" });
  const id = "v3-create-api-key";
  const terms = { label: "tax report", permissions: ["read"], passphrase: "at-least-8" };
  const { apiKey } = await recorder.shows<{ apiKey: string }>(id, "A key that only reads", {
    as: "cora",
    body: { ...terms, ipAllowList: ["203.0.113.7"] },
  });
  const ended = { ...terms, expiresAt: 1 };
  await recorder.refuses(id, "It would have ended", -1140, { as: "cora", body: ended });
  await recorder.refuses(id, "A key without the permission keys", -1052, {
    permission: "spot",
    body: terms,
  });
  const revoke = "v3-revoke-api-key";
  await recorder.shows(revoke, "It ends", asked({ apiKey }));
  await recorder.refuses(revoke, "It has ended", -1142, asked({ apiKey }));
}
