import { defineErrors } from "../../../http/problem.ts";

/** For development. */
const TRUST = "For development, name the host in the setting OUTBOUND_TRUSTED_HOSTS.";

export const webhookEndpointErrors = defineErrors({
  webhook_endpoint_not_found: { status: 404, meaning: "No webhook endpoint of this organization has that id." },
  exceeded_limit: {
    status: 422,
    meaning: "An organization has at most 10 webhook endpoints. Delete or change an existing one.",
  },
  https_is_required: {
    status: 422,
    meaning: `Webhooks are sent only over https. Use an https URL. ${TRUST}`,
  },
  credentials_in_url: {
    status: 422,
    meaning: "A webhook URL has no user name or password. Remove them; verify the signature of a webhook instead.",
  },
  port_is_not_allowed: {
    status: 422,
    meaning: `Webhooks are sent only to the ports 443 and 8443. Use one of them. ${TRUST}`,
  },
  address_instead_of_name: {
    status: 422,
    meaning: `A webhook URL has a name as its host, not an IP address. Use a public name. ${TRUST}`,
  },
  name_is_not_public: {
    status: 422,
    meaning: `The host is a name of this machine or of a private network. Use a name on the public internet. ${TRUST}`,
  },
  address_is_not_public: {
    status: 422,
    meaning: `The host resolves to an address outside of the public internet. Use another host. ${TRUST}`,
  },
});
