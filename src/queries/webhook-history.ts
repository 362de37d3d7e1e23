/** Questions about what a webhook is to be told, and their answers. */

export interface WebhookEventEntry {
  /** From 1 for each webhook, without gaps. */
  readonly number: number;
  readonly sequence: number;
  readonly timeMs: number;
  readonly type: string;
  /** 0 for what concerns a market. */
  readonly uid: number;
  /** A JSON object. */
  readonly data: string;
}

export interface WebhookHistoryQueries {
  /** Those after one, oldest first, and the number of the newest of all; 0 without any. */
  "webhook-events": [
    { readonly webhookId: string; readonly afterNumber: number; readonly limit: number },
    { readonly lastNumber: number; readonly events: readonly WebhookEventEntry[] },
  ];
}
