/** The operator console, served on the operator port. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ToastProvider } from "./components/toast.tsx";
import { OperatorPage } from "./operator/operator-page.tsx";
import { applyTheme } from "./shell/theme-choice.ts";
import "./styles/theme.css";

applyTheme();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <ToastProvider>
      <OperatorPage />
    </ToastProvider>
  </StrictMode>,
);
