import type { CustomResourceConversion } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, forbidden, required } from '../../contract/field-error.ts';
import { validateClientConfig } from '../admissionregistration/client-config.ts';
import { reviewVersionErrors } from '../admissionregistration/webhooks.ts';
import { neededOneOf } from '../core/findings.ts';

export const ACCEPTED_REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** 1.32 reports the paths of its internal form, which has the members of `webhook` beside `strategy`. */
export function validateConversion(
  conversion: CustomResourceConversion | undefined,
  needsKnownVersion: boolean,
  path: string,
): readonly FieldError[] {
  if (conversion === undefined) return [];
  const config = `${path}.webhookClientConfig`;
  const reviews = `${path}.conversionReviewVersions`;
  const { clientConfig, conversionReviewVersions } = conversion.webhook ?? {};
  const versions: readonly string[] = conversionReviewVersions ?? [];
  const errors = [...neededOneOf(conversion.strategy, `${path}.strategy`, ['None', 'Webhook'])];
  if (conversion.strategy !== 'Webhook') {
    if (clientConfig !== undefined) errors.push(forbidden(config, 'should not be set when strategy is not set to Webhook'));
    if (versions.length > 0) errors.push(forbidden(reviews, 'should not be set when strategy is not set to Webhook'));
    return errors;
  }
  if (clientConfig === undefined) errors.push(required(config, 'required when strategy is set to Webhook'));
  else errors.push(...validateClientConfig(clientConfig, config));
  return [...errors, ...validateReviewVersions(versions ?? [], needsKnownVersion, reviews)];
}

function validateReviewVersions(versions: readonly string[], needsKnown: boolean, path: string): readonly FieldError[] {
  if (versions.length === 0) return [required(path)];
  return reviewVersionErrors(versions, path, needsKnown && !versions.some((version) => ACCEPTED_REVIEW_VERSIONS.includes(version)));
}
