/** `npm run build`: everything that is published beside the documents. */
import "./package.ts";
import "./pages.ts";
