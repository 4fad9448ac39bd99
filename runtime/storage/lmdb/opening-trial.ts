/** Tries in a process of its own to open a store that may be damaged, for LMDB crashes where its file is not what it left. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DamagedStorage } from './damage.ts';
import { conditionOf, dataFile } from './store-files.ts';

const TRIAL = fileURLToPath(new URL('trial.js', import.meta.url));
/** Milliseconds for which the store is looked through, after a crash. */
const AFTER_CRASH = 300;

/**
 * To be called before the first process opens the store. Takes no time where the last one closed it and nobody has changed it since.
 * @throws DamagedStorage where it cannot be opened
 */
export async function tryOpening(directory: string): Promise<void> {
  const condition = conditionOf(directory);
  if (condition === 'none' || condition === 'closed') return;
  // where pages are missing all of it is looked through
  const milliseconds = condition === 'short' ? 0 : AFTER_CRASH;
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [TRIAL, directory, String(milliseconds)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === 0) return;
  const how = signal === null ? said.trim().replaceAll('\n', ': ') : `LMDB crashes where it reads it (${signal})`;
  throw new DamagedStorage(dataFile(directory), `is damaged: ${how}`);
}
