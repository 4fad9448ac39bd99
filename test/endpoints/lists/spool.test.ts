import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Chunks, type Part } from '../../../runtime/endpoints/answers/chunks.ts';
import { ByteBudget } from '../../../runtime/endpoints/bodies/byte-budget.ts';
import { Spool } from '../../../runtime/endpoints/lists/spool.ts';
import { openSpoolFile } from '../../../runtime/endpoints/lists/spool-file.ts';

const test = suite<{ directory: string; budget: ByteBudget }>('spool');
test.before.each((context) => {
  context.directory = mkdtempSync(join(tmpdir(), 'spool-'));
  context.budget = new ByteBudget({ bytes: 1_000_000, waiting: 1, patience: 10_000, refusal: 'too many' });
});
test.after.each(({ directory }) => rmSync(directory, { recursive: true }));

function partsOf(bytes: Buffer): Part[] {
  const chunks = new Chunks();
  for (let at = 0; at < bytes.length; at += 1_000) chunks.bytes(bytes.subarray(at, at + 1_000));
  return chunks.rest();
}

async function contentOf(spool: Spool): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const part of spool.parts()) {
    read.push(Buffer.from(part.bytes));
    part.sent();
  }
  return Buffer.concat(read);
}

test('gives back what was written, in order, and leaves no file', async ({ directory, budget }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(600_000), { maxLength: 4 }), fc.nat(255), async (sizes, seed) => {
      const spool = new Spool(directory, budget, 'jane');
      const written = sizes.map((size, i) => Buffer.alloc(size, Buffer.from([seed, i, 7, 9, 11])));
      for (const bytes of written) await spool.write(partsOf(bytes));
      assert.is(spool.length, Buffer.concat(written).length);
      assert.ok((await contentOf(spool)).equals(Buffer.concat(written)));
      assert.equal(readdirSync(directory), []);
      await spool.close();
    }),
    { numRuns: 15 },
  );
});

test('waits for others to end where they hold all that there may be', async ({ directory, budget }) => {
  const first = new Spool(directory, budget, 'jane');
  await first.write(partsOf(Buffer.alloc(900_000)));
  const second = new Spool(directory, budget, 'jane');
  let written = false;
  const writing = second.write(partsOf(Buffer.alloc(200_000))).then(() => (written = true));
  await first.write(partsOf(Buffer.alloc(300_000)));
  assert.is(written, false);
  await first.close();
  await writing;
  assert.is(budget.used, 200_000);
  await second.close();
  assert.is(budget.used, 0);
});

/** A file that takes so many bytes, and fails as on a full disk then. */
const fullBehind =
  (room: number, code: keyof typeof constants.errno): typeof openSpoolFile =>
  async (directory) => {
    const file = await openSpoolFile(directory);
    const write = file.write.bind(file) as (...args: unknown[]) => Promise<{ bytesWritten: number; buffer: Buffer }>;
    const limited = (bytes: Buffer, offset: number, length: number, position: number): ReturnType<typeof write> => {
      if (position >= room) throw Object.assign(new Error(code), { errno: -constants.errno[code] });
      return write(bytes, offset, Math.min(length, room - position), position);
    };
    return Object.assign(file, { write: limited });
  };

for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'] as const)
  test(`keeps in memory what a disk does not take (${code}), and gives back all of it`, async ({ directory, budget }) => {
    for (const room of [0, 1, 5_000, 150_000, 10_000_000]) {
      const spool = new Spool(directory, budget, 'jane', fullBehind(room, code));
      const written = [70_000, 90_000, 40_000].map((size, i) => Buffer.alloc(size, Buffer.from([room % 251, i, 7, 9])));
      const places: boolean[] = [];
      for (const bytes of written) places.push(await spool.write(partsOf(bytes)));
      assert.equal(places.at(-1), room > 200_000);
      assert.equal(places, [...places].sort().reverse(), 'nothing reaches the file behind what did not');
      assert.is(spool.length, 200_000);
      assert.ok((await contentOf(spool)).equals(Buffer.concat(written)));
      await spool.close();
      assert.is(budget.used, 0);
    }
  });

test('says where no file can be made', async ({ directory, budget }) => {
  const spool = new Spool(join(directory, 'none'), budget, 'jane');
  try {
    await spool.write(partsOf(Buffer.from('text')));
    assert.unreachable();
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, 'ENOENT');
  }
  await spool.close();
  assert.is(budget.used, 0);
});

test.run();
