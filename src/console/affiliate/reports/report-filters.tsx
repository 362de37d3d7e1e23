/** The filters of reports: period and product. */
import type { ReactElement } from "react";
import { Choice, Segments } from "../../components/field.tsx";

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

const PRODUCTS = [
  { value: "SPOT", text: "Spot" },
  { value: "FUTURES", text: "Contracts" },
] as const;
export type ReportProduct = (typeof PRODUCTS)[number]["value"];

export interface ProductFilterProps {
  readonly value: ReportProduct;
  readonly onValue: (product: ReportProduct) => void;
}

export function ProductFilter({ value, onValue }: ProductFilterProps): ReactElement {
  return <Segments label="Product" value={value} options={PRODUCTS} onValue={onValue} />;
}
