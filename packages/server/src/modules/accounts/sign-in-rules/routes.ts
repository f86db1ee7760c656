/** GET and PUT /sign_in_rules: what the organization demands of people who sign in. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Caller } from "../../../http/auth.ts";
import { presentOnly } from "../../../http/fields.ts";
import type { Clock } from "../../../platform/clock.ts";
import { lackOf } from "../sessions/index.ts";
import { signInRuleErrors } from "./errors.ts";
import { changeRulesSchema, showRulesSchema } from "./schema.ts";
import { findRules, listEnabledProviders, lockRules, type SignInRules, saveRules } from "./store.ts";

export const signInRuleRoutes =
  (clock: Clock): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "identity_provider" };

    app.get("/sign_in_rules", { schema: showRulesSchema, config }, (request) =>
      request.read(async (tx, organizationId) => ({ sign_in_rules: await findRules(tx, organizationId) })),
    );

    app.put(
      "/sign_in_rules",
      { schema: changeRulesSchema, config: { ...config, needsProof: true } },
      async (request) => {
        const { session_idle_minutes, session_max_hours, requires_second_factor, requires_sso } =
          request.body.sign_in_rules;
        const changes = presentOnly({ session_idle_minutes, session_max_hours, requires_second_factor, requires_sso });
        return request.write(async (tx, organizationId) => {
          const before = await lockRules(tx, organizationId);
          const rules = { ...before, ...changes };
          if (demandsOf(rules) !== demandsOf(before))
            demandOwner(request.caller, rules, await listEnabledProviders(tx, organizationId));
          await saveRules(tx, organizationId, { ...rules, updated_at: clock.now() });
          return { sign_in_rules: rules };
        });
      },
    );
  };

const demandsOf = ({ requires_second_factor, requires_sso }: SignInRules): string =>
  `${requires_second_factor} ${requires_sso}`;

/** An owner, who must not be locked out by the new rules. */
function demandOwner({ person }: Caller, rules: SignInRules, providers: readonly string[]): void {
  if (!person?.isOwner) throw signInRuleErrors.problem("only_an_owner");
  if (lackOf(person.methods, { ...rules, providers })) throw signInRuleErrors.problem("your_session_lacks_it");
}
