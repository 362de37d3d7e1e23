/** What somebody typed or pasted into a field of an amount, as the decimal text that is meant. */

/** As this console and most others show numbers: "91,874.80". */
const GROUPED = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/**
 * Spaces go, and the commas of a grouped number that was pasted; a comma that is typed is a decimal
 * one, which is all that some keyboards have. What is no number stays, for the form to say so.
 */
export function parseAmount(text: string): string {
  const bare = text.replaceAll(/[\s_']/g, "");
  const plain = GROUPED.test(bare) ? bare.replaceAll(",", "") : bare.replace(",", ".");
  return plain.replace(/^0+(?=\d)/, "").replace(/^\./, "0.");
}
