/** Password, then the second factor; or the identity provider of an organization. */
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { callSession } from "../../api/session.ts";
import classes from "./frame.module.css";
import { Frame } from "./frame.tsx";

type FirstStep = { second_factor_needed: boolean; pending_token?: string; factors?: readonly string[] };

export function SignInPage() {
  const { problem } = useSearch({ from: "/sign-in" });
  const [pending, setPending] = useState<string>();
  const [isReset, setReset] = useState(false);
  const enter = useEnter();
  if (isReset) return <ForgottenPassword onBack={() => setReset(false)} />;
  return (
    <Frame title={pending ? "One more step" : "Sign in"}>
      {problem && !pending && (
        <p className={classes.lead} role="alert">
          The sign-in through your identity provider was refused ({problem}). Try again, or ask an owner of your
          organization.
        </p>
      )}
      {pending ? <SecondStep token={pending} onDone={enter} /> : <Password onPending={setPending} onDone={enter} />}
      {!pending && (
        <button type="button" className={classes.quiet} onClick={() => setReset(true)}>
          I forgot my password
        </button>
      )}
    </Frame>
  );
}

/** Goes to the page that asked for the sign-in. What was read before belongs to another session. */
export function useEnter(): () => void {
  const router = useRouter();
  const queryClient = useQueryClient();
  return () => {
    // But for the link of this page: it was used just now, and would be read again.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "link" });
    const { next } = router.state.location.search as { next?: string };
    void router.navigate({ href: next ?? "/" });
  };
}

function Password({ onPending, onDone }: { onPending: (token: string) => void; onDone: () => void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    mutationFn: () => callSession<FirstStep>("/session", { method: "POST", body: { email, password } }),
    onSuccess: ({ second_factor_needed, pending_token }) =>
      second_factor_needed && pending_token ? onPending(pending_token) : onDone(),
  });
  const sso = useMutation({
    mutationFn: () =>
      callSession<{ authorization_url: string | null }>("/session/oidc", { method: "POST", body: { email } }),
    onSuccess: ({ authorization_url: url }) => {
      if (url) location.assign(url);
    },
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ "aria-label": "Show the password", tabIndex: 0 }}
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
      <Problem error={signIn.error ?? sso.error} />
      <Button type="submit" size="sm" loading={signIn.isPending}>
        Sign in
      </Button>
      <Button
        variant="default"
        size="sm"
        disabled={!email.includes("@")}
        loading={sso.isPending}
        onClick={() => sso.mutate()}
      >
        Use my organization's sign-in
      </Button>
      {sso.data?.authorization_url === null && (
        <p className={classes.lead} role="status">
          No organization has an identity provider for this address.
        </p>
      )}
    </form>
  );
}

function SecondStep({ token, onDone }: { token: string; onDone: () => void }) {
  const [code, setCode] = useState("");
  const [isRecovery, setRecovery] = useState(false);
  const finish = useMutation({
    mutationFn: () => {
      const proof = isRecovery ? { recovery_code: code.trim() } : { code: code.replace(/\s/g, "") };
      return callSession("/session/second-factor", { method: "POST", body: { pending_token: token, ...proof } });
    },
    onSuccess: onDone,
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        finish.mutate();
      }}
    >
      <TextInput
        key={String(isRecovery)}
        label={isRecovery ? "Recovery code" : "Code of your authenticator app"}
        autoComplete="one-time-code"
        inputMode={isRecovery ? "text" : "numeric"}
        required
        withAsterisk={false}
        data-autofocus
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
      />
      <Problem error={finish.error} />
      <Button type="submit" size="sm" loading={finish.isPending}>
        Continue
      </Button>
      <button
        type="button"
        className={classes.quiet}
        onClick={() => {
          setRecovery(!isRecovery);
          setCode("");
        }}
      >
        {isRecovery ? "Use the app instead" : "Use a recovery code instead"}
      </button>
    </form>
  );
}

function ForgottenPassword({ onBack }: { onBack: () => void }) {
  const [email, setEmail] = useState("");
  const ask = useMutation({
    mutationFn: () => callSession("/session/password-resets", { method: "POST", body: { email } }),
  });
  return (
    <Frame title="Forgotten password">
      {ask.isSuccess ? (
        <p className={classes.lead} role="status">
          If this address belongs to an account, a link is on its way. It works for 30 minutes. Without a mail server,
          ask the operator for one.
        </p>
      ) : (
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            ask.mutate();
          }}
        >
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <Problem error={ask.error} />
          <Button type="submit" size="sm" loading={ask.isPending}>
            Mail me a link
          </Button>
        </form>
      )}
      <button type="button" className={classes.quiet} onClick={onBack}>
        Back to sign-in
      </button>
    </Frame>
  );
}
