/** What is shown in place of a page that cannot be shown. */
import { Button } from "@mantine/core";
import { NotFoundError } from "@tallystick/client";
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { inWords } from "../api/problem.tsx";
import classes from "./page-error.module.css";

export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const [isRepeating, setRepeating] = useState(false);
  if (error instanceof NotFoundError) return <NoSuchPage />;
  const { message, requestId } = inWords(error);
  const repeat = async () => {
    setRepeating(true);
    await router.invalidate();
    setRepeating(false);
    reset();
  };
  return (
    <main className={classes.page}>
      <h1>This page cannot be shown</h1>
      <p>{message}</p>
      {requestId && <p className={classes.id}>Request {requestId}</p>}
      <Button variant="default" loading={isRepeating} onClick={() => void repeat()}>
        Try again
      </Button>
    </main>
  );
}

export function NoSuchPage() {
  return (
    <main className={classes.page}>
      <h1>There is nothing here</h1>
      <p>The address is wrong, or what was here is deleted.</p>
      <Link to="/" className={classes.home}>
        Go to the start
      </Link>
    </main>
  );
}
