/**
 * The API of each earlier release, as the schemas state it, against every protobuf field that the release had. The lists are found through
 * HISTORY_DIR, by default beside the checkout.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isThere, type Lifespan } from '../../../codegen/model/lifespan.ts';
import { modelOf } from '../tree.ts';
import { linesOfModel, linesOfText } from './message-lines.ts';

const folder = process.env.HISTORY_DIR ?? path.join(import.meta.dirname, '../../../../shared/history');

interface Exception extends Lifespan {
  readonly reason: string;
  /** of the list, and not of the model */
  readonly lacking: readonly string[];
  /** of the model, and not of the list */
  readonly instead?: readonly string[];
}

const exceptions: readonly Exception[] = [
  {
    reason: 'one list of any objects serves all group versions: it stands in meta/v1, whose numbers it has',
    lacking: [
      'core/v1 List.metadata 1 apimachinery.pkg.apis.meta.v1.ListMeta',
      'core/v1 List.items 2 repeated apimachinery.pkg.runtime.RawExtension',
    ],
  },
];

const history = suite('history');
if (!existsSync(folder)) console.log(`SKIPPED: no lists of fields at ${folder}`);
else {
  const files = readdirSync(folder).filter((name) => /^\d+\.\d+\.txt$/.test(name));
  const model = await modelOf(path.join(import.meta.dirname, '../../..'));
  history('is there for at least one release', () => assert.ok(files.length > 0));
  for (const file of files) {
    const release = file.replace('.txt', '');
    const allowed = exceptions.filter((exception) => isThere(exception, release));
    const stated = linesOfModel(model.at(release));
    const listed = linesOfText(readFileSync(path.join(folder, file), 'utf8'));
    // An exception that no longer applies makes these lists differ as well.
    history(`${release} lacks nothing`, () => assert.equal(without(listed, stated), allowed.flatMap(({ lacking }) => lacking).sort()));
    history(`${release} has nothing of other releases`, () =>
      assert.equal(without(stated, listed), allowed.flatMap(({ instead = [] }) => instead).sort()),
    );
  }
}
history.run();

function without(lines: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...lines].filter((line) => !others.has(line)).sort();
}
