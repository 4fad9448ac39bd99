import type { PersistentVolumeClaim as Claim, PersistentVolumeClaimSpec } from '../../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid, Notation, notSupported } from '../../../contract/field-error.ts';
import type { Identity } from '../../../contract/identity.ts';
import type { KindRules, RuleContext } from '../../../contract/kind-rules.ts';
import { qualifiedName } from '../../../formats/labels.ts';
import { deepEqual } from '../../../schema/equal.ts';
import { foundInEach, NONE } from '../../../validation/joined.ts';
import { atPath, eachEntry, invalidAs } from '../../findings.ts';
import { compare, resourceAmount } from '../resource-amounts/quantities.ts';
import { isNative } from '../resource-amounts/resource-names.ts';
import { storageWarnings } from './pod-volume-warnings.ts';

const CLASS_ANNOTATION = 'volume.beta.${labelDomain}/storage-class';
const classOf = ({ metadata }: Claim, { text }: RuleContext): string | undefined => metadata.annotations?.[text(CLASS_ANNOTATION)];

/** What a claim is to be filled with can be named in two ways; older readers know the first only. @param spec changed */
function alignDataSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource };
  // A volume of another namespace, and what is neither a claim nor a snapshot, has no older name.
  else if (dataSourceRef !== undefined && dataSource === undefined && !dataSourceRef.namespace) {
    const { namespace: _none, ...local } = dataSourceRef;
    spec.dataSource = local;
  }
}

const SNAPSHOT_GROUP = 'snapshot.storage.${groupDomain}';

/** `dataSource` is only for claims and snapshots: where there was no source, others in it are dropped, as they always were. @param spec changed */
function dropUnknownSource(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec | undefined, context: RuleContext): void {
  const { dataSource } = spec;
  if (dataSource === undefined || old?.dataSource !== undefined || old?.dataSourceRef !== undefined) return;
  const group: string = dataSource.apiGroup ?? '';
  const isClaim = dataSource.kind === 'PersistentVolumeClaim' && group === '';
  const isSnapshot = dataSource.kind === 'VolumeSnapshot' && group === context.text(SNAPSHOT_GROUP);
  if (!isClaim && !isSnapshot && spec.dataSourceRef === undefined) delete spec.dataSource;
}

/** Another namespace's source is no source at all where the gate is off and the claim had none so named. @param spec changed */
function dropForeignSource(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec | undefined, context: RuleContext): void {
  if (!spec.dataSourceRef?.namespace || old?.dataSourceRef !== undefined) return;
  if (!context.featureEnabled('CrossNamespaceVolumeDataSource')) delete spec.dataSourceRef;
}

/** @param spec changed. @param old of the stored claim; undefined for a new one */
function prepareSources(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec | undefined, context: RuleContext): void {
  const takesAny = context.featureEnabled('AnyVolumeDataSource');
  if (!takesAny && old?.dataSourceRef === undefined) delete spec.dataSourceRef;
  dropForeignSource(spec, old, context);
  dropUnknownSource(spec, old, context);
  if (takesAny) alignDataSources(spec);
}

