/** Where a setup link and an invitation lead: one becomes a person, or joins as the one who is signed in. */
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { callSession, sessionQuery } from "../../api/session.ts";
import classes from "./frame.module.css";
import { Frame } from "./frame.tsx";
import { NewPassword } from "./new-password.tsx";
import { useEnter } from "./sign-in-page.tsx";
import { useToken } from "./token.ts";

type OpenedLink = {
  kind: "setup" | "invitation" | "reset";
  email: string | null;
  organization_name: string | null;
  has_account: boolean | null;
};

export function SetupPage() {
  return (
    <JoinPage path="/session/setup" title="Set up your account" lead="You become the owner of this organization." />
  );
}

export function InvitationPage() {
  return <JoinPage path="/session/invitations/accept" title="Join" lead="" />;
}

function JoinPage({ path, title, lead }: { path: string; title: string; lead: string }) {
  const token = useToken();
  const enter = useEnter();
  const session = useQuery(sessionQuery());
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: async () =>
      (await callSession<{ link: OpenedLink }>("/session/links", { method: "POST", body: { token } })).link,
    retry: false,
  });
  const join = useMutation({
    mutationFn: (person: object) => callSession(path, { method: "POST", body: { token, ...person } }),
    onSuccess: enter,
  });
  const name = link.data?.organization_name;
  if (link.error)
    return (
      <Frame title="This link does not work">
        <Problem error={link.error} />
        <Link to="/sign-in" className={classes.quiet}>
          Sign in
        </Link>
      </Frame>
    );
  if (!link.data || session.isPending) return <Frame title={title}>{null}</Frame>;
  return (
    <Frame title={name ? `Join ${name}` : title}>
      {lead && <p className={classes.lead}>{lead}</p>}
      {session.data ? (
        <div className={classes.form}>
          <p className={classes.lead}>You are signed in as {session.data.user.email}.</p>
          <Problem error={join.error} />
          <Button size="sm" loading={join.isPending} onClick={() => join.mutate({})}>
            Continue as {session.data.user.name}
          </Button>
        </div>
      ) : link.data.has_account ? (
        <div className={classes.form}>
          <p className={classes.lead}>
            {link.data.email} has an account. Sign in first, and then open this link again.
          </p>
          <Link to="/sign-in" search={{ next: `${location.pathname}${location.hash}` }} className={classes.quiet}>
            Sign in
          </Link>
        </div>
      ) : (
        <NewPerson email={link.data.email} join={join} />
      )}
    </Frame>
  );
}

type Join = { mutate: (person: object) => void; error: unknown; isPending: boolean };

function NewPerson({ email: given, join }: { email: string | null; join: Join }) {
  const [email, setEmail] = useState(given ?? "");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        join.mutate({ email, name, password });
      }}
    >
      <TextInput
        label="Your name"
        autoComplete="name"
        required
        withAsterisk={false}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={given !== null}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <NewPassword value={password} onChange={setPassword} />
      <Problem error={join.error} />
      <Button type="submit" size="sm" loading={join.isPending}>
        Create my account
      </Button>
    </form>
  );
}
