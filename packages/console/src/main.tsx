import "@fontsource-variable/instrument-sans/wght.css";
import "@fontsource-variable/newsreader/wght.css";
import "./theme/mantine-styles.ts";
import "./theme/tokens.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { cspNonce } from "./app/csp-nonce.ts";
import { makeQueryClient } from "./app/query-client.ts";
import { makeRouter } from "./app/router.tsx";
import { cssVariables, theme } from "./theme/theme.ts";

const queryClient = makeQueryClient(() => void router.invalidate());
const router = makeRouter(queryClient);
const root = document.getElementById("root");
if (!root) throw new Error("The document has no element with the id root.");
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={cspNonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
