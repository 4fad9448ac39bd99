/** Which kinds and versions a file may state. */

import type { FileGroupVersionData, FileKindData } from '../contract/file-kind.ts';
import type { Identity } from '../contract/identity.ts';
import { gvKey } from '../registry/kinds/kind-loader.ts';
import type { JsonObject } from '../schema/json/member.ts';
import type { FileDocument } from './file-document.ts';
import { FileError } from './file-error.ts';

/** The kind that a file is expected to have. */
export interface FileKindName {
  /** the group of its newest version, which may contain placeholders */
  readonly group: string;
  /** the name of the kind in the schemas */
  readonly kind: string;
  /** what the file need not say, because it cannot be anything else */
  readonly mayMiss?: readonly ('kind' | 'apiVersion')[];
}

export interface FileVersion {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly data: FileKindData;
  /** the name of the kind in files */
  readonly kind: string;
  /** the group of the newest version */
  readonly hubGroup: string;
  readonly priority: number;
}

/** Lists the versions of all kinds, with the newest version of each first. */
export function fileVersions(groupVersions: readonly FileGroupVersionData[], identity: Identity): FileVersion[] {
  return groupVersions
    .flatMap(({ version, versionPriority, kinds, group }) =>
      kinds.map((data) => ({
        group: identity.text(group),
        version,
        apiVersion: gvKey(identity.text(group), version),
        data,
        kind: identity.text(data.kind ?? data.name),
        hubGroup: identity.text(data.hubGroup ?? group),
        priority: versionPriority,
      })),
    )
    .sort((a, b) => b.priority - a.priority);
}

/** @param versions of one kind, the newest first. @param mayMiss what stands for itself where it is missing. @throws FileError for a document of another kind */
export function versionOf(
  { value, source }: FileDocument,
  versions: readonly FileVersion[],
  mayMiss: FileKindName['mayMiss'] = [],
): FileVersion {
  const [newest] = versions;
  const { kind: statedKind = '', apiVersion: statedVersion = '' }: JsonObject = value;
  const kind = statedKind === '' && mayMiss.includes('kind') ? newest?.kind : statedKind;
  const apiVersion = statedVersion === '' && mayMiss.includes('apiVersion') ? newest?.apiVersion : statedVersion;
  const unnamed = kind === '' && apiVersion === '' ? versions.find(({ data }) => data.unnamed) : undefined;
  const found = unnamed ?? versions.find((each) => each.kind === kind && each.apiVersion === apiVersion);
  if (found !== undefined) return found;
  const expected = `expected is kind ${versions[0]?.kind} with apiVersion ${versions.map((each) => each.apiVersion).join(' or ')}`;
  const missing = [...(apiVersion === '' ? ['apiVersion: Required value'] : []), ...(kind === '' ? ['kind: Required value'] : [])];
  const stated = missing.length > 0 ? missing.join(', ') : `unknown apiVersion/kind: ${groupVersion(apiVersion)}, Kind=${shown(kind)}`;
  throw new FileError(source, [`${stated}; ${expected}`]);
}

/** Shows an `apiVersion` as 1.32 does. */
function groupVersion(apiVersion: unknown): string {
  const text = shown(apiVersion);
  return text.includes('/') ? text : `/${text}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return /^[\w./-]*$/.test(value) ? value : JSON.stringify(value);
  return `(a ${value === null ? 'null' : typeof value})`;
}
