import { TOKEN_NAMES, type Token } from '../tokens.ts';
import type { Decision, Item, Rule, RuleName } from './grammar.ts';

/** The tokens that may come next within a rule, and whether the rule may end. It is immutable. */
export interface Lookahead {
  /** by token, 1 for those that may come next */
  readonly tokens: Uint8Array;
  readonly end: boolean;
}

interface Positioned {
  readonly id: number;
  /** what may come from this state on */
  readonly lookahead: Lookahead;
}

export interface MatchState extends Positioned {
  readonly state: 'match';
  readonly label: string | undefined;
  readonly next: State;
}

export interface CallState extends Positioned {
  readonly state: 'call';
  readonly rule: RuleName;
  readonly label: string;
  readonly precedence: number;
  readonly next: State;
}

export interface ChoiceState extends Positioned {
  readonly state: 'choice';
  readonly decision: Decision;
  /** id of the choice between branches; the states before a loop and after each of its rounds share it */
  readonly branchId: number;
  /**
   * whether the choice is within a loop: there, unexpected tokens are skipped up to one that fits; elsewhere one token is removed, or the
   * rule ends
   */
  readonly withinLoop: boolean;
  /** for a loop, the last branch leaves it */
  readonly branches: readonly Branch[];
}

export interface Branch {
  /** the kind that the context gets */
  readonly kind: string | undefined;
  /** for a suffix: its precedence, and what was read so far becomes its left side */
  readonly precedence: number | undefined;
  readonly first: State;
}

export interface EndState extends Positioned {
  readonly state: 'end';
}

export type State = MatchState | CallState | ChoiceState | EndState;

export interface RuleEntry {
  /** counted from 0 */
  readonly number: number;
  readonly first: State;
  /** the initial kind of a context of the rule */
  readonly kind: string | undefined;
}

export type Network = Readonly<Record<RuleName, RuleEntry>>;

/** Makes the states of a grammar, from the end of each rule to its start. Every state has its own id. */
export function network(rules: Readonly<Record<RuleName, Rule>>): Network {
  return new NetworkBuilder(rules).build();
}

const END: Lookahead = { tokens: new Uint8Array(TOKEN_NAMES.length), end: true };

class NetworkBuilder {
  readonly #rules: Readonly<Record<RuleName, Rule>>;
  readonly #firsts = new Map<RuleName, Lookahead>();
  #ids = 0;

  constructor(rules: Readonly<Record<RuleName, Rule>>) {
    this.#rules = rules;
  }

  build(): Network {
    const entries = Object.entries(this.#rules).map(([name, rule], number) => [name, { number, ...this.#rule(rule) }]);
    return Object.fromEntries(entries) as Network;
  }

  #rule(rule: Rule): Omit<RuleEntry, 'number'> {
    const end: State = { state: 'end', id: this.#ids++, lookahead: END };
    switch (rule.form) {
      case 'sequence':
        return { first: this.#sequence(rule.items, end), kind: undefined };
      case 'choice': {
        const branches = rule.alternatives.map(({ kind, items }) => ({ kind, precedence: undefined, first: this.#sequence(items, end) }));
        return { first: this.#choice(rule.decision, branches), kind: undefined };
      }
      case 'suffixed': {
        const back = this.#back(rule.decision, end, (next) =>
          rule.suffixes.map(({ kind, precedence, items }) => ({ kind, precedence, first: this.#sequence(items, next) })),
        );
        return { first: this.#sequence(rule.first.items, this.#entryOf(back)), kind: rule.first.kind };
      }
    }
  }

  #sequence(items: readonly Item[], end: State): State {
    return items.reduceRight((next, item) => this.#item(item, next), end);
  }

  #item(item: Item, next: State): State {
    const id = this.#ids++;
    switch (item.item) {
      case 'token':
        return { state: 'match', id, lookahead: { tokens: setOf(item.kinds), end: false }, label: item.label, next };
      case 'rule': {
        const { rule, label, precedence } = item;
        return { state: 'call', id, lookahead: this.#first(rule), rule, label, precedence, next };
      }
      case 'optional':
        return this.#choice(item.decision, [branch(this.#sequence(item.items, next)), branch(next)]);
      case 'repeated':
        return this.#entryOf(this.#back(item.decision, next, (back) => [branch(this.#sequence(item.items, back))]));
      case 'several': {
        const [body] = this.#back(item.decision, next, (back) => [branch(this.#sequence(item.items, back))]).branches;
        return this.#choice('nextToken', [body as Branch]);
      }
    }
  }

  #choice(decision: Decision, branches: readonly Branch[]): ChoiceState {
    const id = this.#ids++;
    return { state: 'choice', id, decision, branchId: id, withinLoop: false, branches, lookahead: lookaheadOf(branches) };
  }

  /** @returns the state that decides about another round of a loop, to which the bodies lead */
  #back(decision: Decision, next: State, bodies: (back: State) => Branch[]): ChoiceState {
    const branches: Branch[] = [];
    const id = this.#ids++;
    const back = { state: 'choice', id, decision, branchId: id, withinLoop: true, branches, lookahead: END } as const;
    branches.push(...bodies(back), branch(next));
    return Object.assign(back, { lookahead: lookaheadOf(branches) });
  }

  /** @returns the state before the first round */
  #entryOf(back: ChoiceState): ChoiceState {
    return { ...back, id: this.#ids++, withinLoop: false };
  }

  /** The tokens that a rule can start with. No rule is empty. */
  #first(name: RuleName): Lookahead {
    const known = this.#firsts.get(name);
    if (known !== undefined) return known;
    const rule = this.#rules[name];
    const starts =
      rule.form === 'sequence' ? [rule.items] : rule.form === 'choice' ? rule.alternatives.map(({ items }) => items) : [rule.first.items];
    const first = union(starts.map((items) => this.#firstOf(items)));
    this.#firsts.set(name, first);
    return first;
  }

  #firstOf([item, ...rest]: readonly Item[]): Lookahead {
    if (item === undefined) return END;
    if (item.item === 'token') return { tokens: setOf(item.kinds), end: false };
    if (item.item === 'rule') return this.#first(item.rule);
    const body = this.#firstOf(item.items);
    return item.item === 'several' ? body : union([body, this.#firstOf(rest)]);
  }
}

function branch(first: State): Branch {
  return { kind: undefined, precedence: undefined, first };
}

function setOf(kinds: readonly Token[]): Uint8Array {
  const tokens = new Uint8Array(TOKEN_NAMES.length);
  for (const kind of kinds) tokens[kind] = 1;
  return tokens;
}

function lookaheadOf(branches: readonly Branch[]): Lookahead {
  return union(branches.map(({ first }) => first.lookahead));
}

export function union(parts: readonly Lookahead[]): Lookahead {
  const tokens = new Uint8Array(TOKEN_NAMES.length);
  for (const part of parts) for (let kind = 0; kind < tokens.length; kind++) if (part.tokens[kind] === 1) tokens[kind] = 1;
  return { tokens, end: parts.some(({ end }) => end) };
}
