/**
 * A new version of a kind by schemas alone: the server defaults, refuses, prints, converts, publishes and documents it, and no TypeScript is
 * written for it. `ARCHITECTURE.md` walks through the schemas of this test.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { checkoutWith } from '../harness/checkout.ts';
import { Client, type Json } from '../harness/client.ts';
import { projectRoot, startServer } from '../harness/server.ts';

const META = '../../meta/v1/openapi.yaml#/components/schemas/';
const LAMPS = '/apis/lamps.example.com/v1/namespaces/default/lamps';
const OLDER = LAMPS.replace('/v1/', '/v1beta1/');

/** The older version, as it was: one text for the colour, whatever it is. */
const v1beta1 = `
openapi: "3.0.3"
info: { title: lamps v1beta1, version: v1beta1 }
x-cluster-group-version: { group: lamps.example.com, version: v1beta1, package: com.example.lamps.v1beta1, enabledByDefault: true }
x-cluster-resources:
  - { name: lamps, kind: Lamp, singular: lamp, scope: Namespaced, verbs: [ create, get, list, patch, update, watch, delete ], storage: { version: v1 } }
paths: {}
components:
  schemas:
    Lamp:
      $ref: "../v1/openapi.yaml#/components/schemas/Lamp"
      x-cluster-lifecycle: { introduced: "1.30" }
      x-cluster-conversion:
        to: { group: lamps.example.com, version: v1, kind: Lamp }
        steps:
          - { op: rename, from: spec.tint, to: spec.colour }
          - { op: keepInAnnotation, path: spec.dimmer, annotation: lamps.example.com/dimmer }
          - { op: keepInAnnotation, path: spec.brightness, annotation: lamps.example.com/brightness }
          - { op: keepInAnnotation, path: spec.socket, annotation: lamps.example.com/socket }
          - { op: keepInAnnotation, path: spec.remote, annotation: lamps.example.com/remote }
    LampSpec:
      type: object
      description: The wanted light.
      properties:
        tint: { description: Its colour., type: string }
    LampList:
      $ref: "../v1/openapi.yaml#/components/schemas/LampList"
      x-cluster-lifecycle: { introduced: "1.30" }
`;

/** The new one. */
const v1 = `
openapi: "3.0.3"
info: { title: lamps v1, version: v1 }
x-cluster-group-version: { group: lamps.example.com, version: v1, package: com.example.lamps.v1 }
x-cluster-resources:
  - { name: lamps, kind: Lamp, singular: lamp, scope: Namespaced, verbs: [ create, get, list, patch, update, watch, delete ] }
paths: {}
components:
  schemas:
    Lamp:
      type: object
      description: A lamp.
      x-cluster-kind: true
      x-cluster-lifecycle: { introduced: "1.32" }
      properties:
        metadata: { description: Standard metadata., allOf: [ { $ref: "${META}ObjectMeta" } ] }
        spec: { description: What is wanted., allOf: [ { $ref: "#/components/schemas/LampSpec" } ] }
      x-cluster-table:
        columns:
          - { name: Name, path: .metadata.name, format: name }
          - { name: Colour, path: .spec.colour }
          - { name: Age, age: .metadata.creationTimestamp }
    LampSpec:
      type: object
      description: The wanted light.
      properties:
        colour: { description: Its colour., type: string, enum: [ Amber, White ] }
        brightness: { description: "Percent of full light, 1 to 100.", type: integer, format: int32, minimum: 1, maximum: 100, x-cluster-pointer: true }
        dimmer:
          description: How the light is dimmed. Those of white lamps dim by steps.
          type: string
          x-cluster-pointer: true
          x-cluster-default-when: { when: { colour: White }, value: Steps }
        socket: { description: Where it is screwed in. Cannot change., type: string, x-cluster-immutable: a lamp stays in its socket }
        remote: { description: Name of its remote control., type: string, x-cluster-pointer: true, x-cluster-feature-gate: LampRemotes }
    LampList:
      type: object
      description: Lamps.
      x-cluster-kind: true
      x-cluster-lifecycle: { introduced: "1.32" }
      required: [ items ]
      properties:
        metadata: { description: Metadata of the list., allOf: [ { $ref: "${META}ListMeta" } ] }
        items: { description: The lamps., type: array, items: { $ref: "#/components/schemas/Lamp" }, x-cluster-always: true }
`;

const proto = (version: string, spec: string): string => `syntax = "proto2";

package com.example.lamps.${version};

import "meta/v1/types.proto";

message Lamp {
  optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;
  optional LampSpec spec = 2;
}
message LampSpec { ${spec} }
message LampList {
  optional .io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1;
  repeated Lamp items = 2;
}
`;

