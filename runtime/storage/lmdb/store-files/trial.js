/**
 * Opens a store in a process of its own, which may crash: LMDB trusts its file. Arguments: the folder, milliseconds that may be taken (0: as long as it
 * takes), and those between two lines on the standard output, each with how many rows have been read. It ends with code 0, or with what LMDB says on the
 * standard error. Plain JavaScript, so that no compiler for types is loaded.
 */
import { open } from 'lmdb';

const [directory, milliseconds, betweenLines] = process.argv.slice(2);
const deadline = Number(milliseconds) > 0 ? performance.now() + Number(milliseconds) : Number.POSITIVE_INFINITY;

let rows = 0;
let told = performance.now();

/** @type {{ readonly encoding: 'binary', readonly keyEncoding: 'binary' }} */
const BINARY = { encoding: 'binary', keyEncoding: 'binary' };

try {
  const root = open({ path: String(directory), noSubdir: false, readOnly: true, ...BINARY });
  // those that are not there yet are none
  const databases = ['log', 'keys', 'tombstones', 'history', 'index', 'postings'].flatMap((name) => root.openDB(name, BINARY) ?? []);
  read(root, {});
  for (const reverse of [false, true]) for (const database of databases) read(database, { reverse, limit: 1 });
  for (const database of databases) read(database, {});
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/**
 * @param {import('lmdb').Database} database
 * @param {import('lmdb').RangeOptions} options
 */
function read(database, options) {
  // a value is copied where it is met, and so read
  for (const _ of database.getRange(options)) {
    rows++;
    const now = performance.now();
    if (now > deadline) return;
    if (now < told + Number(betweenLines)) continue;
    told = now;
    process.stdout.write(`${rows}\n`);
  }
}
