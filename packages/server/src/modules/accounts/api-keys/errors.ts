import { defineErrors } from "../../../http/problem.ts";

export const apiKeyErrors = defineErrors({
  api_key_not_found: {
    status: 404,
    meaning: "No key of this organization has that `key_id`: the 8 characters after `tsk_`.",
  },
  api_key_has_ended: {
    status: 405,
    meaning: "The key was revoked or has expired, so it cannot be rotated. Create another with POST /api_keys.",
  },
  api_key_already_rotated: {
    status: 405,
    meaning: "The key was rotated before, and a key is replaced once. Rotate its successor, or create another key.",
  },
  permissions_exceed_caller: {
    status: 403,
    meaning:
      "A caller hands out at most its own permissions, and a key with `everything` has no `api_key`, `member`, `role` or " +
      "`identity_provider`. Leave out what the caller does not have, or use a caller that has it.",
  },
  expiry_exceeds_caller: {
    status: 403,
    meaning:
      "The calling key expires, and what it hands out expires no later. Send an `expires_at` that is no later, or use a key that does " +
      "not expire.",
  },
  preset_and_permissions: {
    status: 422,
    meaning: "The request has both `preset` and `permissions`. Send one of them.",
  },
});
