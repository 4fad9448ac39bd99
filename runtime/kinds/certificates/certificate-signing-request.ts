import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '../../../generated/certificates/v1/types.ts';
import { certificateChainProblem } from '../../certificates/certificate-chain.ts';
import { countIssued } from '../../certificates/issued-duration.ts';
import { signingRequestProblem } from '../../certificates/signing-request.ts';
import { type FieldError, invalid, Notation } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { goBytes } from '../../go-text/values.ts';
import { timeAt } from '../../schema/scalar/time.ts';
import { ofObject } from '../../validation/findings.ts';
import { NONE } from '../../validation/joined.ts';
import { fillTimes, keepDecisions, noneRemoved } from './conditions.ts';

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1');

/** Who asks is what authentication says, not what the client claims. */
function recordRequester({ spec }: CertificateSigningRequest, { request: { user } }: RuleContext): void {
  for (const member of ['username', 'uid', 'groups', 'extra'] as const) delete spec[member];
  if (user === undefined) return;
  if (user.name !== '') spec.username = user.name;
  if (user.uid !== '') spec.uid = user.uid;
  if (user.groups.length > 0) spec.groups = [...user.groups];
  if (Object.keys(user.extra).length > 0)
    spec.extra = Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]]));
}

/** Bytes stand in messages one by one. */
export function signedRequest({ request }: CertificateSigningRequestSpec): readonly FieldError[] {
  const problem = signingRequestProblem(textOf(request ?? ''));
  return problem === undefined ? NONE : [invalid('.request', new Notation(goBytes(request)), problem)];
}

export function certificateChain(certificate: string): readonly FieldError[] {
  const problem = certificateChainProblem(textOf(certificate));
  return problem === undefined ? NONE : [invalid('', '<certificate data>', problem)];
}

export const rules: KindRules<CertificateSigningRequest> = {
  prepareForCreate: recordRequester,
  /** A request never changes; decisions and certificates have subresources. */
  prepareForUpdate(object, old) {
    object.spec = old.spec;
  },
  prepareForStatusUpdate(object, old, context) {
    keepDecisions(object, old);
    fillTimes(object, old, timeAt(context.now()));
  },
  afterUpdate: countIssued,
  parts: {
    approval: {
      take(object, sent, context) {
        const { certificate } = object.status ?? {};
        const old = { ...object };
        object.metadata = sent.metadata;
        object.status = { ...sent.status, certificate };
        if (certificate === undefined) delete object.status.certificate;
        fillTimes(object, old, timeAt(context.now()));
      },
      validateUpdate: (object, old) => ofObject(noneRemoved(object, old)),
    },
  },
};
