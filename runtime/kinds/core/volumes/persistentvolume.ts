import { posix } from 'node:path';
import type {
  NodeSelectorRequirement,
  PersistentVolume,
  PersistentVolumeSource,
  PersistentVolumeSpec,
  PersistentVolumeStatus,
  VolumeNodeAffinity,
} from '../../../../generated/core/v1/types.ts';
import { map, quantity } from '../../../contract/descriptor.ts';
import { type FieldError, forbidden } from '../../../contract/field-error.ts';
import type { Identity } from '../../../contract/identity.ts';
import type { KindRules, RuleContext } from '../../../contract/kind-rules.ts';
import { RESOURCE_LIST } from '../../../go-diff/go-quantity.ts';
import { goSyntax } from '../../../go-diff/go-syntax.ts';
import { unsupportedShown } from '../../../go-text/values.ts';
import { asWritten } from '../../../schema/as-written.ts';
import { deepEqual } from '../../../schema/equal.ts';
import { timeAt } from '../../../schema/scalar/time.ts';
import { NONE } from '../../../validation/joined.ts';
import { atPath, eachEntry } from '../../findings.ts';
import { resourceAmount, validatePositive } from '../resource-amounts/quantities.ts';
import { deprecatedTermWarnings, renamedLabel } from '../scheduling/node-labels.ts';
import { sourceWarnings } from './pod-volume-warnings.ts';

