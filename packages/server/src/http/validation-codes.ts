/** The codes of `error_details` that any field can carry. A module adds its own with `defineErrors`. */
import type { ErrorCatalog } from "./problem.ts";

export const VALIDATION_CODES = {
  unknown_member: {
    status: 422,
    meaning:
      "The operation does not know the member or query parameter. Correct its name or leave it out. An organization can set " +
      "`ignore_unknown_members`.",
  },
  value_is_mandatory: { status: 422, meaning: "The member is missing, null or blank. Send a value." },
  value_already_exist: {
    status: 422,
    meaning: "Another record has this value already. Choose another, or update that record.",
  },
  value_is_invalid: {
    status: 422,
    meaning: "The value has the wrong type or is not an allowed value. See the reference of the endpoint.",
  },
  value_is_out_of_range: {
    status: 422,
    meaning: "The number is below the smallest or above the largest allowed value.",
  },
  too_many_items: {
    status: 422,
    meaning: "The list or object has more items than allowed. Send fewer at a time.",
  },
  value_is_too_long: { status: 422, meaning: "The text is longer than allowed. Shorten it." },
  value_is_too_short: { status: 422, meaning: "The text is shorter than allowed." },
  unsupported_value: {
    status: 422,
    meaning: "The value, or an item of the list, is not one of those that this service supports.",
  },
  invalid_date: {
    status: 422,
    meaning: "The value is not an ISO 8601 date or datetime, or is not valid for this field.",
  },
  invalid_timezone: { status: 422, meaning: "The value is not an IANA time zone name such as Europe/Paris." },
  invalid_email_format: {
    status: 422,
    meaning: "The value is not an email address or a comma-separated list of email addresses.",
  },
  url_is_invalid: { status: 422, meaning: "The value is not an absolute http or https URL." },
  not_a_valid_country_code: { status: 422, meaning: "The value is not an ISO 3166 alpha-2 country code such as FR." },
  not_a_valid_language_code: {
    status: 422,
    meaning: "The value is not an ISO 639-1 language code such as fr, nor pt-BR or zh-TW.",
  },
} as const satisfies ErrorCatalog;
