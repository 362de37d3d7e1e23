/**
 * How far the webhooks of a cluster were told, and their last deliveries, in PostgreSQL: whichever
 * node leads goes on from there.
 */
import { putWebhook, type WebhookPosition } from "./log-table.ts";
import { PrimarySession, type SessionOptions } from "./primary-session.ts";

const ANSWER_MS = 2000;
/** For what an operator is told next. */
const DURABLE_MS = 15_000;

/** Over a connection of its own. Each call rejects when it is not known whether it was done. */
export class WebhookRows {
  readonly #session: PrimarySession;

  constructor(options: SessionOptions) {
    this.#session = new PrimarySession(options);
  }

  async positions(): Promise<readonly WebhookPosition[]> {
    const text = "SELECT webhook_id, position FROM rialto.webhook";
    const { rows } = await this.#session.query<{
      readonly webhook_id: string;
      readonly position: string;
    }>({ text }, DURABLE_MS);
    return rows.map(({ position, webhook_id: webhookId }) => {
      return { webhookId, position: Number(position) };
    });
  }

  /** Durable when it resolves. */
  async put(webhook: WebhookPosition): Promise<void> {
    await this.#session.query(putWebhook(webhook), DURABLE_MS);
  }

  /** False, with nothing done, when it is not at `from`: another node has moved it. */
  async move(webhookId: string, from: number, to: number): Promise<boolean> {
    const text =
      "UPDATE rialto.webhook SET position = $3::int8 WHERE webhook_id = $1 AND position = $2::int8";
    const values = [webhookId, from, to];
    const { rowCount } = await this.#session.query(
      { name: "webhook-move", text, values },
      ANSWER_MS,
    );
    return rowCount === 1;
  }

  /** With its deliveries. */
  async remove(webhookId: string): Promise<void> {
    for (const table of ["webhook_delivery", "webhook"]) {
      const text = `DELETE FROM rialto.${table} WHERE webhook_id = $1`;
      await this.#session.query({ text, values: [webhookId] }, DURABLE_MS);
    }
  }

  /** Numbers it from 1 on, and keeps so many of the webhook. */
  async note(webhookId: string, delivery: string, kept: number): Promise<number> {
    const text =
      "WITH noted AS (INSERT INTO rialto.webhook_delivery " +
      "SELECT $1::text, coalesce(max(delivery_id), 0) + 1, $2::text " +
      "FROM rialto.webhook_delivery WHERE webhook_id = $1::text RETURNING delivery_id), " +
      "forgotten AS (DELETE FROM rialto.webhook_delivery WHERE webhook_id = $1::text " +
      "AND delivery_id <= (SELECT delivery_id FROM noted) - $3::int8) " +
      "SELECT delivery_id FROM noted";
    const statement = { name: "webhook-note", text, values: [webhookId, delivery, kept] };
    const { rows } = await this.#session.query<{ readonly delivery_id: string }>(
      statement,
      ANSWER_MS,
    );
    return Number(rows[0]?.delivery_id ?? 0);
  }

  /** Those before one, newest first. */
  async deliveries(
    webhookId: string,
    beforeId: number,
    limit: number,
  ): Promise<readonly { readonly deliveryId: number; readonly delivery: string }[]> {
    const text =
      "SELECT delivery_id, delivery FROM rialto.webhook_delivery " +
      "WHERE webhook_id = $1 AND delivery_id < $2 ORDER BY delivery_id DESC LIMIT $3";
    const statement = { text, values: [webhookId, beforeId, limit] };
    const { rows } = await this.#session.query<{
      readonly delivery_id: string;
      readonly delivery: string;
    }>(statement, DURABLE_MS);
    return rows.map(({ delivery, delivery_id }) => ({ deliveryId: Number(delivery_id), delivery }));
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
