/** `g` and a letter go to a section. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

const SECTIONS = {
  g: "/o/$organization",
  c: "/o/$organization/customers",
  s: "/o/$organization/subscriptions",
  i: "/o/$organization/invoices",
  h: "/o/$organization/held-invoices",
  e: "/o/$organization/events",
  p: "/o/$organization/plans",
  k: "/o/$organization/api-keys",
  w: "/o/$organization/webhooks",
  t: "/o/$organization/time-machine",
} as const;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function useSectionKeys(organization: string): void {
  const navigate = useNavigate();
  useEffect(() => {
    let isGoing = false;
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      const to = isGoing ? SECTIONS[event.key as keyof typeof SECTIONS] : undefined;
      isGoing = !isGoing && event.key === "g";
      if (to) void navigate({ to, params: { organization } });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [navigate, organization]);
}
