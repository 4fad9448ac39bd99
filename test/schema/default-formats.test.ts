import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DefaultFormat } from '../../runtime/contract/default-rule.ts';
import { makeDefault } from '../../runtime/schema/default-formats.ts';

const formats = suite('formats of defaults');

const LONG = `registry.example/${'a'.repeat(250)}`;
const rows: readonly [format: DefaultFormat, text: string, made: string][] = [
  ['imagePullPolicy', 'nginx', 'Always'],
  ['imagePullPolicy', 'nginx:latest', 'Always'],
  ['imagePullPolicy', 'nginx:1.27', 'IfNotPresent'],
  ['imagePullPolicy', `nginx@sha256:${'0a'.repeat(32)}`, 'IfNotPresent'],
  ['imagePullPolicy', 'Bad_Name!', 'IfNotPresent'],
  ['imagePullPolicy', LONG, 'Always'],
  ['imagePullPolicy', `${LONG}:1`, 'IfNotPresent'],
  ['lowerCase', 'NetworkPolicy', 'networkpolicy'],
  ['listKind', 'Widget', 'WidgetList'],
];
for (const [format, text, made] of rows)
  formats(`${format} of ${text}`, () => {
    assert.is(makeDefault[format](text), made);
    assert.is(makeDefault[format](text), made, 'again');
  });

formats('of more images than are remembered', () => {
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 300; i++) {
      assert.is(makeDefault.imagePullPolicy(`app-${i}`), 'Always');
      assert.is(makeDefault.imagePullPolicy(`app-${i}:${i}`), 'IfNotPresent');
    }
});

formats.run();
