/** GET pages beside the API, and their weight in an address's pool. */

export interface Page {
  readonly path: string;
  /** Of 500 per 10 seconds, for each page separately. */
  readonly weight: number;
}

export const PAGES = {
  openApi: { path: "/openapi.json", weight: 25 },
  docsRedirect: { path: "/docs", weight: 1 },
  docs: { path: "/docs/", weight: 5 },
  /** Its other pages, their script for the theme, the entries of the search and a picture. */
  docsPage: { path: "/docs/:page", weight: 5 },
  live: { path: "/health/live", weight: 1 },
  ready: { path: "/health/ready", weight: 1 },
  metrics: { path: "/metrics", weight: 25 },
} as const satisfies Readonly<Record<string, Page>>;

/** The files of the console share one pool. */
export const CONSOLE_WEIGHT = 2;