export function rules(identity: Identity): KindRules<Claim> {
  const classAnnotation = identity.text(CLASS_ANNOTATION);
  return {
    // Releases before 1.22 knew only one of the two names.
    completeStored({ spec }, { featureEnabled }) {
      if (spec && featureEnabled('AnyVolumeDataSource')) alignDataSources(spec);
    },
    prepareForCreate(object, context) {
      object.status = { phase: 'Pending' };
      object.spec ??= {};
      prepareSources(object.spec, undefined, context);
    },
    prepareForUpdate(object, old, context) {
      if (object.spec) prepareSources(object.spec, old.spec, context);
    },
    warnings: ({ metadata, spec }) => [
      ...(metadata.annotations?.[classAnnotation] === undefined
        ? []
        : [`metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
      ...storageWarnings(spec, 'spec'),
    ],
  };
}

/** The class in the annotation stays, unless it moves into the field. */
export function sameClass(claim: Claim, old: Claim | undefined, context: RuleContext): readonly FieldError[] {
  const now = classOf(claim, context) ?? '';
  if (old === undefined || now === (classOf(old, context) ?? '') || movesClass(claim, old, context)) return NONE;
  return [invalid(`.metadata.annotations.${context.text(CLASS_ANNOTATION)}`, now, 'field is immutable')];
}

function movesClass(claim: Claim, old: Claim, context: RuleContext): boolean {
  const [now, before] = [classOf(claim, context), classOf(old, context)];
  const isNamed = before !== undefined && old.spec?.storageClassName === undefined && claim.spec?.storageClassName === before;
  return isNamed && (now === undefined || now === before);
}

const FIXED = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

export function sameSpec(claim: Claim, old: Claim | undefined, context: RuleContext): readonly FieldError[] {
  const before = old?.spec ?? {};
  const then = before.volumeName ? before : { ...before, volumeName: claim.spec?.volumeName };
  const comparable = (spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec =>
    old === undefined ? spec : comparableSpec({ ...claim, spec }, old, context);
  if (deepEqual(comparable(claim.spec ?? {}), then)) return NONE;
  return [forbidden('.spec', `${FIXED}\n${context.changeText?.('spec', then, comparable) ?? ''}`)];
}

/** The spec, with what may change as it was: the class where there was none, of a bound claim its size and the class of attributes. */
function comparableSpec(claim: Claim, old: Claim, context: RuleContext): PersistentVolumeClaimSpec {
  const now: PersistentVolumeClaimSpec = { ...claim.spec };
  const annotated = classOf(old, context);
  const mayNameClass = annotated === undefined || annotated === now.storageClassName || movesClass(claim, old, context);
  const { resources, storageClassName, volumeAttributesClassName } = old.spec ?? {};
  if (storageClassName === undefined && mayNameClass) delete now.storageClassName;
  if (claim.status?.phase !== 'Bound') return now;
  if (now.resources?.requests !== undefined)
    now.resources = { ...now.resources, requests: { ...now.resources.requests, storage: resources?.requests?.storage as string } };
  if (now.volumeAttributesClassName !== undefined) now.volumeAttributesClassName = volumeAttributesClassName as string;
  return now;
}

/**
 * A claim whose volume did not grow as it should may ask for less again, but not for less than it has: where the gate is on, or its status says what it is to
 * get. What is absent is zero.
 */
export function sizes({ spec }: Claim, old: Claim | undefined, { featureEnabled }: RuleContext): readonly FieldError[] {
  const size = spec?.resources?.requests?.storage ?? '0';
  if (compare(size, old?.spec?.resources?.requests?.storage ?? '0') >= 0) return NONE;
  const { allocatedResources, allocatedResourceStatuses, capacity } = old?.status ?? {};
  const recovers = featureEnabled('RecoverVolumeExpansionFailure') || (allocatedResources ?? allocatedResourceStatuses) !== undefined;
  if (recovers && compare(size, capacity?.storage ?? '0') > 0) return NONE;
  return [forbidden('.spec.resources.requests.storage', `field can not be less than ${recovers ? 'status.capacity' : 'previous value'}`)];
}

const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

/** All stands at the path of the list, and 1.32 shows the resource instead of the state. */
export function resizeStates(states: Readonly<Record<string, string>>, _old: unknown, context: RuleContext): readonly FieldError[] {
  return foundInEach(Object.keys(states), (name) => [
    ...resourceErrors(name, context),
    ...(RESIZE_STATES.includes(states[name] as string) ? NONE : [notSupported('', new Notation(name), RESIZE_STATES)]),
  ]);
}

/** An amount is looked at where its resource is one that claims have. */
export function allocatedAmounts(list: Readonly<Record<string, string>>, _old: unknown, context: RuleContext): readonly FieldError[] {
  return eachEntry(list, '', (name, amount, at) => {
    const errors = resourceErrors(name, context);
    return errors.length > 0 ? errors : atPath(resourceAmount(amount), at);
  });
}

function resourceErrors(name: string, context: RuleContext): readonly FieldError[] {
  const messages = qualifiedName(name);
  if (messages.length > 0) return invalidAs(messages, '', name);
  return isNative(name, context) && name !== 'storage' ? [notSupported('', name, ['storage'])] : NONE;
}
