/** AdmissionReviews: questions to a webhook, and what it answers. All errors are in the words of 1.32. */
import { randomUUID } from 'node:crypto';
import type { AdmissionRequest } from '../../../generated/admission/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import { goQuote } from '../../go-text/quote.ts';
import {
  type MemberPlace,
  parsedReview,
  type Review,
  ReviewError,
  requireReview,
  requireUid,
  reviewMember,
  reviewVersion,
} from '../../outbound/webhook-review.ts';
import type { JsonObject } from '../../schema/json/member.ts';
import type { AdmissionAttributes, OperationOptions } from '../request/attributes.ts';
import { type RefusedStatus, refusedStatus } from './refused-status.ts';
import type { Matched } from './rules.ts';
import type { Versioned } from './versioned-objects.ts';

const KIND = 'AdmissionReview';

/** What a review says of a request besides the objects themselves. */
export type RequestFacts = Omit<AdmissionRequest, 'uid' | 'object' | 'oldObject'>;

export function requestFacts(attributes: AdmissionAttributes, { resource, kind }: Matched, identity: Pick<Identity, 'text'>): RequestFacts {
  const { subresource, name, namespace, operation, user } = attributes;
  const sub = (member: string): object => (subresource === '' ? {} : { [member]: subresource });
  return {
    kind: namesOfKind(kind),
    resource: namesOfResource(resource),
    ...sub('subResource'),
    requestKind: namesOfKind(attributes.kind),
    requestResource: namesOfResource(attributes.resource),
    ...sub('requestSubResource'),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation: operation.toUpperCase() as RequestFacts['operation'],
    userInfo: {
      ...(user.name !== '' && { username: user.name }),
      ...(user.uid !== '' && { uid: user.uid }),
      ...(user.groups.length > 0 && { groups: [...user.groups] }),
      ...(Object.keys(user.extra).length > 0 && { extra: user.extra as { [key: string]: string[] } }),
    },
    dryRun: attributes.options.dryRun,
    options: optionsOf(attributes, identity) as NonNullable<RequestFacts['options']>,
  };
}

const namesOfKind = ({ group, version, kind }: Matched['kind']) => ({ group, version, kind });
const namesOfResource = ({ groupVersion: { group, version }, data }: Matched['resource']) => ({ group, version, resource: data.name });

const OPTIONS = { create: 'CreateOptions', update: 'UpdateOptions', delete: 'DeleteOptions' };

/** Makes the options in a review. A patch has those of an update, a connection has none. */
function optionsOf({ operation, options }: AdmissionAttributes, { text }: Pick<Identity, 'text'>): object | null {
  if (operation === 'connect') return null;
  const named = { kind: OPTIONS[operation], apiVersion: text('meta.${groupDomain}/v1') };
  const dryRun = options.dryRun ? { dryRun: ['All'] } : {};
  return operation === 'delete' ? { ...named, ...deletionMembers(options), ...dryRun } : { ...named, ...dryRun, ...writeMembers(options) };
}

function deletionMembers({ gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy }: OperationOptions): object {
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions !== undefined && { preconditions }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
  };
}

function writeMembers({ fieldManager, fieldValidation }: OperationOptions): object {
  return { ...(fieldManager && { fieldManager }), ...(fieldValidation && { fieldValidation }) };
}

/** @param understood versions, as the webhook names them. @throws ReviewError where there is none that this server speaks */
export function reviewOf(understood: readonly string[], { text }: Pick<Identity, 'text'>): Review {
  const version = reviewVersion(understood);
  if (version === undefined) throw new ReviewError('webhook does not accept known AdmissionReview versions (v1, v1beta1)');
  return { kind: KIND, group: text('admission.${groupDomain}'), version, uid: randomUUID() };
}

/** @returns JSON */
export function reviewText({ group, version, uid }: Review, facts: RequestFacts, { objectText, oldText }: Versioned): string {
  const { dryRun, options, ...first } = facts;
  const request = `{"uid":"${uid}",${JSON.stringify(first).slice(1, -1)},"object":${objectText},"oldObject":${oldText},"dryRun":${dryRun},"options":${JSON.stringify(options)}}`;
  return `{"kind":"${KIND}","apiVersion":"${group}/${version}","request":${request}}`;
}

