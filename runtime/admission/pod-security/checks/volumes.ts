/** Where the files come from that containers see. */
import type { Volume } from '../../../../generated/core/v1/types.ts';
import { type Check, named, pluralOf, quotedSet } from '../check.ts';

export const hostPathVolumes: Check = {
  id: 'hostPathVolumes',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: ({ spec }) => {
        const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
        return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', names) };
      },
    },
  ],
};

const ALLOWED: readonly (keyof Volume)[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
/** Others have no name here. */
const RESTRICTED: readonly (keyof Volume)[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];
const typeAmong = (volume: Volume, types: readonly (keyof Volume)[]): string | undefined =>
  types.find((type) => volume[type] !== undefined);

export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  level: 'restricted',
  overrides: hostPathVolumes.id,
  versions: [
    {
      since: 0,
      check: ({ spec }) => {
        const wrong = (spec.volumes ?? []).filter((volume) => typeAmong(volume, ALLOWED) === undefined);
        if (wrong.length === 0) return undefined;
        const types = new Set(wrong.map((volume) => typeAmong(volume, RESTRICTED) ?? 'unknown'));
        const names = wrong.map(({ name }) => name);
        const verb = names.length === 1 ? 'uses' : 'use';
        const detail = `${named('volume', names)} ${verb} restricted ${pluralOf('volume type', types.size)} ${quotedSet(types)}`;
        return { reason: 'restricted volume types', detail };
      },
    },
  ],
};
