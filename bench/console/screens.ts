/** Every page of the console, and what opens on it. A new page gets a line here: then it has pictures, and axe looks at it. */
import type { Locator, Page } from "playwright-core";
import type { Records } from "./records.ts";

export type Screen = {
  name: string;
  /** Below the organization, if it is one of its pages. */
  path: string | ((records: Records) => string);
  /** There when the page shows what it was opened for. */
  shown: (page: Page) => Locator;
  /** After that: opens what is not in the address. */
  open?: (page: Page) => Promise<void>;
  isSignedOut?: true;
  /** For its time until the largest content: what people open most. */
  isMain?: true;
};

const title =
  (name: string | RegExp) =>
  (page: Page): Locator =>
    page.getByRole("heading", { level: 1, name });
const row = (page: Page): Locator => page.locator("tbody tr").first();
const press = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
const verified = (page: Page): Locator => page.getByText("Recomputed: identical");

export const SCREENS: readonly Screen[] = [
  { name: "sign-in", path: "/sign-in", shown: title("Sign in"), isSignedOut: true },
  {
    name: "setup",
    path: ({ setup }) => setup,
    shown: (page) => page.getByRole("button", { name: "Create my account" }),
    isSignedOut: true,
  },
  { name: "organizations", path: "/organizations", shown: title("Organizations") },
  { name: "start", path: "", shown: (page) => page.getByText("5 of 5 steps"), isMain: true },
  { name: "customers", path: "/customers", shown: row, isMain: true },
  {
    name: "new-customer",
    path: "/customers",
    shown: row,
    open: async (page) => {
      await press(page, "New customer");
      await page.getByRole("button", { name: "Create the customer" }).waitFor();
    },
  },
  {
    name: "customer",
    path: ({ customer }) => `/customers/${customer}`,
    shown: (page) => page.getByRole("region", { name: "Invoices" }).locator("tbody tr").first(),
    isMain: true,
  },
  { name: "subscriptions", path: "/subscriptions", shown: row, isMain: true },
  {
    name: "subscription",
    path: ({ subscription }) => `/subscriptions/${subscription}`,
    shown: (page) => page.getByRole("region", { name: "Next invoice" }).locator("tfoot"),
    isMain: true,
  },
  {
    name: "change-plan",
    path: ({ subscription }) => `/subscriptions/${subscription}`,
    shown: title(/./),
    open: async (page) => {
      await press(page, "Change plan");
      await page.getByLabel("Plan", { exact: true }).selectOption("sample_enterprise");
      await page.getByRole("region", { name: "What the change bills" }).getByText("Takes effect on").waitFor();
    },
  },
  { name: "plans", path: "/plans", shown: row, isMain: true },
  {
    name: "plan",
    path: "/plans/sample_scale",
    shown: (page) => page.getByLabel("Simulated total"),
    isMain: true,
  },
  {
    name: "plan-editor",
    path: "/plans/sample_scale/edit",
    shown: (page) => page.getByLabel("Simulated total"),
    open: async (page) => {
      await page.getByLabel("Price of tier 2").first().fill("0.00002");
      await page.getByText("1 change, not published").waitFor();
    },
  },
  { name: "invoices", path: "/invoices", shown: (page) => page.getByText("Due:"), isMain: true },
  { name: "invoice", path: ({ invoice }) => `/invoices/${invoice}`, shown: verified, isMain: true },
  {
    name: "invoice-line",
    path: ({ invoice, line }) => `/invoices/${invoice}?line=${line}`,
    shown: (page) => page.getByText("Sum of “tokens”"),
  },
  {
    name: "invoice-document",
    path: ({ invoice }) => `/invoices/${invoice}?document=true`,
    shown: (page) => page.getByRole("img", { name: /, page 1 of/ }),
  },
  {
    name: "credit-note",
    path: ({ invoice }) => `/invoices/${invoice}`,
    shown: verified,
    open: async (page) => {
      await press(page, "More actions");
      await page.getByRole("menuitem", { name: "Create a credit note" }).click();
      await page.getByRole("button", { name: /^Credit / }).waitFor();
    },
  },
  {
    name: "held-invoices",
    path: "/held-invoices",
    shown: (page) => page.getByRole("region", { name: "Held invoice of kestrel" }),
  },
  { name: "parked-items", path: "/parked-items", shown: (page) => page.getByText("Nothing is parked") },
  { name: "events", path: "/events", shown: row, isMain: true },
  {
    name: "event",
    path: "/events",
    shown: row,
    open: async (page) => {
      await row(page).getByRole("link").click();
      await page.getByRole("region", { name: "The chosen event" }).waitFor();
    },
  },
  {
    name: "palette",
    path: "/invoices",
    shown: row,
    open: async (page) => {
      await page.getByRole("button", { name: "Find or do" }).click();
      const palette = page.getByRole("dialog", { name: "Find or do" });
      await palette.getByRole("textbox").fill("tessera");
      await palette
        .getByRole("button", { name: /Tessera/ })
        .first()
        .waitFor();
    },
  },
  {
    name: "menu",
    path: "/customers",
    shown: row,
    open: async (page) => {
      const menu = page.getByRole("button", { name: "Menu", exact: true });
      if (await menu.isVisible()) await menu.click();
      await page.getByRole("button", { name: /Switch the organization/ }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    },
  },
  { name: "no-such-page", path: "/nothing", shown: title("There is nothing here") },
];

export function addressOf({ path }: Screen, records: Records): string {
  const own = typeof path === "string" ? path : path(records);
  return /^\/(sign-in|setup|organizations)\b/.test(own) ? own : `/o/${records.organization}${own}`;
}