const fields = ['colour', 'brightness', 'dimmer', 'socket', 'remote'];
const messages = fields.map((name, index) => `optional ${name === 'brightness' ? 'int32' : 'string'} ${name} = ${index + 1};`);
const gates = parse(readFileSync(path.join(projectRoot, 'schemas/feature-gates.yaml'), 'utf8'));
const root = await checkoutWith({
  'schemas/lamps/v1beta1/openapi.yaml': v1beta1,
  'schemas/lamps/v1beta1/types.proto': proto('v1beta1', 'optional string tint = 1;'),
  'schemas/lamps/v1/openapi.yaml': v1,
  'schemas/lamps/v1/types.proto': proto('v1', messages.join(' ')),
  'schemas/feature-gates.yaml': stringify({ ...gates, LampRemotes: [{ release: '1.32', stage: 'Alpha', default: false }] }),
});

const server = await startServer({ dialect: 'kubernetes', root });
const client = new Client(server);
const lamp = (name: string, spec: object, version = 'v1'): object => ({
  apiVersion: `lamps.example.com/${version}`,
  kind: 'Lamp',
  metadata: { name },
  spec,
});
const causes = ({ body }: { body: Json }): string[] => body.details.causes.map(({ field, message }: Json) => `${field}: ${message}`);

const lamps = suite('a version that schemas alone state');
lamps('is defaulted by a neighbour', async () => {
  const white = await client.post(LAMPS, lamp('white', { colour: 'White', brightness: 5, socket: 'E27' }));
  assert.is(white.status, 201, white.text);
  assert.is(white.body.spec.dimmer, 'Steps');
  const amber = await client.post(LAMPS, lamp('amber', { colour: 'Amber', socket: 'E14' }));
  assert.is(amber.body.spec.dimmer, undefined);
});
lamps('refuses what its constraints do not allow, in the order of its members', async () => {
  const answer = await client.post(LAMPS, lamp('wrong', { colour: 'Blue', brightness: 101 }));
  assert.is(answer.status, 422, answer.text);
  assert.equal(causes(answer), [
    'spec.colour: Unsupported value: "Blue": supported values: "Amber", "White"',
    'spec.brightness: Invalid value: 101: must be between 1 and 100, inclusive',
  ]);
});
lamps('refuses changes of what stays', async () => {
  const { body } = await client.get(`${LAMPS}/white`);
  const answer = await client.request('PUT', `${LAMPS}/white`, { body: { ...body, spec: { ...body.spec, socket: 'E14' } } });
  assert.equal(causes(answer), ['spec.socket: Invalid value: "E14": a lamp stays in its socket']);
});
lamps('drops what stands behind a feature gate that is off', async () => {
  const answer = await client.post(LAMPS, lamp('remote', { colour: 'Amber', remote: 'r' }));
  assert.is(answer.status, 201, answer.text);
  assert.is(answer.body.spec.remote, undefined);
});
lamps('prints its columns', async () => {
  const { body } = await client.get(`${LAMPS}/white`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  assert.equal(
    body.columnDefinitions.map(({ name }: Json) => name),
    ['Name', 'Colour', 'Age'],
  );
  assert.equal(body.rows[0].cells.slice(0, 2), ['white', 'White']);
});
lamps('is converted to the older version and back', async () => {
  const older = await client.get(`${OLDER}/white`);
  assert.is(older.body.apiVersion, 'lamps.example.com/v1beta1');
  assert.equal(older.body.spec, { tint: 'White' });
  const changed = { ...older.body, spec: { tint: 'Amber' } };
  assert.is((await client.request('PUT', `${OLDER}/white`, { body: changed })).status, 200);
  const { body } = await client.get(`${LAMPS}/white`);
  assert.equal(body.spec, { colour: 'Amber', brightness: 5, dimmer: 'Steps', socket: 'E27' });
  const wrong = await client.patch(`${OLDER}/white`, { spec: { tint: 'Blue' } });
  assert.is(wrong.status, 422);
});
lamps('is discovered and published', async () => {
  const { body: group } = await client.get('/apis/lamps.example.com');
  assert.equal(
    group.versions.map(({ version }: Json) => version),
    ['v1', 'v1beta1'],
  );
  const { body } = await client.get('/openapi/v3/apis/lamps.example.com/v1');
  const { colour, brightness } = body.components.schemas['com.example.lamps.v1.LampSpec'].properties;
  assert.equal(colour.enum, ['Amber', 'White']);
  assert.is(brightness.description, 'Percent of full light, 1 to 100.');
});
lamps.after(async () => {
  await server.stop();
});
lamps.run();
