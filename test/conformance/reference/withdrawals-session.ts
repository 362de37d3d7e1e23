/** An address book, withdrawals and reported deposits. */
import type { Recorder, Sent } from "./recorder.ts";

const ALICE = 1001;
const MINUTE_MS = 60_000;
const ADDRESS = { asset: "USDT", network: "TRC20", address: "TExampleAddress" } as const;

type Body = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string>>;

const alice = (body: Body): Sent => ({ as: "alice", body });
const asked = (query: Query = {}): Sent => ({ as: "alice", query });

const STRANGER = { permission: "spot" } as const;
const NO_PERMISSION = "A key without the permission withdraw";

export async function playWithdrawals(recorder: Recorder): Promise<void> {
  const rules = { minAmount: "10", fee: "1", dailyLimit: "1000", keyHoldMs: 0 };
  const hold = { addressHoldMs: MINUTE_MS };
  await recorder.operate("PUT", "withdrawal-rules/USDT", { ...rules, ...hold });
  await recorder.operate("PUT", "deposit-rules/USDT/TRC20", { confirmations: 6 });
  await keepAddresses(recorder);
  await withdraw(recorder);
  await follow(recorder);
  await deposit(recorder);
  await recorder.shows("v3-remove-withdrawal-address", "The first", asked({ addressId: "1" }));
  const unknown = asked({ addressId: "9" });
  await recorder.refuses("v3-remove-withdrawal-address", "No such address", -1142, unknown);
}

async function keepAddresses(recorder: Recorder): Promise<void> {
  const id = "v3-add-withdrawal-address";
  const cold = alice({ ...ADDRESS, label: "cold wallet" });
  await recorder.shows(id, "A minute of hold", cold);
  await recorder.refuses(id, "Unknown asset", -1142, alice({ ...ADDRESS, asset: "NONE" }));
  await recorder.shows("v3-withdrawal-addresses", "One address", { as: "alice" });
  const affiliate = { permission: "affiliate" } as const;
  await recorder.refuses("v3-withdrawal-addresses", "A key without read", -1052, affiliate);
}

async function withdraw(recorder: Recorder): Promise<void> {
  const id = "v3-withdraw";
  const terms = { addressId: 1, amount: "100", clientWithdrawalId: "out/1" };
  await recorder.refuses(id, "The address is still on hold", -1140, alice(terms));
  await recorder.pass(MINUTE_MS);
  await recorder.shows(id, "It is requested", alice(terms));
  await recorder.refuses(
    id,
    "More than the day's limit leaves",
    -1140,
    alice({ ...terms, ...OVER }),
  );
  await recorder.refuses(id, NO_PERMISSION, -1052, { ...STRANGER, body: terms });
  const second = { ...terms, amount: "50", clientWithdrawalId: "out/2" };
  await recorder.send(id, alice(second));
  await recorder.pass(MINUTE_MS);
  await recorder.shows("v3-cancel-withdrawal", "Not decided yet", asked({ withdrawalId: "2" }));
  for (const [state, note] of [
    ["approved", "known customer"],
    ["sent", "0x7f3a"],
  ]) {
    await recorder.operate("PATCH", "withdrawal-requests/1", { id: state, state, note });
    await recorder.pass(MINUTE_MS);
  }
  const late = asked({ withdrawalId: "1" });
  await recorder.refuses("v3-cancel-withdrawal", "It is sent already", -1140, late);
}

const OVER = { amount: "950", clientWithdrawalId: "out/3" } as const;

async function follow(recorder: Recorder): Promise<void> {
  await recorder.shows("v3-withdrawals", "Newest first", asked());
  await recorder.shows("v3-withdrawals", "Of one status", asked({ status: "SENT", limit: "5" }));
  const wrong = asked({ status: "LOST" });
  await recorder.refuses("v3-withdrawals", "No such status", -1142, wrong);
  await recorder.shows("v3-withdrawal", "It was sent", asked({ withdrawalId: "1" }));
  await recorder.refuses(
    "v3-withdrawal",
    "No such withdrawal",
    -1142,
    asked({ withdrawalId: "9" }),
  );
}

async function deposit(recorder: Recorder): Promise<void> {
  const seen = { network: "TRC20", uid: ALICE, asset: "USDT", amount: "250" };
  const arrived = { ...seen, transactionId: "0x51c0", confirmations: 6 };
  await recorder.operate("POST", "deposit-reports", arrived);
  await recorder.pass(MINUTE_MS);
  const pending = { ...seen, transactionId: "0x51c1", confirmations: 2 };
  await recorder.operate("POST", "deposit-reports", pending);
  await recorder.shows("v3-deposits", "One is credited, one waits", asked());
  await recorder.refuses("v3-deposits", "Too many rows", -1140, asked({ limit: "101" }));
}
