export interface QuestionItem {
  text: string;
  href: string;
  note: string;
}

/** Questions that have to be answered before something goes on. */
export interface Question {
  title: string;
  hint?: string | undefined;
  /** What the question is about, one by one, each with a page of its own. */
  items?: readonly QuestionItem[] | undefined;
  /** What the button says that goes on; nothing where the dialog only reports. */
  action?: string | undefined;
  isDangerous?: boolean;
  /** A word to be typed first, where much would be lost. */
  word?: string | undefined;
  /** Another way on, and the main one: whether it worked is the answer. */
  other?: { action: string; run: () => Promise<boolean> } | undefined;
}

interface Asked extends Question {
  answer: (isSure: boolean | Promise<boolean>) => void;
}

export const asked = $state<{ question: Asked | null }>({ question: null });

/** Whether somebody is sure. A question that is still open is answered no. */
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
