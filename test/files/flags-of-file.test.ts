import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FileError } from '../../runtime/files/file-error.ts';
import { namingFlags } from '../../runtime/files/flags-of-file.ts';

const test = suite('flags of files');
const values = {
  policy: '/p.yaml',
  other: '',
  port: 1,
  tokens: '/t.csv',
  definitions: ['/d.yaml', '/e.yaml'],
  alsoPolicy: '/q.yaml',
  again: '/q.yaml',
};

for (const [what, error, message] of [
  ['names the flag', new FileError('/p.yaml', ['it is empty']), '--policy: /p.yaml: it is empty'],
  ['names the flag of a file with a line', new FileError('/t.csv:3', ['it is empty']), '--tokens: /t.csv:3: it is empty'],
  ['names the flag of several files', new FileError('/e.yaml', ['it is empty']), '--definitions: /e.yaml: it is empty'],
  ['names all flags of the file', new FileError('/q.yaml', ['a', 'b']), '--alsoPolicy, --again: /q.yaml:\n  a\n  b'],
  ['leaves a file alone that no flag names', new FileError('/p.yaml2', ['it is empty']), '/p.yaml2: it is empty'],
  ['leaves other errors alone', new Error('/p.yaml: it is empty'), '/p.yaml: it is empty'],
] as const)
  test(what, () => {
    assert.is((namingFlags(error, values) as Error).message, message);
  });

test.run();
