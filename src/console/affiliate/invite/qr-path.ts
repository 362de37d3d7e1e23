/** The dark squares of a QR code as one SVG path, in units of a square. */

/** One rectangle per run of dark squares. */
export function qrPath(rows: readonly (readonly boolean[])[]): string {
  const parts: string[] = [];
  for (const [y, row] of rows.entries()) {
    let start = -1;
    for (let x = 0; x <= row.length; x++) {
      if (row[x] === true) {
        if (start === -1) start = x;
      } else if (start !== -1) {
        parts.push(`M${start} ${y}h${x - start}v1h${start - x}z`);
        start = -1;
      }
    }
  }
  return parts.join("");
}
