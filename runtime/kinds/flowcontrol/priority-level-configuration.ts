import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { inRange } from '../core/numbers.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';
import { EXEMPT, validateMandatoryLevel } from './mandatory-specs.ts';
import { validateStatus } from './status.ts';

const MAX_QUEUES = 10_000_000;
/** Bits of the hash that picks the queues of a flow. */
const MAX_HASH_BITS = 60;
/** in the order in which 1.32 shows them */
const TYPES = ['Exempt', 'Limited'];
const RESPONSES = ['Queue', 'Reject'];

function validate(level: ApiObject): FieldError[] {
  return [...validateSpec(level.spec, level.metadata.name ?? '', 'spec'), ...validateMandatoryLevel(level), ...validateStatus(level)];
}

function validateSpec(spec: Struct, name: string, path: string): FieldError[] {
  const { type = '' } = spec;
  const misnamed = (name === EXEMPT) !== (type === 'Exempt');
  return [
    ...(misnamed ? [invalid(`${path}.type`, type, "type must be 'Exempt' if and only if name is 'exempt'")] : []),
    ...validateType(type, spec, path),
  ];
}

function validateType(type: string, { limited, exempt }: Struct, path: string): FieldError[] {
  switch (type) {
    case 'Exempt':
      return [
        ...(limited === undefined ? [] : [forbidden(`${path}.limited`, 'must be nil if the type is not Limited')]),
        ...(exempt === undefined ? [] : validateExempt(exempt, `${path}.exempt`)),
      ];
    case 'Limited':
      return [
        ...(exempt === undefined ? [] : [forbidden(`${path}.exempt`, 'must be nil if the type is Limited')]),
        ...(limited === undefined
          ? [required(`${path}.limited`, 'must not be empty when type is Limited')]
          : validateLimited(limited, `${path}.limited`)),
      ];
    default:
      return [notSupported(`${path}.type`, type, TYPES)];
  }
}

function validateExempt(exempt: Struct, path: string): FieldError[] {
  return [...validateShares(exempt, path), ...inRange(exempt.lendablePercent, `${path}.lendablePercent`, 0, 100)];
}

function validateLimited(limited: Struct, path: string): FieldError[] {
  const { borrowingLimitPercent: borrowing } = limited;
  return [
    ...validateShares(limited, path),
    ...validateResponse(limited.limitResponse, `${path}.limitResponse`),
    ...inRange(limited.lendablePercent, `${path}.lendablePercent`, 0, 100),
    ...(borrowing !== undefined && borrowing < 0
      ? [invalid(`${path}.borrowingLimitPercent`, borrowing, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

function validateShares({ nominalConcurrencyShares: shares }: Struct, path: string): FieldError[] {
  return (shares ?? 0) < 0 ? [invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')] : [];
}

function validateResponse({ type = '', queuing }: Struct, path: string): FieldError[] {
  const at = `${path}.queuing`;
  switch (type) {
    case 'Reject':
      return queuing === undefined ? [] : [forbidden(at, 'must be nil if limited.limitResponse.type is not Limited')];
    case 'Queue':
      if (queuing === undefined) return [required(at, 'must not be empty if limited.limitResponse.type is Limited')];
      return validateQueuing(queuing, at);
    default:
      return [notSupported(`${path}.type`, type, RESPONSES)];
  }
}

function validateQueuing({ queues, handSize, queueLengthLimit }: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0) errors.push(invalid(`${path}.queueLengthLimit`, queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(`${path}.queues`, queues, 'must be positive'));
  else if (queues > MAX_QUEUES) errors.push(invalid(`${path}.queues`, queues, `must not be greater than ${MAX_QUEUES}`));
  const detail = handProblem(queues, handSize);
  return detail === undefined ? errors : [...errors, invalid(`${path}.handSize`, handSize, detail)];
}

function handProblem(queues: number, handSize: number): string | undefined {
  if (handSize <= 0) return 'must be positive';
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  return Math.ceil(Math.log2(queues) * handSize) > MAX_HASH_BITS
    ? `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`
    : undefined;
}

export const rules: KindRules = {
  prepareForStatusUpdate: keepMetadata,
  validate,
  validateStatusUpdate: validateStatus,
};
