/** What every page of an organization has around it: where you are, for whom, and the way to everything else. */
import { ActionIcon, Burger, Kbd, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { ChevronsUpDown, Moon, Search, Sun } from "lucide-react";
import { lazy, Suspense, useEffect, useRef } from "react";
import { type Session, sessionQuery } from "../api/session.ts";
import { Mark } from "../ui/tally.tsx";
import classes from "./shell.module.css";

const SwitchMenu = lazy(async () => ({ default: (await import("./switch-menu.tsx")).SwitchMenu }));
const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

type Item = { label: string; to: NonNullable<LinkProps["to"]>; exact?: true };

const GROUPS: readonly { name: string; items: readonly Item[] }[] = [
  {
    name: "",
    items: [{ label: "Get started", to: "/o/$organization", exact: true }],
  },
  {
    name: "Bill",
    items: [
      { label: "Customers", to: "/o/$organization/customers" },
      { label: "Subscriptions", to: "/o/$organization/subscriptions" },
      { label: "Invoices", to: "/o/$organization/invoices" },
      { label: "Held invoices", to: "/o/$organization/held-invoices" },
      { label: "Parked items", to: "/o/$organization/parked-items" },
    ],
  },
  {
    name: "Price",
    items: [{ label: "Plans", to: "/o/$organization/plans" }],
  },
  {
    name: "Developers",
    items: [
      { label: "Events", to: "/o/$organization/events" },
      { label: "API keys", to: "/o/$organization/api-keys" },
      { label: "Webhooks", to: "/o/$organization/webhooks" },
      { label: "Time machine", to: "/o/$organization/time-machine" },
    ],
  },
  {
    name: "Organization",
    items: [
      { label: "Team", to: "/o/$organization/team" },
      { label: "Activity", to: "/o/$organization/activity" },
    ],
  },
];

export function Shell() {
  const { organization: id } = useParams({ from: "/o/$organization" });
  const [isMenuOpen, menu] = useDisclosure();
  const { data: session } = useQuery(sessionQuery(id));
  const organization = session?.organizations.find((one) => one.id === id);
  const main = useFocusOnNavigation();
  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        To the content
      </a>
      <aside id="menu" className={classes.aside} data-open={isMenuOpen || undefined} aria-label="Tallystick">
        <Link
          to="/o/$organization"
          params={{ organization: id }}
          className={classes.brand}
          aria-label="Tallystick, start"
        >
          <Mark /> <span>Tallystick</span>
        </Link>
        <Navigation id={id} onChosen={menu.close} />
        <Foot session={session} id={id} />
      </aside>
      <div className={classes.body}>
        <header className={classes.top}>
          <div className={classes.mobileBar}>
            <Burger
              size="sm"
              opened={isMenuOpen}
              onClick={menu.toggle}
              aria-label="Menu"
              aria-expanded={isMenuOpen}
              aria-controls="menu"
            />
            <Mark size={20} />
            <ActionIcon variant="subtle" color="gray" aria-label="Find or do" onClick={() => spotlight.open()}>
              <Search size={18} />
            </ActionIcon>
          </div>
          <div className={classes.bar} data-sandbox={organization?.is_sandbox || undefined}>
            {organization?.is_sandbox && (
              <>
                <span className={classes.hatch} aria-hidden="true" />
                <span>
                  <strong>Sandbox</strong> · nothing here is charged or mailed to real customers
                </span>
              </>
            )}
            <button type="button" className={classes.search} onClick={() => spotlight.open()}>
              <Search size={14} aria-hidden="true" /> Find or do <Kbd size="xs">Ctrl K</Kbd>
            </button>
          </div>
        </header>
        <main id="main" ref={main} className={classes.main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Suspense fallback={null}>
        <Palette organization={id} />
      </Suspense>
    </div>
  );
}

/** A reader of the screen hears the new page, and the keys act on it. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) main.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return main;
}

function Navigation({ id, onChosen }: { id: string; onChosen: () => void }) {
  return (
    <nav aria-label="Main" className={classes.nav}>
      {GROUPS.map(({ name, items }) => (
        <div key={name} className={classes.group}>
          {name && <div className={classes.groupName}>{name}</div>}
          {items.map(({ label, to, exact = false }) => (
            <Link
              key={to}
              to={to}
              params={{ organization: id } as never}
              className={classes.item}
              activeOptions={{ exact }}
              onClick={onChosen}
            >
              {label}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

function Foot({ session, id }: { session: Session | undefined; id: string }) {
  const organization = session?.organizations.find((one) => one.id === id);
  const scheme = useComputedColorScheme("light");
  const { setColorScheme } = useMantineColorScheme();
  const isDark = scheme === "dark";
  const who = (
    <>
      <span>
        <strong>{organization?.name}</strong>
        <span className={classes.person}>{session?.user.name}</span>
      </span>
      <ChevronsUpDown size={14} aria-hidden="true" />
    </>
  );
  return (
    <div className={classes.foot}>
      <Suspense
        fallback={
          <button type="button" className={classes.organization} disabled>
            {who}
          </button>
        }
      >
        <SwitchMenu session={session} id={id}>
          {who}
        </SwitchMenu>
      </Suspense>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={isDark ? "Switch to light" : "Switch to dark"}
        title={isDark ? "Light" : "Dark"}
        onClick={() => setColorScheme(isDark ? "light" : "dark")}
      >
        {isDark ? <Sun size={16} /> : <Moon size={16} />}
      </ActionIcon>
    </div>
  );
}
