/** Matches names of schemas with those of protobuf. */
import type { Message, MessageField } from '../read/sources.ts';

/** Packages in definition names may hold dashes; those of protobuf may not. */
export function messageName(definition: string): string {
  return definition.replaceAll('-', '_');
}

/** JSON names that differ only in case and punctuation from another one have the same protobuf name, such as `$ref` and `ref`, or `apiGroup` and `aPIGroup`. */
export function foldName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** @returns the field of a message for a property: the one of its name, otherwise one whose name differs only in case and punctuation */
export function fieldOf(message: Message | undefined, property: string): MessageField | undefined {
  const folded = foldName(property);
  return message?.fields.find((field) => field.name === property) ?? message?.fields.find((field) => foldName(field.name) === folded);
}

/** @returns the field that holds the message of an inline struct: the one of its type that is no property */
export function inlineFieldOf(message: Message | undefined, definition: string, properties: readonly string[]): MessageField | undefined {
  const type = messageName(definition);
  return message?.fields.find(
    (field) =>
      field.type === type && field.rule === 'single' && !properties.some((property) => foldName(property) === foldName(field.name)),
  );
}

/** Whether a field is a message that holds a list: one with a single field, which is repeated and has the number 1. */
export function isWrapped(field: MessageField | undefined, messages: ReadonlyMap<string, Message>): boolean {
  if (field?.rule !== 'single') return false;
  const [items, ...others] = messages.get(field.type)?.fields ?? [];
  return others.length === 0 && items?.number === 1 && items.rule === 'repeated';
}
