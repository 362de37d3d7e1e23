/**
 * Proves the calls about withdrawals against the real engine: rules and addresses are set and read
 * back, a withdrawal goes through its states with the money frozen, booked out and given back,
 * repeated ids get the first answer, and whatever is out of order is refused by its field. History
 * is answered from the events of the same engine. A call that no test makes fails the suite.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { isWithdrawalCall, OperatorFixture } from "../../test/support/operator-fixture.ts";
import { formatDecimal } from "../domain/index.ts";
import { RULES_VERSION } from "../engine/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { HistoryQuestion, WithdrawalEntry } from "../queries/history-port.ts";

const SCALE = 6;
const UID = 7;
const HOUR_MS = 3_600_000;

let operator: OperatorFixture;

const get = <Answer>(path: string) => operator.call<Answer>("GET", `/operator/v1/${path}`);
const put = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("PUT", `/operator/v1/${path}`, body);
const post = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("POST", `/operator/v1/${path}`, body);
const refused = (method: string, path: string, body?: unknown) =>
  operator.refusal(method, `/operator/v1/${path}`, body);

type Changed = EventOf<"withdrawal-changed">;

function changesOf(withdrawalId: number): Changed[] {
  const { events } = operator.exchange;
  const changes = events.filter((event): event is Changed => event.type === "withdrawal-changed");
  return changes.filter((event) => event.withdrawalId === withdrawalId);
}

function entryOf(withdrawalId: number): WithdrawalEntry | null {
  const last = changesOf(withdrawalId).at(-1);
  if (last === undefined) return null;
  const { uid, requestId, asset, addressId, network, address, memo, state, reference } = last;
  const terms = { withdrawalId, uid, requestId, asset, addressId, network, address, memo };
  const amount = formatDecimal(last.amountMinor, SCALE);
  const fee = formatDecimal(last.feeMinor, SCALE);
  const { requestedMs } = last;
  return { ...terms, amount, fee, state, reference, requestedMs, changedMs: requestedMs };
}

function listed({ uid, state, afterWithdrawalId, limit }: HistoryQuestion<"withdrawals">) {
  const entries: WithdrawalEntry[] = [];
  for (let id = afterWithdrawalId + 1; ; id++) {
    const entry = entryOf(id);
    if (entry === null || entries.length === limit) return entries;
    if ((uid ?? entry.uid) === entry.uid && (state ?? entry.state) === entry.state) {
      entries.push(entry);
    }
  }
}

before(async () => {
  operator = new OperatorFixture();
  await operator.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
  await put("assets/USDT", { coinId: 2, name: "Tether", scale: SCALE });
  await put("assets/BTC", { coinId: 1, name: "Bitcoin", scale: 8 });
  await post("users", { uid: UID });
  const deposit = { id: "d", account: "spot", asset: "USDT", amount: "1000" };
  await post(`users/${UID}/deposits`, deposit);
  operator.exchange.historyScript = {
    withdrawals: listed,
    withdrawal: ({ withdrawalId }) => {
      const entry = entryOf(withdrawalId);
      const steps = changesOf(withdrawalId).map(({ stepId, state, actor, note, requestedMs }) => {
        return { stepId, state, actor, note, timeMs: requestedMs };
      });
      return entry && { ...entry, steps };
    },
  };
});
after(() => operator.close());

const noHold = { addressHoldMs: 0, keyHoldMs: 0 };
const addresses = `users/${UID}/withdrawal-addresses`;

async function spotUsdt() {
  const { spot } = await get<{ spot: Record<string, string>[] }>(`users/${UID}/balances`);
  const { available, frozen } = spot.find(({ asset }) => asset === "USDT") ?? {};
  return [available, frozen];
}

test("rules: set, read back, listed; the holds are 24 hours unless told otherwise", async () => {
  const path = "withdrawal-rules/USDT";
  assert.deepEqual(await refused("GET", path), [404, "unknown-asset", "asset"]);
  const defaults = { enabled: true, fee: "0", dailyLimit: null };
  const holds = { addressHoldMs: 24 * HOUR_MS, keyHoldMs: 24 * HOUR_MS };
  const rules = { asset: "USDT", minAmount: "10", ...defaults, ...holds };
  assert.deepEqual(await put(path, { minAmount: "10.00" }), rules);
  assert.deepEqual(await get(path), rules);
  const set = { minAmount: "10", fee: "1", dailyLimit: "500", ...noHold };
  const changed = { ...rules, ...set, enabled: true };
  assert.deepEqual(await put(path, set), changed);
  await put("withdrawal-rules/BTC", { minAmount: "1" });
  const page = await get<{ items: { asset: string }[] }>("withdrawal-rules?after=BTC");
  assert.deepEqual(page, { items: [changed], next: null });
  const bad = { minAmount: "1", fee: "1" };
  assert.deepEqual(await refused("PUT", path, bad), [400, "out-of-range", "minAmount"]);
  const unknown = await refused("PUT", "withdrawal-rules/NONE", { minAmount: "1" });
  assert.deepEqual(unknown, [404, "unknown-asset", "asset"]);
});

test("addresses: added once, held, listed, removed", async () => {
  const entry = { asset: "USDT", network: "TRC20", address: "TA1", memo: "", label: "cold" };
  const time = operator.exchange.wallMs;
  const { memo: _, ...body } = entry;
  const added = { addressId: 1, usableFrom: time };
  assert.deepEqual(await post(addresses, body), added);
  assert.deepEqual(await post(addresses, body), added);
  assert.deepEqual(await get(addresses), { items: [{ ...entry, ...added, added: time }] });
  assert.deepEqual(await post(addresses, { ...body, memo: "9" }), { ...added, addressId: 2 });
  const other = await refused("POST", addresses, { ...body, label: "hot" });
  assert.deepEqual(other, [409, "conflict", "label"]);
  const removal = `${addresses}/2`;
  assert.deepEqual(await operator.call("DELETE", `/operator/v1/${removal}`), { addressId: 2 });
  assert.deepEqual(await refused("DELETE", removal), [404, "unknown-address", "addressId"]);
  const nobody = await refused("GET", "users/99/withdrawal-addresses");
  assert.deepEqual(nobody, [404, "unknown-user", "uid"]);
});

test("a withdrawal is frozen, approved, sent and booked out, each step once", async () => {
  const time = operator.exchange.wallMs;
  const request = { id: "w-1", uid: UID, addressId: 1, amount: "100" };
  const requested = { withdrawalId: 1, state: "requested", time };
  assert.deepEqual(await post("withdrawal-requests", request), requested);
  assert.deepEqual(await spotUsdt(), ["900", "100"]);
  const path = "withdrawal-requests/1";
  const step = (id: string, state: string, note = "") => {
    return operator.call("PATCH", `/operator/v1/${path}`, { id, state, note });
  };
  const early = await refused("PATCH", path, { id: "x", state: "done" });
  assert.deepEqual(early, [409, "withdrawal-state", "state"]);
  const approved = { withdrawalId: 1, state: "approved", time };
  assert.deepEqual(await step("a", "approved", "checked"), approved);
  const unsent = await refused("PATCH", path, { id: "s", state: "sent" });
  assert.deepEqual(unsent, [400, "malformed", "note"]);
  await step("s", "sent", "0xabc");
  assert.deepEqual(await step("a", "approved", "checked"), approved, "the first answer again");
  const other = await refused("PATCH", path, { id: "a", state: "approved", note: "not checked" });
  assert.deepEqual(other, [409, "conflict", "id"]);
  assert.deepEqual(await step("d", "done"), { withdrawalId: 1, state: "done", time });
  assert.deepEqual(await post("withdrawal-requests", request), requested);
  assert.deepEqual(await spotUsdt(), ["900", "0"]);
  const { totals } = await get<{ totals: Record<string, Record<string, string>> }>("invariants");
  assert.partialDeepStrictEqual(totals, { USDT: { external: "-901", fees: "1" } });

  const terms = { withdrawalId: 1, uid: UID, id: "w-1", asset: "USDT", amount: "100", fee: "1" };
  const target = { addressId: 1, network: "TRC20", address: "TA1", memo: "" };
  const now = { state: "done", reference: "0xabc", requested: time, changed: time };
  const actor = "operator";
  assert.deepEqual(await get(path), {
    ...terms,
    ...target,
    ...now,
    steps: [
      { id: "w-1", state: "requested", actor, note: "", time },
      { id: "a", state: "approved", actor, note: "checked", time },
      { id: "s", state: "sent", actor, note: "0xabc", time },
      { id: "d", state: "done", actor, note: "", time },
    ],
  });
  const audit = await get<{ items: { action: string }[] }>("audit");
  const steps = audit.items.filter(({ action }) => action === "withdrawal-changed");
  assert.equal(steps.length, 4);
});

test("rejected and failed withdrawals come back, and count against no limit", async () => {
  const request = (id: string, amount: string) =>
    post<{ withdrawalId: number }>("withdrawal-requests", { id, uid: UID, addressId: 1, amount });
  const path = "withdrawal-requests";
  const over = await refused("POST", path, { id: "o", uid: UID, addressId: 1, amount: "401" });
  assert.deepEqual(over, [409, "withdrawal-limit", "amount"]);
  for (const states of [["rejected"], ["approved", "sent", "failed"]]) {
    const { withdrawalId } = await request(`w-${states.at(-1)}`, "400");
    assert.deepEqual(await spotUsdt(), ["500", "400"]);
    for (const state of states) {
      const body = { id: state, state, note: "because" };
      await operator.call("PATCH", `/operator/v1/${path}/${withdrawalId}`, body);
    }
    assert.deepEqual(await spotUsdt(), ["900", "0"]);
  }
  const failed = await get<{ items: { withdrawalId: number }[] }>(`${path}?state=failed`);
  assert.deepEqual(
    failed.items.map(({ withdrawalId }) => withdrawalId),
    [3],
  );
  const first = await get<{ next: number }>(`${path}?uid=${UID}&limit=2`);
  assert.equal(first.next, 2);
  assert.deepEqual(await get(`${path}?uid=8`), { items: [], next: null });
});

test("requests against the rules are refused by field", async () => {
  const path = "withdrawal-requests";
  const request = (changes: object) => {
    return refused("POST", path, { id: "r", uid: UID, addressId: 1, amount: "20", ...changes });
  };
  assert.deepEqual(await request({ amount: "9" }), [400, "out-of-range", "amount"]);
  assert.deepEqual(await request({ amount: "x" }), [400, "malformed", "amount"]);
  assert.deepEqual(await request({ addressId: 5 }), [400, "unknown-address", "addressId"]);
  assert.deepEqual(await request({ uid: 99 }), [400, "unknown-user", "uid"]);
  const held = { minAmount: "10", addressHoldMs: HOUR_MS, keyHoldMs: 0 };
  await put("withdrawal-rules/USDT", held);
  assert.deepEqual(await request({}), [409, "withdrawal-on-hold", "addressId"]);
  await put("withdrawal-rules/USDT", { minAmount: "10", ...noHold, enabled: false });
  assert.deepEqual(await request({}), [409, "withdrawals-closed", "asset"]);
  await put("withdrawal-rules/USDT", { minAmount: "10", ...noHold });
  await operator.call("PATCH", `/operator/v1/users/${UID}`, { state: "frozen" });
  assert.deepEqual(await request({}), [409, "user-frozen", undefined]);
  const step = { id: "s", state: "approved" };
  const gone = await refused("PATCH", `${path}/99`, step);
  assert.deepEqual(gone, [404, "unknown-withdrawal", "withdrawalId"]);
  assert.deepEqual(await refused("GET", `${path}/99`), [404, "unknown-withdrawal", "withdrawalId"]);
});

test("deposits: pending until confirmed, credited once, dropped, listed", async () => {
  const { exchange } = operator;
  const rules = { asset: "USDT", network: "TRC20", confirmations: 3 };
  const path = "deposit-rules/USDT/TRC20";
  assert.deepEqual(await refused("GET", path), [404, "unknown-asset", "asset"]);
  assert.deepEqual(await put(path, { confirmations: 3 }), rules);
  assert.deepEqual(await get(path), rules);
  assert.deepEqual(await get("deposit-rules"), { items: [rules] });
  const terms = { network: "TRC20", transactionId: "0x1", uid: UID, asset: "USDT", amount: "50" };
  const report = (confirmations: number, changes: object = {}) =>
    post("deposit-reports", { ...terms, confirmations, ...changes });
  const [before = "0"] = await spotUsdt();
  assert.deepEqual(await report(1), { depositId: 1, state: "pending" });
  assert.deepEqual(await report(2), { depositId: 1, state: "pending" });
  assert.deepEqual((await spotUsdt())[0], before);
  assert.deepEqual(await report(3), { depositId: 1, state: "credited" });
  assert.deepEqual(await report(0), { depositId: 1, state: "credited" });
  assert.deepEqual((await spotUsdt())[0], String(Number(before) + 50));
  const other = { ...terms, confirmations: 3, amount: "51" };
  const conflict = await refused("POST", "deposit-reports", other);
  assert.deepEqual(conflict, [409, "conflict", "transactionId"]);
  const closed = { ...terms, network: "ERC20", confirmations: 3 };
  const noRules = await refused("POST", "deposit-reports", closed);
  assert.deepEqual(noRules, [409, "deposits-closed", "network"]);
  assert.deepEqual(await report(1, { outputIndex: 1 }), { depositId: 2, state: "pending" });
  const dropped = { depositId: 2, state: "dropped" };
  assert.deepEqual(await operator.call("DELETE", "/operator/v1/deposit-reports/2"), dropped);
  const gone = await refused("DELETE", "deposit-reports/1");
  assert.deepEqual(gone, [404, "unknown-deposit", "depositId"]);

  const seen = { firstMs: exchange.wallMs, changedMs: exchange.wallMs };
  const state = { confirmations: 3, required: 3, state: "credited" } as const;
  const entry = { depositId: 1, ...terms, outputIndex: 0, ...state, ...seen };
  const asked: unknown[] = [];
  exchange.historyScript = {
    deposits: (question) => {
      asked.push(question);
      return [entry];
    },
    deposit: ({ depositId }) => (depositId === 1 ? entry : null),
  };
  const { firstMs: first, changedMs: changed, ...rest } = entry;
  const shown = { ...rest, first, changed };
  assert.deepEqual(await get("deposit-reports/1"), shown);
  const unknown = await refused("GET", "deposit-reports/9");
  assert.deepEqual(unknown, [404, "unknown-deposit", "depositId"]);
  const page = await get(`deposit-reports?uid=${UID}&state=credited&limit=1`);
  assert.deepEqual(page, { items: [shown], next: 1 });
  const question = { uid: UID, state: "credited", afterDepositId: 0, beforeDepositId: null };
  assert.deepEqual(asked, [{ ...question, limit: 1 }]);
});

test("every documented call about deposits and withdrawals was made", async () => {
  const documented = (await operator.documented()).filter(isWithdrawalCall);
  const all = documented.map(({ operation }) => operation.operationId);
  assert.equal(all.length, 17);
  assert.deepEqual(
    all.filter((id) => !operator.answeredCalls.has(id)),
    [],
  );
});
