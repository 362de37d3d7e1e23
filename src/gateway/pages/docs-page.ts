/**
 * The reference page: Scalar, built ahead by `build/docs-page.ts`, with our own document. The
 * content policy allows the page no other host.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenApiDocument } from "../../api/openapi.ts";
import { JSON_CONTENT_TYPE } from "../http/reply.ts";
import { buildDocsDocument } from "./docs-document.ts";
import { type StoredPage, storePage } from "./stored-page.ts";

const FILES = join(import.meta.dirname, "../../../dist/docs-page");
const INLINE_SCRIPT = /<script[^>]*>([^<]+)<\/script>/g;

/** Shown when the page has not been built. */
const UNBUILT_PAGE =
  "<!doctype html><html lang=en><meta charset=utf-8><title>Rialto API reference</title>" +
  "<h1>API reference</h1><p>This page was not built here. In the folder of Rialto, with the " +
  "development packages installed, run <code>npm run build</code> and start the exchange again." +
  "<p>The document itself is at <a href=/openapi.json>/openapi.json</a>.";

interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
  /** Null when the page has not been built. */
  readonly script: StoredPage | null;
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

export async function readDocs(openApi: OpenApiDocument): Promise<DocsPage> {
  const isBuilt = existsSync(join(FILES, "index.html"));
  const html = isBuilt ? readFileSync(join(FILES, "index.html"), "utf8") : UNBUILT_PAGE;
  const script = isBuilt ? readFileSync(join(FILES, "scalar.js")) : null;
  const document = Buffer.from(JSON.stringify(buildDocsDocument(openApi)));
  return {
    html,
    contentSecurityPolicy: contentSecurityPolicy(html),
    script: script && (await storePage("application/javascript; charset=utf-8", script)),
    document: await storePage(JSON_CONTENT_TYPE, document),
  };
}
