import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeIntent } from '../../runtime/apply/merge.ts';
import { SET, StructShape } from '../../runtime/apply/shape.ts';

const shape = new StructShape({ members: () => [{ name: 'names', shape: SET }], hasPlainNames: true });

const merge = suite('merge');

merge('long lists take linear time', () => {
  const names = Array.from({ length: 400_000 }, (_, index) => `name${index}`);
  const merged = mergeIntent(shape, { names: [...names, 'own'] }, { names });
  assert.is(merged.names.length, names.length + 1);
  assert.is(merged.names.at(-1), 'own');
});

merge.run();
