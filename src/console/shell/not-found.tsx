/** For addresses that lead nowhere. */
import { type ReactElement, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { Notice } from "../components/panel.tsx";

export function NotFound(): ReactElement {
  const [location] = useLocation();
  useEffect(() => {
    document.title = "Page not found – Rialto";
  }, []);
  return (
    <Notice kind="empty">
      <h1>Page not found</h1>
      <p>
        There is no page at <code>{location}</code>. <Link href="/">Go to the start page</Link>
      </p>
    </Notice>
  );
}
