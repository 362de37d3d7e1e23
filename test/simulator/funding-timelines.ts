/**
 * What every withdrawal and every deposit was after each command, as the rows that their calls
 * answer, and what their streams tell.
 */
import type { Event, EventOf } from "../../src/protocol/index.ts";
import type { Row } from "../support/account-histories.ts";

export type FundingChannel = "withdrawals" | "deposits";

export interface FundingMoment {
  readonly channel: FundingChannel;
  readonly sequence: number;
  readonly timeMs: number;
  readonly uid: number;
  readonly id: number;
  readonly row: Row;
}

type Units = (minor: bigint, asset: string) => string;

export class FundingTimelines {
  readonly #moments: FundingMoment[] = [];
  readonly #units: Units;

  constructor(units: Units) {
    this.#units = units;
  }

  take(event: Event, sequence: number, timeMs: number): void {
    if (event.type === "withdrawal-changed") {
      const { uid, withdrawalId: id } = event;
      const row = this.#withdrawalRow(event, this.#first("withdrawals", id, timeMs), timeMs);
      this.#moments.push({ channel: "withdrawals", sequence, timeMs, uid, id, row });
    }
    if (event.type === "deposit-changed") {
      const { uid, depositId: id } = event;
      const row = this.#depositRow(event, this.#first("deposits", id, timeMs), timeMs);
      this.#moments.push({ channel: "deposits", sequence, timeMs, uid, id, row });
    }
  }

  /** Of one of them, in order. */
  of(channel: FundingChannel, id: number): readonly FundingMoment[] {
    return this.#moments.filter((one) => one.channel === channel && one.id === id);
  }

  ofUser(channel: FundingChannel, uid: number): readonly FundingMoment[] {
    return this.#moments.filter((one) => one.channel === channel && one.uid === uid);
  }

  /** All rows of a user after a command, newest first. */
  rowsAt(channel: FundingChannel, uid: number, sequence: number): readonly Row[] {
    const rows = new Map<number, Row>();
    for (const moment of this.ofUser(channel, uid)) {
      if (moment.sequence <= sequence) rows.set(moment.id, moment.row);
    }
    return [...rows].sort(([one], [other]) => other - one).map(([, row]) => row);
  }

  #first(channel: FundingChannel, id: number, timeMs: number): number {
    return this.of(channel, id)[0]?.timeMs ?? timeMs;
  }

  #withdrawalRow(
    event: EventOf<"withdrawal-changed">,
    createTime: number,
    updateTime: number,
  ): Row {
    const { addressId, address, asset, memo, network, withdrawalId } = event;
    return {
      withdrawalId,
      clientWithdrawalId: event.requestId,
      asset,
      amount: this.#units(event.amountMinor, asset),
      fee: this.#units(event.feeMinor, asset),
      ...{ addressId, network, address, memo },
      status: event.state.toUpperCase(),
      txId: event.reference,
      ...{ createTime, updateTime },
    };
  }

  #depositRow(event: EventOf<"deposit-changed">, createTime: number, updateTime: number): Row {
    const { asset, confirmations, depositId, network, outputIndex } = event;
    return {
      ...{ depositId, asset, amount: this.#units(event.amountMinor, asset), network },
      txId: event.transactionId,
      ...{ outputIndex, confirmations, requiredConfirmations: event.required },
      status: event.state.toUpperCase(),
      ...{ createTime, updateTime },
    };
  }
}
