/** Which operations each permission of a key allows, and what it reaches besides. */
import type { AlsoNeeds, RoutePermission } from "../../packages/server/src/http/auth.ts";
import { spelledOut } from "../../packages/server/src/http/permission-sets.ts";
import type { composeApi } from "../../packages/server/src/main/compose.ts";
import { PERMISSION_REACH } from "../../packages/server/src/main/permission-reach.ts";
import { PRESETS } from "../../packages/server/src/modules/accounts/index.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

type Api = Awaited<ReturnType<typeof composeApi>>;
type Paths = Record<string, Record<string, { summary?: string }>>;

export function describePermissions(app: Api): string {
  const routes = app.listPermissions();
  demandWords(routes);
  const { paths } = app.swagger() as unknown as { paths: Paths };
  const rows = Object.entries(PERMISSION_REACH).map(([permission, reach]) => {
    const operations = routes.filter((route) => `${route.resource}:${route.action}` === permission);
    return [code(permission), operations.map((route) => describe(route, paths)).join("<br>"), reach ?? ""];
  });
  return page(
    GENERATED,
    "# Permissions of keys and roles",
    `A key has all permissions but those that say "by name" unless you limit it: \`npm run keys -- create … --permissions customer:read,tax:read+write\`. GET needs
\`read\`, and the other methods need \`write\`. One permission does not include another: \`write\` does not let a key read.`,
    `A permission is named after the records of its operations. The last column says what it reaches besides, so that you can judge a key.
The answer to a \`write\` shows the record that it changed. Without the permission the answer is 403; see [errors](errors.md).`,
    table(["Permission", "Operations", "What it reaches besides"], rows),
    "## Presets",
    `\`*\` stands for all permissions except those on \`api_key\`, \`member\`, \`role\` and \`identity_provider\`, which a key must name.`,
    table(["Preset", "Meaning", "Permissions"], presetRows()),
  );
}

const presetRows = (): string[][] =>
  Object.entries(PRESETS).map(([name, { permissions, meaning }]) => [
    code(name),
    meaning,
    Object.entries(spelledOut(permissions))
      .map(([resource, actions]) => code(`${resource}:${actions.join("+")}`))
      .join(", "),
  ]);

/** A permission without words, or words without a permission, would make a wrong page. */
function demandWords(routes: readonly RoutePermission[]): void {
  const needed = new Set(
    routes.flatMap(({ resource, action, alsoNeeds }) => [
      `${resource}:${action}`,
      ...(alsoNeeds ? [permissionOf(alsoNeeds)] : []),
    ]),
  );
  const off = [...needed.symmetricDifference(new Set(Object.keys(PERMISSION_REACH)))];
  if (off.length > 0) throw new Error(`main/permission-reach.ts must describe what routes need, and only that: ${off}`);
}

const permissionOf = ({ resource, action = "write" }: AlsoNeeds): string => `${resource}:${action}`;

function describe({ method, path, alsoNeeds }: RoutePermission, paths: Paths): string {
  const named = path.replace(/:(\w+)/g, "{$1}");
  const summary = paths[named]?.[method.toLowerCase()]?.summary ?? "";
  const more = alsoNeeds ? ` (${alsoNeeds.when ?? "it"} needs \`${permissionOf(alsoNeeds)}\` as well)` : "";
  return `\`${method} ${named.replace("/api/v1", "")}\` ${summary}${more}`;
}
