import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../generated/routes.ts';
import { handlerNames } from '../../runtime/contract/handlers.ts';

const handlers = suite('handlers that schemas may name');
const named = new Set(
  groupVersions.flatMap(({ resources }) =>
    resources.flatMap((resource) => [resource, ...resource.subresources].map(({ handler }) => handler)),
  ),
);
for (const name of handlerNames) handlers(`${name} is named by one`, () => assert.ok(named.has(name)));
handlers.run();
