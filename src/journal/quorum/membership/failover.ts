/**
 * Promotes a standby when the primary is gone. Which one, and whether at all, is decided by what
 * the members have, never by time: all standbys leave the old primary, which can acknowledge
 * nothing from then on, dead or not; the one whose log goes further is promoted, with names of the
 * next generation, so that the old primary does not count before it was joined again.
 */
import { memberName, newestGeneration, quorumOf, standbyConninfo } from "./member-names.ts";
import { MembershipRefused, QuorumMembers } from "./membership.ts";
import type { LogEnd, MemberTools, PostgresMember } from "./postgres-member.ts";

export interface FailoverOptions extends MemberTools {
  /** Of all nodes, each the address of the same database. */
  readonly urls: readonly string[];
  /** Goes on although a member that may have more is not heard. */
  readonly loseAcknowledged: boolean;
  /** The end of a node's copy of the log, for what would be lost; null when there is none. */
  readonly copySequence: number | null;
}

export interface Failover {
  /** The new primary. */
  readonly primary: string;
  readonly url: string;
  readonly generation: number;
  /** The last command of its log. */
  readonly sequence: number;
  /** The standbys that follow it. */
  readonly standbys: readonly string[];
  /** To be joined again before they count. */
  readonly away: readonly string[];
}

const COMMIT_MS = 30_000;

/**
 * Rejects with `MembershipRefused` before anything is changed. After any other rejection it can be
 * called again, and goes on where it was.
 */
export async function failOver(options: FailoverOptions): Promise<Failover> {
  const members = await QuorumMembers.open(options.urls, options);
  try {
    members.check();
    const begun = promotedBefore(members);
    if (begun !== undefined) {
      return await finish(members, begun, followersOf(members), members.generation ?? 0);
    }
    const standbys = candidates(members, options);
    await Promise.all(standbys.map((standby) => standby.leave()));
    await Promise.all(standbys.map((standby) => standby.read()));
    const best = await furthest(standbys);
    return await promote(members, best, standbys);
  } finally {
    members.close();
  }
}

/** A primary of a generation that is not in its log yet: an earlier call ended between the two. */
function promotedBefore({ generation, live }: QuorumMembers): PostgresMember | undefined {
  return live.find(({ state }) => {
    const { counted, isStandby, venueGeneration } = state;
    return (
      !isStandby &&
      generation !== null &&
      newestGeneration(counted) === generation &&
      (venueGeneration ?? generation) < generation
    );
  });
}

/** Those that left the old primary, or follow the new one already. */
function followersOf({ generation, standbys }: QuorumMembers): readonly PostgresMember[] {
  return standbys.filter(({ state }) => [null, generation].includes(state.generation));
}

/** The standbys that may be promoted: all but the old primary, unless a person accepts less. */
function candidates(members: QuorumMembers, options: FailoverOptions): readonly PostgresMember[] {
  const { generation, names } = members;
  // One that was not joined since may have a history of its own.
  const isPresent = ({ state }: PostgresMember) =>
    state.generation === null || state.generation === generation;
  const standbys = members.standbys.filter((each) => isPresent(each) && each.state.end !== null);
  if (standbys.length === 0) {
    throw new MembershipRefused(`No standby can be promoted. ${members.describe()}`);
  }
  const heard = new Set(standbys.map(({ label }) => label));
  const unheard = names.filter((name) => !heard.has(name));
  if (unheard.length <= 1 || options.loseAcknowledged) return standbys;
  const sequence = Math.max(...standbys.map(({ state }) => state.end?.sequence ?? 0));
  throw new MembershipRefused(
    `Of ${unheard.join(" and ")} one was the primary, and another may have commands that were ` +
      `acknowledged and that ${[...heard].join(", ")} lacks. ${members.describe()} Start it and ` +
      `try again. --lose-acknowledged goes on with the log as it is, which ends with sequence ` +
      `${sequence}: ${lossOf(sequence, options.copySequence)}`,
  );
}

function lossOf(sequence: number, copySequence: number | null): string {
  if (copySequence === null) {
    return (
      "what the nodes of Rialto have beyond that is lost; name the data folder of one with " +
      "--data-dir to see how much."
    );
  }
  const lost = copySequence - sequence;
  if (lost <= 0) return `the data folder ends with ${copySequence}, so nothing it has is lost.`;
  return `commands ${sequence + 1} to ${copySequence}, which the data folder has, are lost.`;
}

/**
 * By the end of the log: positions in the write-ahead log have several meanings. Of equal ends the
 * one that has replayed more, because who has more than the promoted one cannot follow it.
 */
async function furthest(standbys: readonly PostgresMember[]): Promise<PostgresMember> {
  const ordinalOf = ({ state }: PostgresMember) => state.end?.ordinal ?? -1;
  const [best, ...others] = standbys.toSorted(
    (one, two) =>
      ordinalOf(two) - ordinalOf(one) || two.state.replayedBytes - one.state.replayedBytes,
  );
  if (best === undefined) throw new MembershipRefused("No standby can be promoted.");
  for (const other of others) {
    if (await best.has(other.state.end as LogEnd)) continue;
    throw new MembershipRefused(
      `The logs of ${best.label} and ${other.label} are not one: one of them has a history of ` +
        "its own. Stop that one, and join it again.",
    );
  }
  return best;
}

async function promote(
  members: QuorumMembers,
  best: PostgresMember,
  standbys: readonly PostgresMember[],
): Promise<Failover> {
  const generation = (members.generation ?? 0) + 1;
  await best.set({ synchronous_standby_names: quorumBeside(members, best, generation) });
  await best.promote();
  const others = standbys.filter((standby) => standby !== best);
  return await finish(members, best, others, generation);
}

/** Who counts for the commits of one member. */
function quorumBeside({ names }: QuorumMembers, { label }: PostgresMember, generation: number) {
  const others = names.filter((name) => name !== label);
  return quorumOf(others.map((name) => memberName(name, generation)));
}

/** The others follow who was promoted, under their new names. */
async function finish(
  members: QuorumMembers,
  primary: PostgresMember,
  others: readonly PostgresMember[],
  generation: number,
): Promise<Failover> {
  for (const other of others) {
    const name = memberName(other.label, generation);
    await other.set({
      synchronous_standby_names: quorumBeside(members, other, generation),
      primary_conninfo: standbyConninfo(primary.url, name, other.state.conninfo),
    });
  }
  // A commit of the new quorum; alone, the new primary can make none before another is joined.
  if (others.length > 0) {
    await primary.query(`UPDATE rialto.venue SET generation = ${generation}`, COMMIT_MS);
  }
  const following = others.map(({ label }) => label);
  return {
    primary: primary.label,
    url: primary.url,
    generation,
    sequence: primary.state.end?.sequence ?? 0,
    standbys: following,
    away: members.names.filter((name) => name !== primary.label && !following.includes(name)),
  };
}
