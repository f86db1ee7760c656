/** The whole service with its console for a file of journeys, and a browser that notices everything that goes wrong on a page. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { issueLink, linkUrl } from "../../packages/server/src/modules/accounts/index.ts";
import { freePort } from "../../packages/server/src/platform/free-port.ts";
import {
  makeTestPerson,
  type PersonOptions,
  type TestPerson,
} from "../../packages/server/src/testing/make-test-person.ts";
import {
  startTallystick,
  type TestOptions,
  type TestService,
} from "../../packages/server/src/testing/start-tallystick.ts";
import { launchChromium } from "./chromium.ts";
import { MODES, type Mode } from "./modes.ts";

export type OpenPage = {
  page: Page;
  /** What went wrong so far; a journey ends with none. */
  faults: string[];
  /** Says what is about to be answered with an error on purpose: "401 GET /session". */
  expectAnswer: (answer: string) => void;
};

export type OpenConsole = {
  url: string;
  service: TestService;
  organizations: TestService["organizations"];
  setupLink: (organizationId: string) => Promise<string>;
  open: (mode: Mode) => Promise<OpenPage>;
  /** A person who has signed in. */
  openAs: (mode: Mode, organizationId: string, person?: PersonOptions) => Promise<OpenPage & TestPerson>;
};

/** Waits are for what a page does by itself; on a machine that others slow down, it does it later. */
export const PATIENCE_MS = 60_000;
const PASSWORD = "four unlikely words here";

export async function openConsole(organizations: number, settings: TestOptions["settings"] = {}): Promise<OpenConsole> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const service = await startTallystick({ organizations, settings: { PORT: port, PUBLIC_URL: url, ...settings } });
  const worker = await service.startWorker();
  await service.app.listen({ host: "127.0.0.1", port: Number(port) });
  const browser = await launchChromium();
  afterAll(async () => {
    await browser.close();
    await worker.stop();
  });
  const { dispatcherDb, clock } = service.platform;
  const open = async (mode: Mode) => {
    const context = await browser.newContext({
      ...MODES[mode],
      reducedMotion: "reduce",
      locale: "en-GB",
      baseURL: url,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return watch(await context.newPage());
  };
  return {
    url,
    service,
    organizations: service.organizations,
    setupLink: async (organizationId) =>
      linkUrl(url, "setup", await issueLink(dispatcherDb, { kind: "setup", organizationId }, clock.now())),
    open,
    openAs: async (mode, organizationId, options) => {
      const person = await makeTestPerson(service.platform, organizationId, options);
      const opened = await open(mode);
      await opened.page.context().addCookies([{ name: "tallystick", value: person.token, url }]);
      return { ...opened, ...person };
    },
  };
}

/** For the browser. */
const SHOW_VIOLATIONS =
  'document.addEventListener("securitypolicyviolation", (e) => console.error("policy: " + e.violatedDirective + " " + e.blockedURI))';

export async function watch(page: Page): Promise<OpenPage> {
  const faults: string[] = [];
  const expected: string[] = [];
  const isExpected = (answer: string) => expected.some((one) => answer.startsWith(one));
  page.on("pageerror", ({ message }) => faults.push(`page error: ${message}`));
  page.on("response", (response) => {
    const answer = `${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`;
    if (response.status() >= 400 && !isExpected(answer)) faults.push(answer);
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // A page that is left ends its requests.
    if (reason !== "net::ERR_ABORTED") faults.push(`${request.method()} ${request.url()}: ${reason}`);
  });
  page.on("console", (message) => {
    // The browser's own line about an answer; the answer itself is looked at above.
    if (message.text().startsWith("Failed to load resource")) return;
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  await page.addInitScript({ content: SHOW_VIOLATIONS });
  return { page, faults, expectAnswer: (answer) => void expected.push(answer) };
}

/** As a new owner would: by the link that the service prints. */
export async function setUp(opened: OpenPage, link: string, person: { name: string; email: string }): Promise<void> {
  const { page, expectAnswer } = opened;
  expectAnswer("401 GET /session");
  await page.goto(link);
  await page.getByLabel("Your name").fill(person.name);
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create my account" }).click();
  await page.getByRole("heading", { level: 1, name: "Get started" }).waitFor();
}

export async function signIn({ page }: OpenPage, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The page as it is now has no violation that a program can find. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  expect(found, page.url()).toEqual([]);
}
