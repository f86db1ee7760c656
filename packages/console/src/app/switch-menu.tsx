/** Another organization, or out. */
import { Menu, VisuallyHidden } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Problem } from "../api/problem.tsx";
import type { Session } from "../api/session.ts";
import { useSignOut } from "../api/use-sign-out.ts";
import classes from "./shell.module.css";

const SHOWN = 8;

export function SwitchMenu({
  session,
  id,
  children,
}: {
  session: Session | undefined;
  id: string;
  children: ReactNode;
}) {
  const navigate = useNavigate();
  const end = useSignOut();
  const others = session?.organizations.filter((one) => one.id !== id) ?? [];
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <button type="button" className={classes.organization}>
          {children}
          <VisuallyHidden>Switch the organization, or sign out</VisuallyHidden>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {others.slice(0, SHOWN).map(({ id: other, name, is_sandbox }) => (
          <Menu.Item
            key={other}
            onClick={() => void navigate({ to: "/o/$organization", params: { organization: other } })}
          >
            {name}
            {is_sandbox && <span className={classes.kind}> sandbox</span>}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => void navigate({ to: "/organizations" })}>All organizations</Menu.Item>
        <Menu.Divider />
        <Menu.Item closeMenuOnClick={false} onClick={() => end.mutate()}>
          Sign out
        </Menu.Item>
        <Problem error={end.error} />
      </Menu.Dropdown>
    </Menu>
  );
}
