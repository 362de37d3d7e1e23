/** The members of a quorum, as far as they answer: who there is, and under which generation. */

import { placeOf } from "../primary.ts";
import { newestGeneration, parseMemberName } from "./member-names.ts";
import { type MemberTools, PostgresMember } from "./postgres-member.ts";

/** A change of the membership that is not made; the message says why, and what to do. */
export class MembershipRefused extends Error {
  override readonly name = "MembershipRefused";
}

export interface SilentMember {
  readonly place: string;
  readonly reason: string;
}

export class QuorumMembers {
  /** Those that answer. */
  readonly live: readonly PostgresMember[];
  readonly silent: readonly SilentMember[];

  private constructor(live: readonly PostgresMember[], silent: readonly SilentMember[]) {
    this.live = live;
    this.silent = silent;
  }

  static async open(urls: readonly string[], tools: MemberTools): Promise<QuorumMembers> {
    const live: PostgresMember[] = [];
    const silent: SilentMember[] = [];
    const opened = await Promise.allSettled(urls.map((url) => PostgresMember.open(url, tools)));
    for (const [index, result] of opened.entries()) {
      if (result.status === "fulfilled") live.push(result.value);
      else silent.push({ place: placeOf(urls[index] as string), reason: reasonOf(result.reason) });
    }
    return new QuorumMembers(live, silent);
  }

  get standbys(): readonly PostgresMember[] {
    return this.live.filter(({ state }) => state.isStandby);
  }

  /** The newest of the membership that a member names or knows. */
  get generation(): number | null {
    const known = this.live.flatMap(({ state }) => {
      const { generation, venueGeneration } = state;
      return [newestGeneration(state.counted), generation, venueGeneration];
    });
    const named = known.filter((generation) => generation !== null);
    return named.length === 0 ? null : Math.max(...named);
  }

  /** All names, also of members that do not answer: each member names the others. */
  get names(): readonly string[] {
    const generation = this.generation;
    const listed = this.live.flatMap(({ state }) => state.counted.map(parseMemberName));
    const present = listed.filter((member) => member.generation === generation);
    const own = this.live.map(({ label }) => label);
    return [...new Set([...own, ...present.map(({ name }) => name)])].sort();
  }

  /** The one that is written, on the newest membership. Throws `MembershipRefused`. */
  get primary(): PostgresMember {
    const written = this.live.filter(({ state }) => !state.isStandby);
    const generation = this.generation;
    const isPresent = ({ state }: PostgresMember) =>
      newestGeneration(state.counted) === generation && generation !== null;
    const [primary, another] = written.filter(isPresent);
    if (primary !== undefined && another === undefined) return primary;
    const problem = primary === undefined ? "No node is" : "Two nodes are";
    throw new MembershipRefused(`${problem} the primary of this membership. ${this.describe()}`);
  }

  /** What each says, for people. */
  describe(): string {
    const live = this.live.map(({ label, state }) => {
      return `${label} is a ${state.isStandby ? "standby" : "primary"}`;
    });
    const silent = this.silent.map(({ place, reason }) => `${place} does not answer (${reason})`);
    return `${[...live, ...silent].join("; ")}.`;
  }

  /** Throws `MembershipRefused` where a member cannot be changed, or told from others. */
  check({ isJoining }: { readonly isJoining: boolean } = { isJoining: false }): void {
    for (const { place, state } of this.live) {
      if (!state.isSuperuser) {
        throw new MembershipRefused(
          `${place}: changes of the membership are made with SQL, as a superuser. Name one in ` +
            "--postgres.",
        );
      }
      if (state.name === null) {
        throw new MembershipRefused(
          `${place} has no name: set cluster_name in its configuration, such as to p1, and ` +
            "restart it.",
        );
      }
    }
    const { live, names, silent } = this;
    const count = live.length + silent.length;
    if (!isJoining && this.generation !== null && live.length > 0 && names.length < count) {
      throw new MembershipRefused(
        `Of the members only ${names.join(", ")} are known: set synchronous_standby_names on ` +
          "every node, to the names of all others.",
      );
    }
    if (live.length > 0 && this.generation === null) {
      throw new MembershipRefused(
        "The members' names have no generation, such as p2_g1: another program, such as Patroni, " +
          "promotes here, and that is where to ask for it.",
      );
    }
  }

  close(): void {
    for (const member of this.live) member.close();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
