import { defineErrors } from "../../../http/problem.ts";

export const memberErrors = defineErrors({
  member_not_found: {
    status: 404,
    meaning: "No member of this organization has this id. `GET /members` lists them.",
  },
  last_owner: {
    status: 405,
    meaning: "This member is the only owner. Make another member an owner first.",
  },
  more_than_you_have: {
    status: 403,
    meaning:
      "The role allows more than you may do yourself. Ask an owner, or choose a role whose permissions you have.",
  },
});
