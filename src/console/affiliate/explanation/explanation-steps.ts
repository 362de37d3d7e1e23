/**
 * The steps of a commission, in the numbers of its explanation: fill → fee → rate → product → what
 * was cut → ledger → hold → settlement → reversal.
 */
import type { CommissionExplanation } from "../../../client/index.ts";
import { utcTime } from "../../data/utc.ts";
import { times } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";

export interface Step {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** What it means for the affiliate. */
  readonly tone: "plain" | "good" | "warn" | "bad";
  /** IDs of the steps that lead to it. */
  readonly after: readonly string[];
  /** Beside another step if there is room. */
  readonly lane: "left" | "right" | "both";
}

type Entry = CommissionExplanation["ledgerEntries"][number];

/** A fraction as percent, with every digit. */
export function ratePercent(rate: string): string {
  return `${times(rate, "100")}%`;
}

export function explanationSteps(explained: CommissionExplanation): readonly Step[] {
  const steps: Step[] = [...calculationSteps(explained)];
  const add = (step: Omit<Step, "after" | "lane"> | null): void => {
    if (step === null) return;
    const last = steps.at(-1);
    steps.push({ ...step, after: last === undefined ? [] : [last.id], lane: "both" });
  };
  const entries = sortEntries(explained);
  add(zeroStep(explained));
  add(accrualStep(explained, entries.accrual));
  add(holdStep(explained));
  add(releaseStep(explained));
  add(settlementStep(explained, entries.settlement));
  add(reversalStep(explained, entries.reversal));
  add(waitingStep(explained));
  return steps;
}

function calculationSteps(explained: CommissionExplanation): Step[] {
  const { fill, calculation, coin, symbol, uid } = explained;
  if (fill === null || calculation === null) return [];
  const { fee, rate, exactProduct, roundedOff, gross, capped, commission } = calculation;
  const amount = (text: string): string => `${groupDecimal(text)} ${coin}`;
  const hasCap = capped !== "0";
  return [
    {
      id: "fill",
      title: "Fill",
      lines: [
        `${symbol}, trade ${fill.tradeId}`,
        `${groupDecimal(fill.quantity)} at ${groupDecimal(fill.price)}`,
        `= ${groupDecimal(fill.quoteQuantity)} ${fill.quoteCoin}`,
        `UID ${uid} as ${fill.role}`,
        utcTime(fill.time),
      ],
      tone: "plain",
      after: [],
      lane: "left",
    },
    {
      id: "fee",
      title: "Fee",
      lines: [`UID ${uid} paid ${amount(fee)}`],
      tone: "plain",
      after: ["fill"],
      lane: "left",
    },
    rateStep(explained),
    {
      id: "product",
      title: "Fee × rate, exact",
      lines: [
        `${groupDecimal(fee)} × ${rate}`,
        `= ${amount(exactProduct)}`,
        `− ${amount(roundedOff)} rounded off`,
        `= ${amount(gross)}`,
        ...(hasCap ? [`− ${amount(capped)} above the cap`] : []),
      ],
      tone: hasCap ? "warn" : "plain",
      after: ["fee", "rate"],
      lane: "both",
    },
    {
      id: "commission",
      title: "Commission",
      lines: [amount(commission)],
      tone: commission === "0" ? "warn" : "good",
      after: ["product"],
      lane: "both",
    },
  ];
}

function rateStep(explained: CommissionExplanation): Step {
  const { calculation, rateVersion, rateVersionBelow, viaUid } = explained;
  const { ownRate = "0", rateBelow = null, rate = "0" } = calculation ?? {};
  const lines = [`Yours: ${ratePercent(ownRate)}`];
  if (rateVersion !== null) {
    lines.push(`version ${rateVersion.version}, since`, utcTime(rateVersion.since));
  }
  if (rateBelow !== null) {
    lines.push(`− UID ${viaUid ?? "?"}: ${ratePercent(rateBelow)}`);
    if (rateVersionBelow !== null) lines.push(`version ${rateVersionBelow.version}`);
    lines.push(`= ${ratePercent(rate)}`);
  }
  return { id: "rate", title: "Rate", lines, tone: "plain", after: [], lane: "right" };
}

