/** What the page of the team reads. */
import { queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";

export const membersQuery = (organization: string) =>
  queryOptions({
    queryKey: ["team", organization, "members"],
    queryFn: () => apiOf(organization).members.list(),
  });

export const invitationsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["team", organization, "invitations"],
    queryFn: () => apiOf(organization).invitations.list(),
  });

export const rolesQuery = (organization: string) =>
  queryOptions({
    queryKey: ["team", organization, "roles"],
    queryFn: () => apiOf(organization).roles.list(),
  });
