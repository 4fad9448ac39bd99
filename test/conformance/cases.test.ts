import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArea, parseCase, readCases } from './cases.ts';

const step = (id: string) => ({ id, path: '/version', expect: { status: 200 } });
const lines = (...values: object[]) => values.map((value) => JSON.stringify(value)).join('\n');

const files = suite('files of cases');
files('AREA.jsonl: a line with a name begins a case', () => {
  const text = `${lines({ case: 'a', title: 'A', noNamespace: true }, step('1'), step('2'), { case: 'b', title: 'B' }, step('1'))}\n`;
  assert.equal(parseArea('reads', text), [
    { name: 'reads/a', title: 'A', noNamespace: true, steps: [step('1'), step('2')] },
    { name: 'reads/b', title: 'B', steps: [step('1')] },
  ]);
});
files('a line separator inside of a text ends no line', () =>
  assert.is(parseArea('reads', lines({ case: 'a', title: 'x\u2028y' }))[0]?.title, 'x\u2028y'),
);
files('AREA/NAME.json: the waits of a recorder are left out', () =>
  assert.equal(parseCase('reads/a', JSON.stringify({ title: 'A', steps: [step('1'), { sleepMs: 300 }, { close: '1' }] })).steps, [
    step('1'),
    { close: '1' },
  ]),
);

const refused: [name: string, read: () => unknown, message: RegExp][] = [
  ['a step before its case', () => parseArea('a', lines(step('1'))), /^a\.jsonl:1: a step before the first case$/],
  ['a line that is no JSON', () => parseArea('a', `${lines({ case: 'a' })}\n{`), /^a\.jsonl:2: /],
  ['a line that is no object', () => parseArea('a', '[]'), /^a\.jsonl:1: not an object$/],
  ['a step without an id', () => parseArea('a', lines({ case: 'a' }, { path: '/' })), /^a\.jsonl:2: a step without an id$/],
  ['a step without an answer', () => parseArea('a', lines({ case: 'a' }, { id: '1', path: '/' })), /step 1 has no recorded answer$/],
  [
    'a step that asks nothing',
    () => parseArea('a', lines({ case: 'a' }, { id: '1', expect: {} })),
    /step 1 neither asks for a path nor reads/,
  ],
  ['a case without steps', () => parseCase('a/b', '{}'), /^a\/b: a case has steps$/],
];
for (const [name, read, message] of refused)
  files(`refuses ${name}`, () => assert.throws(read, (error: Error) => message.test(error.message)));
files.run();

const folders = suite<{ folder: string }>('folders of cases');
folders.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'conformance-cases-'));
});
folders.after.each((context) => rm(context.folder, { recursive: true }));
const rejection = async (folder: string): Promise<string> => {
  try {
    await readCases(folder);
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was refused';
};
folders('are read in both forms, sorted by name', async ({ folder }) => {
  await mkdir(path.join(folder, 'cases/writes'), { recursive: true });
  await writeFile(path.join(folder, 'cases/writes/put.json'), JSON.stringify({ title: 'P', steps: [] }));
  await writeFile(path.join(folder, 'cases/reads.jsonl'), lines({ case: 'z', title: 'Z' }, { case: 'a', title: 'A' }));
  assert.equal(
    (await readCases(folder)).map(({ name }) => name),
    ['reads/a', 'reads/z', 'writes/put'],
  );
});
folders('without a case are refused', async ({ folder }) => assert.match(await rejection(folder), /holds no cases/));
folders('with a name that is there twice are refused', async ({ folder }) => {
  await writeFile(path.join(folder, 'reads.jsonl'), lines({ case: 'a', title: 'A' }, { case: 'a', title: 'B' }));
  assert.match(await rejection(folder), /holds case reads\/a 2 times$/);
});
folders.run();

const own = suite('the cases of the project');
own('have steps with names of their own, which read watches that are open', async () => {
  const cases = await readCases(import.meta.dirname);
  assert.is(cases.length, 1_092);
  const faults = cases.flatMap(({ name, steps }) => {
    const ids = steps.flatMap((each) => ('id' in each ? [each.id] : []));
    const watches = new Set(steps.flatMap((each) => ('watch' in each ? [each.id] : [])));
    const read = steps.flatMap((each) => ('read' in each ? [each.read] : 'close' in each ? [each.close] : []));
    const found = [
      steps.length === 0 && 'no step',
      new Set(ids).size < ids.length && 'an id twice',
      read.some((id) => !watches.has(id)) && 'no such watch',
    ];
    return found.filter((fault) => fault !== false).map((fault) => `${name}: ${fault}`);
  });
  assert.equal(faults, []);
});
own.run();