/** What a webhook has answered. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  /** why it is refused, as the webhook says it */
  readonly status: RefusedStatus | undefined;
  /** JSON; empty where there is none */
  readonly patch: Buffer;
  /** '' where there is none */
  readonly patchType: string;
  readonly auditAnnotations: JsonObject;
  readonly warnings: readonly unknown[];
}

const place = (member: string, type: string): MemberPlace => ({ path: `${KIND}.response${member === '' ? '' : `.${member}`}`, type });

/** An answer of a webhook is no answer to the question, so the webhook counts as one that could not be asked. */
export class AnswerError extends Error {}

/**
 * @param mutates whether the webhook may change the object
 * @throws ReviewError for what cannot be read; AnswerError for what is no answer to the question
 */
export function answerOf(bytes: Buffer, review: Review, mutates: boolean): ReviewAnswer {
  const answer = parsedReview(bytes, review);
  const { version } = review;
  const response = reviewMember(answer, 'response', 'object', place('', `${version}.AdmissionResponse`));
  const of = response ?? {};
  const uid = reviewMember(of, 'uid', 'string', place('uid', 'types.UID')) ?? '';
  const status = reviewMember(of, 'status', 'object', place('status', 'v1.Status'));
  const read = {
    allowed: reviewMember(of, 'allowed', 'bool', place('allowed', 'bool')) ?? false,
    status: status && refusedStatus(status),
    patch: bytesOf(reviewMember(of, 'patch', 'string', place('patch', '[]uint8')) ?? ''),
    auditAnnotations: texts(reviewMember(of, 'auditAnnotations', 'object', place('auditAnnotations', 'map[string]string')) ?? {}),
    warnings: reviewMember(of, 'warnings', 'array', place('warnings', '[]string')) ?? [],
  };
  for (const warning of read.warnings) reviewMember({ warning }, 'warning', 'string', place('warnings', 'string'));
  const patchType = reviewMember(of, 'patchType', 'string', place('patchType', `${version}.PatchType`));
  if (response === undefined) throw new AnswerError('webhook response was absent');
  if (version === 'v1') {
    try {
      requireUid(uid, review);
      requireReview(answer, review);
    } catch (error) {
      throw error instanceof ReviewError ? new AnswerError(error.message) : error;
    }
    checkPatch(read.patch, patchType, mutates);
    return { ...read, patchType: patchType ?? '' };
  }
  // what says less is believed in v1beta1, and validating webhooks may say more
  return { ...read, patch: mutates ? read.patch : Buffer.alloc(0), patchType: 'JSONPatch' };
}

function texts(members: JsonObject): JsonObject {
  for (const name of Object.keys(members)) reviewMember(members, name, 'string', place('auditAnnotations', 'string'));
  return members;
}

/** @throws AnswerError */
function checkPatch(patch: Buffer, patchType: string | undefined, mutates: boolean): void {
  if (!mutates) {
    if (patch.length > 0) throw new AnswerError('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new AnswerError('validating webhook may not return response.patchType');
    return;
  }
  if (patch.length > 0 && patchType === undefined) throw new AnswerError('webhook returned response.patch but not response.patchType');
  if (patch.length === 0 && patchType !== undefined) throw new AnswerError('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new AnswerError(`webhook returned invalid response.patchType of ${goQuote(patchType)}`);
}

/**
 * Searched for one character, not matched in groups of four: that would take more stack than there is for some megabytes.
 * @throws ReviewError for what is no base64
 */
function bytesOf(text: string): Buffer {
  const packed = text.replace(/[\r\n]/g, '');
  const found = packed.search(/[^A-Za-z0-9+/]/);
  const end = found === -1 ? packed.length : found;
  if (packed.length % 4 !== 0 || !['', '=', '=='].includes(packed.slice(end)))
    throw new ReviewError(`illegal base64 data at input byte ${end}`);
  return Buffer.from(packed, 'base64');
}
