import type { Identity } from '../contract/identity.ts';
import { ScalarError } from '../schema/scalar/scalar-error.ts';
import { parseInstant } from '../schema/scalar/time.ts';
import type { SystemObject } from './system-object.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The config map that tells since when secrets say on which day their token was used last, as 1.32 keeps it: a token without that label
 * has not been used since. @param now milliseconds since 1970
 */
export function tokenTrackingMap({ text }: Identity, now: number): SystemObject {
  const data = { since: new Date(now).toISOString().slice(0, 10) };
  return {
    resource: { group: '', version: 'v1', name: 'configmaps' },
    metadata: { name: text('${serverName}-legacy-service-account-token-tracking'), namespace: text('${systemNamespace}') },
    members: { data },
    repair: (stored) => (isDate(stored.data?.since) ? undefined : { ...stored, data: { ...stored.data, ...data } }),
  };
}

function isDate(text: unknown): boolean {
  if (typeof text !== 'string' || !DATE.test(text)) return false;
  try {
    parseInstant(`${text}T00:00:00Z`);
    return true;
  } catch (error) {
    if (error instanceof ScalarError) return false;
    throw error;
  }
}
