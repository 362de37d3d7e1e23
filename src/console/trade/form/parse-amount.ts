/** Turns what was typed or pasted into an amount field into decimal text. */

/** With thousands separators: "91,874.80". */
const GROUPED = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/**
 * Removes spaces and thousands separators; any other comma is a decimal point, which is all that
 * some keyboards have. Other text stays for the form to reject.
 */
export function parseAmount(text: string): string {
  const bare = text.replaceAll(/[\s_']/g, "");
  const plain = GROUPED.test(bare) ? bare.replaceAll(",", "") : bare.replace(",", ".");
  return plain.replace(/^0+(?=\d)/, "").replace(/^\./, "0.");
}
