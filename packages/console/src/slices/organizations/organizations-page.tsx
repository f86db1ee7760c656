/** Which organization to work for, and a new one. */
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { callSession, sessionQuery } from "../../api/session.ts";
import { useSignOut } from "../../api/use-sign-out.ts";
import { Mark } from "../../ui/tally.tsx";
import classes from "./organizations-page.module.css";

/** Why this session does not reach an organization, and the way out. */
const OBSTACLES: Record<string, string> = {
  second_factor_needed: "It demands a second factor. Sign in with one.",
  own_sign_in_needed: "You signed in through another organization's provider. Sign in with your password.",
  sso_needed: "It demands its own sign-in. Sign out, and sign in there.",
};

export function OrganizationsPage() {
  const { data: session } = useSuspenseQuery(sessionQuery());
  return (
    <div className={classes.page}>
      <header className={classes.brand}>
        <Mark size={26} /> <span>Tallystick</span>
      </header>
      <main className={classes.main}>
        <h1>Organizations</h1>
        <p className={classes.lead}>Signed in as {session.user.email}</p>
        {session.organizations.length === 0 && <p>You are in none yet. Create one, or ask for an invitation.</p>}
        <ul className={classes.list}>
          {session.organizations.map(({ id, name, is_sandbox, role, obstacle }) => (
            <li key={id} className={classes.item} data-open={obstacle ? undefined : true}>
              {obstacle ? (
                <strong>{name}</strong>
              ) : (
                <Link to="/o/$organization" params={{ organization: id }} className={classes.link}>
                  {name}
                </Link>
              )}
              <span className={classes.role}>{role}</span>
              {is_sandbox && <span className={classes.kind}>Sandbox</span>}
              {obstacle && <span className={classes.obstacle}>{OBSTACLES[obstacle] ?? obstacle}</span>}
            </li>
          ))}
        </ul>
        <NewOrganization />
        <SignOut />
      </main>
    </div>
  );
}

function NewOrganization() {
  const [name, setName] = useState("");
  const [isSandbox, setSandbox] = useState(true);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () =>
      callSession<{ organization: { id: string } }>("/session/organizations", {
        method: "POST",
        body: { name, is_sandbox: isSandbox },
      }),
    onSuccess: async ({ organization }) => {
      await queryClient.invalidateQueries({ queryKey: ["session"] });
      await navigate({ to: "/o/$organization", params: { organization: organization.id } });
    },
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <h2>New organization</h2>
      <TextInput
        label="Name"
        required
        withAsterisk={false}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Checkbox
        label="Sandbox"
        description="For trying things: time can be moved with test clocks, and nothing is charged."
        checked={isSandbox}
        onChange={({ currentTarget }) => setSandbox(currentTarget.checked)}
      />
      <Problem error={create.error} />
      <Button type="submit" loading={create.isPending}>
        Create {isSandbox ? "a sandbox" : "a live organization"}
      </Button>
    </form>
  );
}

function SignOut() {
  const end = useSignOut();
  return (
    <>
      <Button variant="subtle" color="gray" className={classes.out ?? ""} onClick={() => end.mutate()}>
        Sign out
      </Button>
      <Problem error={end.error} />
    </>
  );
}
