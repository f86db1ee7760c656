/** Every page: its address, what it loads, and where its code is. */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { Refusal, sessionQuery } from "../api/session.ts";
import { parseActivitySearch } from "../slices/activity/index.ts";
import { parseKeySearch } from "../slices/api-keys/index.ts";
import { customerQuery, customersQuery, parseCustomerSearch } from "../slices/customers/index.ts";
import { eventsQuery, parseEventSearch } from "../slices/events/index.ts";
import {
  invoiceQuery,
  invoicesQuery,
  parseInvoiceSearch,
  parseLineSearch,
  summaryQuery,
} from "../slices/invoices/index.ts";
import { loadPlan, parseNewPlanSearch, parsePlanSearch, plansQuery } from "../slices/plans/index.ts";
import { parseSubscriptionSearch, subscriptionQuery, subscriptionsQuery } from "../slices/subscriptions/index.ts";
import { parseClockSearch } from "../slices/time-machine/index.ts";
import { parseWebhookSearch } from "../slices/webhooks/index.ts";
import { NoSuchPage, PageError } from "./page-error.tsx";
import { Shell } from "./shell.tsx";

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NoSuchPage,
  errorComponent: PageError,
});

/** Without a session, the page after the sign-in is this one. */
async function demandSession(queryClient: QueryClient, href: string, organization?: string) {
  try {
    return await queryClient.ensureQueryData(sessionQuery(organization));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 401) throw redirect({ to: "/sign-in", search: { next: href } });
    // It is not a member, or the organization demands more of a session: the list of organizations says which.
    if (error.status === 403 && organization) throw redirect({ to: "/organizations" });
    throw error;
  }
}

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async ({ context }) => {
    const { organizations } = await demandSession(context.queryClient, "/");
    const [only] = organizations;
    if (only && organizations.length === 1 && !only.obstacle)
      throw redirect({ to: "/o/$organization", params: { organization: only.id } });
    throw redirect({ to: "/organizations" });
  },
});

const nextOf = ({ next, problem }: Record<string, unknown>): { next?: string; problem?: string } => ({
  // A page of ours: anything else could send the person who signs in to another site.
  ...(typeof next === "string" && /^\/(?![/\\])/.test(next) ? { next } : {}),
  ...(typeof problem === "string" ? { problem } : {}),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import("../slices/sign-in/sign-in-page.tsx"), "SignInPage"),
});
const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: lazyRouteComponent(() => import("../slices/sign-in/join-page.tsx"), "SetupPage"),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: lazyRouteComponent(() => import("../slices/sign-in/join-page.tsx"), "InvitationPage"),
});
const passwordReset = createRoute({
  getParentRoute: () => root,
  path: "/password-reset",
  component: lazyRouteComponent(() => import("../slices/sign-in/reset-page.tsx"), "PasswordResetPage"),
});
const organizations = createRoute({
  getParentRoute: () => root,
  path: "/organizations",
  beforeLoad: ({ context }) => demandSession(context.queryClient, "/organizations"),
  component: lazyRouteComponent(() => import("../slices/organizations/organizations-page.tsx"), "OrganizationsPage"),
});

const organization = createRoute({
  getParentRoute: () => root,
  path: "/o/$organization",
  beforeLoad: ({ context, params, location }) => demandSession(context.queryClient, location.href, params.organization),
  component: Shell,
  errorComponent: PageError,
});

const start = createRoute({
  getParentRoute: () => organization,
  path: "/",
  component: lazyRouteComponent(() => import("../slices/start/start-page.tsx"), "StartPage"),
});

const invoices = createRoute({
  getParentRoute: () => organization,
  path: "/invoices",
  validateSearch: parseInvoiceSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(summaryQuery(params.organization, deps));
    return context.queryClient.ensureQueryData(invoicesQuery(params.organization, deps));
  },
  component: lazyRouteComponent(() => import("../slices/invoices/list-page.tsx"), "InvoiceListPage"),
});
const invoice = createRoute({
  getParentRoute: () => organization,
  path: "/invoices/$id",
  validateSearch: parseLineSearch,
  loader: ({ context, params }) => context.queryClient.ensureQueryData(invoiceQuery(params.organization, params.id)),
  component: lazyRouteComponent(() => import("../slices/invoices/invoice-page.tsx"), "InvoicePage"),
});
const heldInvoices = createRoute({
  getParentRoute: () => organization,
  path: "/held-invoices",
  component: lazyRouteComponent(() => import("../slices/invoices/held-page.tsx"), "HeldInvoicesPage"),
});
const parkedItems = createRoute({
  getParentRoute: () => organization,
  path: "/parked-items",
  component: lazyRouteComponent(() => import("../slices/invoices/parked-page.tsx"), "ParkedItemsPage"),
});

