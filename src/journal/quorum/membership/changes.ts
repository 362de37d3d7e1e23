/**
 * Changes of who is in the quorum. A node is made known under a name of the present generation only
 * after its data was rewound or copied; a change of the list itself is a new generation, with new
 * names for all. The names on the primary change first: until the standbys come under them, commits
 * wait, and none is confirmed under an old one.
 */
import { memberName, quorumOf, standbyConninfo } from "./member-names.ts";
import { MembershipRefused, QuorumMembers } from "./membership.ts";
import type { MemberTools } from "./postgres-member.ts";

interface Change extends MemberTools {
  /** Of all nodes, each the address of the same database. */
  readonly urls: readonly string[];
  readonly name: string;
}

/** What a node needs to follow, when its data is the primary's. */
export interface JoinPlan {
  readonly generation: number;
  /** Whether it is a new member. */
  readonly isNew: boolean;
  /** The connection string for a copy of the primary. */
  readonly source: string;
  readonly settings: Readonly<Record<"primary_conninfo" | "synchronous_standby_names", string>>;
}

const COMMIT_MS = 15_000;
const CHECKPOINT_MS = 600_000;

/**
 * Prepares the primary. A checkpoint comes first: without one, `pg_rewind` right after a promotion
 * finds the old timeline and says that nothing is to be done.
 */
export async function planJoin(change: Change): Promise<JoinPlan> {
  const { name } = change;
  const members = await QuorumMembers.open(change.urls, change);
  try {
    members.check({ isJoining: true });
    const { names, primary } = members;
    if (primary.label === name || members.live.some(({ label }) => label === name)) {
      throw new MembershipRefused(`${name} runs: stop it, and join it again.`);
    }
    const isNew = !names.includes(name);
    const generation = (members.generation ?? 0) + (isNew ? 1 : 0);
    await primary.query("CHECKPOINT", CHECKPOINT_MS);
    const all = [...new Set([...names, name])];
    const others = all.filter((other) => other !== name);
    const known = members.standbys.map(({ state }) => state.conninfo).find((text) => text !== "");
    const own = memberName(name, generation);
    return {
      generation,
      isNew,
      source: standbyConninfo(primary.url, own, known ?? ""),
      settings: {
        primary_conninfo: standbyConninfo(primary.url, own, known ?? ""),
        synchronous_standby_names: quorumOf(others.map((other) => memberName(other, generation))),
      },
    };
  } finally {
    members.close();
  }
}

/** The list of members becomes `names`, in a new generation. Resolves with that. */
export async function renameMembers(
  tools: MemberTools & { readonly urls: readonly string[] },
  change: (names: readonly string[], members: QuorumMembers) => readonly string[],
): Promise<number> {
  const members = await QuorumMembers.open(tools.urls, tools);
  try {
    members.check({ isJoining: true });
    const { primary } = members;
    const generation = (members.generation ?? 0) + 1;
    const names = change(members.names, members);
    const quorumFor = (own: string) =>
      quorumOf(names.filter((name) => name !== own).map((name) => memberName(name, generation)));
    await primary.set({ synchronous_standby_names: quorumFor(primary.label) });
    for (const standby of members.standbys) {
      const { label, state } = standby;
      if (!names.includes(label)) continue;
      const conninfo = standbyConninfo(primary.url, memberName(label, generation), state.conninfo);
      await standby.set({
        synchronous_standby_names: quorumFor(label),
        primary_conninfo: conninfo,
      });
    }
    await primary.query(`UPDATE rialto.venue SET generation = ${generation}`, COMMIT_MS);
    return generation;
  } finally {
    members.close();
  }
}

/** Resolves with the new generation. */
export function removeMember(change: Change): Promise<number> {
  const { name } = change;
  return renameMembers(change, (names, members) => {
    if (!names.includes(name)) {
      throw new MembershipRefused(`${name} is no member: these are ${names.join(", ")}.`);
    }
    if (members.primary.label === name) {
      throw new MembershipRefused(`${name} is the primary: fail over first.`);
    }
    const left = names.filter((other) => other !== name);
    const standbys = members.standbys.filter(({ label }) => left.includes(label));
    if (standbys.length === 0) {
      throw new MembershipRefused(
        `Without ${name} no standby is left that answers, and no commit would be confirmed.`,
      );
    }
    return left;
  });
}
