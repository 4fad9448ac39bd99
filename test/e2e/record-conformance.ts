/**
 * Rewrites the lists of passing cases in `conformance.json` with what passes now: node test/e2e/record-conformance.ts [--only=REGEXP]
 *
 * Without --only these are the cases that the test replays: the listed ones and the areas. `--only=.` replays all, which takes long
 * while many fail, since some wait for what never comes. A case that was in the list and fails now leaves it and is named.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type ConformanceList, findConformance, listFile, readList, replay } from '../harness/conformance.ts';

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const folder = findConformance();
if (folder === undefined) {
  console.error('no folder with recorded conversations: set CONFORMANCE_DIR');
  process.exit(1);
}

const list = await readList();
const areas = values.only === undefined ? list.areas.map((area) => new RegExp(area)) : [new RegExp(values.only)];
const record = async (dialect: 'kubernetes' | 'cluster'): Promise<{ passing: string[] }> => {
  const before = list[dialect].passing;
  const chosen = (name: string) => areas.some((area) => area.test(name)) || (values.only === undefined && before.includes(name));
  const { passed, failed } = await replay(folder, dialect, chosen);
  const lost = before.filter((name) => chosen(name) && !passed.includes(name));
  console.log(
    `${dialect}: ${passed.length} pass, ${failed.length} fail, ${passed.filter((name) => !before.includes(name)).length} are new`,
  );
  for (const name of lost) console.log(`  lost: ${name}`);
  return { passing: [...before.filter((name) => !chosen(name)), ...passed].sort() };
};
const [kubernetes, cluster] = await Promise.all([record('kubernetes'), record('cluster')]);
const recorded: ConformanceList = { areas: list.areas, kubernetes, cluster };
await writeFile(listFile, `${JSON.stringify(recorded, null, 2)}\n`);
