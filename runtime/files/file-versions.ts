/** Which kinds and versions a file may state. */

import type { FileGroupVersionData, FileKindData } from '../contract/file-kind.ts';
import type { Identity } from '../contract/identity.ts';
import { gvKey } from '../registry/kind-loader.ts';
import type { JsonObject } from '../schema/member.ts';
import type { FileDocument } from './file-document.ts';
import { FileError } from './file-error.ts';

/** What a file is expected to hold. */
export interface FileKindName {
  /** of its newest version; may hold placeholders */
  readonly group: string;
  /** as the schemas name it */
  readonly kind: string;
}

export interface FileVersion {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly data: FileKindData;
  /** as files spell it */
  readonly kind: string;
  /** group of the newest version */
  readonly hubGroup: string;
  readonly priority: number;
}

/** The newest version first. */
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

/** @param versions of one kind. @throws FileError for a document of another */
export function versionOf({ value, source }: FileDocument, versions: readonly FileVersion[]): FileVersion {
  const { kind = '', apiVersion = '' }: JsonObject = value;
  const unnamed = kind === '' && apiVersion === '' ? versions.find(({ data }) => data.unnamed) : undefined;
  const found = unnamed ?? versions.find((each) => each.kind === kind && each.apiVersion === apiVersion);
  if (found !== undefined) return found;
  const expected = `expected is kind ${versions[0]?.kind} with apiVersion ${versions.map((each) => each.apiVersion).join(' or ')}`;
  const missing = [...(apiVersion === '' ? ['apiVersion: Required value'] : []), ...(kind === '' ? ['kind: Required value'] : [])];
  const stated = missing.length > 0 ? missing.join(', ') : `unknown apiVersion/kind: ${groupVersion(apiVersion)}, Kind=${shown(kind)}`;
  throw new FileError(source, [`${stated}; ${expected}`]);
}

/** As 1.32 shows it. */
function groupVersion(apiVersion: unknown): string {
  const text = shown(apiVersion);
  return text.includes('/') ? text : `/${text}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return /^[\w./-]*$/.test(value) ? value : JSON.stringify(value);
  return `(a ${value === null ? 'null' : typeof value})`;
}
