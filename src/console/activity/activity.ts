/** What happened to the account or to a market, in one sentence. */
export interface Activity {
  readonly atMs: number;
  readonly text: string;
  /** `bad`: something was taken from the account, such as by a liquidation. */
  readonly tone: "good" | "bad" | "plain";
  /** False for what the user did just now and saw: it is only listed. */
  readonly isNews: boolean;
}
