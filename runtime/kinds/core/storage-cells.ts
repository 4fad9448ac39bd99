/** What the rows of volumes and of claims on them have in common. */
import type { ApiObject } from '../../contract/object.ts';

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export const UNSET = '<unset>';

/** Each mode once, in a fixed order. */
export function modesCell(modes: readonly string[] | null | undefined): string {
  return Object.keys(SHORT_MODES)
    .filter((mode) => modes?.includes(mode))
    .map((mode) => SHORT_MODES[mode])
    .join(',');
}

export function phaseCell({ metadata, status }: ApiObject): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating';
}

/** The class stood in an annotation before there was a field. */
export function storageClassOf({ metadata, spec }: ApiObject, annotation: string): string {
  return metadata.annotations?.[annotation] ?? spec?.storageClassName ?? '';
}
