/**
 * What the leader of a cluster knows of webhooks: secrets among those of the API keys, positions
 * and deliveries in tables of their own. It alone changes them, so what it has read stays true.
 */
import { invariant } from "../../domain/index.ts";
import type { WebhookRows } from "../../journal/index.ts";
import type { KeyVault } from "../../keys/index.ts";
import {
  DELIVERIES_MAX,
  type Delivery,
  type KnownWebhook,
  type WebhookRecords,
} from "../../webhooks/index.ts";

export class ClusterWebhookRecords implements WebhookRecords {
  readonly #rows: WebhookRows;
  readonly #vault: KeyVault;
  readonly #positions: Map<string, number>;

  private constructor(rows: WebhookRows, vault: KeyVault, positions: Map<string, number>) {
    this.#rows = rows;
    this.#vault = vault;
    this.#positions = positions;
  }

  /** The vault has the secrets as they are now. */
  static async load(rows: WebhookRows, vault: KeyVault): Promise<ClusterWebhookRecords> {
    const known = await rows.positions();
    const positions = new Map(known.map(({ position, webhookId }) => [webhookId, position]));
    return new ClusterWebhookRecords(rows, vault, positions);
  }

  find(webhookId: string): KnownWebhook | null {
    const secret = this.#vault.secretOf(webhookId);
    const position = this.#positions.get(webhookId);
    if (secret === null || position === undefined) return null;
    return { secret, position, backToSequence: null };
  }

  async put(webhookId: string, known: Omit<KnownWebhook, "backToSequence">): Promise<void> {
    const { position, secret } = known;
    await this.#vault.keep(webhookId, secret);
    await this.#rows.put({ webhookId, position });
    this.#positions.set(webhookId, position);
  }

  async moveTo(webhookId: string, position: number): Promise<void> {
    const from = this.#positions.get(webhookId) ?? 0;
    const isMoved = await this.#rows.move(webhookId, from, position);
    // The answer to the last move may have been lost.
    if (!isMoved) await this.#readAgain(webhookId, position);
    this.#positions.set(webhookId, position);
  }

  async #readAgain(webhookId: string, position: number): Promise<void> {
    const found = (await this.#rows.positions()).find((row) => row.webhookId === webhookId);
    if (found?.position === position) return;
    if (found !== undefined) this.#positions.set(webhookId, found.position);
    throw new Error(`it is at ${found?.position ?? "no"} event: it was moved meanwhile`);
  }

  async remove(webhookId: string): Promise<void> {
    await this.#vault.drop(webhookId);
    await this.#rows.remove(webhookId);
    this.#positions.delete(webhookId);
  }

  async note(webhookId: string, delivery: Omit<Delivery, "deliveryId">): Promise<Delivery> {
    const deliveryId = await this.#rows.note(webhookId, JSON.stringify(delivery), DELIVERIES_MAX);
    return { deliveryId, ...delivery };
  }

  async deliveries(webhookId: string, beforeId: number, limit: number): Promise<Delivery[]> {
    const rows = await this.#rows.deliveries(webhookId, beforeId, limit);
    return rows.map(({ delivery, deliveryId }) => {
      return { deliveryId, ...(JSON.parse(delivery) as Omit<Delivery, "deliveryId">) };
    });
  }

  goBack(): void {
    invariant(false, "a cluster does not go back");
  }

  wentBack(): void {
    invariant(false, "a cluster does not go back");
  }
}
