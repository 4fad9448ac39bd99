/** Upstream's own test tables, in the folder that TABLES_DIR names, by default beside the checkout. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from '../../runtime/schema/json-text.ts';
import { untypedValue } from '../../runtime/schema/untyped.ts';

/** @returns the rows of a table; none where there is no such file. Numbers keep their spelling, as values of unknown type do */
export function tableRows<Row>(name: string): readonly Row[] {
  const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../shared/tables'), name);
  return existsSync(file) ? (untypedValue(parseJson(readFileSync(file, 'utf8')).value) as { rows: Row[] }).rows : [];
}
