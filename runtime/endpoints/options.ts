/** The query parameters of each verb, checked as 1.32 checks them (specification: Query parameters). */
import { type FieldError, forbidden, invalid, notSupported, required } from '../contract/field-error.ts';
import type { Identity } from '../contract/identity.ts';
import { goQuote } from '../kinds/go-quote.ts';
import { validateFieldManager } from '../kinds/metadata/managed-fields.ts';
import type { DeleteOptions } from '../registry/deletion.ts';
import { int64Of, integerOf, type RawNumber } from '../schema/raw-number.ts';
import { newBadRequest, newInvalid } from '../status/status.ts';
import type { FieldValidation } from './body.ts';
import { isTrue, type Query } from './request-info.ts';

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** undefined: none asked for */
  readonly sendInitialEvents: boolean | undefined;
  /** seconds; 0 for none, a negative number is over at once */
  readonly timeoutSeconds: number;
  /** items per page; 0 for all */
  readonly limit: number;
  readonly continue: string;
}

/** @throws StatusError BadRequest, Invalid */
export function listOptions(query: Query, watch: boolean, identity: Identity): ListOptions {
  const sendInitialEvents = query.has('sendInitialEvents') ? isTrue(query, 'sendInitialEvents') : undefined;
  const options: ListOptions = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    watch,
    allowWatchBookmarks: isTrue(query, 'allowWatchBookmarks'),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    sendInitialEvents,
    timeoutSeconds: Number(integer(query, 'timeoutSeconds') ?? 0),
    limit: Math.max(0, Number(integer(query, 'limit') ?? 0)),
    continue: query.get('continue') ?? '',
  };
  const errors = watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw newInvalid({ group: identity.text('meta.${groupDomain}'), kind: 'ListOptions' }, '', errors);
  return options;
}

const MATCH = 'resourceVersionMatch';

function listErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (match !== '') {
    if (options.resourceVersion === '')
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (options.continue !== '') errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && options.resourceVersion === '0')
      errors.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (options.sendInitialEvents !== undefined) errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan')
    errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (options.sendInitialEvents === undefined && match !== '')
    errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  if (match !== '') {
    if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
    if (options.continue !== '') errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
}

/** @throws StatusError BadRequest for text that is no integer of 64 bits, empty text included */
function integer(query: Query, name: string): bigint | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const problem = (what: string) => newBadRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${what}`);
  if (!/^[-+]?\d+$/.test(text)) throw problem('invalid syntax');
  const value = int64Of(text.replace(/^(\+|-?)0*(?=\d)/, (_start, sign) => (sign === '-' ? '-' : '')));
  if (value === undefined) throw problem('value out of range');
  return value;
}

export type WriteVerb = 'create' | 'update' | 'patch' | 'apply' | 'delete';

const OPTION_KINDS: Readonly<Record<WriteVerb, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  apply: 'PatchOptions',
  delete: 'DeleteOptions',
};

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
  readonly force: boolean | undefined;
}

/** @throws StatusError Invalid */
export function writeOptions(query: Query, verb: WriteVerb, identity: Identity): WriteOptions {
  const errors: FieldError[] = [];
  const fieldManager = query.get('fieldManager') ?? '';
  if (verb === 'apply' && fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (verb === 'patch' && query.has('force')) errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  errors.push(...validateFieldManager(fieldManager, 'fieldManager'));
  const dryRun = dryRunOf(query.all('dryRun'), identity, errors);
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(validation))
    errors.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0) throw newInvalid({ group: identity.text('meta.${groupDomain}'), kind: OPTION_KINDS[verb] }, '', errors);
  return {
    dryRun,
    fieldManager,
    fieldValidation: (validation === '' ? 'Warn' : validation) as FieldValidation,
    force: query.has('force') ? isTrue(query, 'force') : undefined,
  };
}

function dryRunOf(values: readonly string[], identity: Identity, errors: FieldError[]): boolean {
  const isKnown = (value: string): boolean => value === 'All' || (value === '' && identity.emptyDryRun);
  if (!values.every(isKnown)) errors.push(notSupported('dryRun', values, ['All']));
  return values.length > 0;
}

/** The members of a DeleteOptions body, decoded by its schema. */
export interface DeleteOptionsBody {
  readonly gracePeriodSeconds?: number | RawNumber;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly dryRun?: readonly string[];
}

/** Options of a delete: its body alone where it has one, else the query. @throws StatusError BadRequest, Invalid */
export function deleteOptions(
  query: Query,
  body: DeleteOptionsBody | undefined,
  identity: Identity,
): DeleteOptions & { readonly dryRun: boolean } {
  const given = body ?? deleteOptionsOfQuery(query);
  const { propagationPolicy: policy, orphanDependents, dryRun: dryRunValues } = given;
  const errors: FieldError[] = [];
  if (policy !== undefined && orphanDependents !== undefined)
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'));
  if (policy !== undefined && !POLICIES.includes(policy)) errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  const dryRun = dryRunOf(dryRunValues ?? [], identity, errors);
  if (errors.length > 0) throw newInvalid({ group: identity.text('meta.${groupDomain}'), kind: 'DeleteOptions' }, '', errors);
  return {
    dryRun,
    gracePeriodSeconds: given.gracePeriodSeconds,
    preconditions: given.preconditions,
    propagationPolicy: policy as DeleteOptions['propagationPolicy'],
    orphanDependents,
  };
}

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

function deleteOptionsOfQuery(query: Query): DeleteOptionsBody {
  const uid = query.get('uid') || undefined;
  const resourceVersion = query.get('resourceVersion') || undefined;
  const grace = integer(query, 'gracePeriodSeconds');
  return {
    gracePeriodSeconds: grace === undefined ? undefined : integerOf(grace),
    propagationPolicy: query.get('propagationPolicy'),
    orphanDependents: query.has('orphanDependents') ? isTrue(query, 'orphanDependents') : undefined,
    preconditions: uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
    dryRun: query.all('dryRun'),
  };
}
