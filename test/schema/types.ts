/** Small types for the tests of the interpreters, and the identity that they are compiled for. */
import * as d from '../../runtime/contract/descriptor.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import { compileType } from '../../runtime/schema/codec/codec.ts';

export const identity = createIdentity(
  { names: { labelDomain: { cluster: 'cluster.io', kubernetes: 'kubernetes.io' } }, behaviour: {} },
  'kubernetes',
);

const Meta = d.struct('example.v1.ObjectMeta', () => [
  { name: 'name', type: d.string, number: 1 },
  { name: 'generation', type: d.int64, number: 7 },
  { name: 'creationTimestamp', type: d.time, number: 8 },
  { name: 'deletionTimestamp', type: d.time, number: 9, go: { pointer: true } },
  { name: 'labels', type: d.map(d.string), number: 11 },
  { name: 'finalizers', type: d.list(d.string), number: 14, patchStrategies: ['merge'] },
]);

const Handler = d.struct('example.v1.Handler', () => [
  { name: 'path', type: d.string, number: 1 },
  { name: 'port', type: d.intOrString, number: 2, go: { pointer: true } },
]);

const Port = d.struct('example.v1.Port', () => [
  { name: 'name', type: d.string, number: 1 },
  { name: 'containerPort', type: d.int32, number: 3, go: { always: true } },
  { name: 'protocol', type: d.string, number: 4, default: 'TCP' },
]);

const Variable = d.struct('example.v1.Variable', () => [
  { name: 'name', type: d.string, number: 1, go: { always: true } },
  { name: 'value', type: d.string, number: 2 },
]);

const Container = d.struct('example.v1.Container', () => [
  { name: 'name', type: d.string, number: 1, go: { always: true } },
  { name: 'image', type: d.string, number: 2 },
  { name: 'args', type: d.list(d.string), number: 4 },
  { name: 'ports', type: d.list(Port), number: 6, patchStrategies: ['merge'], patchMergeKey: 'containerPort' },
  { name: 'env', type: d.list(Variable), number: 7, patchStrategies: ['merge'], patchMergeKey: 'name' },
  { name: 'probe', type: Probe, number: 8, go: { pointer: true } },
]);

const Probe: d.StructType = d.struct('example.v1.Probe', () => [
  { name: 'handler', type: Handler, number: 1, go: { inline: true } },
  { name: 'periodSeconds', type: d.int32, number: 2 },
]);

const Strategy = d.struct('example.v1.Strategy', () => [
  { name: 'type', type: d.string, number: 1 },
  { name: 'rolling', type: Handler, number: 2, go: { pointer: true } },
]);

const Spec = d.struct('example.v1.WidgetSpec', () => [
  { name: 'replicas', type: d.int32, number: 1, default: 1, go: { pointer: true } },
  { name: 'paused', type: d.boolean, number: 2 },
  { name: 'weight', type: d.double, number: 3 },
  { name: 'secret', type: d.bytes, number: 4 },
  { name: 'limits', type: d.map(d.quantity), number: 5 },
  { name: 'size', type: d.quantity, number: 6, go: { pointer: true } },
  { name: 'timeout', type: d.duration, number: 7, go: { pointer: true } },
  { name: 'renewTime', type: d.microTime, number: 8, go: { pointer: true } },
  { name: 'containers', type: d.list(Container), number: 9, patchStrategies: ['merge'], patchMergeKey: 'name' },
  { name: 'tolerations', type: d.list(Variable), number: 10 },
  { name: 'strategy', type: Strategy, number: 11, patchStrategies: ['retainKeys'] },
  { name: 'data', type: d.rawExtension, number: 12, go: { pointer: true } },
  { name: 'extra', type: d.map(d.list(d.string)), number: 13 },
  { name: 'rules', type: d.list(d.string), number: 14, go: { always: true } },
  { name: 'selector', type: d.map(d.string), number: 15, go: { pointer: true } },
  { name: 'domain', type: d.string, number: 16, default: 'node.${labelDomain}' },
  { name: 'blobs', type: d.map(d.bytes), number: 17 },
]);

/** A kind with one field of about every sort. */
export const Widget = d.struct('example.v1.Widget', () => [
  { name: 'kind', type: d.string },
  { name: 'apiVersion', type: d.string },
  { name: 'metadata', type: Meta, number: 1 },
  { name: 'spec', type: Spec, number: 2 },
]);

/** Every scalar as itself, and always written. */
export const Scalars = d.struct('example.v1.Scalars', () => [
  { name: 'string', type: d.string, number: 1, go: { always: true } },
  { name: 'boolean', type: d.boolean, number: 2, go: { always: true } },
  { name: 'int32', type: d.int32, number: 3, go: { always: true } },
  { name: 'int64', type: d.int64, number: 4, go: { always: true } },
  { name: 'double', type: d.double, number: 5, go: { always: true } },
  { name: 'bytes', type: d.bytes, number: 6, go: { always: true } },
  { name: 'time', type: d.time, number: 7 },
  { name: 'microTime', type: d.microTime, number: 8 },
  { name: 'duration', type: d.duration, number: 9 },
  { name: 'quantity', type: d.quantity, number: 10 },
  { name: 'intOrString', type: d.intOrString, number: 11 },
  { name: 'rawExtension', type: d.rawExtension, number: 12 },
  { name: 'list', type: d.list(d.string), number: 13, go: { always: true } },
  { name: 'map', type: d.map(d.string), number: 14, go: { always: true } },
  { name: 'pointer', type: d.string, number: 15, go: { pointer: true, always: true } },
]);

export const widget = compileType(Widget, identity);
export const scalars = compileType(Scalars, identity);
