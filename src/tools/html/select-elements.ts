import { selectAll } from 'css-select';
import { type AnyNode, DomHandler, type Element, isTag } from 'domhandler';
import * as dom from 'domutils';
import { ToolError } from '../../kernel/errors.ts';
import { feedHtml } from './feed-html.ts';

const MAX_NODES = 300_000;

/** Steps that a selector may take; enough for a large page, and as a rule less than a second. */
const MAX_STEPS = 5_000_000;

/** Elements beside each other that are passed in the time of a step. */
const SIBLINGS_PER_STEP = 16;

/** What is taken of each element that a selector finds. */
export interface Taken {
  /** The value of this attribute instead of the text; elements without it give nothing. */
  readonly attribute?: string;
  readonly max: number;
}

/**
 * The texts, or attributes, of the elements of a page that a CSS selector finds, in the order of the page. However long that
 * takes, nothing else goes on meanwhile.
 */
export async function selectElements(
  html: string,
  selector: string,
  { attribute, max }: Taken,
): Promise<string[]> {
  const handler = new DomHandler();
  let nodes = 0;
  await feedHtml(
    html,
    {
      onparserinit: (parser) => handler.onparserinit(parser),
      onopentag: (name, attributes) => {
        if (++nodes > MAX_NODES)
          throw new ToolError('PERMANENT', `the HTML has more than ${MAX_NODES} elements`);
        handler.onopentag(name, attributes);
      },
      onclosetag: () => handler.onclosetag(),
      ontext: (text) => handler.ontext(text),
      onend: () => handler.onend(),
    },
    new AbortController().signal,
  );
  const budget = new StepBudget();
  const adapter = budget.adapter();
  // Below the root, for what lies side by side would be compared with each other.
  const found = find(() => selectAll<AnyNode, Element>(selector, handler.root, { adapter }));
  const values: string[] = [];
  for (const element of found) {
    if (values.length === max) break;
    if (attribute === undefined) values.push(adapter.getText(element).replace(/\s+/g, ' ').trim());
    else if (Object.hasOwn(element.attribs, attribute)) values.push(element.attribs[attribute] ?? '');
  }
  return values;
}

function find(select: () => Element[]): Element[] {
  try {
    return select();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError('TOOL_MISUSE', `the selector cannot be used: ${reason}`);
  }
}

/** Counts how often a selector looks at the page, and ends it where that is too often. */
class StepBudget {
  #left = MAX_STEPS;

  /** What css-select looks at a page with. */
  adapter() {
    const spend = (steps: number): void => {
      this.#left -= steps;
      if (this.#left < 0) {
        throw new ToolError('TOOL_MISUSE', 'the selector takes too long for this page; write a simpler one');
      }
    };
    return {
      isTag: (node: AnyNode): node is Element => {
        spend(1);
        return isTag(node);
      },
      getAttributeValue: (element: Element, name: string): string | undefined => {
        spend(1);
        return dom.getAttributeValue(element, name);
      },
      getChildren: (node: AnyNode): AnyNode[] => {
        const children = dom.getChildren(node);
        spend(1 + children.length);
        return children;
      },
      getName: (element: Element): string => {
        spend(1);
        return dom.getName(element);
      },
      getParent: (element: Element): AnyNode | null => {
        spend(1);
        return dom.getParent(element);
      },
      getSiblings: (node: AnyNode): AnyNode[] => {
        const siblings = dom.getSiblings(node);
        spend(1 + siblings.length / SIBLINGS_PER_STEP);
        return siblings;
      },
      prevElementSibling: (node: AnyNode): Element | null => {
        spend(1);
        return dom.prevElementSibling(node);
      },
      getText: (node: AnyNode): string => {
        const text = dom.textContent(node);
        // The text of a large part of the page is put together each time.
        spend(1 + text.length / 8);
        return text;
      },
      hasAttrib: (element: Element, name: string): boolean => {
        spend(1);
        return dom.hasAttrib(element, name);
      },
      removeSubsets: (nodes: AnyNode[]): AnyNode[] => {
        spend(nodes.length);
        return dom.removeSubsets(nodes);
      },
    };
  }
}