/** All members that may be the source. */
const SOURCE_MEMBERS: readonly (keyof PersistentVolumeSource)[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

type OfSpec = (value: unknown, old: unknown, context: unknown, scope: unknown, spec: PersistentVolumeSpec) => boolean;

/** A disk of a node is of use where it is known which node that is. */
export const hasNodes: OfSpec = (_local, _old, _context, _scope, { nodeAffinity }) => nodeAffinity !== undefined;

/** Volumes that are emptied for the next claim are none that hold everything. */
export const isFitForPath: OfSpec = (policy, _old, _context, _scope, { hostPath }) =>
  policy !== 'Recycle' || hostPath === undefined || !isRoot(hostPath.path);

/** A path that means the root, whatever its spelling. */
const isRoot = (path: string): boolean => posix.normalize(path) === '/';

/** Storage is all that a volume has room for. */
export function capacity({ capacity: given }: PersistentVolumeSpec, _old: unknown, context: RuleContext): readonly FieldError[] {
  const names = Object.keys(given ?? {});
  return [
    ...(names.length === 1 && names[0] === 'storage' ? [] : [unsupportedCapacity(given, '.capacity', context)]),
    ...eachEntry(given, '.capacity', (_name, amount, at) => [...atPath(resourceAmount(amount), at), ...validatePositive(amount, at)]),
  ];
}

type Capacity = Readonly<Record<string, string>>;

const RESOURCES = map(quantity);

/** 1.32 shows the whole list, as it was sent. */
function unsupportedCapacity(capacity: Capacity | undefined, path: string, { sent }: RuleContext): FieldError {
  const written: unknown = (sent?.() as { readonly spec?: PersistentVolumeSpec } | undefined)?.spec?.capacity;
  return unsupportedShown(path, goSyntax(RESOURCE_LIST, asWritten(RESOURCES, capacity, written)), ['storage']);
}

export function sameSource({ spec }: PersistentVolume, old: PersistentVolume | undefined, context: RuleContext): readonly FieldError[] {
  const [now, before] = [spec ?? {}, old?.spec ?? {}];
  const compared = comparable(now, before);
  if (SOURCE_MEMBERS.every((member) => deepEqual(compared[member], before[member]))) return NONE;
  const shown = (each: PersistentVolumeSpec): PersistentVolumeSpec => comparable(each, before);
  const difference = context.changeText?.('spec.persistentVolumeSource', before, shown) ?? '';
  return [forbidden('.spec.persistentvolumesource', `spec.persistentvolumesource is immutable after creation\n${difference}`)];
}

/** The secret for growing a volume may be added to one that has none. */
function comparable(spec: PersistentVolumeSpec, { csi: old }: PersistentVolumeSpec): PersistentVolumeSpec {
  const { csi } = spec;
  if (csi?.controllerExpandSecretRef === undefined || old === undefined || old.controllerExpandSecretRef !== undefined) return spec;
  return { ...spec, csi: { ...csi, controllerExpandSecretRef: undefined } };
}

type Requirements = readonly NodeSelectorRequirement[];

/** Where a volume can be reached stays; labels of nodes may go by their new names. */
export function isSameAffinity(
  affinity: VolumeNodeAffinity | null,
  old: VolumeNodeAffinity | null | undefined,
  context: RuleContext,
): boolean {
  if (!old) return true;
  const terms = affinity?.required?.nodeSelectorTerms ?? [];
  const oldTerms = old.required?.nodeSelectorTerms ?? [];
  const sameRequirement = (now: NodeSelectorRequirement, before: NodeSelectorRequirement | undefined): boolean =>
    deepEqual(now, before) || deepEqual(now, { ...before, key: renamedLabel(before?.key ?? '', context) });
  const sameList = (now: Requirements = [], before: Requirements = []): boolean =>
    now.length === before.length && now.every((requirement, index) => sameRequirement(requirement, before[index]));
  return (
    affinity !== null &&
    terms.length === oldTerms.length &&
    terms.every((term, i) => (['matchExpressions', 'matchFields'] as const).every((list) => sameList(term[list], oldTerms[i]?.[list])))
  );
}

export function rules(identity: Identity): KindRules<PersistentVolume> {
  const classAnnotation = identity.text('volume.beta.${labelDomain}/storage-class');
  const mountAnnotation = identity.text('volume.beta.${labelDomain}/mount-options');
  return {
    prepareForCreate(object, context) {
      object.status = { phase: 'Pending', lastPhaseTransitionTime: timeAt(context.now()) };
    },
    /** The time of a change of phase is the server's, unless the writer gives one. */
    prepareForStatusUpdate(object, old, context) {
      const { phase, lastPhaseTransitionTime: time } = object.status ?? {};
      const before: PersistentVolumeStatus = old.status ?? {};
      if (phase !== before.phase && time === before.lastPhaseTransitionTime)
        object.status = { ...object.status, lastPhaseTransitionTime: timeAt(context.now()) };
      else if (time === undefined && before.lastPhaseTransitionTime !== undefined)
        object.status = { ...object.status, lastPhaseTransitionTime: before.lastPhaseTransitionTime };
    },
    validate: (object) => validateMountAnnotation(object, mountAnnotation),
    warnings: (object, _old, context) => volumeWarnings(object, classAnnotation, mountAnnotation, context),
  };
}

/** Volumes that are mounted with options when an annotation says so, as 1.32 has them. */
const MOUNTED_WITH_OPTIONS: readonly (keyof PersistentVolumeSource)[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

function validateMountAnnotation({ metadata, spec }: PersistentVolume, key: string): readonly FieldError[] {
  if (metadata.annotations?.[key] === undefined || MOUNTED_WITH_OPTIONS.some((source) => spec?.[source] !== undefined)) return [];
  return [forbidden(`metadata.annotations.${key}`, 'may not specify mount options for this volume type')];
}

function volumeWarnings({ metadata, spec }: PersistentVolume, classKey: string, mountKey: string, context: RuleContext): string[] {
  const given = spec ?? {};
  const replaced = (key: string, text: string): string[] =>
    metadata.annotations?.[key] === undefined ? [] : [`metadata.annotations[${key}]: ${text}`];
  const dynamic = 'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...replaced(classKey, 'deprecated since v1.8; use "storageClassName" attribute instead'),
    ...replaced(mountKey, 'deprecated since v1.31; use "mountOptions" attribute instead'),
    ...(given.persistentVolumeReclaimPolicy === 'Recycle' ? [`spec.persistentVolumeReclaimPolicy: ${dynamic}`] : []),
    ...(given.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      deprecatedTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, context),
    ),
    ...sourceWarnings(given, 'spec'),
  ];
}
