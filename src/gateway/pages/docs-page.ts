/**
 * The reference page: Scalar with our own document, rendered on the first request. Its plugin runs
 * in a private server, so that no header of a caller reaches it, and the content policy allows the
 * page no other host.
 */
import { createHash } from "node:crypto";
import Fastify from "fastify";
import type { OpenApiDocument } from "../../api/openapi.ts";
import { PAGES } from "../../api/pages.ts";
import { JSON_CONTENT_TYPE } from "../http/reply.ts";
import { buildDocsDocument } from "./docs-document.ts";
import { type StoredPage, storePage } from "./stored-page.ts";

const PREFIX = "/docs";
const INLINE_SCRIPT = /<script[^>]*>([^<]+)<\/script>/g;

export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
  readonly script: StoredPage;
  /** What the page shows, beside `/openapi.json`, which is for programs. */
  readonly document: StoredPage;
}

function contentSecurityPolicy(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(([, source = ""]) => {
    return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
  });
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(" ")}`,
    // The page's script writes its style sheet and styles of elements into the document.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

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

/** The page that Scalar's plugin makes, with what it leaves out. */
function completed(html: string): string {
  return html
    .replace("<html>", '<html lang="en">')
    .replace("</head>", `  ${NO_ICON}\n  </head>`)
    .replace("<body>", `<body>\n    ${NO_EVAL}`);
}

async function renderDocs(openApi: OpenApiDocument): Promise<DocsPage> {
  const { default: reference } = await import("@scalar/fastify-api-reference");
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
  const html = completed(page.body);
  const document = JSON.stringify(buildDocsDocument(openApi));
  return {
    html,
    contentSecurityPolicy: contentSecurityPolicy(html),
    script: await storePage("application/javascript; charset=utf-8", script.rawPayload),
    document: await storePage(JSON_CONTENT_TYPE, Buffer.from(document)),
  };
}

/** The page, rendered on the first call and kept. */
export function createDocsPage(openApi: () => OpenApiDocument): () => Promise<DocsPage> {
  let page: Promise<DocsPage> | null = null;
  return () => {
    page ??= renderDocs(openApi());
    return page;
  };
}
