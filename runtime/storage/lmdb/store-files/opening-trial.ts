/**
 * Tries in a process of its own to open a store that may be damaged, for LMDB crashes where its file is not what it left. Meanwhile the pages are held
 * against each other: of a page that has fewer rows than it had LMDB knows nothing, and pages that are free it reads when it writes.
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DamagedStorage } from '../files/damage.ts';
import { assertOwnStore } from './own-store.ts';
import { conditionOf, dataFile } from './store-files.ts';

const TRIAL = fileURLToPath(new URL('trial.js', import.meta.url));
/** Milliseconds for which the store is looked through, after a crash. */
const AFTER_CRASH = 300;
/** Milliseconds after which LMDB's process says how far it is. */
const BETWEEN_NEWS = 1_000;

/**
 * To be called before the first process opens the store. Takes no time where the last one closed it and nobody has changed it since.
 * @param progress hears how far it is, where it may take long
 * @throws DamagedStorage where it cannot be opened, IncompatibleStorage
 */
export async function tryOpening(directory: string, dialect: string, progress: (doing: string) => void = () => {}): Promise<void> {
  const condition = conditionOf(directory);
  if (condition === 'none') return;
  assertOwnStore(directory, dialect);
  if (condition === 'closed') return;
  // where pages are missing all of it is looked through
  const milliseconds = condition === 'short' ? 0 : AFTER_CRASH;
  const [{ spawn }, { firstDamage }, { createInterface }] = await Promise.all([
    import('node:child_process'),
    import('../pages/first-damage.ts'),
    import('node:readline'),
  ]);
  const child = spawn(process.execPath, [TRIAL, directory, String(milliseconds), String(BETWEEN_NEWS)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  createInterface(child.stdout).on('line', (rows) => progress(`has LMDB read the store: ${rows} rows`));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const file = dataFile(directory);
  const [[code, signal], found] = await Promise.all([
    once(child, 'close') as Promise<[number | null, string | null]>,
    firstDamage(file, milliseconds, (pages, most) => progress(`looks through the store: ${pages} of at most ${most} pages`)),
  ]);
  if (found !== undefined) throw new DamagedStorage(file, `is damaged: ${found}`);
  if (code === 0) return;
  const how = signal === null ? said.trim().replaceAll('\n', ': ') : `LMDB crashes where it reads it (${signal})`;
  throw new DamagedStorage(file, `is damaged: ${how}`);
}
