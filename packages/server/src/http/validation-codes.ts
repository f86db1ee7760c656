/** The codes of `error_details` that any field can carry. A module adds its own with `defineErrors`. */
import type { ErrorCatalog } from "./problem.ts";

export const VALIDATION_CODES = {
  value_is_mandatory: { status: 422, meaning: "The member is missing, null or blank. Send a value." },
  value_already_exist: {
    status: 422,
    meaning: "Another record has this value already. Choose another, or update that record.",
  },
  value_is_invalid: {
    status: 422,
    meaning: "The value has the wrong type or is not one of the allowed ones. See the reference of the endpoint.",
  },
  value_is_out_of_range: {
    status: 422,
    meaning: "The number is below the smallest or above the largest allowed value.",
  },
  value_is_too_long: { status: 422, meaning: "The text is longer than allowed. Shorten it." },
  value_is_too_short: { status: 422, meaning: "The text is shorter than allowed." },
  unsupported_value: { status: 422, meaning: "An item of the list is not one of the allowed values." },
  invalid_date: { status: 422, meaning: "Not an ISO 8601 date or datetime, or one that does not fit here." },
  invalid_timezone: { status: 422, meaning: "Not an IANA time zone name such as Europe/Paris." },
  invalid_email_format: { status: 422, meaning: "Not an e-mail address, or not a comma-separated list of them." },
  url_is_invalid: { status: 422, meaning: "Not an absolute http or https URL." },
  not_a_valid_country_code: { status: 422, meaning: "Not an ISO 3166 alpha-2 country code such as FR." },
  not_a_valid_language_code: {
    status: 422,
    meaning: "Not a document language of this service: en, fr, de, es, it, nb, sv.",
  },
} as const satisfies ErrorCatalog;
