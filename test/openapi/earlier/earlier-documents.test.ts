/** Documents that a server of an earlier release makes are those that the generator makes of what the schemas state of that release. */
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emitOpenapi } from '../../../codegen/emit/openapi.ts';
import { emulate } from '../../../runtime/assembly/setup/chosen-api.ts';
import { META_PACKAGE, type OpenapiDocument } from '../../../runtime/openapi/document.ts';
import { readModel } from '../documents.ts';

/** Options of requests and metadata are of today in every release: servers know them, whatever release they have the API of. */
const MACHINERY = [`${META_PACKAGE}.`, 'io.k8s.apimachinery.pkg.runtime.'];
const isMachinery = (definition: string): boolean => MACHINERY.some((each) => definition.startsWith(each));

const model = await readModel();
const releases = ['1.16', '1.19', '1.22', '1.25', '1.28', '1.31'];

const documents = suite('OpenAPI documents of an earlier release');
for (const release of releases)
  documents(release, async () => {
    const emulated = await emulate(release);
    const then = model.at(release);
    const served = emulated.groupVersions.filter(({ resources, folder }) => resources.length > 0 || folder === 'meta/v1');
    assert.ok(served.length > 20, `${served.length} group versions`);
    for (const { folder, loadOpenapi } of served) {
      const found: OpenapiDocument = JSON.parse(await loadOpenapi());
      const wanted = emitOpenapi(then, groupVersionOf(then, folder));
      const [one, other] = [summary(found), summary(wanted)];
      // a comparison that is fast comes before the one that tells what differs
      if (!isDeepStrictEqual(one, other)) assert.equal(one, other, folder);
    }
  });
documents.run();

function groupVersionOf({ groupVersions }: Pick<typeof model, 'groupVersions'>, folder: string) {
  const found = groupVersions.find((each) => each.folder === folder);
  if (found === undefined) throw new Error(`the release has no ${folder}`);
  return found;
}

/** All of it, but for schemas of the machinery, of which only the group versions are of that release, and query parameters, which are the machinery's too. */
function summary({ info, paths, components }: OpenapiDocument): object {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [
    name,
    isMachinery(name) ? schema['x-kubernetes-group-version-kind'] : schema,
  ]);
  const operations = JSON.stringify(paths, (key, value) => (key === 'parameters' ? undefined : value));
  return { info, paths: JSON.parse(operations), schemas: Object.fromEntries(schemas) };
}
