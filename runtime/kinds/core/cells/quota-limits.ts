import type { ResourceQuota } from '../../../../generated/core/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';
import { usageText } from '../resource-amounts/quota-usage.ts';

export const cell: CellFunction<ResourceQuota> = ({ status }) => usageText(status, (resource) => resource.startsWith('limits'));
