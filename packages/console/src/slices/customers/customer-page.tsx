/** What a customer owes, and what it will pay. */
import { useHotkeys } from "@mantine/hooks";
import type { Customer } from "@tallystick/client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { quantity } from "../../format/money.ts";
import { Action } from "../../ui/action.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { Figure } from "../../ui/figure.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { InvoicesOfCustomer, OwedByCustomer } from "../invoices/parts.ts";
import { SubscribeDialog, SubscriptionsOfCustomer } from "../subscriptions/parts.ts";
import classes from "./customer-page.module.css";
import { customerQuery, walletsQuery } from "./queries.ts";

const CustomerDialog = lazy(async () => ({ default: (await import("./customer-dialog.tsx")).CustomerDialog }));

export function CustomerPage() {
  const { organization, customer: externalId } = useParams({ from: "/o/$organization/customers/$customer" });
  const { data: customer } = useSuspenseQuery(customerQuery(organization, externalId));
  const [dialog, setDialog] = useState<"details" | "subscribe">();
  const mayChange = useRefusal(organization, "customer");
  const maySubscribe = useRefusal(organization, "subscription");
  useHotkeys([["s", () => maySubscribe === undefined && setDialog("subscribe")]]);
  const close = () => setDialog(undefined);
  return (
    <>
      <BackLink to="/o/$organization/customers" params={{ organization }}>
        Customers
      </BackLink>
      <PageTitle title={customer.name || customer.external_id} under={customer.external_id}>
        <Action variant="default" refusal={mayChange} onClick={() => setDialog("details")}>
          Details
        </Action>
        <Action refusal={maySubscribe} onClick={() => setDialog("subscribe")}>
          Subscribe to a plan
        </Action>
      </PageTitle>
      <div className={classes.columns}>
        <div>
          <Section title="Subscriptions">
            <SubscriptionsOfCustomer organization={organization} customer={externalId} />
          </Section>
          <Section title="Invoices">
            <InvoicesOfCustomer organization={organization} customer={externalId} />
          </Section>
        </div>
        <section aria-label="Details" className={classes.side}>
          <OwedByCustomer organization={organization} customer={externalId} />
          <Wallets organization={organization} customer={externalId} />
          <Facts customer={customer} />
        </section>
      </div>
      <Suspense fallback={null}>
        {dialog === "details" && <CustomerDialog organization={organization} customer={customer} onClose={close} />}
        {dialog === "subscribe" && (
          <SubscribeDialog organization={organization} customer={customer.external_id} onClose={close} />
        )}
      </Suspense>
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Wallets({ organization, customer }: { organization: string; customer: string }) {
  const { data } = useQuery(walletsQuery(organization, customer));
  const active = data?.filter(({ status }) => status === "active") ?? [];
  if (active.length === 0) return null;
  return (
    <ul className={classes.wallets}>
      {active.map(({ svc_id, name, balance_cents, ongoing_balance_cents, currency, credits_balance }) => (
        <li key={svc_id}>
          <h3>{name ?? "Prepaid credits"}</h3>
          <Figure minor={balance_cents} currency={currency} size="big" />
          <p>
            {quantity(credits_balance)} credits; with the usage so far{" "}
            <Figure minor={ongoing_balance_cents} currency={currency} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Facts({ customer }: { customer: Customer }) {
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ["Email", customer.email],
    ["Address", customer.address_line1],
    ["City", [customer.zipcode, customer.city].filter(Boolean).join(" ")],
    ["Country", customer.country],
    ["Tax id", customer.tax_identification_number],
    ["Currency", customer.currency],
    ["Days are of", customer.applicable_timezone],
    ["Taxes", customer.taxes?.map(({ name, rate }) => `${name} ${rate} %`).join(", ")],
    ["Test clock", customer.test_clock_id ? "On a test clock" : null],
  ];
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
