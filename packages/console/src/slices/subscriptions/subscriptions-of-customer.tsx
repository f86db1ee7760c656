/** The subscriptions of a customer, whatever their state. */
import { useQuery } from "@tanstack/react-query";
import { Problem } from "../../api/problem.tsx";
import table from "../../ui/table.module.css";
import { subscriptionsOfCustomerQuery } from "./queries.ts";
import { SubscriptionTable } from "./subscription-table.tsx";

export function SubscriptionsOfCustomer({ organization, customer }: { organization: string; customer: string }) {
  const { data, error } = useQuery(subscriptionsOfCustomerQuery(organization, customer));
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (data.length === 0) return <p className={table.weak}>On no plan yet.</p>;
  return <SubscriptionTable organization={organization} subscriptions={data} />;
}
