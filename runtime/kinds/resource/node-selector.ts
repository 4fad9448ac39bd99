import type { NodeSelector } from '../../../generated/core/v1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import { validateNodeSelector } from '../core/node-selector.ts';

/** Nodes that can use devices are picked by values with the syntax of labels' values. */
export const labelledNodes = (selector: NodeSelector): readonly FieldError[] => validateNodeSelector(selector, '');
