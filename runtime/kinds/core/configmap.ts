import type { ConfigMap } from '../../../generated/core/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { bytesOf, DATA_LIMIT } from './secret.ts';

export function isText(key: string, _old: unknown, _context: unknown, _scope: unknown, { binaryData }: ConfigMap): boolean {
  return binaryData === undefined || !Object.hasOwn(binaryData, key);
}

export function fits({ data, binaryData }: ConfigMap): boolean {
  return bytesOf(data, 'utf8') + bytesOf(binaryData, 'base64') <= DATA_LIMIT;
}

export const rules: KindRules<ConfigMap> = { changesFirst: true };
