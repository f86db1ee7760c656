import { defineErrors } from "../../../http/problem.ts";

export const roleErrors = defineErrors({
  role_not_found: {
    status: 404,
    meaning: "No role of this organization has this code. `GET /roles` lists them.",
  },
  role_is_built_in: {
    status: 405,
    meaning: "Every organization has this role as it is. Create a role of your own with another code.",
  },
  role_in_use: {
    status: 405,
    meaning: "Members or invitations have this role. Give them another one first.",
  },
});
