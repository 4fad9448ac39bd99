import type { KindRules } from '../../contract/kind-rules.ts';
import { keepMetadata } from '../metadata/status-update.ts';

export const rules: KindRules = { prepareForStatusUpdate: keepMetadata };
