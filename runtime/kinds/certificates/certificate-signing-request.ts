import { certificateChainProblem } from '../../certificates/certificate-chain.ts';
import { signingRequestProblem } from '../../certificates/signing-request.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { eachItem, eachRepeated } from '../core/findings.ts';
import { fillTimes, keepDecisions, validateConditions, validateDecisionsKept, validateNoneRemoved } from './conditions.ts';
import { validateSignerName } from './signer-name.ts';

/** Sorted. */
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const MIN_SECONDS = 600;

/** RFC 3339 in UTC, whole seconds. */
const timestamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
const textOf = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('latin1');

/** Who asks is what authentication says, not what the client claims. */
function recordRequester({ spec }: ApiObject, { user }: RuleContext): void {
  for (const member of ['username', 'uid', 'groups', 'extra']) delete spec[member];
  if (user === undefined) return;
  if (user.name !== '') spec.username = user.name;
  if (user.uid !== '') spec.uid = user.uid;
  if (user.groups.length > 0) spec.groups = [...user.groups];
  if (Object.keys(user.extra).length > 0) spec.extra = { ...user.extra };
}

function validate(object: ApiObject, legacySigner: string): FieldError[] {
  const { request, signerName = '', expirationSeconds, usages } = object.spec;
  const problem = signingRequestProblem(textOf(request));
  const certificateProblem = certificateChainProblem(textOf(object.status?.certificate));
  return [
    ...(problem === undefined ? [] : [invalidBytes('spec.request', request, problem)]),
    ...validateUsages(usages ?? [], 'spec.usages'),
    ...(signerName === legacySigner
      ? [invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version')]
      : validateSignerName(signerName, 'spec.signerName')),
    ...(expirationSeconds !== undefined && expirationSeconds < MIN_SECONDS
      ? [
          invalid(
            'spec.expirationSeconds',
            expirationSeconds,
            `may not specify a duration less than ${MIN_SECONDS} seconds (${MIN_SECONDS / 60} minutes)`,
          ),
        ]
      : []),
    ...validateConditions(object),
    ...(certificateProblem === undefined ? [] : [invalid('status.certificate', '<certificate data>', certificateProblem)]),
  ];
}

/** Bytes stand in messages one by one. */
function invalidBytes(path: string, base64: string | undefined, detail: string): FieldError {
  const list = [...Buffer.from(base64 ?? '', 'base64')].map((byte) => `0x${byte.toString(16)}`).join(', ');
  const shown = base64 ? `[]byte{${list}}` : '[]byte(nil)';
  return { reason: 'FieldValueInvalid', field: path, message: `Invalid value: ${shown}: ${detail}` };
}

function validateUsages(usages: readonly string[], path: string): FieldError[] {
  if (usages.length === 0) return [required(path)];
  return [
    ...eachItem(usages, path, (usage, at) => (USAGES.includes(usage) ? [] : [notSupported(at, usage, USAGES)])),
    ...eachRepeated(usages, path),
  ];
}

const sameCertificate = (object: ApiObject, old: ApiObject): boolean =>
  (object.status?.certificate ?? '') === (old.status?.certificate ?? '');

/** Besides the validation of the whole object; the certificate is set once. */
function validateStatusChange(object: ApiObject, old: ApiObject): FieldError[] {
  const replaced = !sameCertificate(object, old) && (old.status?.certificate ?? '') !== '';
  return [
    ...validateNoneRemoved(object, old),
    ...validateDecisionsKept(object, old),
    ...(replaced ? [forbidden('status.certificate', 'updates may not modify existing certificate content')] : []),
  ];
}

export function rules(identity: Identity): KindRules {
  const legacySigner = identity.text('${labelDomain}/legacy-unknown');
  return {
    prepareForCreate: recordRequester,
    /** A request never changes; decisions and certificates have subresources. */
    prepareForUpdate(object, old) {
      object.spec = old.spec;
    },
    prepareForStatusUpdate(object, old, context) {
      keepDecisions(object, old);
      fillTimes(object, old, timestamp(context.now()));
    },
    validate: (object) => validate(object, legacySigner),
    validateStatusUpdate: (object, old) => [...validate(object, legacySigner), ...validateStatusChange(object, old)],
    parts: {
      approval: {
        take(object, sent, context) {
          const { certificate } = object.status ?? {};
          const old = { ...object };
          object.metadata = sent.metadata;
          object.status = { ...sent.status, certificate };
          if (certificate === undefined) delete object.status.certificate;
          fillTimes(object, old, timestamp(context.now()));
        },
        validateUpdate: validateNoneRemoved,
      },
    },
  };
}
