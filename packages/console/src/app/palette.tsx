/** Find anything by a word, go anywhere by a key. */
import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import type { SearchResult } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useState } from "react";
import { apiOf } from "../api/client.ts";
import classes from "./palette.module.css";
import { useSectionKeys } from "./section-keys.ts";

const PAUSE_MS = 150;
/** Shorter words are in too many names. */
const LEAST = 2;

export function Palette({ organization }: { organization: string }) {
  useSectionKeys(organization);
  const [text, setText] = useState("");
  const found = useFound(organization, text.trim());
  const pages = usePages(organization).filter(({ label }) => label?.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <Spotlight
      actions={[...found, { group: "Go and do", actions: pages }]}
      query={text}
      onQueryChange={setText}
      filter={(_query, actions) => actions}
      shortcut={["mod + K"]}
      attributes={{ content: { "aria-label": "Find or do" } }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      classNames={{ content: classes.content ?? "", actionsGroup: classes.group ?? "" }}
      nothingFound="Nothing has that name."
      searchProps={{
        leftSection: <Search size={16} />,
        placeholder: "An invoice number, a customer, or what you want to do",
        "aria-label": "Find or do",
      }}
    />
  );
}

function usePages(organization: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const params = { organization };
  const page = (id: string, label: string, go: () => unknown, description = "Go to") => ({
    ...{ id, label, description },
    onClick: () => void go(),
  });
  return [
    page("start", "Get started", () => navigate({ to: "/o/$organization", params })),
    page("customers", "Customers", () => navigate({ to: "/o/$organization/customers", params })),
    page("subscriptions", "Subscriptions", () => navigate({ to: "/o/$organization/subscriptions", params })),
    page("invoices", "Invoices", () => navigate({ to: "/o/$organization/invoices", params })),
    page("overdue", "Overdue invoices", () =>
      navigate({ to: "/o/$organization/invoices", params, search: { view: "overdue" } }),
    ),
    page("held", "Held invoices", () => navigate({ to: "/o/$organization/held-invoices", params })),
    page("parked", "Parked items", () => navigate({ to: "/o/$organization/parked-items", params })),
    page("events", "Events", () => navigate({ to: "/o/$organization/events", params })),
    page("team", "Team", () => navigate({ to: "/o/$organization/team", params })),
    page("activity", "Activity", () => navigate({ to: "/o/$organization/activity", params })),
    page("plans", "Plans", () => navigate({ to: "/o/$organization/plans", params })),
    page("new-plan", "New plan", () => navigate({ to: "/o/$organization/new-plan", params })),
    page("api-keys", "API keys", () => navigate({ to: "/o/$organization/api-keys", params })),
    page("webhooks", "Webhooks", () => navigate({ to: "/o/$organization/webhooks", params })),
    page("time-machine", "Time machine", () => navigate({ to: "/o/$organization/time-machine", params })),
    page("organizations", "Switch organization", () => navigate({ to: "/organizations" })),
    page("dark", "Dark", () => setColorScheme("dark"), "Appearance"),
    page("light", "Light", () => setColorScheme("light"), "Appearance"),
  ];
}

/** Where the records lead that have a page. */
const KINDS = [
  {
    kind: "customers",
    group: "Customers",
    go: (organization: string, { external_id }: SearchResult) => ({
      to: "/o/$organization/customers/$customer" as const,
      params: { organization, customer: external_id ?? "" },
    }),
  },
  {
    kind: "subscriptions",
    group: "Subscriptions",
    go: (organization: string, { external_id }: SearchResult) => ({
      to: "/o/$organization/subscriptions/$subscription" as const,
      params: { organization, subscription: external_id ?? "" },
    }),
  },
  {
    kind: "invoices",
    group: "Invoices",
    go: (organization: string, { svc_id }: SearchResult) => ({
      to: "/o/$organization/invoices/$id" as const,
      params: { organization, id: svc_id },
    }),
  },
  {
    kind: "plans",
    group: "Plans",
    go: (organization: string, { code }: SearchResult) => ({
      to: "/o/$organization/plans/$plan" as const,
      params: { organization, plan: code ?? "" },
    }),
  },
] as const;

function useFound(organization: string, text: string) {
  const navigate = useNavigate();
  const [term] = useDebouncedValue(text, PAUSE_MS);
  const enabled = term.length >= LEAST;
  const { data } = useQuery({
    queryKey: ["search", organization, term],
    queryFn: () => apiOf(organization).search.find({ term }),
    enabled,
  });
  if (!enabled || !data) return [];
  return KINDS.map(({ kind, group, go }) => ({
    group,
    actions: (data[kind] ?? []).map((record) => ({
      id: record.svc_id,
      label: record.title,
      description: record.subtitle,
      onClick: () => void navigate(go(organization, record)),
    })),
  })).filter(({ actions }) => actions.length > 0);
}
