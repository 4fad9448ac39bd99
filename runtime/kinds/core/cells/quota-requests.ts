import type { CellFunction } from '../../../contract/table.ts';
import { usageText } from '../quota-usage.ts';

export const cell: CellFunction = ({ status }) => usageText(status, (resource) => !resource.startsWith('limits'));
