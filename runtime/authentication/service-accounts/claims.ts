/** What service accounts' tokens state. Times are seconds since 1970. */
import type { ApiObject } from '../../contract/object.ts';
import type { Payload } from '../json-web-token.ts';

export interface Reference {
  readonly name: string;
  /** absent for a pod's node that is not there (yet) */
  readonly uid?: string;
}

/** Of a token that was requested; `bound` stands under a claim that is named after the dialect. */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceaccount: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  /** the node of the pod, or the node that the token itself is bound to */
  readonly node?: Reference;
  /** beyond this time the token is used longer than it should be */
  readonly warnafter?: number;
}

/** Of a token that a secret holds for as long as it is there. */
export interface LegacyClaims {
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
  readonly uid: string;
}

export const BOUND_CLAIM = '${labelDomain}';
const LEGACY_CLAIM = '${labelDomain}/serviceaccount';

export function legacyClaimNames(text: (template: string) => string): Readonly<Record<keyof LegacyClaims, string>> {
  const prefix = text(LEGACY_CLAIM);
  return {
    namespace: `${prefix}/namespace`,
    secret: `${prefix}/secret.name`,
    account: `${prefix}/service-account.name`,
    uid: `${prefix}/service-account.uid`,
  };
}

/** Name of the issuer of tokens in secrets. */
export const LEGACY_ISSUER = '${mediaProduct}/serviceaccount';

/** Seconds since 1970; undefined for a token that lives no longer than it was asked to. */
export function warnAfter(payload: Payload, text: (template: string) => string): number | undefined {
  return (payload[text(BOUND_CLAIM)] as BoundClaims | undefined)?.warnafter;
}

/** How records name the credential that a token is. @param id of the token */
export const credentialId = (id: string): string => `JTI=${id}`;

export function referenceTo({ metadata: { name = '', uid = '' } }: ApiObject): Reference {
  return { name, uid };
}
