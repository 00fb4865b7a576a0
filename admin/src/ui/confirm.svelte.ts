export interface QuestionItem {
  text: string;
  href: string;
  note: string;
}

/** Questions that must be answered before an action continues. */
export interface Question {
  title: string;
  hint?: string | undefined;
  /** The affected items, each with a link. */
  items?: readonly QuestionItem[] | undefined;
  /** The label of the button that continues; none if the dialog only reports. */
  action?: string | undefined;
  isDangerous?: boolean;
  /** A word to type first, for actions that delete much. */
  word?: string | undefined;
  /** An alternative main action. Its result is the answer. */
  other?: { action: string; run: () => Promise<boolean> } | undefined;
}

interface Asked extends Question {
  answer: (isSure: boolean | Promise<boolean>) => void;
}

export const asked = $state<{ question: Asked | null }>({ question: null });

/** Ask the user to confirm. A question that is still open is answered with no. */
export function confirmed(question: Question): Promise<boolean> {
  asked.question?.answer(false);
  return new Promise((resolve) => {
    const answer: Asked['answer'] = (isSure) => {
      asked.question = null;
      resolve(isSure);
    };
    asked.question = { ...question, answer };
  });
}
