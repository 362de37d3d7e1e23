/** What affiliate calls read and write in names of their own: products, uids, coins, pages. */
import { refuse } from "../../api/errors.ts";
import type { Product } from "../../domain/index.ts";
import { accept } from "../../domain/index.ts";
import type { Page } from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";

const PAGE_STANDARD = 1;
const PAGE_SIZE_STANDARD = 100;
/** No user has it. */
const NOBODY = 0;

export const PRODUCTS_BY_TYPE = { SPOT: "spot", FUTURES: "contract" } as const;

const TYPES_BY_PRODUCT: Readonly<Record<Product, keyof typeof PRODUCTS_BY_TYPE>> = {
  spot: "SPOT",
  contract: "FUTURES",
};

export function productTypeOf(product: Product): keyof typeof PRODUCTS_BY_TYPE {
  return TYPES_BY_PRODUCT[product];
}

/** An id beyond 2^53 was never issued here, so it is nobody's. */
export function readId(sent: string | number): number {
  const id = Number(sent);
  return Number.isSafeInteger(id) ? id : NOBODY;
}

/** Null for no filter. */
export function readIdFilter(sent: string | number | undefined): number | null {
  return sent === undefined ? null : readId(sent);
}

export function readPage(page: number | undefined, pageSize: number | undefined): Page {
  return { page: page ?? PAGE_STANDARD, pageSize: pageSize ?? PAGE_SIZE_STANDARD };
}

export function pagesOf(total: number, { pageSize }: Page): number {
  return Math.ceil(total / pageSize);
}

/** The coin by which a list is narrowed, null for none; one that is not listed is refused. */
export async function lookUpCoin(
  { engine }: Exchange,
  coin: string | undefined,
): Promise<Outcome<string | null>> {
  if (coin === undefined) return accept(null);
  const assets = await engine.ask<"assets">({ type: "assets" });
  if (!assets.ok) return assets;
  const isListed = assets.value.some(({ asset }) => asset === coin);
  return isListed ? accept(coin) : refuse("unknown-asset", "coin");
}
