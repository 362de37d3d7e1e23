/**
 * Gives the lead to another node while both are there. This one takes no more, answers what it has
 * taken, and then gives the lease away; the other one's barrier fences it all the same.
 */
import type { HeldLease } from "../../cluster/index.ts";
import type { LeaseRow } from "../../journal/index.ts";
import type { Scheduler } from "../../platform/index.ts";
import type { Sequencer } from "../sequencer.ts";
import type { MembershipWatch } from "./membership-watch.ts";
import { NodeEnded } from "./node-ended.ts";

/** What a person who asked for it is told. */
export type Promotion =
  | { readonly ok: true; readonly leader: string; readonly epoch: number }
  | { readonly ok: false; readonly reason: "unknown-node" | "not-promoted"; readonly why: string };

interface Leading {
  readonly name: string;
  readonly owner: string;
  readonly row: LeaseRow;
  readonly held: HeldLease;
  readonly sequencer: Sequencer;
  readonly members: MembershipWatch;
  readonly scheduler: Scheduler;
  /** Traders of this process, and what else sends commands by itself. */
  readonly stopOwn: () => Promise<void>;
  readonly end: (error: Error) => void;
}

/**
 * Why a node cannot be given the lead now; null when it can. It may be a little behind: it applies
 * all that the log has before it leads.
 */
export function promotionRefusal(members: MembershipWatch, node: string): Promotion | null {
  const { members: told = [] } = members.present ?? {};
  const found = told.find(({ name }) => name === node);
  if (members.present === null) {
    return { ok: false, reason: "not-promoted", why: "no quorum of PostgreSQL answers" };
  }
  if (found === undefined) {
    const names = told.map(({ name }) => name).join(", ");
    return { ok: false, reason: "unknown-node", why: `the nodes are ${names}` };
  }
  if (found.silentMs < SILENT_MS) return null;
  return { ok: false, reason: "not-promoted", why: `${node} is silent` };
}

interface Promoting {
  readonly members: MembershipWatch;
  readonly row: LeaseRow;
  readonly scheduler: Scheduler;
}

/**
 * Asks whoever leads to hand over to a node, as soon as that is there: one that handed over itself
 * just now needs seconds to start. Resolves when it leads, or when it is not there in time.
 */
export async function promote(promoting: Promoting, node: string): Promise<Promotion> {
  const { members, row, scheduler } = promoting;
  const before = members.last?.epoch ?? 0;
  const isLeader = members.leader?.name === node;
  let refusal = promotionRefusal(members, node);
  for (let waitedMs = 0; waitedMs < PROMOTED_MS; waitedMs += POLL_MS) {
    const { epoch = 0, owner = "", successor = "" } = members.present ?? {};
    if (owner.startsWith(`${node}/`) && (isLeader || epoch > before)) {
      return { ok: true, leader: node, epoch };
    }
    refusal = promotionRefusal(members, node);
    if (refusal?.ok === false && refusal.reason === "unknown-node") return refusal;
    const isAsked = waitedMs % ASK_AGAIN_MS !== 0 || successor === node;
    if (refusal === null && !isAsked) await row.nameSuccessor(node).catch(() => undefined);
    await new Promise<void>((resolve) => scheduler.after(POLL_MS, resolve));
  }
  const why = `${node} does not lead yet: look at the cluster again`;
  return refusal ?? { ok: false, reason: "not-promoted", why };
}

/** From then on this process only ends. */
export async function handOver(leading: Leading, node: string): Promise<void> {
  const { end, held, members, name, owner, row, sequencer } = leading;
  const target = members.present?.members.find((member) => member.name === node);
  if (target === undefined) return;
  const epoch = members.last?.epoch ?? 0;
  // Nobody gives the lead back to a process that ends.
  await members.leave();
  await leading.stopOwn();
  await sequencer.stop();
  held.stop();
  const isGiven = await row.handOver(owner, `${target.name}/${target.run}`).catch(() => null);
  if (isGiven === true) await whenLeads(members, node, leading.scheduler, epoch);
  // Who asked this node gets the answer.
  await new Promise<void>((resolve) => leading.scheduler.after(ANSWER_MS, resolve));
  await members.stop();
  const outcome = isGiven === true ? `${node} was given the lead` : "the lead was given up";
  end(new NodeEnded(`${outcome}: start ${name} again, and it follows.`));
}

/** Every node tells twice a second. */
const SILENT_MS = 1500;
const ANSWER_MS = 500;
const PROMOTED_MS = 15_000;
const ASK_AGAIN_MS = 1000;
const POLL_MS = 100;

/** Resolves when the node leads, of a later epoch, or does not in time. */
async function whenLeads(
  members: MembershipWatch,
  node: string,
  scheduler: Scheduler,
  after: number,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < PROMOTED_MS; waitedMs += POLL_MS) {
    const { epoch = 0, owner = "" } = members.present ?? {};
    if (owner.startsWith(`${node}/`) && epoch > after) return;
    await new Promise<void>((resolve) => scheduler.after(POLL_MS, resolve));
  }
}
