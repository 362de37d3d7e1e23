/** Two withdrawals that are under way, to be found so, and finished, wherever the venue goes on. */
import assert from "node:assert/strict";
import type { OperatorAnswer } from "../../src/api/operator/routes.ts";
import type { ExchangeProcess } from "./exchange-process.ts";
import { registerUser } from "./exchange-setup.ts";
import { waitUntil } from "./wait-until.ts";

const API = "/operator/v1";

type State = "requested" | "approved" | "sent" | "done";
type Exchange = Pick<ExchangeProcess, "operator">;
type Withdrawal = OperatorAnswer<"getWithdrawalRequest">;

export class OpenWithdrawals {
  readonly #ids: readonly number[];

  private constructor(ids: readonly number[]) {
    this.#ids = ids;
  }

  /** Of a user of their own: one that waits for a decision, and one that was sent. */
  static async request(exchange: Exchange): Promise<OpenWithdrawals> {
    const { operator } = exchange;
    const rules = { minAmount: "3", fee: "1", addressHoldMs: 0, keyHoldMs: 0 };
    await operator.call("PUT", `${API}/withdrawal-rules/USDT`, rules);
    const uid = await registerUser(exchange as ExchangeProcess);
    const funds = { id: "d", account: "spot", asset: "USDT", amount: "100" };
    await operator.call("POST", `${API}/users/${uid}/deposits`, funds);
    const address = { asset: "USDT", network: "main", address: "outside" };
    const path = `${API}/users/${uid}/withdrawal-addresses`;
    const { addressId } = await operator.call<{ addressId: number }>("POST", path, address);
    const ids: number[] = [];
    for (const id of ["waits", "sent"]) {
      const terms = { id, uid, addressId, amount: "10" };
      const made = await operator.call<Withdrawal>("POST", `${API}/withdrawal-requests`, terms);
      ids.push(made.withdrawalId);
    }
    const open = new OpenWithdrawals(ids);
    await open.step(exchange, 1, "approved");
    await open.step(exchange, 1, "sent");
    return open;
  }

  async step({ operator }: Exchange, index: 0 | 1, state: State): Promise<void> {
    const path = `${API}/withdrawal-requests/${this.#ids[index]}`;
    const note = state === "sent" ? `tx-${index}` : "";
    await operator.call("PATCH", path, { id: `${state}-${index}`, state, note });
  }

  async are({ operator }: Exchange, ...states: readonly State[]): Promise<void> {
    const found: string[] = [];
    for (const id of this.#ids) {
      // A history that is made anew takes a moment.
      await waitUntil("history has the withdrawal", async () => {
        const answer = await operator.send("GET", `${API}/withdrawal-requests/${id}`);
        if (answer.status !== 200) return false;
        found.push((answer.body as Withdrawal).state);
        return true;
      });
    }
    assert.deepEqual(found, states);
  }
}
