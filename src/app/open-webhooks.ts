/** Webhooks of a running exchange: they begin where they ended. */
import type { Platform } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { createPost, WebhookStore, Webhooks } from "../webhooks/index.ts";
import type { Config } from "./config.ts";
import type { History } from "./history.ts";
import type { Log } from "./log.ts";

interface Parts {
  readonly engine: EngineClient;
  readonly history: History;
  readonly platform: Platform;
}

/** The caller closes the store, after it stopped the webhooks and nobody asks for them. */
export async function openWebhooks(
  { dataFolder, venue, webhookTargets: targets }: Config,
  { engine, history, platform }: Parts,
  log: Log,
): Promise<{ readonly store: WebhookStore; readonly webhooks: Webhooks }> {
  const store = new WebhookStore(dataFolder);
  const webhooks = new Webhooks({
    engine,
    platform,
    targets,
    store,
    history: history.reader,
    historySequence: () => history.writer.appliedSequence,
    post: createPost(targets, platform),
    venueId: venue?.id ?? "",
    warn: (fields, message) => log.warn(fields, message),
  });
  await webhooks.refresh();
  return { store, webhooks };
}
