/** The query parameters of each verb, checked as 1.32 checks them (specification: Query parameters). */
import { type FieldError, forbidden, invalid, notSupported, required } from '../contract/field-error.ts';
import type { Identity } from '../contract/identity.ts';
import { integerProblem } from '../formats/integers.ts';
import { goStrings, unsupportedShown } from '../go-text/values.ts';
import { validateFieldManager } from '../kinds/metadata/managed-fields.ts';
import type { DeleteOptions } from '../registry/resource-store/deletion.ts';
import { integerOf, parseInt64, type RawNumber } from '../schema/scalar/raw-number.ts';
import { type FieldRequirement, parseFieldSelector } from '../selectors/field-selector-text.ts';
import { type LabelSelector, parseLabelSelector } from '../selectors/label-selector-text.ts';
import { SelectorError } from '../selectors/selector-error.ts';
import { newBadRequest, newInvalid, type StatusError } from '../status/status.ts';
import type { FieldValidation } from './bodies/body.ts';
import { isTrue, type Query } from './request/request-info.ts';
import type { ResourceServer } from './resource-server.ts';

export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: readonly FieldRequirement[];
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** undefined if the query does not have it, so that the resource version decides */
  readonly sendInitialEvents: boolean | undefined;
  /** the seconds of a watch; 0 if they are not limited, and a negative number if it ends at once */
  readonly timeoutSeconds: number;
  /** the most items of a page; 0 for all */
  readonly limit: number;
  readonly continue: string;
}

/**
 * Of lists, watches and deletions of collections. The query alone says whether it is checked as a watch's (as in 1.32): on the paths below
 * /watch/ it rarely is.
 * @throws StatusError BadRequest for what cannot be read, then Invalid for what does not go together
 */
export function listOptions(query: Query, { identity, featureEnabled }: Pick<ResourceServer, 'identity' | 'featureEnabled'>): ListOptions {
  const streamsLists = featureEnabled('WatchList');
  const given: ListOptions = {
    watch: isTrue(query, 'watch'),
    allowWatchBookmarks: isTrue(query, 'allowWatchBookmarks'),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: Number(integer(query, 'timeoutSeconds') ?? 0),
    limit: Math.max(0, Number(integer(query, 'limit') ?? 0)),
    continue: query.get('continue') ?? '',
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query, 'sendInitialEvents') : undefined,
    labels: selector(query, 'labelSelector', parseLabelSelector),
    fields: selector(query, 'fieldSelector', parseFieldSelector),
  };
  const options =
    streamsLists && startsWithState(given) ? { ...given, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : given;
  const errors = given.watch ? watchErrors(options, streamsLists) : listErrors(options);
  if (errors.length > 0) throw newInvalid({ group: identity.text('meta.${groupDomain}'), kind: 'ListOptions' }, '', errors);
  return options;
}

/** A watch that starts at no version of its own is a streaming list, though it does not say so (as in 1.32). */
function startsWithState({ watch, resourceVersion, resourceVersionMatch, sendInitialEvents }: ListOptions): boolean {
  const anywhere = resourceVersion === '' || resourceVersion === '0';
  return watch && anywhere && sendInitialEvents === undefined && resourceVersionMatch === '';
}

/** Whether the end of the state is marked: what 1.32 calls a watch list. */
export function isStreamingList({ sendInitialEvents, allowWatchBookmarks }: ListOptions): boolean {
  return sendInitialEvents === true && allowWatchBookmarks;
}

/** @throws StatusError BadRequest for what is no selector */
function selector<S>(query: Query, name: string, parse: (text: string) => S): S {
  try {
    return parse(query.get(name) ?? '');
  } catch (error) {
    if (error instanceof SelectorError) throw newBadRequest(error.message);
    throw error;
  }
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

function watchErrors(options: ListOptions, streamsLists: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan')
    errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (options.sendInitialEvents !== undefined && !streamsLists)
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'));
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
  const problem = integerProblem(text);
  if (problem !== undefined) throw newBadRequest(problem);
  return parseInt64(text);
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
  if (!values.every(isKnown)) errors.push(unsupportedShown('dryRun', goStrings(values), ['All']));
  return values.length > 0;
}

/** The members of a body of the kind DeleteOptions, decoded by its schema. */
export interface DeleteOptionsBody {
  readonly gracePeriodSeconds?: number | RawNumber;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly dryRun?: readonly string[];
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

export type GivenDeleteOptions = DeleteOptions & { readonly dryRun: boolean; readonly [IGNORES_READ_ERRORS]?: true | undefined };

/** That an object goes though it cannot be read. */
export const IGNORES_READ_ERRORS = 'ignoreStoreReadErrorWithClusterBreakingPotential';
const READ_ERRORS_GATE = 'AllowUnsafeMalformedObjectDeletion';

/** Options of a delete: its body alone where it has one, else the query. @throws StatusError BadRequest, Invalid */
export function deleteOptions(
  query: Query,
  body: DeleteOptionsBody | undefined,
  { identity, featureEnabled }: Pick<ResourceServer, 'identity' | 'featureEnabled'>,
): GivenDeleteOptions {
  const given = body ?? deleteOptionsOfQuery(query);
  const ignoresReadErrors = given[IGNORES_READ_ERRORS] === true && featureEnabled(READ_ERRORS_GATE);
  const { propagationPolicy: policy, orphanDependents, dryRun: dryRunValues } = given;
  const errors: FieldError[] = [];
  if (policy !== undefined && orphanDependents !== undefined)
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'));
  if (policy !== undefined && !POLICIES.includes(policy)) errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  const dryRun = dryRunOf(dryRunValues ?? [], identity, errors);
  if (ignoresReadErrors) errors.push(...notBesides(given));
  if (errors.length > 0) throw newInvalidDeleteOptions(identity, errors);
  return {
    dryRun,
    ...(ignoresReadErrors && { [IGNORES_READ_ERRORS]: true }),
    gracePeriodSeconds: given.gracePeriodSeconds,
    preconditions: given.preconditions,
    propagationPolicy: policy as DeleteOptions['propagationPolicy'],
    orphanDependents,
  };
}

/** What says how an object goes that can be read means nothing for one that cannot. */
function notBesides(given: DeleteOptionsBody): FieldError[] {
  const isGiven = (name: (typeof READABLE_ONLY)[number]): boolean =>
    name === 'dryRun' ? (given.dryRun ?? []).length > 0 : given[name] !== undefined;
  return READABLE_ONLY.filter(isGiven).map((name) => invalid(IGNORES_READ_ERRORS, true, `cannot be set together with .${name}`));
}

export function newInvalidDeleteOptions(identity: Identity, errors: readonly FieldError[]): StatusError {
  return newInvalid({ group: identity.text('meta.${groupDomain}'), kind: 'DeleteOptions' }, '', errors);
}

const READABLE_ONLY = ['dryRun', 'propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const;
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
    [IGNORES_READ_ERRORS]: isTrue(query, IGNORES_READ_ERRORS),
  };
}
