/** The number of UTC days in a report, including today. */
import type { ReactElement } from "react";
import { Choice } from "../../components/field.tsx";

export const REPORT_DAYS = ["1", "7", "30", "90"] as const;
export type ReportDays = (typeof REPORT_DAYS)[number];

const OPTIONS = REPORT_DAYS.map((value) => ({
  value,
  text: value === "1" ? "Today (UTC)" : `Last ${value} days`,
}));

export interface ReportRangeProps {
  readonly value: ReportDays;
  readonly onValue: (days: ReportDays) => void;
}

export function ReportRange({ value, onValue }: ReportRangeProps): ReactElement {
  return <Choice label="Days" value={value} options={OPTIONS} onValue={onValue} />;
}
