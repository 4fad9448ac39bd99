/** What tests of encryption at rest configure, and how they search the files for what must not be there. */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Dialect } from '../../runtime/contract/identity.ts';

const DOMAIN: Readonly<Record<Dialect, string>> = { cluster: 'cluster.io', kubernetes: 'k8s.io' };

/** A key of 32 bytes, all of one value. */
export const encryptionKey = (name: string, byte: number): object => ({ name, secret: Buffer.alloc(32, byte).toString('base64') });

/** @returns the text of a configuration file */
export function encryptionConfiguration(dialect: Dialect, resources: readonly string[], ...providers: readonly object[]): string {
  return JSON.stringify({
    kind: 'EncryptionConfiguration',
    apiVersion: `apiserver.config.${DOMAIN[dialect]}/v1`,
    resources: [{ resources, providers }],
  });
}

/** For its owner alone, as a server wants it; as a whole, for a server may read it at any time. */
export function writePrivately(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** How often the configuration was read again, by all processes of a server. @param figures the text of /metrics */
export function reloads(figures: string, status: 'success' | 'failure'): number {
  const name = 'apiserver_encryption_config_controller_automatic_reloads_total';
  const found = new RegExp(`^${name}\\{apiserver_id_hash="sha256:[0-9a-f]{64}",status="${status}"\\} (\\d+)$`, 'm').exec(figures);
  return Number(found?.[1] ?? 0);
}

/** Files below a folder that hold one of the texts, as they are or in base64. */
export function filesWith(folder: string, ...texts: readonly string[]): string[] {
  const wanted = texts.flatMap((each) => [Buffer.from(each), ...base64Of(each)]);
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
  return all.filter((name) => statSync(name).isFile() && holdsAny(readFileSync(name), wanted));
}

const holdsAny = (bytes: Buffer, wanted: readonly Buffer[]): boolean => wanted.some((each) => bytes.includes(each));

/** Within a longer text, which may begin one or two bytes before: what does not depend on its neighbours. */
function base64Of(text: string): Buffer[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from(' '.repeat(before) + text).toString('base64');
    return Buffer.from(encoded.slice(before === 0 ? 0 : 4, Math.floor((before + Buffer.byteLength(text)) / 3) * 4));
  });
}
