/** Prints an affiliate's recent commissions, explains one, and verifies a statement. */
import { RialtoClient } from "rialto/client";

const client = new RialtoClient({
  baseUrl: process.env.RIALTO_URL ?? "http://127.0.0.1:8080",
  credentials: {
    apiKey: process.env.RIALTO_KEY ?? "",
    secret: process.env.RIALTO_SECRET ?? "",
    passphrase: process.env.RIALTO_PASSPHRASE ?? "",
  },
});

for (const productType of ["SPOT", "FUTURES"] as const) {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const report = await client.affiliate.commissions({ productType, page, pageSize: 200 });
    pages = report.pages;
    for (const row of report.channelCommissionInfoItems) {
      console.log(`${row.dealTime} ${row.symbol} ${row.uid}: ${row.commission} ${row.coin}`);
    }
  }
}

const { channelCommissionInfoItems } = await client.affiliate.commissions({ pageSize: 1 });
const [newest] = channelCommissionInfoItems;
if (newest !== undefined) {
  const why = await client.affiliate.explain({ commissionId: newest.commissionId });
  const { fee, rate, exactProduct } = why.calculation ?? {};
  console.log(`commission ${why.commissionId}: ${fee} × ${rate} = ${exactProduct}`);
}

// The operator publishes the same heads: a statement must end with one.
const heads = await client.affiliate.statementHeads();
const last = heads.at(-1);
if (last !== undefined) {
  const text = await client.affiliate.statement({ from: last.date, to: last.date });
  const verdict = await client.affiliate.verifyStatement(text, last.hash);
  if (!verdict.isValid) throw new Error(`the statement is wrong: ${verdict.problem}`);
  for (const { asset, earned, payable } of verdict.statement.totals) {
    console.log(`${last.date}: ${earned} ${asset} earned, ${payable} pending; verified`);
  }
}
