/** Operators of a cluster, at whichever node: what they change and who may, seen from all nodes. */
import assert from "node:assert/strict";
import type { OperatorAnswer } from "../../src/api/operator/routes.ts";
import type { ClusterNodes } from "./cluster-nodes.ts";
import type { ExchangeProcess } from "./exchange-process.ts";
import { PASSPHRASE } from "./exchange-setup.ts";
import { OperatorClient } from "./operator-client.ts";
import { SignedClient } from "./signed-client.ts";

type Key = OperatorAnswer<"createApiKey">;
const API = "/operator/v1";

/** Each step at another node than the one before, at once. */
export async function operatorsWorkAnywhere(cluster: ClusterNodes): Promise<void> {
  const nodes = [...cluster.nodes.values()];
  for (const [index] of nodes.entries()) {
    const at = (offset: number) => nodes[(index + offset) % nodes.length] as ExchangeProcess;
    await changesMoney(at, `m${index}`);
    await changesKeys(at, cluster);
    await changesOperators(at, `ann-${index}`);
    await changesTogether(at);
  }
}

type At = (offset: number) => ExchangeProcess;

async function newUser({ operator }: ExchangeProcess): Promise<number> {
  return (await operator.call<{ uid: number }>("POST", `${API}/users`, {})).uid;
}

async function changesMoney(at: At, id: string): Promise<void> {
  const uid = await newUser(at(0));
  const deposit = { id, account: "spot", asset: "USDT", amount: "5" };
  const path = `${API}/users/${uid}/deposits`;
  const made = await at(1).operator.call<object>("POST", path, deposit);
  assert.deepEqual(await at(2).operator.call("POST", path, deposit), made, "made once");
  const kept = await at(0).operator.call("GET", `${path}/${id}`);
  assert.partialDeepStrictEqual(kept, made, "history has it");
  const balances = await at(1).operator.call<OperatorAnswer<"getBalances">>(
    "GET",
    `${API}/users/${uid}/balances`,
  );
  assert.equal(balances.spot.find(({ asset }) => asset === "USDT")?.available, "5");
  const market = `${API}/markets/spot/BTCUSDT`;
  await at(2).operator.call("PATCH", market, { state: "halted", reason: "a test" });
  const halted = await at(0).operator.call<{ state: string }>("GET", market);
  assert.equal(halted.state, "halted");
  await at(1).operator.call("PATCH", market, { state: "trading" });
  const held = { balances: [{ asset: "USDT", amount: "100" }] };
  const reported = await at(1).operator.call("POST", `${API}/custody/balances`, held);
  assert.deepEqual(await at(2).operator.call("GET", `${API}/custody/balances`), reported);
}

/** A key signs everywhere once it is made, as it was changed, and nowhere once it is revoked. */
async function changesKeys(at: At, cluster: ClusterNodes): Promise<void> {
  const uid = await newUser(at(1));
  const settings = { passphrase: PASSPHRASE, permissions: ["read"] };
  const key = await at(0).operator.call<Key>("POST", `${API}/users/${uid}/api-keys`, settings);
  const answers = async (body: RegExp | number) => {
    for (const [name, { port }] of cluster.nodes) {
      const client = new SignedClient(port, key);
      const read = await client.get("/api/v3/account");
      client.close();
      if (typeof body === "number") assert.equal(read.status, body, `${name}: ${read.text}`);
      else assert.match(read.text, body, name);
    }
  };
  await answers(200);
  const path = `${API}/api-keys/${key.apiKey}`;
  await at(1).operator.call("PATCH", path, { ipAllowList: ["10.9.8.7"] });
  await answers(403);
  await at(2).operator.call("PATCH", path, { ipAllowList: [] });
  await answers(200);
  // A reason stands around the command.
  await at(0).operator.call("DELETE", `${path}?reason=lost`);
  await answers(401);
}

async function changesOperators(at: At, name: string): Promise<void> {
  const path = `${API}/operators`;
  const added = { name, role: "support" };
  const { token } = await at(0).operator.call<{ token: string }>("POST", path, added);
  const as = async (offset: number, method: string, call: string, body?: object) => {
    const operator = new OperatorClient(at(offset).operatorPort, token);
    const answer = await operator.send(method, `${API}/${call}`, body);
    operator.close();
    return answer;
  };
  const registered = await as(1, "POST", "users", {});
  assert.equal(registered.status, 200, registered.text);
  assert.match((await as(2, "POST", "approval-rules", {})).text, /role-not-allowed/);
  const audit = await as(2, "GET", `audit?actor=${name}`);
  assert.match(audit.text, new RegExp(`"actor":"${name}","action":"user-registered"`));
  const again = await at(1).operator.send("POST", path, added);
  assert.equal(again.status, 409, again.text);
  await at(2).operator.call("PATCH", `${path}/${name}`, { role: "viewer" });
  assert.match((await as(0, "POST", "users", {})).text, /role-not-allowed/);
  await at(1).operator.call("DELETE", `${path}/${name}?reason=left`);
  for (const offset of [0, 1, 2]) assert.equal((await as(offset, "GET", "caller")).status, 401);
}

/** Two nodes change different fields of one key at the same time, and neither undoes the other. */
async function changesTogether(at: At): Promise<void> {
  const uid = await newUser(at(2));
  const settings = { passphrase: PASSPHRASE, permissions: ["read"] };
  const key = await at(1).operator.call<Key>("POST", `${API}/users/${uid}/api-keys`, settings);
  const path = `${API}/api-keys/${key.apiKey}`;
  for (let round = 0; round < 5; round++) {
    const label = `label ${round}`;
    const ipAllowList = [`10.0.0.${round + 1}`];
    await Promise.all([
      at(0).operator.call("PATCH", path, { label }),
      at(1).operator.call("PATCH", path, { ipAllowList }),
      at(2).operator.call("PATCH", path, { expiresAt: 4_000_000_000_000 + round }),
    ]);
    const changed = await at(round).operator.call("GET", path);
    assert.partialDeepStrictEqual(changed, {
      label,
      ipAllowList,
      expiresAt: 4_000_000_000_000 + round,
    });
  }
}

/** Registers users at one node until it is stopped: each call has one effect, and none fails. */
export class Registrar {
  readonly uids: number[] = [];
  readonly #node: ExchangeProcess;
  #isOver = false;

  constructor(node: ExchangeProcess) {
    this.#node = node;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      const { operator } = this.#node;
      const made = await operator.call<{ uid: number }>("POST", `${API}/users`, { kyc: true });
      this.uids.push(made.uid);
    }
  }

  stop(): void {
    this.#isOver = true;
  }
}

/** Of those that a registrar registers: only it gives them this mark. */
export async function registered({ operator }: ExchangeProcess): Promise<ReadonlySet<number>> {
  const uids = new Set<number>();
  let after = 0;
  for (;;) {
    const page = await operator.call<OperatorAnswer<"listUsers">>(
      "GET",
      `${API}/users?after=${after}&limit=500`,
    );
    for (const { kyc, uid } of page.items) if (kyc) uids.add(uid);
    if (page.next === null) return uids;
    after = page.next;
  }
}
