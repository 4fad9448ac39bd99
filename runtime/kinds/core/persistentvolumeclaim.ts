import type { PersistentVolumeClaimSpec } from '../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules, RuleContext, UpdateContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { deepEqual } from '../../schema/equal.ts';
import { unchanged } from '../immutable.ts';
import { eachEntry, invalidAs } from './findings.ts';
import { storageWarnings } from './pod-volume-warnings.ts';
import { compare, validateBasicQuantity } from './quantities.ts';
import { isNative } from './resource-names.ts';

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

/** `dataSource` is only for claims and snapshots: others in it are dropped, as they always were. @param spec changed */
function dropUnknownSource(spec: PersistentVolumeClaimSpec, context: RuleContext): void {
  const { dataSource } = spec;
  if (dataSource === undefined) return;
  const group: string = dataSource.apiGroup ?? '';
  const isClaim = dataSource.kind === 'PersistentVolumeClaim' && group === '';
  const isSnapshot = dataSource.kind === 'VolumeSnapshot' && group === context.text(SNAPSHOT_GROUP);
  if (!isClaim && !isSnapshot && spec.dataSourceRef === undefined) delete spec.dataSource;
}

export function rules(identity: Identity): KindRules {
  const classAnnotation = identity.text('volume.beta.${labelDomain}/storage-class');
  return {
    prepareForCreate(object, context) {
      object.status = { phase: 'Pending' };
      object.spec ??= {};
      dropUnknownSource(object.spec, context);
      alignDataSources(object.spec);
    },
    prepareForUpdate(object) {
      if (object.spec) alignDataSources(object.spec);
    },
    validateUpdate: (object, old, context) => validateUpdate(object, old, classAnnotation, context),
    validateStatusUpdate,
    warnings: ({ metadata, spec }) => [
      ...(metadata.annotations?.[classAnnotation] === undefined
        ? []
        : [`metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
      ...storageWarnings(spec, 'spec'),
    ],
  };
}

const FIXED = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** Some paths lack their beginning there. */
function validateUpdate(object: ApiObject, old: ApiObject, classAnnotation: string, context: UpdateContext): readonly FieldError[] {
  const spec: PersistentVolumeClaimSpec = object.spec;
  const before: PersistentVolumeClaimSpec = old.spec;
  const then: PersistentVolumeClaimSpec = before.volumeName ? before : { ...before, volumeName: spec.volumeName };
  const comparable = (given: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec =>
    comparableSpec({ ...object, spec: given }, old, classAnnotation);
  return [
    ...validateClassAnnotation(object, old, classAnnotation),
    ...(deepEqual(comparable(spec), then) ? [] : [forbidden('spec', `${FIXED}\n${context.changeText('spec', then, comparable)}`)]),
    ...validateSize(spec.resources?.requests?.storage, before.resources?.requests?.storage, old.status?.capacity?.storage),
    ...unchanged(spec.volumeMode, before.volumeMode, 'volumeMode'),
    ...(spec.volumeAttributesClassName === before.volumeAttributesClassName
      ? []
      : [forbidden('spec.volumeAttributesClassName', 'update is forbidden when the VolumeAttributesClass feature gate is disabled')]),
  ];
}

/** The spec, with what may change as it was: the class where there was none, of a bound claim its size and the class of attributes. */
function comparableSpec({ metadata, spec, status }: ApiObject, old: ApiObject, classAnnotation: string): PersistentVolumeClaimSpec {
  const now: PersistentVolumeClaimSpec = { ...spec };
  const annotated: string | undefined = old.metadata.annotations?.[classAnnotation];
  const mayNameClass = annotated === undefined || annotated === now.storageClassName || movesClass(metadata, spec, old, classAnnotation);
  if (old.spec.storageClassName === undefined && mayNameClass) delete now.storageClassName;
  if (status?.phase !== 'Bound') return now;
  const { resources, volumeAttributesClassName } = old.spec;
  if (now.resources?.requests !== undefined)
    now.resources = { ...now.resources, requests: { ...now.resources.requests, storage: resources?.requests?.storage } };
  if (now.volumeAttributesClassName !== undefined) now.volumeAttributesClassName = volumeAttributesClassName;
  return now;
}

/** The class in the annotation stays, unless it moves into the field. */
function validateClassAnnotation({ metadata, spec }: ApiObject, old: ApiObject, key: string): readonly FieldError[] {
  const now: string = metadata.annotations?.[key] ?? '';
  if (now === (old.metadata.annotations?.[key] ?? '') || movesClass(metadata, spec, old, key)) return [];
  return [invalid(`metadata.annotations.${key}`, now, 'field is immutable')];
}

function movesClass({ annotations }: ApiObject['metadata'], spec: PersistentVolumeClaimSpec, old: ApiObject, key: string): boolean {
  const now: string | undefined = annotations?.[key];
  const before: string | undefined = old.metadata.annotations?.[key];
  const isNamed = before !== undefined && old.spec.storageClassName === undefined && spec.storageClassName === before;
  return isNamed && (now === undefined || now === before);
}

/** A claim whose volume did not grow as it should may ask for less again, but not for less than it has. What is absent is zero. */
function validateSize(size = '0', old = '0', capacity = '0'): readonly FieldError[] {
  if (compare(size, old) >= 0 || compare(size, capacity) > 0) return [];
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

function validateStatusUpdate({ spec, status }: ApiObject, _old: ApiObject, context: RuleContext): readonly FieldError[] {
  const states = 'status.allocatedResourceStatus';
  return [
    ...((spec?.accessModes ?? []).length > 0 ? [] : [required('Spec.accessModes')]),
    ...eachEntry(status?.capacity as Record<string, string> | undefined, 'status.capacity', (_name, quantity, at) =>
      validateBasicQuantity(quantity, at),
    ),
    ...Object.entries((status?.allocatedResourceStatuses ?? {}) as Record<string, string>).flatMap(([name, state]) => [
      ...validateResourceKey(name, states, context),
      ...(RESIZE_STATES.includes(state) ? [] : [notSupported(states, name, RESIZE_STATES)]),
    ]),
    ...eachEntry(status?.allocatedResources as Record<string, string> | undefined, 'status.allocatedResources', (name, quantity, at) => {
      const errors = validateResourceKey(name, 'status.allocatedResources', context);
      return errors.length > 0 ? errors : validateBasicQuantity(quantity, at);
    }),
  ];
}

function validateResourceKey(name: string, path: string, context: RuleContext): readonly FieldError[] {
  const messages = qualifiedName(name);
  if (messages.length > 0) return invalidAs(messages, path, name);
  return isNative(name, context) && name !== 'storage' ? [notSupported(path, name, ['storage'])] : [];
}
