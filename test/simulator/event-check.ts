/**
 * Who did what an event tells, and with which settings: as the command says, which the naive
 * exchange need not know of.
 */

import { isDeepStrictEqual } from "node:util";
import type { Command, Event, EventOf } from "../../src/protocol/index.ts";
import type { CreditedExchange } from "./affiliate-story.ts";
import { hold } from "./breach.ts";

export interface Told {
  /** A signed request's own. */
  readonly command: Command;
  readonly nowMs: number;
  readonly events: readonly Event[];
  /** That has carried out the command. */
  readonly naive: CreditedExchange;
  /** Whose a key was before the command. */
  readonly ownerOf: (apiKey: string) => number | undefined;
}

/** Commands of which one event repeats what they ask for. */
const REPEATED: Readonly<Partial<Record<Command["type"], Event["type"]>>> = {
  "set-asset": "asset-set",
  "set-spot-market": "spot-market-set",
  "set-spot-market-state": "spot-market-state-set",
  "set-contract-market": "contract-market-set",
  "set-contract-market-state": "contract-market-state-set",
  "register-user": "user-registered",
  "update-user": "user-updated",
  "set-fee-rates": "fee-rates-set",
  "set-api-key": "api-key-set",
  "revoke-api-key": "api-key-revoked",
  "adopt-rules": "rules-adopted",
  "advance-clock": "clock-advanced",
  "set-clock": "clock-set",
};

/** Steps of these tell another actor, which the naive exchange knows. */
const OWN_ACTOR = /^(withdrawal|deposit)-/;

export function checkTold(told: Told): void {
  const command = told.command.type === "do-for-reason" ? told.command.command : told.command;
  const repeated = REPEATED[command.type];
  for (const event of told.events) {
    const both = (due: unknown) => () => {
      const said = `${JSON.stringify(command)}: ${JSON.stringify(event, text)}`;
      return `${said} instead of ${JSON.stringify(due)}`;
    };
    if ("actor" in event && !OWN_ACTOR.test(event.type)) {
      const actor = actorOf(event, command, told.naive);
      hold(event.actor === actor, "an event has the actor of its command", both(actor));
    }
    if (event.type !== repeated) continue;
    const { type: _, ...said } = event;
    const due = {
      ...("actor" in command ? { actor: command.actor } : {}),
      ...dueOf(command, told),
    };
    hold(isDeepStrictEqual(said, due), "an event has the settings of its command", both(due));
  }
}

const text = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

/** Money that goes its way by steps is no deed of an operator of its own. */
function actorOf(
  { type }: Event & { readonly actor: string },
  command: Command,
  { approvals }: CreditedExchange,
): string {
  const proposal =
    command.type === "decide-proposal"
      ? approvals.proposals.find(({ proposalId }) => proposalId === command.proposalId)
      : undefined;
  const done = proposal === undefined ? command : proposal.command;
  const isStep = done.type === "set-withdrawal-state" || done.type === "report-deposit";
  if (!("actor" in command) || (type === "funds-moved" && isStep)) return "";
  const isOfBoth = proposal !== undefined && type !== "proposal-changed";
  return isOfBoth ? `${proposal.actor} and ${command.actor}` : command.actor;
}

/** What the event has to say beside its actor. */
function dueOf(command: Command, { events, naive, nowMs, ownerOf }: Told): object {
  switch (command.type) {
    case "register-user": {
      const { inviteCode, kyc } = command;
      const user = [...naive.users.values()].find((one) => one.inviteCode === inviteCode);
      return { uid: user?.uid, inviteCode, inviterUid: user?.inviterUid, kyc };
    }
    case "update-user": {
      const { uid } = command;
      const { kyc, selfTradePrevention, state } = naive.users.get(uid) ?? {};
      return { uid, kyc, state, selfTradePrevention };
    }
    case "revoke-api-key":
      return { apiKey: command.apiKey, uid: ownerOf(command.apiKey) };
    case "set-clock": {
      const set = events.find((event): event is EventOf<"clock-set"> => event.type === "clock-set");
      const { speedE3, toMs } = command;
      return { timeMs: toMs ?? nowMs, speedE3: speedE3 ?? set?.speedE3 };
    }
    default: {
      const { type: _, ...asked } = command;
      return asked;
    }
  }
}
