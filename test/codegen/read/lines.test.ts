import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SchemaLines } from '../../../codegen/read/lines.ts';

const text = `# a comment
components:
  schemas:
    Toy: { type: object,
      properties: { colour: { type: string } } }
    Toy.Part:
      properties:
        "a.b": 1
x-cluster-resources:
  - name: toys
    scope: Cluster
  - { name: dolls,
      verbs: [ get ] }
list:
  - a
  - b
`;

const lines = suite('lines of places');
lines.before((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'cluster-lines-'));
  mkdirSync(path.join(context.root, 'schemas'));
  writeFileSync(path.join(context.root, 'schemas/a.yaml'), text);
  context.lines = new SchemaLines(context.root);
});
lines.after(({ root }) => rmSync(root, { recursive: true }));
const rows: [place: string, line: number][] = [
  ['', 1],
  ['components.schemas.Toy', 4],
  ['components.schemas.Toy.properties.colour', 5],
  ['components.schemas.Toy.properties.size', 5],
  ['components.schemas.Toy.Part.properties.a.b', 8],
  ['components.schemas.Other', 3],
  ['x-cluster-resources.toys', 10],
  ['x-cluster-resources.dolls.verbs', 13],
  ['list.1', 16],
];
for (const [place, line] of rows) lines(place || 'the file', ({ lines: found }) => assert.is(found.lineOf('schemas/a.yaml', place), line));
lines('of a file that is not there', ({ lines: found }) => assert.is(found.lineOf('schemas/b.yaml', 'a'), undefined));
lines.run();
