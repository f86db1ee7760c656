/** How many there are, and the way to the others. */
import { Button } from "@mantine/core";
import classes from "./pages.module.css";

type Meta = {
  total_count: number | null;
  total_pages: number | null;
  current_page: number | null;
  prev_page: number | null;
  next_page: number | null;
};

const number = new Intl.NumberFormat();

export function Pages({
  meta,
  one,
  many,
  onGo,
}: {
  meta: Meta;
  one: string;
  many: string;
  onGo: (page: number | undefined) => void;
}) {
  const { total_count: count, total_pages: pages, current_page: page, prev_page: before, next_page: next } = meta;
  if (!count) return null;
  return (
    <footer className={classes.foot}>
      <span>
        {number.format(count)} {count === 1 ? one : many}
        {pages && pages > 1 ? `, page ${page} of ${number.format(pages)}` : ""}
      </span>
      {pages && pages > 1 ? (
        <span className={classes.pages}>
          <Button variant="default" disabled={!before} onClick={() => onGo(before && before > 1 ? before : undefined)}>
            Newer
          </Button>
          <Button variant="default" disabled={!next} onClick={() => onGo(next ?? undefined)}>
            Older
          </Button>
        </span>
      ) : null}
    </footer>
  );
}
