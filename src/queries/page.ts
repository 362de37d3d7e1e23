/** Pages of questions that are counted from 1 and answered with a total. */

export interface Page {
  readonly page: number;
  readonly pageSize: number;
}

export interface Paged<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}
