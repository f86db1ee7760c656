/** The same request for a terminal: what is clicked can be scripted. */
import classes from "../start-page.module.css";

export function AsCode({ method = "POST", path, body }: { method?: string; path: string; body: object }) {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  const text = `curl -X ${method} ${location.origin}/api/v1${path} \\
  -H "Authorization: Bearer $TALLYSTICK_KEY" -H "Content-Type: application/json" \\
  -d '${json}'`;
  return (
    <details className={classes.code}>
      <summary>The same with curl</summary>
      <pre>{text}</pre>
    </details>
  );
}
