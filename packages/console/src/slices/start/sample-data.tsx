/** A company with customers and half a year of usage, made by the service through the same code as everything else. */
import { Progress } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { apiOf } from "../../api/client.ts";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { Action } from "../../ui/action.tsx";
import classes from "./start-page.module.css";

const LOOK_EVERY_MS = 1000;

export function SampleData({ organization }: { organization: string }) {
  const queryClient = useQueryClient();
  const refusal = useRefusal(organization, "organization");
  const queryKey = ["sample-data", organization];
  const { data: sample } = useQuery({
    queryKey,
    queryFn: () => apiOf(organization).sampleData.get(),
    refetchInterval: ({ state }) => (isWorking(state.data?.status) ? LOOK_EVERY_MS : false),
  });
  const request = useMutation({
    mutationFn: (what: "make" | "remove") => apiOf(organization).sampleData[what](),
    onSuccess: (answer) => queryClient.setQueryData(queryKey, answer),
  });
  const status = sample?.status;
  useEffect(() => {
    if (status === "ready" || status === "none")
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => kind !== "session" && kind !== "sample-data",
      });
  }, [status, queryClient]);
  if (!sample) return null;
  return (
    <div className={classes.sample}>
      <h2>Sample data</h2>
      <p>A company with 12 customers and half a year of usage and invoices.</p>
      {isWorking(status) ? (
        <>
          <Progress value={sample.progress} aria-label={status === "making" ? "Made so far" : "Removed so far"} />
          <p role="status">
            {status === "making" ? "Making it" : "Removing it"}: {sample.progress} %
          </p>
        </>
      ) : (
        <Action
          variant="default"
          refusal={refusal}
          loading={request.isPending}
          onClick={() => request.mutate(status === "ready" ? "remove" : "make")}
        >
          {status === "ready" ? "Remove the sample data" : "Use sample data"}
        </Action>
      )}
      {sample.error && <p role="alert">{sample.error}</p>}
      <Problem error={request.error} />
    </div>
  );
}

const isWorking = (status: string | undefined): boolean => status === "making" || status === "removing";
