/** The claims of service account tokens. Times are seconds since 1970. */
import type { ApiObject } from '../../contract/object.ts';
import type { Payload } from '../json-web-token.ts';

export interface Reference {
  readonly name: string;
  /** absent for a pod's node that does not exist (yet) */
  readonly uid?: string;
}

/** The claims of a requested token, which are inside a claim that is named after the dialect. */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceaccount: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  /** the node of the pod, or the node that the token itself is bound to */
  readonly node?: Reference;
  /** after this time the token should have been replaced, and its use is reported */
  readonly warnafter?: number;
}

/** The claims of a token in a secret, which is valid as long as the secret exists. */
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

/** The time after which use is reported, in seconds since 1970; undefined for a token whose life was not extended. */
export function warnAfter(payload: Payload, text: (template: string) => string): number | undefined {
  return (payload[text(BOUND_CLAIM)] as BoundClaims | null | undefined)?.warnafter || undefined;
}

/** Makes the name of a token for audit records. @param id the id of the token, its claim `jti` */
export const credentialId = (id: string): string => `JTI=${id}`;

export function referenceTo({ metadata: { name = '', uid = '' } }: ApiObject): Reference {
  return { name, uid };
}
