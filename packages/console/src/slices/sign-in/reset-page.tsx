/** Where the link of a forgotten password leads. */
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { callSession } from "../../api/session.ts";
import classes from "./frame.module.css";
import { Frame } from "./frame.tsx";
import { NewPassword } from "./new-password.tsx";
import { useToken } from "./token.ts";

export function PasswordResetPage() {
  const token = useToken();
  const [password, setPassword] = useState("");
  const replace = useMutation({
    mutationFn: () => callSession("/session/password-resets", { method: "PUT", body: { token, password } }),
  });
  if (replace.isSuccess)
    return (
      <Frame title="Your password is changed">
        <p className={classes.lead}>All other sessions have ended.</p>
        <Link to="/sign-in" className={classes.quiet}>
          Sign in with the new one
        </Link>
      </Frame>
    );
  return (
    <Frame title="Choose a new password">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          replace.mutate();
        }}
      >
        <NewPassword value={password} onChange={setPassword} />
        <Problem error={replace.error} />
        <Button type="submit" size="sm" loading={replace.isPending}>
          Change the password
        </Button>
      </form>
    </Frame>
  );
}
