/**
 * The reference page: Scalar's, fed with our OpenAPI document, made once when it is first asked
 * for. Its plugin runs in a private server, so that no header of a caller reaches it, and the page
 * may talk to nobody but this server: the content policy forbids every other host.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import Fastify from "fastify";

const compress = promisify(gzip);
const PREFIX = "/docs";
const INLINE_SCRIPT = /<script[^>]*>([^<]+)<\/script>/g;

export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
  /** Compressed with gzip. */
  readonly script: Buffer;
}

function contentSecurityPolicy(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(([, source = ""]) => {
    return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
  });
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}

async function renderDocs(openApiUrl: string): Promise<DocsPage> {
  const { default: reference } = await import("@scalar/fastify-api-reference");
  const renderer = Fastify({ logger: false });
  await renderer.register(reference, {
    routePrefix: PREFIX,
    configuration: {
      url: openApiUrl,
      pageTitle: "Rialto API reference",
      withDefaultFonts: false,
      // Its samples and its client cannot sign; signing stands in the text, with a worked example.
      hideClientButton: true,
      hideTestRequestButton: true,
      hiddenClients: true,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: "never",
    },
  });
  const page = await renderer.inject(`${PREFIX}/`);
  const script = await renderer.inject(`${PREFIX}/js/scalar.js`);
  await renderer.close();
  return {
    html: page.body,
    contentSecurityPolicy: contentSecurityPolicy(page.body),
    script: (await compress(script.rawPayload)) as Buffer,
  };
}

/** The page, rendered at the first call and kept. */
export function createDocsPage(openApiUrl: string): () => Promise<DocsPage> {
  let page: Promise<DocsPage> | null = null;
  return () => {
    page ??= renderDocs(openApiUrl);
    return page;
  };
}
