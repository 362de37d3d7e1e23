/**
 * Gives the lead to another node while both are there. This one takes no more, answers what it has
 * taken, and then gives the lease away; the other one's barrier fences it all the same.
 */
import type { HeldLease } from "../../cluster/index.ts";
import type { LeaseRow } from "../../journal/index.ts";
import type { Scheduler } from "../../platform/index.ts";
import type { Sequencer } from "../sequencer.ts";
import { LAG_MAX_MS } from "./cluster-view.ts";
import { LIVE_MS, type MembershipWatch } from "./membership-watch.ts";
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

/** Why a node cannot be given the lead now; null when it can. */
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
  const isThere = found.silentMs < LIVE_MS && found.lagMs <= LAG_MAX_MS;
  return isThere
    ? null
    : { ok: false, reason: "not-promoted", why: `${node} is away, or behind the log` };
}

/** From then on this process only ends. */
export async function handOver(leading: Leading, node: string): Promise<void> {
  const { end, held, members, name, owner, row, sequencer } = leading;
  const target = members.present?.members.find((member) => member.name === node);
  if (target === undefined) return;
  await leading.stopOwn();
  await sequencer.stop();
  held.stop();
  const isGiven = await row.handOver(owner, `${target.name}/${target.run}`).catch(() => null);
  if (isGiven === true) await whenLeads(members, node, leading.scheduler, members.last?.epoch);
  // Who asked this node gets the answer.
  await new Promise<void>((resolve) => leading.scheduler.after(ANSWER_MS, resolve));
  const outcome = isGiven === true ? `${node} was given the lead` : "the lead was given up";
  end(new NodeEnded(`${outcome}: start ${name} again, and it follows.`));
}

const ANSWER_MS = 500;
const PROMOTED_MS = 10_000;
const POLL_MS = 50;

/** Resolves when the node leads, of a later epoch, or does not within ten seconds. */
export async function whenLeads(
  members: MembershipWatch,
  node: string,
  scheduler: Scheduler,
  after = -1,
): Promise<Promotion> {
  for (let waitedMs = 0; waitedMs < PROMOTED_MS; waitedMs += POLL_MS) {
    const { epoch = 0, owner } = members.present ?? { owner: "" };
    if (owner.startsWith(`${node}/`) && epoch > after) return { ok: true, leader: node, epoch };
    await new Promise<void>((resolve) => scheduler.after(POLL_MS, resolve));
  }
  const why = `${node} does not lead yet: look at the cluster again`;
  return { ok: false, reason: "not-promoted", why };
}
