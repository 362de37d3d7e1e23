/** What an operator's webhook can be told about; "fills" are those of accounts that it names. */
export const WEBHOOK_KINDS = ["deposits", "withdrawals", "fills", "liquidations", "halts"] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

export const WEBHOOKS_MAX = 20;
export const WEBHOOK_ACCOUNTS_MAX = 100;
