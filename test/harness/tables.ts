/** Upstream's own test tables, in the folder that TABLES_DIR names, by default beside the checkout. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { untypedValue } from '../../runtime/schema/untyped.ts';

/**
 * @param numbers whether those keep their spelling, or are what the server holds of values of unknown type
 * @returns the rows of a table; none where there is no such file
 */
export function tableRows<Row>(name: string, numbers: 'spelled' | 'untyped' = 'untyped'): readonly Row[] {
  const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../shared/tables'), name);
  if (!existsSync(file)) return [];
  const { value } = parseJson(readFileSync(file, 'utf8'));
  return ((numbers === 'spelled' ? value : untypedValue(value)) as { rows: Row[] }).rows;
}
