/** The document as the customer sees it. */
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Problem } from "../../api/problem.tsx";
import classes from "./document-pages.module.css";
import { pagesQuery } from "./queries.ts";

export function DocumentPages({ organization, id, name }: { organization: string; id: string; name: string }) {
  const { data, error } = useQuery(pagesQuery(organization, id));
  if (error) return <Problem error={error} />;
  if (!data) return <Skeleton height={640} radius={2} aria-label="Drawing the document" />;
  return (
    <div className={classes.pages}>
      {data.map(({ number, svg }) => (
        // As a picture, no script of a document could run.
        <img
          key={number}
          src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`}
          alt={`${name}, page ${number} of ${data.length}`}
        />
      ))}
    </div>
  );
}
