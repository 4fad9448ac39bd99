/** Writes `node-interfaces/NAME.ts`: types, layouts and calls of a gRPC interface between programs of a node. */
import type { WireScalar } from '../../runtime/contract/node-interface.ts';
import type { InterfaceField, InterfaceService, MethodKind, NodeInterface } from '../read/node-interfaces.ts';
import { header, propertyName, quote, render } from './typescript.ts';

export function emitNodeInterface({ file, messages, enums, services }: NodeInterface): string {
  return render('node-interface.ts.hbs', {
    header: header(file),
    imports: [...new Set(['UnaryMethod', 'WireMessage', ...services.flatMap(({ methods }) => methods.map(({ kind }) => kind))])]
      .sort()
      .join(', '),
    enums: enums.map(({ name, values }) => ({
      name,
      values: Object.entries(values).map(([value, number]) => `${propertyName(value)}: ${number}`),
    })),
    messages: messages.map(({ name, fields }) => ({
      name,
      quoted: quote(name),
      members: fields.map((field) => `readonly ${propertyName(field.name)}: ${typeText(field)};`),
      fields: fields.map(
        ({ name, number, rule, optional, type }) =>
          `{ name: ${quote(name)}, number: ${number}, rule: ${quote(rule)}, ${optional ? 'optional: true, ' : ''}type: ${'message' in type ? `() => ${type.message}` : quote(type.scalar)} }`,
      ),
    })),
    services: services.map(serviceView),
  });
}

/** What the layout of a call says about its streams. */
const STREAMS: Readonly<Record<MethodKind, string>> = { UnaryMethod: 'false', StreamMethod: 'true', DuplexMethod: "'both'" };

function serviceView({ name, methods }: InterfaceService): object {
  return {
    name,
    methods: methods.map(({ name, path, request, answer, kind }) => {
      const type = `${kind}<${request}, ${answer}>`;
      const value = `{ path: ${quote(path)}, request: ${request}, answer: ${answer}, streams: ${STREAMS[kind]} }`;
      return `${name}: ${value} as ${type}`;
    }),
  };
}

const TYPES: Readonly<Record<WireScalar, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  uint32: 'number',
  int64: 'bigint',
  uint64: 'bigint',
  safeInt64: 'number',
  fixed32: 'number',
  fixed64: 'bigint',
  enum: 'number',
  bytes: 'Uint8Array',
};

function typeText({ rule, optional, type }: InterfaceField): string {
  if (rule === 'map') return 'ReadonlyMap<string, string>';
  const one = 'message' in type ? type.message : TYPES[type.scalar];
  if (rule === 'repeated') return `readonly ${one}[]`;
  return 'message' in type || optional ? `${one} | undefined` : one;
}
