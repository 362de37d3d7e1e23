/**
 * Builds the reference page into `dist/docs-page`: Scalar, which shows the document that the
 * gateway serves. Built ahead, it is a page and a script; at run time it would be thirty packages.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import reference from "@scalar/fastify-api-reference";
import Fastify from "fastify";
import { PAGES } from "../src/api/pages.ts";

const OUTPUT = join(import.meta.dirname, "../dist/docs-page");
const PREFIX = "/docs";

/**
 * Sections and guides use the width that samples do not need, because their tables have many
 * columns; cells break between words only. A long line of an answer scrolls by itself.
 */
const CUSTOM_CSS = `
.scalar-app .tag-section-container .section-column:not(:has(*)) { display: none; }
.scalar-app .section-column:has(+ .section-column:not(:has(*))) { flex: 1 1 100%; }
.scalar-app .response-card .scalar-card-content { grid-template-columns: minmax(0, 1fr); }
.scalar-app .tag-section-container .markdown > :is(p, ul, ol) { max-width: 46rem; }
.scalar-app.scalar-app .markdown table { display: block; table-layout: auto; }
.scalar-app.scalar-app .markdown :is(th, td) { word-break: normal; overflow-wrap: break-word; }
@media (width > 900px) {
  .scalar-app.scalar-app .markdown :is(th, td):first-child { white-space: nowrap; }
}
`;

/** Its validator would try `eval` first, which the content policy forbids and browsers report. */
const NO_EVAL = "<script>globalThis.__zod_globalConfig = { jitless: true };</script>";
/** Without one browsers ask for /favicon.ico. */
const NO_ICON = '<link rel="icon" href="data:," />';

const renderer = Fastify({ logger: false });
await renderer.register(reference, {
  routePrefix: PREFIX,
  configuration: {
    url: PAGES.docsDocument.path,
    pageTitle: "Rialto API reference",
    customCss: CUSTOM_CSS,
    withDefaultFonts: false,
    // In the order in which the exchange checks them.
    orderSchemaPropertiesBy: "preserve",
    orderRequiredPropertiesFirst: false,
    defaultOpenFirstTag: false,
    // Its client cannot sign; every call shows the requests that were really sent.
    hideClientButton: true,
    hideTestRequestButton: true,
    hiddenClients: true,
    documentDownloadType: "none",
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
  },
});
const page = await renderer.inject(`${PREFIX}/`);
const script = await renderer.inject(PAGES.docsScript.path);
await renderer.close();
mkdirSync(OUTPUT, { recursive: true });
writeFileSync(join(OUTPUT, "index.html"), completed(page.body));
writeFileSync(join(OUTPUT, "scalar.js"), script.rawPayload);

/** The page that Scalar's plugin makes, with what it leaves out. */
function completed(html: string): string {
  return html
    .replace("<html>", '<html lang="en">')
    .replace("</head>", `  ${NO_ICON}\n  </head>`)
    .replace("<body>", `<body>\n    ${NO_EVAL}`);
}
