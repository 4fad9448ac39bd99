/** Writes what schemas state about types and members as comments that editors show. */
import type { ClientField } from '../../model/client/client-model.ts';
import { literal } from '../typescript.ts';
import type { Wording } from './wording.ts';

/** @returns the lines of a comment without its marks; [] if there is no description */
export function documentationOf({ description }: { readonly description?: string }, wording: Wording): string[] {
  const text = wording.text(description ?? '').trim();
  return text === '' ? [] : text.split(LINE_END).map(withoutEnd);
}

/** @returns a mark by which editors show that something goes; [] if there is no warning */
export function deprecationOf(warning: string | undefined, wording: Wording): string[] {
  return warning === undefined ? [] : documentationOf({ description: `@deprecated ${warning}` }, wording);
}

/** The ends of lines in TypeScript. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** Changes text so that it does not end the comment in which it stands. */
const withoutEnd = (text: string): string => text.replaceAll('*/', '*\\/');

/** @returns the lines of a member's comment: its description, its default if the description does not mention one, and its feature gate */
export function fieldDocumentation(field: ClientField, wording: Wording): string[] {
  const preset =
    field.default === undefined || isMentioned(field) ? [] : [`Default: \`${withoutEnd(wording.text(literal(field.default)))}\`.`];
  const gate = field.featureGate === undefined ? [] : [`Only with the feature gate ${field.featureGate}.`];
  return [...documentationOf(field, wording), ...preset, ...gate];
}

const isMentioned = ({ description = '' }: ClientField): boolean => /\bdefault/i.test(description);

/** @returns a whole comment, each line with the indentation; '' if there are no lines */
export function comment(lines: readonly string[], indentation = ''): string {
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indentation}/** ${lines[0]} */\n`;
  return `${indentation}/**\n${lines.map((line) => `${indentation} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indentation} */\n`;
}