const events = createRoute({
  getParentRoute: () => organization,
  path: "/events",
  validateSearch: parseEventSearch,
  loaderDeps: ({ search: { event: _, ...filters } }) => filters,
  loader: ({ context, params, deps }) =>
    context.queryClient.prefetchInfiniteQuery(eventsQuery(params.organization, deps)),
  component: lazyRouteComponent(() => import("../slices/events/events-page.tsx"), "EventsPage"),
});

const team = createRoute({
  getParentRoute: () => organization,
  path: "/team",
  component: lazyRouteComponent(() => import("../slices/team/team-page.tsx"), "TeamPage"),
});
const activity = createRoute({
  getParentRoute: () => organization,
  path: "/activity",
  validateSearch: parseActivitySearch,
  component: lazyRouteComponent(() => import("../slices/activity/activity-page.tsx"), "ActivityPage"),
});

const customers = createRoute({
  getParentRoute: () => organization,
  path: "/customers",
  validateSearch: parseCustomerSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => context.queryClient.ensureQueryData(customersQuery(params.organization, deps)),
  component: lazyRouteComponent(() => import("../slices/customers/list-page.tsx"), "CustomerListPage"),
});
const customer = createRoute({
  getParentRoute: () => organization,
  path: "/customers/$customer",
  loader: ({ context, params }) =>
    context.queryClient.ensureQueryData(customerQuery(params.organization, params.customer)),
  component: lazyRouteComponent(() => import("../slices/customers/customer-page.tsx"), "CustomerPage"),
});

const subscriptions = createRoute({
  getParentRoute: () => organization,
  path: "/subscriptions",
  validateSearch: parseSubscriptionSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    context.queryClient.ensureQueryData(subscriptionsQuery(params.organization, deps)),
  component: lazyRouteComponent(() => import("../slices/subscriptions/list-page.tsx"), "SubscriptionListPage"),
});
const subscription = createRoute({
  getParentRoute: () => organization,
  path: "/subscriptions/$subscription",
  loader: ({ context, params }) =>
    context.queryClient.ensureQueryData(subscriptionQuery(params.organization, params.subscription)),
  component: lazyRouteComponent(() => import("../slices/subscriptions/subscription-page.tsx"), "SubscriptionPage"),
});

const plans = createRoute({
  getParentRoute: () => organization,
  path: "/plans",
  validateSearch: parsePlanSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => context.queryClient.ensureQueryData(plansQuery(params.organization, deps)),
  component: lazyRouteComponent(() => import("../slices/plans/list-page.tsx"), "PlanListPage"),
});
const newPlan = createRoute({
  getParentRoute: () => organization,
  path: "/new-plan",
  validateSearch: parseNewPlanSearch,
  component: lazyRouteComponent(() => import("../slices/plans/editor-page.tsx"), "NewPlanPage"),
});
const plan = createRoute({
  getParentRoute: () => organization,
  path: "/plans/$plan",
  loader: ({ context, params }) => loadPlan(context.queryClient, params, { isFresh: false }),
  component: lazyRouteComponent(() => import("../slices/plans/plan-page.tsx"), "PlanPage"),
});
const planEditor = createRoute({
  getParentRoute: () => organization,
  path: "/plans/$plan/edit",
  loader: ({ context, params }) => loadPlan(context.queryClient, params, { isFresh: true }),
  component: lazyRouteComponent(() => import("../slices/plans/editor-page.tsx"), "EditPlanPage"),
});

const apiKeys = createRoute({
  getParentRoute: () => organization,
  path: "/api-keys",
  validateSearch: parseKeySearch,
  component: lazyRouteComponent(() => import("../slices/api-keys/list-page.tsx"), "ApiKeyListPage"),
});

const webhooks = createRoute({
  getParentRoute: () => organization,
  path: "/webhooks",
  validateSearch: parseWebhookSearch,
  component: lazyRouteComponent(() => import("../slices/webhooks/webhooks-page.tsx"), "WebhooksPage"),
});
const webhook = createRoute({
  getParentRoute: () => organization,
  path: "/webhooks/$id",
  component: lazyRouteComponent(() => import("../slices/webhooks/webhook-page.tsx"), "WebhookPage"),
});

const timeMachine = createRoute({
  getParentRoute: () => organization,
  path: "/time-machine",
  component: lazyRouteComponent(() => import("../slices/time-machine/clock-list-page.tsx"), "ClockListPage"),
});
const clock = createRoute({
  getParentRoute: () => organization,
  path: "/time-machine/$clock",
  validateSearch: parseClockSearch,
  component: lazyRouteComponent(() => import("../slices/time-machine/clock-page.tsx"), "ClockPage"),
});

const routeTree = root.addChildren([
  home,
  signIn,
  setup,
  invitation,
  passwordReset,
  organizations,
  organization.addChildren([
    ...[start, invoices, invoice, heldInvoices, parkedItems],
    ...[customers, customer, subscriptions, subscription],
    ...[events, team, activity],
    ...[plans, newPlan, plan, planEditor],
    ...[apiKeys, webhooks, webhook, timeMachine, clock],
  ]),
]);

export const makeRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