type Following = Omit<Step, "after" | "lane"> | null;

function zeroStep({ whyZero }: CommissionExplanation): Following {
  if (whyZero === null) return null;
  return { id: "zero", title: "Why it is 0", lines: [whyZero], tone: "warn" };
}

function accrualStep(explained: CommissionExplanation, entries: readonly Entry[]): Following {
  if (entries.length === 0) return null;
  const lines = [...entries.map(entryLine), utcTime(explained.time)];
  return { id: "accrual", title: "Posted to the ledger", lines, tone: "plain" };
}

function holdStep({ flags, status, release }: CommissionExplanation): Following {
  if (flags.length === 0) return null;
  const waits = status === "held" ? ["Awaiting the operator's review."] : [];
  const lines = [`Flagged: ${flags.join(", ")}`, ...waits];
  const isOpen = status === "held" || release === null;
  return { id: "hold", title: "Held", lines, tone: isOpen ? "warn" : "plain" };
}

function releaseStep({ release }: CommissionExplanation): Following {
  if (release === null) return null;
  const lines = [`“${release.reason}”`, utcTime(release.time)];
  return { id: "release", title: "Released by the operator", lines, tone: "good" };
}

function settlementStep(explained: CommissionExplanation, entries: readonly Entry[]): Following {
  const { settlement, coin } = explained;
  if (settlement === null) return null;
  const { settlementId, accrued, recovered, paid, time } = settlement;
  const sum = (text: string): string => `${groupDecimal(text)} ${coin}`;
  const lines = [
    `Payable in ${coin}: ${sum(accrued)}`,
    ...(recovered === "0" ? [] : [`− ${sum(recovered)} deducted for amounts owed`]),
    `Paid: ${sum(paid)}`,
    ...entries.map(entryLine),
    utcTime(time),
  ];
  return { id: "settlement", title: `Settlement ${settlementId}`, lines, tone: "good" };
}

function reversalStep(explained: CommissionExplanation, entries: readonly Entry[]): Following {
  const { reversal, coin, status } = explained;
  if (reversal === null) return null;
  const { reversalId, commissionId, reason, owed, time } = reversal;
  const other =
    status === "reversal" ? `Reverses commission ${commissionId}` : `By entry ${reversalId}`;
  const lines = [
    other,
    `“${reason}”`,
    ...entries.map(entryLine),
    ...(owed === "0"
      ? []
      : [`To be deducted from later settlements: ${groupDecimal(owed)} ${coin}`]),
    utcTime(time),
  ];
  return { id: "reversal", title: "Reversed by the operator", lines, tone: "bad" };
}

function waitingStep({ status, commission }: CommissionExplanation): Following {
  if (status !== "accrued" || commission === "0") return null;
  const lines = ["Paid into your spot wallet at the next full hour."];
  return { id: "waiting", title: "Awaiting settlement", lines, tone: "plain" };
}

function entryLine({ from, to, amount, coin }: Entry): string {
  return `${from} → ${to}: ${groupDecimal(amount)} ${coin}`;
}

interface SortedEntries {
  readonly accrual: readonly Entry[];
  readonly settlement: readonly Entry[];
  readonly reversal: readonly Entry[];
}

/** Sorts postings by step; only accruals come out of the fees account. */
function sortEntries({ ledgerEntries, settlement }: CommissionExplanation): SortedEntries {
  const accrual = ledgerEntries.filter(({ from }) => from === "fees");
  const rest = ledgerEntries.filter(({ from }) => from !== "fees");
  const isOfSettlement = ({ time }: Entry): boolean => time === settlement?.time;
  return {
    accrual,
    settlement: rest.filter(isOfSettlement),
    reversal: rest.filter((entry) => !isOfSettlement(entry)),
  };
}
