/** Decisions on a request, and its failure: who may set them, and how they fit together. */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestStatus,
} from '../../../generated/certificates/v1/types.ts';
import { type FieldError, forbidden } from '../../contract/field-error.ts';
import { deepEqual } from '../../schema/equal.ts';

type Condition = CertificateSigningRequestCondition;
/** Conditions behind one of the opposite decision. */
type Opposed = ReadonlySet<Condition>;

const DECISIONS = ['Approved', 'Denied'];
const FINAL = [...DECISIONS, 'Failed'];

export function opposedConditions({ conditions }: CertificateSigningRequestStatus): Opposed {
  const decisions = new Set<string>();
  const opposed = new Set<Condition>();
  for (const condition of conditions ?? []) {
    if (!DECISIONS.includes(condition.type)) continue;
    decisions.add(condition.type);
    if (decisions.size > 1) opposed.add(condition);
  }
  return opposed;
}

export function isUnopposed(_type: string, _old: unknown, _context: unknown, opposed: Opposed, condition: Condition): boolean {
  return !opposed.has(condition);
}

const conditionsOf = (request: CertificateSigningRequest | undefined): readonly Condition[] => request?.status?.conditions ?? [];

function ofType(request: CertificateSigningRequest | undefined, type: string): Condition[] {
  return conditionsOf(request).filter((condition) => condition.type === type);
}

/** What has been decided stays. */
export function noneRemoved(request: CertificateSigningRequest, old: CertificateSigningRequest | undefined): readonly FieldError[] {
  return FINAL.filter((type) => ofType(request, type).length < ofType(old, type).length).map((type) =>
    forbidden('.status.conditions', `updates may not remove a condition of type ${JSON.stringify(type)}`),
  );
}

/** Decisions are set through their own subresource only. */
export function decisionsKept(request: CertificateSigningRequest, old: CertificateSigningRequest | undefined): readonly FieldError[] {
  return DECISIONS.flatMap((type) => {
    const [now, before] = [ofType(request, type), ofType(old, type)];
    if (now.length < before.length || deepEqual(now, before)) return [];
    const kind = `a condition of type ${JSON.stringify(type)}`;
    return [
      forbidden('.status.conditions', now.length > before.length ? `updates may not add ${kind}` : `updates may not modify ${kind}\n`),
    ];
  });
}

/** Takes the decisions from the old object where as many of them are there; changes `request`. */
export function keepDecisions(request: CertificateSigningRequest, old: CertificateSigningRequest): void {
  for (const type of DECISIONS) {
    const before = ofType(old, type);
    if (before.length === 0 || ofType(request, type).length !== before.length) continue;
    const conditions = conditionsOf(request).map((condition) => (condition.type === type ? (before.shift() as Condition) : condition));
    request.status = { ...request.status, conditions };
  }
}

/** Times that a writer leaves out are now; a status that stays keeps the time of its transition. Changes `request`. */
export function fillTimes(request: CertificateSigningRequest, old: CertificateSigningRequest, now: string): void {
  if (conditionsOf(request).length === 0) return;
  const conditions = conditionsOf(request).map((condition) => ({
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? transitionTime(condition, old) ?? now,
  }));
  request.status = { ...request.status, conditions };
}

function transitionTime({ type, status }: Condition, old: CertificateSigningRequest): string | undefined {
  const same = conditionsOf(old).find((before) => before.type === type && before.status === status && before.lastTransitionTime);
  return same?.lastTransitionTime ?? undefined;
}
