import type { PersistentVolumeClaimSpec, PersistentVolumeSource, Volume, VolumeSource } from '../../../../generated/core/v1/types.ts';
import { isWhole } from '../resource-amounts/quantities.ts';
import { volumePathWarnings } from './volume-path-warnings.ts';

/** Kinds of volumes that are going, what is said of them, and as what. */
const GOING: readonly (readonly [source: keyof (VolumeSource & PersistentVolumeSource), text: string, name?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** @param holder a volume, or the spec of a persistent one */
export function sourceWarnings(
  holder: { readonly [Source in keyof (VolumeSource & PersistentVolumeSource)]?: unknown },
  path: string,
): string[] {
  return GOING.filter(([source]) => holder[source] !== undefined).map(([source, text, name]) => `${path}.${name ?? source}: ${text}`);
}

export function volumeWarnings(volumes: readonly Volume[] | undefined, path: string): string[] {
  const list = volumes ?? [];
  if (list.length === 0) return [];
  return [
    ...list.flatMap((volume, index) => [
      ...sourceWarnings(volume, `${path}[${index}]`),
      ...storageWarnings(volume.ephemeral?.volumeClaimTemplate?.spec, `${path}[${index}].ephemeral.volumeClaimTemplate.spec`),
    ]),
    ...list.flatMap(volumePathWarnings),
  ];
}

/** @param spec of a claim; absent: nothing is said */
export function storageWarnings(spec: PersistentVolumeClaimSpec | undefined, path: string): string[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const storage: string | undefined = spec?.resources?.[list]?.storage;
    if (storage === undefined || isWhole(storage)) return [];
    return [`${path}.resources.${list}[storage]: fractional byte value ${JSON.stringify(storage)} is invalid, must be an integer`];
  });
}
